// Vouchers (RFC 9474): for an invitation's code this server signs, unseen, what answers come with.

import { nextWord } from "./channel.js";
import { codeNow, codeTyped } from "./invitation.js";
import { base64url, main, post, register } from "./send.js";

const { n: modulus, digest, wait, exchangeAt } = main.dataset;
const n = BigInt(`0x${modulus}`);
const now = () => performance.now() / 1000;
const pause = () => new Promise((done) => setTimeout(done, 200));
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const numberOf = (bytes) => BigInt(`0x${hexOf(bytes)}`);
const bytesIn = (number) => bytesOf(number.toString(16).padStart(modulus.length, "0"));
const sha384 = async (bytes) =>
  [...new Uint8Array(await crypto.subtle.digest("SHA-384", Uint8Array.from(bytes)))];
function inverse(number) { // what times it leaves 1, by Euclid's algorithm; 0 if nothing does
  let [rest, above, times, before] = [number, n, 1n, 0n];
  while (rest > 1n)
    [rest, above, times, before] = [above % rest, rest, before - (above / rest) * times, times];
  return rest && ((times % n) + n) % n;
}
// Key, salt and blinding factor: a reload of this page goes on with them, and nothing else does.
let kept = /^[0-9a-f]{640}$/.test(history.state) ? history.state : "";
const cut = (...places) => bytesOf(kept).slice(...places);
while (!kept || numberOf(cut(64)) >= n || !inverse(numberOf(cut(64))))
  kept = hexOf(crypto.getRandomValues(new Uint8Array(320)));
const [key, salt, revision] = [cut(0, 16), cut(16, 64), bytesOf(digest)];
const label = new TextEncoder().encode("deniable voucher 1");
const message = Uint8Array.of(0, 0, 0, 18, ...label, 0, 0, 0, 32, ...revision, 0, 0, 0, 16, ...key);

/** What is sent to be signed: EMSA-PSS with SHA-384 (RFC 8017, 9.1.1) times factor^65537. */
export async function request() {
  const hash = await sha384([...Array(8).fill(0), ...(await sha384(message)), ...salt]);
  const masks = await Promise.all([0, 1, 2, 3, 4].map((it) => sha384([...hash, 0, 0, 0, it])));
  const block = [...Array(158).fill(0), 1, ...salt].map((byte, at) => byte ^ masks.flat()[at]);
  const encoded = numberOf([block[0] & 127, ...block.slice(1), ...hash, 188]);
  const power = Array(16).fill().reduce((squared) => (squared * squared) % n, numberOf(cut(64)));
  const blinded = (((power * numberOf(cut(64))) % n) * encoded) % n;
  return inverse(encoded) ? base64url(bytesIn(blinded)) : ""; // else it would show through
}

/** The voucher in what was signed; empty unless the survey's published key has signed it. */
export async function finished(signed) {
  const text = atob(signed.replaceAll("-", "+").replaceAll("_", "/"));
  const number = numberOf(Array.from(text, (character) => character.charCodeAt()));
  const voucher = bytesIn((number * inverse(numberOf(cut(64)))) % n);
  const law = { name: "RSA-PSS", hash: "SHA-384", saltLength: 48 };
  const jwk = { kty: "RSA", e: "AQAB", n: base64url(bytesOf(modulus)) };
  const published = await crypto.subtle.importKey("jwk", jwk, law, false, ["verify"]);
  return (await crypto.subtle.verify(law, published, voucher, message)) ? base64url(voucher) : "";
}
let [code, voucher, isHurried] = ["", "", false];
/** The body with its voucher, after a random time; or what was replied in place of a signature. */
async function again(drawn, show) {
  while (voucher && !history.state) await pause(); // until the page has undone a Back
  history.replaceState(voucher ? "sent" : kept, "");
  if (voucher) return { sent: drawn.replace("&voucher=", `&voucher=${voucher}`) };
  const asked = `path=browser&invitation=${codeNow(code)}&blinded=${await request()}`;
  const reply = await post(exchangeAt, asked);
  const signed = /^[\w-]{342}$/.test(reply.signed) ? `${reply.signed}` : "";
  if (reply.reply !== "signed" || !signed) return { reply: reply.reply === "receipt" ? {} : reply };
  voucher = await finished(signed).catch(() => "");
  if (!voucher) return { reply: { reply: "refused", code: "wrongly-signed", values: {} } };
  if (Number(wait)) show("waiting");
  let left = Infinity; // seconds, and five minutes at most
  while (left > 300) left = -wait * Math.log((nextWord() + 1) / 2 ** 32);
  for (const end = now() + left; left > 0 && !isHurried; left = end - now(), await pause())
    main.querySelector("[data-left]").textContent = Math.ceil(left);
  show("sending");
  return again(drawn);
}
main.querySelector("[data-now]")?.addEventListener("click", () => (isHurried = true));
const fields = () => ((code = codeTyped()), [["voucher", ""]]);
register("voucher", { key: () => hexOf(key), fields, again });
