// Quotes: an answer in the words of a later question, on this screen alone; nothing of it is sent.

import { all, main, register } from "./send.js";

const PICKED = "option:not(.declines, [value='']):checked";
const GIVEN = `:is(.choice:not(.declines) > input:checked, ${PICKED}, [data-width], textarea)`;
// Each with the words that stand there as long as there is no answer.
const quotes = [...main.querySelectorAll("[data-quoted]")].map((one) => [one, one.textContent]);

/** An answer in words, as it stands in the page now; empty without one. */
function answerTo(name) {
  const given = all(`:is([data-name="${name}"], [data-counted="${name}"]) ${GIVEN}`);
  const words = (one) => (one.checked ? one.labels[0].textContent : one.text ?? one.value);
  return given.map(words).find((it) => it.trim())?.trim() ?? "";
}

/** As text: nothing that people write is ever read as a part of the page. */
function fill() {
  for (const [one, words] of quotes) one.textContent = answerTo(one.dataset.quoted) || words;
}

main.addEventListener("input", fill);
register("quotes", { forget: () => quotes.splice(0) });
