// Asks before a page with unsaved work is left. Without this script the browser leaves at once.
"use strict";

const forms = document.querySelectorAll("#question_form, #survey_form, form[data-unsaved]");
// What came back with problems, or was only tried, is not saved either.
let isUnsaved = document.querySelector(".errornote, .trial") !== null;

for (const form of forms) {
  form.addEventListener("input", () => { isUnsaved = true; });
  form.addEventListener("submit", () => {
    isUnsaved = false;
    // A link to a field would take the next page there too, past what it says on top.
    history.replaceState(null, "", location.pathname + location.search);
  });
}
window.addEventListener("beforeunload", (event) => { if (isUnsaved) event.preventDefault(); });
