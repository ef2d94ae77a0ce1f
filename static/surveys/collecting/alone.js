// What can only be ticked alone clears all other answers, and is cleared by them.

import { all, main, register } from "./send.js";

function clear({ target }) {
  if (!target.dataset.part || !target.checked) return;
  for (const other of all("[data-part]:checked", target.closest("fieldset"))) {
    const excludes = [target, other].some(({ dataset }) => "alone" in dataset);
    if (other !== target && excludes) other.checked = false;
  }
}

main.addEventListener("input", clear, true); // before what reads the answers
register("alone", {});
