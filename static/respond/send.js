// Sending: one body of a fixed shape, drawn once, posted once or again unchanged.

import { report } from "./channel.js";
import { randomKey } from "./random.js";

const PATIENCE = 20_000; // milliseconds until a reply counts as lost

/** Draw every answer and write the body. This is the only place where answers leave the page. */
export function bodyOf(revision, questions) {
  const fields = [
    ["revision", revision],
    ["key", randomKey()],
    ["path", "browser"],
    ...questions.map((question) => [question.name, report(question)]),
  ];
  return fields.map(([name, value]) => `${name}=${value}`).join("&");
}

/** Post a body. Returns the reply as a document, or null if no reply of ours arrived. */
export async function post(address, body) {
  try {
    const reply = await fetch(address, {
      method: "POST",
      body,
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      mode: "same-origin",
      credentials: "omit",
      cache: "no-store",
      redirect: "error",
      signal: AbortSignal.timeout(PATIENCE),
    });
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    return reply.status < 500 && page.querySelector("main[data-reply]") ? page : null;
  } catch {
    return null; // The connection broke or took too long: whether it was counted is unknown.
  }
}
