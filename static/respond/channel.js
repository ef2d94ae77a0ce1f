// The channel: from the true answer to the one that is sent.

import { nextWord, uniform } from "./random.js";

/**
 * The level that is sent. `weights` belong to the true level: level y is sent with probability
 * weights[y] / denominator. It is the first whose running total exceeds a uniform number.
 */
export function draw(weights, denominator, next = nextWord) {
  const threshold = uniform(denominator, next);
  let total = 0;
  return weights.findIndex((weight) => (total += weight) > threshold);
}

/**
 * What one question sends. `question.code` is the true answer; a question without weights is not
 * protected and is sent as it was given.
 */
export function report(question) {
  if (!question.weights) return question.code;
  const truth = question.codes.indexOf(question.code);
  return question.codes[draw(question.weights[truth], question.denominator)];
}
