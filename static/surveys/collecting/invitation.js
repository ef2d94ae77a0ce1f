// Invitations: the code comes in the address after #, which browsers never send, or is typed.

import { main, post, register } from "./send.js";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
// How a whole code of each length adds up to 0: in the field of 32 elements, or modulo a prime.
const SUMS = {
  16: (digits) => digits.reduce((sum, digit) => (sum << 1) ^ (sum & 16 ? 37 : 0) ^ digit, 0),
  28: (digits) =>
    digits.slice(0, -2).reduce((sum, digit) => (sum * 32 + digit) % 1021, 0) -
    (digits.at(-2) * 32 + digits.at(-1)),
};

/** What was typed, as it is sent: i and l are read as 1, o as 0. */
export function canonical(text) {
  return text.toLowerCase().replace(/[\s+-]/g, "").replace(/[il]/g, "1").replace(/o/g, "0");
}

/** What is wrong with a code of this length, as the name of its message; "" if nothing is. */
export function problemOfCode(code, length) {
  const digits = [...code].map((character) => ALPHABET.indexOf(character));
  if (!code) return "missing";
  if (digits.includes(-1)) return "letters";
  if (code.length !== Number(length)) return "length";
  return SUMS[length](digits) ? "typo" : "";
}

/** Ask at the door whether the code counts, before anything is asked of the person. */
async function enter(step) {
  if (!step.contains(input)) return "";
  const box = input.closest("[data-typed]");
  const isUnable = main.dataset.n && !crypto.subtle;
  const fault = history.state === "sent" ? "sent" : isUnable ? "insecure" : "";
  const problem = fault || problemOfCode(codeTyped(), input.dataset.length);
  if (fault) box.hidden = false;
  // There is no door in a preview, and who was let in before a reload passes it.
  if (problem || history.state || !main.dataset.revision) return problem;
  const knock = `path=browser&invitation=${codeTyped()}`;
  const answer = (await post("door/", knock)).reply; // compared, and never shown
  if (answer === "admitted") return "";
  box.hidden = false;
  return answer === "rejected" ? answer : "unchecked";
}

const input = document.querySelector("input[data-invitation]");
if (input) {
  const code = canonical(location.hash.slice(1));
  // Back and forward may restore what was typed; a code of a link is in the field already.
  input.value = code || input.defaultValue;
  if (!problemOfCode(code, input.dataset.length)) input.closest("[data-typed]").hidden = true;
  // A page that was loaded anew before its answers were sent: no other page can go on with its key.
  const isBegun = history.state && history.state !== "sent";
  for (const one of document.querySelectorAll("[data-begun]")) one.hidden = !isBegun;
  for (const link of document.querySelectorAll("a[data-takes-code]")) // the code goes along
    link.addEventListener("click", () => (link.hash = canonical(input.value)));
  // Until the door a page that is loaded anew has the code still; after it, no address has.
  input.form?.addEventListener("submit", () => history.replaceState(null, "", location.pathname));
}
// Another invitation's link in this tab changes what comes after #, to no place here: start anew.
onhashchange = () => location.hash && !document.querySelector(":target") && location.reload();
// Another code, where the one that was sent was refused; all else stays as it was drawn.
const other = document.querySelector("[data-other-code]");
export const codeTyped = () => canonical(input.value);
export const codeNow = (code) => canonical(other.value) || code;
const again = (drawn) => ({ sent: drawn.replace(/(?<=&invitation=)[^&]*/, codeNow) });
const fields = () => [["invitation", codeTyped()]];
// Where vouchers are sent, no code is.
register("invitation", main.dataset.n ? { leave: enter } : { leave: enter, fields, again });
