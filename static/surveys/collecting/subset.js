// Asks some of the protected questions: which ones, chance decides before anything is answered.

import { drawSubset } from "./channel.js";
import { main, register } from "./send.js";

/** What is sent of a question that was not drawn is a mark; nothing else of it stays. */
function empty(question) {
  question.replaceChildren(...question.querySelectorAll("fieldset[data-name]"));
  for (const fieldset of question.children) fieldset.replaceChildren();
  question.dataset.unasked = question.dataset.undrawn;
  delete question.dataset.undrawn;
  delete question.dataset.receipt; // which has its words, and was read
}

// A protected question is shown only once it is drawn; of all others nothing stays in the page.
const questions = [...main.querySelectorAll("[data-undrawn]")];
const drawn = drawSubset(questions.length, Number(main.dataset.asked));
questions.forEach((question, place) => {
  if (!drawn.has(place)) return empty(question);
  question.closest("section").dataset.step = "question";
  question.hidden = false;
  question.dataset.question = "";
  delete question.dataset.undrawn;
});
// Numbers of questions stay those of the start page; the bar counts the screens that are shown.
const bars = [...main.querySelectorAll("[data-step=question] progress")];
bars.forEach((bar, place) => Object.assign(bar, { max: bars.length, value: place + 1 }));
register("subset", {});
