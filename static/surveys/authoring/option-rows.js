// A row that is added below a question's options shows the next position. Without this script the
// server gives it one when the form is saved.
"use strict";

document.addEventListener("formset:added", ({ target, detail }) => {
  if (detail.formsetName !== "options") return;
  const typed = [...document.querySelectorAll("#options-group .field-position input")];
  const positions = typed.filter(({ value }) => value).map(({ value }) => Number(value));
  target.querySelector(".field-position input").value = Math.max(-1, ...positions) + 1;
});
