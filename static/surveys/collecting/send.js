// Reading the answers and sending: one body of a fixed shape, drawn once, posted once or again.

import { randomKey, report } from "./channel.js";

const PATIENCE = 20_000; // milliseconds until a reply counts as lost
const WORK = "Deniable-Work";
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

export function ask(hook, ...about) {
  return tell(hook, ...about).find((answer) => answer !== undefined);
}

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
    ["key", randomKey()],
    ["path", "browser"],
    ...tell("fields").flat(),
    ...questions.flatMap(fieldsOf).sort(), // by name, in any order of the page
  ];
  const pair = async ([name, value]) => `${name}=${await (ask("seal", name, value) ?? value)}`;
  return (await Promise.all(fields.map(pair))).join("&");
}

const sha256 = (bytes) => crypto.subtle.digest("SHA-256", bytes);

/** A number that makes a hash of the body begin with `bits` zeros: the price of sending. */
async function work(body, bits) {
  const encoder = new TextEncoder();
  const start = new Uint8Array(await sha256(encoder.encode(body)));
  const both = new Uint8Array(start.length + 20); // the body's hash, and a number after it
  both.set(start);
  for (let nonce = 0; ; nonce += 1) {
    const { written } = encoder.encodeInto(nonce, both.subarray(start.length));
    const hash = await sha256(both.subarray(0, start.length + written)); // of a copy
    if (new DataView(hash).getUint32(0) < 2 ** (32 - bits)) return String(nonce);
  }
}

export function sent(address, body, further) {
  return fetch(address, {
    method: "POST",
    body,
    headers: { "Content-Type": "application/x-www-form-urlencoded", ...further },
    mode: "same-origin", credentials: "omit", cache: "no-store", redirect: "error",
    signal: AbortSignal.timeout(PATIENCE),
  });
}

/**
 * Post a body; where too many came from this network, work for it and post it again. Returns the
 * reply as a document, "busy" if it could not be stored now, or null if no reply of ours arrived.
 */
export async function post(address, body) {
  try {
    let reply = await sent(address, body, {});
    for (let tries = 0; tries < TRIES && reply.status === 429 && crypto.subtle; tries += 1) {
      const bits = Number(reply.headers.get(WORK));
      if (!bits) break;
      if (bits > MOST_BITS) return null; // not from our server: this page would hang
      reply = await sent(address, body, { [WORK]: await work(body, bits) });
    }
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    if (!page.querySelector("main[data-reply]")) return null;
    return reply.status < 500 ? page : "busy";
  } catch {
    return null; // The connection broke or took too long: whether it was counted is unknown.
  }
}
