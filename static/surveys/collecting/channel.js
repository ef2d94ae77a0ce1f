// The channel: chance from the browser's cryptographic generator, and nothing else, decides what is
// sent.

const WORDS = 2 ** 32;

/** One uniform 32-bit word. */
export function nextWord() {
  return crypto.getRandomValues(new Uint32Array(1))[0];
}

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

/** One bit for each option as hexadecimal digits: option j is bit j % 8 of byte j / 8. */
function hexadecimal(ones) {
  const bytes = new Uint8Array(Math.ceil(ones.length / 8));
  ones.forEach((one, option) => {
    bytes[option >> 3] |= one << (option & 7);
  });
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The options of a long list that are marked, by chance, as a code. The truth is marked if_true
 * times in denominator. Without a size, every other option is marked if_other times, each drawn on
 * its own; with a size, others are picked evenly (Fisher and Yates) until there are so many.
 */
export function mark(marking, truth, next = nextWord) {
  const { options, if_true, if_other, denominator, size } = marking;
  const all = [...Array(options).keys()];
  if (!size) {
    const limit = (option) => (option === truth ? if_true : if_other);
    return hexadecimal(all.map((option) => uniform(denominator, next) < limit(option)));
  }
  const marked = new Set(uniform(denominator, next) < if_true ? [truth] : []);
  const others = all.filter((option) => option !== truth);
  for (let i = 0; marked.size < size; i += 1) {
    const j = i + uniform(others.length - i, next);
    [others[i], others[j]] = [others[j], others[i]];
    marked.add(others[i]);
  }
  return hexadecimal(all.map((option) => marked.has(option)));
}

/**
 * What one question sends. `question.code` is the true answer, one of the channel's columns (both
 * answers, where there is a second question); a question without weights is sent as it was given.
 */
export function report(question) {
  if (question.marking) return mark(question.marking, Number(question.code));
  if (!question.weights) return question.code;
  const truth = question.columns.indexOf(question.code);
  return question.codes[draw(question.weights[truth], question.denominator)];
}
