// A question's page shows the fields of the kind and design that are chosen, and the designs that the
// kind can have. Without this script it shows the fields of the saved ones, and all designs.
"use strict";

const box = document.getElementById("question-fields");
const kind = document.getElementById("id_kind");
const design = document.getElementById("id_design");
let isOnlyOne = false;
let isChosen = false; // the design, by the author

function showUsed() {
  const usedBy = JSON.parse(box.dataset.usedBy);
  const used = usedBy[kind.value]?.[design.value || "direct"];
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

// Only an author chooses: a kind that can be asked in one way alone says it, and takes it back with it.
function chooseFitting() {
  const fitting = JSON.parse(box.dataset.designs)[kind.value] ?? [];
  const unchosen = design.querySelector('option[value=""]') ? "" : "direct";
  if (isOnlyOne) design.value = unchosen;
  isOnlyOne = fitting.length === 1;
  if (isOnlyOne) design.value = fitting[0];
  else if (!fitting.includes(design.value)) design.value = unchosen;
  offerDesigns();
  showUsed();
}

// What follows a protected question is protected as that one is: launch refuses all else.
function protectAsIts(source) {
  const its = document.getElementById(`answers-${source.value}`)?.dataset.design;
  const fitting = JSON.parse(box.dataset.designs)[kind.value] ?? [];
  const isNew = design.querySelector('option[value=""]') !== null;
  if (isNew && !isChosen && its && fitting.includes(its)) {
    design.value = its;
    offerDesigns();
    showUsed();
  }
}

if (kind && design) {
  kind.addEventListener("change", chooseFitting);
  design.addEventListener("change", () => {
    isChosen = true;
    showUsed();
  });
  document.addEventListener("change", ({ target }) => {
    if (/^id_conditions-\d+-source$/.test(target.id)) protectAsIts(target);
  });
  offerDesigns();
  showUsed(); // a page that is reloaded may have kept another choice
}
