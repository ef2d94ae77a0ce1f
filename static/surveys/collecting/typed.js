// Numbers, dates and texts: what is wrong with what was typed, and how it is written when sent.

import { base64url, register } from "./send.js";

const declined = (fieldset) => fieldset.querySelector("[data-declined]:checked");
/** Digits of Arabic (U+0660 on) and Persian (U+06F0 on) end in their worth; U+066B is a comma. */
const ascii = (text) => text.replace(/[\u0660-\u0669\u06F0-\u06F9]/g, (it) => it.charCodeAt() & 15);
const plain = (text) => ascii(text).replace(/[,\u066B]/, ".").replace("\u2212", "-");
const typed = (input) => plain(input.value.trim());

/** All numbers of a question are sent equally wide: with leading zeros and every decimal place. */
function numberCode(input) {
  const { places, width } = input.dataset;
  const value = Number(typed(input));
  const sign = value < 0 ? "-" : "";
  return sign + Math.abs(value).toFixed(Number(places)).padStart(Number(width) - sign.length, "0");
}

const textIn = (code) => new TextDecoder().decode(Uint8Array.from(
  atob(code.replaceAll("-", "+").replaceAll("_", "/")), (it) => it.charCodeAt(),
)).replace(/\0+$/, "");
const numberIn = (code) => code.replace(/^(-?)0+(?=\d)/, "$1");

/** Texts are sent as long as the longest: UTF-8, filled up with zeros, in base64url. */
export function textCode(text, longest) {
  const bytes = new Uint8Array(4 * longest);
  new TextEncoder().encodeInto(text.replaceAll("\0", ""), bytes);
  return base64url(bytes);
}

function problemOfText(area) {
  const text = area.value.trim();
  if (!text && "required" in area.dataset) return "missing";
  return [...text].length > Number(area.dataset.longest) ? "too-long" : "";
}

function problemOfNumber(input) {
  const { minimum, maximum, places } = input.dataset;
  const text = typed(input);
  if (!text) return "missing";
  if (!/^-?[0-9]+(\.[0-9]+)?$/.test(text)) return "not-a-number";
  if ((text.split(".")[1] ?? "").length > Number(places)) return "places";
  return Number(minimum) <= Number(text) && Number(text) <= Number(maximum) ? "" : "bounds";
}

function problemOfDay({ value, validity }) {
  if (!value) return validity.badInput ? "not-a-date" : "missing";
  return validity.rangeUnderflow || validity.rangeOverflow ? "bounds" : "";
}

register("typed", {
  said: (code, { as }) => ({ text: textIn, number: numberIn })[as]?.(code),
  read(fieldset) {
    const field = fieldset.querySelector("textarea, [data-width], [type=date]");
    if (!field) return undefined;
    if (declined(fieldset)) return declined(fieldset).value;
    if (field.type === "date") return field.value; // always as 2026-01-31
    const { longest } = field.dataset;
    return longest ? textCode(field.value.trim(), Number(longest)) : numberCode(field);
  },
  problem(fieldset) {
    const field = fieldset.querySelector("textarea, [data-width], [type=date]");
    if (!field || declined(fieldset)) return field ? "" : undefined;
    if (field.type === "date") return problemOfDay(field);
    return field.dataset.longest ? problemOfText(field) : problemOfNumber(field);
  },
});
