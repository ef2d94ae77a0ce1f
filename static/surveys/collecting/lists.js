// Long lists: an answer is found by typing, and options of the whole list are marked by chance.

import { drawSubset, nextWord, uniform } from "./channel.js";
import { all, main, register } from "./send.js";

/** One bit for each option as hexadecimal digits: option j is bit j % 8 of byte j / 8. */
function hexadecimal(ones) {
  const bytes = new Uint8Array(Math.ceil(ones.length / 8));
  ones.forEach((one, option) => (bytes[option >> 3] |= one << (option & 7)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The options of a long list that are marked, by chance, as a code. The truth is marked if_true
 * times in denominator. Without a size, every other option is marked if_other times, each drawn on
 * its own; with a size, others are picked evenly (Fisher and Yates) until there are so many.
 */
export function mark(marking, truth, next = nextWord) {
  const { options, if_true, if_other, denominator, size } = marking;
  const each = [...Array(options).keys()];
  if (!size) {
    const limit = (option) => (option === truth ? if_true : if_other);
    return hexadecimal(each.map((option) => uniform(denominator, next) < limit(option)));
  }
  const marked = new Set(uniform(denominator, next) < if_true ? [truth] : []);
  const others = each.filter((option) => option !== truth);
  const places = drawSubset(others.length, size - marked.size, next);
  for (const place of places) marked.add(others[place]);
  return hexadecimal(each.map((option) => marked.has(option)));
}

const lists = new Map(); // the whole list of options of each, as the page came
const names = {}; // of all options of each, by its field, in the order of their codes
for (const { name, options } of all("select"))
  for (const { value, text } of options) if (value) (names[name] ??= [])[Number(value)] = text;

/**
 * Show only the options of a long list in which every typed word occurs, and the chosen one. The
 * only one that fits is picked, until another text fits more or none.
 */
function filter(event) {
  if (event.target.type !== "search") return;
  const fieldset = event.target.closest("fieldset");
  const list = fieldset.querySelector("select");
  const chosen = list.value === list.dataset.only ? "" : list.value;
  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const words = plain(event.target.value).split(/\s+/);
  if (!lists.has(list)) lists.set(list, [...list.options]);
  const fits = ({ value, text }) => value && words.every((word) => plain(text).includes(word));
  const found = lists.get(list).filter(fits);
  const kept = (option) => ["", chosen].includes(option.value) || found.includes(option);
  list.replaceChildren(...lists.get(list).filter(kept));
  list.dataset.only = found.length === 1 ? found[0].value : "none";
  list.value = found.length === 1 ? found[0].value : chosen;
  fieldset.querySelector("[data-found]").textContent = found.length;
  fieldset.querySelector("[data-picked]").textContent = found.length === 1 ? found[0].text : "";
  fieldset.querySelector("[data-finding]").hidden = !event.target.value.trim();
}

main.addEventListener("input", filter);
/** What was marked, in words: `some` has the places of how many and which. */
function marksIn(code, { fields, some, none }) {
  const bytes = code.match(/../g).map((two) => parseInt(two, 16));
  const marked = names[fields[0]].filter((_, at) => (bytes[at >> 3] >> (at & 7)) & 1);
  const counted = some.replace("{count}", marked.length);
  return marked.length ? counted.replace("{names}", () => marked.join("; ")) : none;
}

register("lists", {
  said: (code, words) => (words.as === "marks" ? marksIn(code, words) : undefined),
  report: ({ marking, code }) => marking && mark(JSON.parse(marking), Number(code)),
  forget: () => lists.clear(),
});
