// Shows what MkDocs' search found in place of the page's text, and says how much it is.
const query = document.getElementById("mkdocs-search-query");
const results = document.getElementById("mkdocs-search-results");

function show() {
  const searching = query.value.trim().length > 1;
  document.getElementById("found").hidden = !searching;
  document.getElementById("text").hidden = searching;
  const count = results.querySelectorAll("article").length;
  document.getElementById("found-count").textContent =
    count === 1 ? "1 place found" : `${count} places found`;
}

query.addEventListener("input", show);
// What was typed before the search was ready is looked for now.
searchWorker.addEventListener("message", (event) => {
  if (event.data.allowSearch) doSearch();
});
// Enter searches as typing does, and Escape leads back to the text.
query.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    query.value = "";
    show();
  }
});
new MutationObserver(show).observe(results, { childList: true });
// What was found may stand on this very page, further down.
results.addEventListener("click", () => {
  query.value = "";
  show();
});
