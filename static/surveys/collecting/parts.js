// Questions with several parts: chance draws which of them are sent, with any answers.

import { drawSubset, report } from "./channel.js";
import { register } from "./send.js";

/** The level of each part by its number: whether its box is ticked, or what its row has. */
function levelsOf(fieldset) {
  const declined = fieldset.querySelector("[data-declined]:checked")?.value;
  const parts = [...fieldset.querySelectorAll("[data-part]")];
  return parts.sort((a, b) => a.dataset.part - b.dataset.part).map((part) => {
    if (part.type === "checkbox") return declined ?? (part.checked ? "01" : "00");
    return declined ?? part.querySelector(":checked")?.value ?? "";
  });
}

register("parts", {
  /** Of an order that is sent as one pair: whether the first of each two comes before the other. */
  read(fieldset) {
    if (!fieldset.dataset.fields) return undefined;
    const levels = levelsOf(fieldset);
    const pairs = (one, at) => levels.slice(at + 1).map((other) => (one < other ? "01" : "00"));
    return ("pairs" in fieldset.dataset ? levels.flatMap(pairs) : levels).join("");
  },
  problem(fieldset) {
    const { fields, most, distinct } = fieldset.dataset;
    if (fields && fieldset.querySelector("[data-declined]:checked")) return "";
    const levels = fields ? levelsOf(fieldset).filter(Boolean) : []; // of what is answered
    if (most) return levels.filter((level) => level > "00").length > most ? "too-many" : "";
    return distinct && new Set(levels).size < levels.length ? "twice" : undefined;
  },
  /** The parts that are sent are drawn before any of their answers is looked at. */
  several({ fields, code, ...question }) {
    if (!fields) return undefined;
    const levels = code.match(/../g);
    const drawn = [...drawSubset(levels.length, fields.length)].sort((a, b) => a - b);
    return drawn.map((at, slot) =>
      [fields[slot], `${at + 1}`.padStart(2, "0") + report({ ...question, code: levels[at] })]);
  },
});
