// A condition suggests the answers of the question that it reads. Without this script they are typed.
"use strict";

const ROW = /^id_conditions-(\d+)-source$/;

function suggest(source) {
  const row = ROW.exec(source.id)?.[1];
  const value = row && document.getElementById(`id_conditions-${row}-value`);
  if (value) value.setAttribute("list", `answers-${source.value}`);
}

// Rows that are added later send their changes here too.
document.addEventListener("change", (event) => suggest(event.target));
for (const source of document.querySelectorAll("select[id^=id_conditions-]")) suggest(source);
