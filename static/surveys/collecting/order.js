// Random order: answers, questions and sections change places where the author asks for it.

import { drawSubset } from "./channel.js";
import { all, main, register } from "./send.js";


/** Let groups of elements change places, in an order that is as likely as any other. */
function mix(groups) {
  const places = groups.map(([first]) => {
    const place = new Comment();
    first.before(place);
    return place;
  });
  const order = [...drawSubset(groups.length, groups.length)];
  order.forEach((from, to) => places[to].replaceWith(...groups[from]));
}

/** The screens with this mark, by their sections. */
function sections(mark) {
  const screens = all(mark);
  const numbers = new Set(screens.map(({ dataset }) => dataset.section));
  return [...numbers].map((one) => screens.filter(({ dataset }) => dataset.section === one));
}

/** Answers change places; "prefer not to say" and "other" stay last. The first has the messages. */
function mixOptions(question) {
  const options = all(":scope > fieldset > :is(.rated, .choice:not(.declines))", question);
  if ("opens" in question.dataset) options.pop();
  mix(options.map((option) => [option]));
  const [first, ...others] = all(":scope > fieldset > .choice > input", question);
  const told = others.find((input) => input.hasAttribute("aria-describedby"));
  if (told) first.setAttributeNode(told.removeAttributeNode(told.attributes["aria-describedby"]));
}

const bars = all("[data-step=question] progress").map(({ max, value }) => ({ max, value }));
all("[data-mixes-options]").forEach(mixOptions);
sections("[data-mixes]").forEach((screens) => mix(screens.map((screen) => [screen])));
mix(sections("[data-moves]"));
// What is said of a section stands on its first screen; the bars count the screens as they come.
for (const about of all("[data-mixes] [data-about]")) {
  const { section } = about.closest("section").dataset;
  main.querySelector(`[data-section="${section}"] .section`).append(about);
}
all("[data-step=question] progress").forEach((bar, at) => Object.assign(bar, bars[at]));
register("order", {});
