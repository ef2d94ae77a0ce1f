// Asks some of the protected questions: which ones, chance decides before anything is answered.

import { uniform } from "./channel.js";
import { register } from "./send.js";

/** `count` of the places 0 to size - 1, every subset equally likely (a shuffle, cut short). */
export function drawSubset(size, count, next) {
  const places = [...Array(size).keys()];
  for (let first = 0; first < count; first += 1) {
    const other = first + uniform(size - first, next);
    [places[first], places[other]] = [places[other], places[first]];
  }
  return new Set(places.slice(0, count));
}

/** What is sent of a question that was not drawn: a mark that is as wide as an answer. */
function undrawn(question) {
  return [...question.querySelectorAll("fieldset[data-name]")].map(({ dataset }) => {
    const fieldset = document.createElement("fieldset");
    const mark = Object.assign(document.createElement("input"), {
      type: "radio", checked: true, value: question.dataset.undrawn,
    });
    fieldset.hidden = true;
    fieldset.dataset.name = dataset.name;
    fieldset.append(mark);
    return fieldset;
  });
}

// A protected question is shown only once it is drawn; of all others nothing stays in the page.
const main = document.querySelector("main");
const questions = [...main.querySelectorAll("[data-undrawn]")];
const drawn = drawSubset(questions.length, Number(main.dataset.asked));
questions.forEach((question, place) => {
  if (!drawn.has(place)) return question.replaceWith(...undrawn(question));
  question.closest("section").dataset.step = "question";
  question.hidden = false;
  question.dataset.question = "";
  delete question.dataset.undrawn;
});
// Numbers of questions stay those of the start page; the bar counts the screens that are shown.
const bars = [...main.querySelectorAll("[data-step=question] progress")];
bars.forEach((bar, place) => Object.assign(bar, { max: bars.length, value: place + 1 }));
register("subset", {});
