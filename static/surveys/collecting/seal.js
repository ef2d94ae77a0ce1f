// Texts that only the researchers' keys open: locked here (HPKE, RFC 9180), before they are sent.

import {
  AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_X25519_HKDF_SHA256,
} from "../../vendor/hpke.js";
import { all, base64url, register } from "./send.js";

const main = document.querySelector("main");
const suite = new CipherSuite(KEM_DHKEM_X25519_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM);
const LABEL = new TextEncoder().encode("deniable text 1");
const numbers = Object.fromEntries([...main.querySelectorAll("[data-seal]")].map(
  ({ dataset: { name, seal } }) => [name, Number(seal)]));

const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
const twoBytes = (number) => [number >> 8, number & 255];
/** Each part after its length in four bytes: no two lists of parts give the same. */
const joined = (...parts) =>
  Uint8Array.from(parts.flatMap((part) => [0, 0, ...twoBytes(part.length), ...part]));

/** A text opens for this survey, this question and this layer, and for nothing else. */
const infoOf = (number, layer) =>
  joined(LABEL, bytesOf(main.dataset.digest), twoBytes(number), [layer]);

/** One layer for each key, the first innermost. `text` has the length of the longest already. */
async function sealed(text, number) {
  const base64 = text.replaceAll("-", "+").replaceAll("_", "/");
  let content = Uint8Array.from(atob(base64), (character) => character.charCodeAt());
  for (const [place, key] of (await keys).entries()) {
    const info = infoOf(number, place + 1);
    const { encapsulatedSecret, ciphertext } = await suite.Seal(key, content, { info });
    content = Uint8Array.of(...encapsulatedSecret, ...ciphertext);
  }
  return base64url(content);
}

const keys = Promise.all(
  main.dataset.keys.split(" ").map((key) => suite.DeserializePublicKey(bytesOf(key))));
// Without a secure connection, and in old browsers, nothing can be locked: nothing is asked.
keys.catch(() => {
  for (const start of all("[data-step=start] [data-act=next]")) start.disabled = true;
  main.querySelector("[data-cannot-lock]").hidden = false;
});
const seal = (name, text) => (name in numbers ? sealed(text, numbers[name]) : undefined);
register("seal", { seal });
