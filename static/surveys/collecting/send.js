// Reading the answers and sending: one body of a fixed shape, drawn once, posted once or again.

import { randomKey, report } from "./channel.js";

export const main = document.querySelector("main");
export const all = (selector, within = main) => [...within.querySelectorAll(selector)];
const PATIENCE = 20_000; // milliseconds until a reply counts as lost
const FORM = "application/x-www-form-urlencoded";
const TRIES = 3; // others send meanwhile, and a little more work may be asked
const MOST_BITS = 22; // of work: our server asks for 18 at most, and each more doubles it

// What further modules add. Of those that are asked, the first that returns something decides.
const hooks = {
  read: [], // asked (fieldset): its true answer as a code
  report: [], // asked (question): what is sent of it; else the channel draws
  several: [], // asked (question): fields and values of one that sends several, drawn
  seal: [], // asked (name, value): a promise of what is sent in its place, locked
  problem: [], // asked (fieldset): the name of what is wrong with its answer, "" if nothing is
  skips: [], // asked ([data-question]): whether it is not asked now
  leave: [], // asked (screen): a promise of the name of what is wrong, "" if it may be left
  named: [], // asked (field, number): the name of an item in the receipt
  key: [], // asked (): the key of this submission; else it is drawn
  again: [], // asked (body, show): a promise of what is sent in its place, or of a reply already
  said: [], // asked (code, words): what a code says in the receipt; else its label
  fields: [], // told (): names and values that are sent before the answers
  press: [], // told (act, screen, complain): a button was pressed that is not the core's
  drawing: [], // told (): the answers are about to be read
  forget: [], // told (): no answer may stay anywhere
};
export const registered = new Set();
/** A module says under its file's name that it runs, and what it adds. */
export function register(name, added) {
  registered.add(name);
  for (const [hook, run] of Object.entries(added)) hooks[hook].push(run);
}

/** Tell all modules that add this; what each returns. */
export function tell(hook, ...about) {
  return hooks[hook].map((run) => run(...about));
}

export const ask = (hook, ...about) => tell(hook, ...about).find((one) => one !== undefined);

/** What was chosen: one answer, or one to each of several questions. */
export function checked(fieldset) {
  return [...fieldset.querySelectorAll("input:checked, select")].filter(({ value }) => value);
}

/**
 * One question as it stands in the page: its true answer and its channel. Items that are rated
 * share theirs, and each is sent under its number.
 */
export function read(fieldset) {
  const { name, item } = fieldset.dataset;
  const channel = fieldset.closest("[data-slots]") ?? fieldset;
  const { codes, columns, weights, denominator, marking } = channel.dataset;
  return {
    name, item: item ?? "",
    code: ask("read", fieldset) ?? checked(fieldset).map(({ value }) => value).join(""),
    codes: codes?.split(" "), columns: columns?.split(" "),
    weights: weights && JSON.parse(weights),
    denominator: Number(denominator),
    fields: fieldset.dataset.fields?.split(" "), // of a question that sends several
    mark: fieldset.closest("[data-unasked]")?.dataset.unasked,
    marking,
  };
}

/** Names and values. Of a question that is not asked each field has a mark as wide as an answer. */
function fieldsOf(question) {
  const { name, item, fields, mark } = question;
  if (mark) return (fields ?? [name]).map((field) => [field, mark]);
  const several = ask("several", question);
  return several ?? [[name, item + (ask("report", question) ?? report(question))]];
}

/** Draw every answer and write the body. This is the only place where answers leave the page. */
export async function bodyOf(revision, questions) {
  const fields = [
    ["revision", revision],
    ["key", ask("key") ?? randomKey()],
    ["path", "browser"],
    ...tell("fields").flat(),
    ...questions.flatMap(fieldsOf).sort(), // by name, in any order of the page
  ];
  const pair = async ([name, value]) => `${name}=${await (ask("seal", name, value) ?? value)}`;
  return (await Promise.all(fields.map(pair))).join("&");
}

export const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes)).replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_");

const sha256 = (bytes) => crypto.subtle.digest("SHA-256", bytes);
/** The first 16 digits of a body's hash, as the receipt has them. */
export async function hashOf(body) {
  const hash = new Uint8Array(await sha256(new TextEncoder().encode(body)));
  return [...hash.slice(0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A number that makes a hash of the body begin with `bits` zeros: the price of sending. */
async function work(body, bits) {
  const encoder = new TextEncoder();
  const start = new Uint8Array(await sha256(encoder.encode(body)));
  const both = new Uint8Array([...start, ...new Uint8Array(20)]); // the hash, and a number after it
  for (let nonce = 0; ; nonce += 1) {
    const { written } = encoder.encodeInto(nonce, both.subarray(start.length));
    const hash = await sha256(both.subarray(0, start.length + written)); // of a copy
    if (new DataView(hash).getUint32(0) < 2 ** (32 - bits)) return String(nonce);
  }
}

/** What the server replies: an object of JSON, which is empty if no reply of ours arrived. */
async function sent(address, body, paid) {
  try {
    return await (await fetch(address, {
      method: "POST", body, referrer: "/", // the address of the page has a language
      headers: { "Content-Type": FORM, Accept: "application/json", ...paid },
      mode: "same-origin", credentials: "omit", cache: "no-store", redirect: "error",
      signal: AbortSignal.timeout(PATIENCE),
    })).json() ?? {};
  } catch {
    return {}; // The connection broke or took too long: whether it was counted is unknown.
  }
}

/** Post a body; where too many came from this network, work for it and post it again. */
export async function post(address, body) {
  let reply = await sent(address, body, {});
  for (let tries = 0; tries < TRIES && reply.reply === "work" && crypto.subtle; tries += 1) {
    if (!(reply.bits <= MOST_BITS)) return {}; // not from our server: this page would hang
    reply = await sent(address, body, { "Deniable-Work": await work(body, reply.bits) });
  }
  return reply;
}
