// Replies are codes and numbers, which the page says in words of its own: none of the server's.

import { all, ask, hashOf, register } from "./send.js";

const BUSY = { code: "too-many", values: {}, again: true };
const inside = (id) => document.querySelector(id).content.cloneNode(true);
const words = new Map(); // by field: how the page writes what it sends of a question
for (const one of all("[data-receipt]", document)) {
  const added = JSON.parse(one.dataset.receipt);
  for (const field of added.fields) words.set(field, added);
}

/** What was asked, what was sent of it, and how that came about: a row, or one for each slot. */
function rowsOf(question, codes) {
  const { fields, text, how, unasked: [mark, label], always, around, names, labels } = question;
  if (codes.every((code) => code === mark)) return [[text, label, ""]];
  const said = always ?? labels[codes[0]] ?? ask("said", codes[0], question) ?? codes[0];
  if (!around) return [[text, said, how]];
  const named = (number) => around.join(names?.[number] ?? ask("named", fields[0], number));
  return codes.sort().map((code) => [named(+code.slice(0, -2)), labels[code.slice(-2)], how]);
}

const answersIn = (body) =>
  body.split("&").map((pair) => pair.split("=")).filter(([field]) => words.has(field));

/** The receipt for what this page sent; null if what came is no receipt of ours. */
export async function receiptOf({ reply, body, hash, rows }, sent) {
  if (reply !== "receipt" || typeof body !== "string" || !/^[0-9a-f]{16}$/.test(hash)) return null;
  if (JSON.stringify(answersIn(body)) !== JSON.stringify(rows)) return null;
  if (crypto.subtle && (await hashOf(body)) !== hash) return null;
  const codes = new Map(answersIn(sent).map(([field]) => [words.get(field), []]));
  for (const [field, code] of answersIn(sent)) codes.get(words.get(field)).push(code);
  const receipt = inside("#receipt");
  for (const texts of [...codes].flatMap((both) => rowsOf(...both))) {
    const row = inside("#row");
    all("th bdi, td bdi, .how", row).forEach((place, at) => (place.textContent = texts[at]));
    receipt.querySelector("tbody").append(row);
  }
  receipt.querySelector("[data-raw]").textContent = sent;
  receipt.querySelector("code").textContent = body === sent ? hash : "";
  receipt.querySelector("details").before(inside(`#receipt-${body === sent ? "same" : "differs"}`));
  return receipt.querySelector("main");
}

/** Say why it was refused: what its screen shows, "lost" if what came is no refusal of ours. */
export function refused(reply, step) {
  const { code, values, again } = reply.reply === "work" ? BUSY : reply;
  const said = all("[data-code]", inside("#refusals")).find((one) => one.dataset.code === code);
  const given = new Map(Object.entries(values ?? {}));
  const isOurs = [...given.values()].every((one) => /^(\d{1,4}|\d{4}-\d\d-\d\d)$/.test(one));
  if (!said || !isOurs || [...given.keys()].join() !== said.dataset.values) return "lost";
  for (const place of all("[data-said]", step))
    place.textContent = said.querySelector(place.dataset.said).textContent
      .replace(/\{(\w+)\}/g, (it, name) => given.get(name) ?? it);
  const isMet = { again, open: !again && "opens" in said.dataset, code: /ion$/.test(code) };
  for (const one of all("[data-if]", step)) one.hidden = !isMet[one.dataset.if];
  return "refused";
}

register("replies", {});
