// A question's page shows the fields of the kind and design that are chosen. Without this script it
// shows those of the saved ones.
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

if (kind && design) {
  kind.addEventListener("change", showUsed);
  design.addEventListener("change", showUsed);
  showUsed(); // a page that is reloaded may have kept another choice
}
