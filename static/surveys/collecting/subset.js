// Asks some of the protected questions: which ones, chance decides before anything is answered.

import { uniform } from "./channel.js";
import "./steps.js";

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
function undrawn(section) {
  return [...section.querySelectorAll("fieldset[data-name]")].map(({ dataset }) => {
    const fieldset = document.createElement("fieldset");
    const mark = Object.assign(document.createElement("input"), {
      type: "radio", checked: true, value: section.dataset.undrawn,
    });
    fieldset.hidden = true;
    fieldset.dataset.name = dataset.name;
    fieldset.append(mark);
    return fieldset;
  });
}

// A protected question is a screen only once it is drawn; of all others nothing stays in the page.
const main = document.querySelector("main");
const sections = [...main.querySelectorAll("[data-undrawn]")];
const drawn = drawSubset(sections.length, Number(main.dataset.asked));
sections.forEach((section, place) => {
  if (!drawn.has(place)) return section.replaceWith(...undrawn(section));
  section.dataset.step = "question";
  delete section.dataset.undrawn;
});
// Numbers of questions stay those of the start page; the bar counts the ones that are asked.
const bars = [...main.querySelectorAll("[data-step=question] progress")];
bars.forEach((bar, place) => Object.assign(bar, { max: bars.length, value: place + 1 }));
