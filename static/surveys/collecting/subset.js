// Asks some of the protected questions: which ones, chance decides before anything is answered.

import { drawSubset } from "./channel.js";
import { register, unasked } from "./send.js";

// A protected question is shown only once it is drawn; of all others nothing stays in the page.
const main = document.querySelector("main");
const questions = [...main.querySelectorAll("[data-undrawn]")];
const drawn = drawSubset(questions.length, Number(main.dataset.asked));
questions.forEach((question, place) => {
  const { undrawn } = question.dataset;
  if (!drawn.has(place)) return question.replaceWith(...unasked(question, undrawn));
  question.closest("section").dataset.step = "question";
  question.hidden = false;
  question.dataset.question = "";
  delete question.dataset.undrawn;
});
// Numbers of questions stay those of the start page; the bar counts the screens that are shown.
const bars = [...main.querySelectorAll("[data-step=question] progress")];
bars.forEach((bar, place) => Object.assign(bar, { max: bars.length, value: place + 1 }));
register("subset", {});
