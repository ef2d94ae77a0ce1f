// The channel: nothing but chance from the browser's cryptographic generator decides what is sent.

const WORDS = 2 ** 32;

/** One uniform 32-bit word. */
export const nextWord = () => crypto.getRandomValues(new Uint32Array(1))[0];

/**
 * A uniform whole number from 0 to below `bound` (at most 2^32).
 *
 * Words at or above the largest multiple of `bound` are thrown away: without that, the smaller
 * remainders would come a little more often than the larger ones.
 */
export function uniform(bound, next = nextWord) {
  const accepted = Math.floor(WORDS / bound) * bound;
  let word = next();
  while (word >= accepted) word = next();
  return word % bound;
}

/** A random 128-bit key as 32 hexadecimal digits. It names one submission, so it counts once. */
export function randomKey() {
  const words = [nextWord(), nextWord(), nextWord(), nextWord()];
  return words.map((word) => word.toString(16).padStart(8, "0")).join("");
}

/**
 * The level that is sent. `weights` belong to the true level: level y is sent with probability
 * weights[y] / denominator. It is the first whose running total exceeds a uniform number.
 */
export function draw(weights, denominator, next = nextWord) {
  const threshold = uniform(denominator, next);
  let total = 0;
  return weights.findIndex((weight) => (total += weight) > threshold);
}

/** `count` of the places 0 to size - 1, every subset equally likely (a shuffle, cut short). */
export function drawSubset(size, count, next) {
  const places = [...Array(size).keys()];
  for (let first = 0; first < count; first += 1) {
    const other = first + uniform(size - first, next);
    [places[first], places[other]] = [places[other], places[first]];
  }
  return new Set(places.slice(0, count));
}

/**
 * What one question sends. `question.code` is the true answer, one of the channel's columns (both
 * answers, where there is a second question); a question without weights is sent as it was given.
 */
export function report(question) {
  if (!question.weights) return question.code;
  const truth = question.columns.indexOf(question.code);
  return question.codes[draw(question.weights[truth], question.denominator)];
}
