// Where the site begins, as MkDocs' search asks for it; the page says it in an attribute of this
// script, because no script may stand in the page itself.
window.base_url = document.currentScript.dataset.base;
