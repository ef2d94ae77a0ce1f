// Trying the coins, and two checks of how well they were explained. Nothing of it is ever sent.

import { uniform } from "./channel.js";
import { all, register } from "./send.js";

const tally = { answer: null, sent: { yes: 0, no: 0 } };

function practise(step, times, answer) {
  if (tally.answer !== answer) Object.assign(tally, { answer, sent: { yes: 0, no: 0 } });
  let told;
  for (let flip = 0; flip < times; flip += 1) {
    told = uniform(2) === 0 ? `truth-${answer}` : `coin-${uniform(2) === 0 ? "yes" : "no"}`;
    tally.sent[told.split("-")[1]] += 1;
  }
  tell(step, times === 1 ? told : "many");
  if (times === 1) spin(step.querySelector(".coin"), told);
}

function tell(step, told) {
  const { yes, no } = tally.sent;
  for (const line of all("[data-told]", step)) line.hidden = line.dataset.told !== told;
  step.querySelector("[data-tally]").hidden = false;
  const counts = { yes, no, all: yes + no };
  for (const text of all("[data-fill]", step)) text.textContent = counts[text.dataset.fill];
  for (const bar of all("[data-bar]", step))
    Object.assign(bar, { max: yes + no, value: counts[bar.dataset.bar] });
}

function spin(coin, told) {
  coin.classList.remove("flipping");
  coin.classList.toggle("tails", told.startsWith("coin"));
  coin.getBoundingClientRect(); // lets the animation start anew
  coin.classList.add("flipping");
}

/** Two checks: explained, never counted and never in the way. */
function check(step, answer) {
  const isRight = answer === step.dataset.right;
  const isLast = isRight || step.dataset.tried === "once";
  step.dataset.tried = "once";
  const told = isRight ? "right" : isLast ? "explained" : "again";
  for (const line of all("[data-told]", step)) line.hidden = line.dataset.told !== told;
  step.querySelector("[data-act=check]").hidden = isLast;
  step.querySelector("[data-act=next]").hidden = !isLast;
  if (isLast) step.querySelector("[data-act=next]").focus();
}

register("practice", {
  press(act, step, complain) {
    const answer = step.querySelector("input[type=radio]:checked")?.value;
    if (complain(step, answer ? "" : "missing")) return;
    if (act === "check") check(step, answer);
    else practise(step, act === "flip" ? 1 : 100, answer);
  },
  forget: () => Object.assign(tally, { answer: null, sent: { yes: 0, no: 0 } }),
});
