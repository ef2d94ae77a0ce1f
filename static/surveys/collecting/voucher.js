// Vouchers (RFC 9474): for an invitation's code this server signs, unseen, what answers come with.

import { nextWord } from "./channel.js";
import { codeNow, codeTyped } from "./invitation.js";
import { base64url, main, post, register } from "./send.js";

const { n: modulus, digest, wait, exchangeAt } = main.dataset;
const n = BigInt(`0x${modulus}`);
const LONGEST = 300_000; // milliseconds that a page waits at most
const share = () => (nextWord() + 1) / 2 ** 32; // above 0
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const numberOf = (bytes) => BigInt(`0x${hexOf(bytes)}`);
const bytesIn = (number) => bytesOf(number.toString(16).padStart(modulus.length, "0"));
const sha384 = async (bytes) =>
  [...new Uint8Array(await crypto.subtle.digest("SHA-384", Uint8Array.from(bytes)))];

// Key, salt and blinding factor: a reload of this page goes on with them, and nothing else does.
let kept = /^[0-9a-f]{640}$/.test(history.state) ? history.state : "";
while (!kept || numberOf(bytesOf(kept).slice(64)) >= n)
  kept = hexOf(crypto.getRandomValues(new Uint8Array(320)));
const [key, salt, last] = [[0, 16], [16, 64], [64]].map((cut) => bytesOf(kept).slice(...cut));
const factor = numberOf(last);
const label = new TextEncoder().encode("deniable voucher 1");
const parts = [[0, 0, 0, 18], label, [0, 0, 0, 32], bytesOf(digest), [0, 0, 0, 16], key];
const message = Uint8Array.from(parts.flatMap((part) => [...part]));

/** What is sent to be signed: EMSA-PSS with SHA-384 (RFC 8017, 9.1.1) times factor^65537. */
export async function request() {
  const hash = await sha384([...Array(8).fill(0), ...(await sha384(message)), ...salt]);
  const masks = [0, 1, 2, 3, 4].map((count) => sha384([...hash, 0, 0, 0, count]));
  const mask = (await Promise.all(masks)).flat();
  const block = [...Array(158).fill(0), 1, ...salt].map((byte, at) => byte ^ mask[at]);
  const encoded = numberOf([block[0] & 127, ...block.slice(1), ...hash, 188]);
  const power = Array(16).fill().reduce((squared) => (squared * squared) % n, factor);
  return base64url(bytesIn((((power * factor) % n) * encoded) % n));
}

/** The voucher in what was signed; empty unless the survey's published key has signed it. */
export async function finished(signed) {
  let [rest, above, times, before] = [factor, n, 1n, 0n]; // until times * factor leaves 1: Euclid
  while (rest > 1n)
    [rest, above, times, before] = [above % rest, rest, before - (above / rest) * times, times];
  const text = atob(signed.replaceAll("-", "+").replaceAll("_", "/"));
  const number = numberOf(Array.from(text, (character) => character.charCodeAt())) * times;
  const voucher = bytesIn(((number % n) + n) % n);
  const law = { name: "RSA-PSS", hash: "SHA-384", saltLength: 48 };
  const jwk = { kty: "RSA", e: "AQAB", n: base64url(bytesOf(modulus)) };
  const published = await crypto.subtle.importKey("jwk", jwk, law, false, ["verify"]);
  return (await crypto.subtle.verify(law, published, voucher, message)) ? base64url(voucher) : "";
}

let [code, voucher, isHurried] = ["", "", false];
/** The body with its voucher, after a random time; or what was replied in place of a signature. */
async function again(drawn, show) {
  history.replaceState(voucher ? "sent" : kept, "");
  if (voucher) return { sent: drawn.replace("&voucher=", `&voucher=${voucher}`) };
  const asked = `path=browser&invitation=${codeNow(code)}&blinded=${await request()}`;
  const reply = await post(exchangeAt, asked);
  if (reply.reply !== "signed" || !/^[\w-]{342}$/.test(reply.signed)) return { reply };
  voucher = await finished(reply.signed);
  if (!voucher) return { reply: { reply: "refused", code: "wrongly-signed", values: {} } };
  if (Number(wait)) show("waiting");
  let end = Infinity;
  while (end > Date.now() + LONGEST) end = Date.now() - wait * 1000 * Math.log(share());
  for (; Date.now() < end && !isHurried; await new Promise((done) => setTimeout(done, 500)))
    main.querySelector("[data-left]").textContent = Math.ceil((end - Date.now()) / 1000);
  show("sending");
  return again(drawn);
}

main.querySelector("[data-now]")?.addEventListener("click", () => (isHurried = true));
const fields = () => ((code = codeTyped()), [["voucher", ""]]);
register("voucher", { key: () => hexOf(key), fields, again });
