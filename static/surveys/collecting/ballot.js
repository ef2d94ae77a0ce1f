// Ballots: answers that are only counted, locked here for all key holders together, and proved.

import { bytesToNumberLE, concatBytes, edwards, hexToBytes } from "../../vendor/curves.js";
import { all, ask, base64url, checked, main, register } from "./send.js";

const PRIME = 2n ** 255n - 19n;
const Point = edwards({ // edwards25519 (RFC 8032, 5.1)
  p: PRIME, a: PRIME - 1n, h: 8n, n: 2n ** 252n + 27742317777372353535851937790883648493n,
  d: 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n,
  Gx: 0x216936d3cd6e53fec0a4e231fdd6dc5c692cc7609525a7b2c9562d608f25d51an,
  Gy: 0x6666666666666666666666666666666666666666666666666666666666666658n,
});
const { BASE, Fn } = Point; // numbers are those modulo the order of the base point

const two = (number) => Uint8Array.of(number >> 8, number & 255);
/** Each part after its length in four bytes: no two lists of parts give the same. */
const joined = (label, ...parts) => concatBytes(
  ...[new TextEncoder().encode(label), ...parts].flatMap(
    (part) => [two(0), two(part.length), part]));
const hash = async (name, bytes) => new Uint8Array(await crypto.subtle.digest(name, bytes));
const number = (bytes) => Fn.create(bytesToNumberLE(bytes));
const challenge = async (...parts) => number(await hash("SHA-512", joined(...parts)));
const draw = () => number(crypto.getRandomValues(new Uint8Array(64)));
const bytesOf = (points) => points.map((point) => point.toBytes());

const keys = new Map(); // what was read, with the tables that make its multiples quick
/** The key in hexadecimal as a point; throws unless it is one that ballots may be locked with. */
export function keyOf(hex) {
  if (keys.has(hex)) return keys.get(hex);
  const key = Point.fromHex(hex); // canonical, on the curve, or it throws
  if (key.is0() || !key.isTorsionFree()) throw new RangeError("no key of ballots");
  keys.set(hex, key.precompute());
  return key;
}

/**
 * That a cell holds 0 or 1, and not which: e0, e1, z0, z1 (Cramer, Damgard and Schoenmakers, 1994).
 * `factor` hides the cell; of the branch that is not true, challenge and answer are drawn.
 */
async function proofOf(isOne, factor, key, [masked, e, z], about) {
  const real = [BASE.multiply(masked), key.multiply(masked)];
  // What z and e give of the cell's points: with its factor known, multiples of two points alone.
  const rest = Fn.create(z - e * factor);
  const [times, away] = [key.multiply(rest), BASE.multiply(e)];
  const other = [BASE.multiply(rest), isOne ? times.subtract(away) : times.add(away)];
  const points = bytesOf(isOne ? [...other, ...real] : [...real, ...other]);
  const own = Fn.create((await challenge(...about, ...points)) - e);
  const answer = Fn.create(masked + own * factor);
  return isOne ? [e, own, z, answer] : [own, e, answer, z];
}

/** The bytes for one cell of a table, counted from 0; `revision` is the digest in bytes. */
export async function ballot(revision, { table, key, cells }, cell) {
  if (![...Array(cells).keys()].includes(cell)) throw new RangeError("no cell of this table");
  const point = keyOf(key);
  const factors = Array.from({ length: cells }, draw);
  const random = factors.map(() => [draw(), draw(), draw()]);
  const masked = draw();
  const pairs = factors.map((factor, at) => {
    const hidden = point.multiply(factor);
    return [BASE.multiply(factor), at === cell ? hidden.add(BASE) : hidden];
  });
  const points = concatBytes(...bytesOf(pairs.flat()));
  const plan = joined("deniable table 1", revision, two(table), point.toBytes(), two(cells));
  const context = concatBytes(await hash("SHA-256", plan), await hash("SHA-256", points));
  const proofs = await Promise.all(factors.map((factor, at) =>
    proofOf(at === cell, factor, point, random[at],
      ["deniable ballot 1 cell", context, two(at)])));
  const commitments = bytesOf([BASE.multiply(masked), point.multiply(masked)]);
  const e = await challenge("deniable ballot 1 sum", context, ...commitments);
  const sum = factors.reduce((total, factor) => total + factor);
  const numbers = [...proofs.flat(), e, Fn.create(masked + e * sum)];
  return concatBytes(points, ...numbers.map((one) => Fn.toBytes(one)));
}

/**
 * Of `questions`, each a name and its codes, the combination of what was answered: the last one
 * changes fastest. Where one is not asked (null) it is the cell after all, if there is that.
 */
function cellOf({ cells, questions, notAsked }, answers) {
  const sizes = questions.map(([, ...codes]) => codes.length);
  const size = sizes.reduce((product, one) => product * one);
  const places = questions.map(
    ([name, ...codes]) => (answers[name] === null ? null : codes.indexOf(answers[name])));
  const cell = places.includes(null) ? size : places.reduce((sum, it, at) => sum * sizes[at] + it);
  if (size + Number(notAsked) !== cells || cell >= cells || places.includes(-1))
    throw new RangeError("no cell of this table");
  return cell;
}

/** The promised value of a table's field; `answers` by name are codes, or null if not asked. */
export const valueOf = (table, answers) =>
  ballot(hexToBytes(main.dataset.digest), table, cellOf(table, answers)).then(base64url);

/** The answers to a table's questions as they stand in the page now. Nothing keeps them. */
const answersTo = ({ questions }) => Object.fromEntries(questions.map(([name]) => {
  const { parentElement: question } = main.querySelector(`[data-counted="${name}"]`);
  return [name, ask("skips", question) ? null : checked(question)[0]?.value];
}));
const tables = new Map(all("[data-table]").map(
  ({ dataset: { name, table } }) => [name, JSON.parse(table)]));
const several = ({ name }, table = tables.get(name)) =>
  table && [[name, valueOf(table, answersTo(table))]];
try { // Without a secure connection, or for no such key, nothing can be locked: nothing is asked.
  for (const { key } of tables.values()) crypto.subtle.digest && keyOf(key);
} catch {
  for (const start of all("[data-step=start] [data-act=next]")) start.disabled = true;
  main.querySelector("[data-cannot-lock]").hidden = false;
}
register("ballot", { several });
