// Reading the answers and sending: one body of a fixed shape, drawn once, posted once or again.

import { randomKey, report } from "./channel.js";
import { canonical } from "./invitation.js";

const PATIENCE = 20_000; // milliseconds until a reply counts as lost
const WORK = "Deniable-Work";
const TRIES = 3; // others send meanwhile, and a little more work may be asked

/** What was chosen: one answer, or one to each of several questions. */
export function checked(fieldset) {
  return [...fieldset.querySelectorAll("input:checked, select")].filter(({ value }) => value);
}

export function declined(fieldset) {
  return fieldset.querySelector("[data-declined]")?.checked;
}

export function typed(input) {
  return input.value.trim().replace(",", ".").replace("\u2212", "-");
}

/** All numbers of a question are sent equally wide: with leading zeros and every decimal place. */
function numberCode(input) {
  const { places, width } = input.dataset;
  const value = Number(typed(input));
  const sign = value < 0 ? "-" : "";
  return sign + Math.abs(value).toFixed(Number(places)).padStart(Number(width) - sign.length, "0");
}

/** Texts are sent as long as the longest: UTF-8, filled up with zeros, in base64url. */
export function textCode(text, longest) {
  const bytes = new Uint8Array(4 * longest);
  new TextEncoder().encodeInto(text.replaceAll("\0", ""), bytes);
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function answerOf(fieldset) {
  const area = fieldset.querySelector("textarea");
  if (area) return textCode(area.value.trim(), Number(area.dataset.longest));
  const input = fieldset.querySelector("[data-width]");
  if (!input) return checked(fieldset).map(({ value }) => value).join("");
  return declined(fieldset) ? fieldset.querySelector("[data-declined]").value : numberCode(input);
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
    name, item: item ?? "", code: answerOf(fieldset), // what was chosen; its channel:
    codes: codes?.split(" "), columns: columns?.split(" "),
    weights: weights && JSON.parse(weights),
    denominator: Number(denominator),
    marking: marking && JSON.parse(marking),
  };
}

/** Draw every answer and write the body. This is the only place where answers leave the page. */
export function bodyOf(revision, questions, invitation) {
  const fields = [
    ["revision", revision],
    ["key", randomKey()],
    ["path", "browser"],
    ...(invitation === undefined ? [] : [["invitation", canonical(invitation)]]),
    ...questions.map((question) => [question.name, question.item + report(question)]),
  ];
  return fields.map(([name, value]) => `${name}=${value}`).join("&");
}

const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

/** A number that makes a hash of the body begin with `bits` zeros: the price of sending. */
async function work(body, bits) {
  const encoder = new TextEncoder();
  const start = await sha256(encoder.encode(body));
  for (let nonce = 0; ; nonce += 1) {
    const hash = await sha256(new Uint8Array([...start, ...encoder.encode(nonce)]));
    if (new DataView(hash.buffer).getUint32(0) < 2 ** (32 - bits)) return String(nonce);
  }
}

function sent(address, body, paid) {
  return fetch(address, {
    method: "POST",
    body,
    headers: { "Content-Type": "application/x-www-form-urlencoded", ...paid },
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
      reply = await sent(address, body, { [WORK]: await work(body, bits) });
    }
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    if (!page.querySelector("main[data-reply]")) return null;
    return reply.status < 500 ? page : "busy";
  } catch {
    return null; // The connection broke or took too long: whether it was counted is unknown.
  }
}
