// Arms: chance puts a person into one group, once, after Start; each is asked its own questions.

import { draw } from "./channel.js";
import { main, register } from "./send.js";

const arms = JSON.parse(main.dataset.arms); // the code and the whole weight of each, in order
const weights = arms.map(([, weight]) => weight);
const total = weights.reduce((sum, weight) => sum + weight, 0);

/** An arm by its weight. It stays the same for this page: the rules of questions read it there. */
function drawOnce(step) {
  if (step.matches("[data-step=start]")) main.dataset.arm ??= arms[draw(weights, total)][0];
}

register("arms", {
  leave: drawOnce,
  fields: () => [["arm", main.dataset.arm]],
  forget: () => delete main.dataset.arm,
});
