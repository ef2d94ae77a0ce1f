// A question's page shows the fields of the kind and design that are chosen, and the designs that the
// kind can have. Without this script it shows the fields of the saved ones, and all designs.
"use strict";

const box = document.getElementById("question-fields");
const kind = document.getElementById("id_kind");
const design = document.getElementById("id_design");

function showUsed() {
  const usedBy = JSON.parse(box.dataset.usedBy);
  const used = usedBy[kind.value]?.[design.value];
  if (!used) return;
  const shown = [...used, ...box.dataset.kept.split(" ")];
  const all = new Set(Object.values(usedBy).flatMap((byDesign) => Object.values(byDesign).flat()));
  box.dataset.unused = [...all].filter((name) => !shown.includes(name)).join(" ");
}

function offerDesigns() {
  const fitting = JSON.parse(box.dataset.designs)[kind.value] ?? [];
  for (const option of design.options) {
    option.hidden = option.disabled = !fitting.includes(option.value) && !option.selected;
  }
}

function chooseFitting() {
  const fitting = JSON.parse(box.dataset.designs)[kind.value] ?? [];
  if (!fitting.includes(design.value)) design.value = "direct";
  offerDesigns();
  showUsed();
}

if (kind && design) {
  kind.addEventListener("change", chooseFitting);
  design.addEventListener("change", showUsed);
  offerDesigns();
  showUsed(); // a page that is reloaded may have kept another choice
}
