// Questions with several parts: chance draws which of them are sent, with any answers.

import { drawSubset, report } from "./channel.js";
import { register } from "./send.js";

const ticks = (fieldset) => [...fieldset.querySelectorAll("input[data-part]")];
const declinedBox = (fieldset) => fieldset.querySelector("input[data-declined]");

/** The level of each part: whether its box is ticked, or what was chosen for its row. */
function levelsOf(fieldset) {
  if (declinedBox(fieldset)?.checked) return ticks(fieldset).map(() => "02");
  const rows = [...fieldset.querySelectorAll("fieldset[data-part]")];
  if (rows.length) return rows.map((row) => row.querySelector(":checked")?.value ?? "");
  return ticks(fieldset).map(({ checked }) => (checked ? "01" : "00"));
}

/** Ticks and "prefer not to say" exclude each other. */
function exclude({ target }) {
  const fieldset = target.closest("fieldset[data-fields]");
  const box = fieldset && declinedBox(fieldset);
  if (!box || !target.checked) return;
  if (target !== box) box.checked = false;
  else for (const tick of ticks(fieldset)) tick.checked = false;
}

document.querySelector("main").addEventListener("input", exclude);
register("parts", {
  read: (fieldset) => (fieldset.dataset.fields ? levelsOf(fieldset).join("") : undefined),
  problem(fieldset) {
    if (!fieldset.dataset.most) return undefined;
    const count = ticks(fieldset).filter(({ checked }) => checked).length;
    return count > Number(fieldset.dataset.most) ? "too-many" : "";
  },
  /** The parts that are sent are drawn before any of their answers is looked at. */
  several(question) {
    if (!question.fields) return undefined;
    const size = question.code.length / 2;
    const drawn = [...drawSubset(size, question.fields.length)].sort((a, b) => a - b);
    return question.fields.map((field, slot) => {
      const code = question.code.slice(2 * drawn[slot], 2 * drawn[slot] + 2);
      return [field, String(drawn[slot] + 1).padStart(2, "0") + report({ ...question, code })];
    });
  },
});
