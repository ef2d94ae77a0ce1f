// Rules: which questions are asked, worked out in this page from the answers that it has.

import { ask, checked, read, register, unasked } from "./send.js";

/**
 * Whether a rule is true. `given` has what was answered by the numbers of the questions: the codes
 * that were chosen, or a number in units of its last decimal place. What is said of an answer that
 * is missing, declined or hidden is false, and `not` turns it over.
 */
export function holds(rule, given, arm = "") {
  const [name, rest] = Object.entries(rule)[0];
  if (name === "not") return !holds(rest, given, arm);
  if (name === "all") return rest.every((part) => holds(part, given, arm));
  if (name === "any") return rest.some((part) => holds(part, given, arm));
  if (name === "arm") return rest.includes(arm);
  const [question, ...arguments_] = rest;
  const answer = given[question];
  return Boolean(answer) && atoms[name](answer, arguments_);
}

const atoms = {
  is: ({ codes }, wanted) => wanted.some((code) => codes.includes(code)),
  less: ({ number }, [limit]) => number !== null && number < limit,
  most: ({ number }, [limit]) => number !== null && number <= limit,
  marked: ({ codes }, [least]) => codes.length >= least,
  answered: () => true,
};

/** Which questions are asked, in their order. An answer to a hidden one counts as none. */
export function askedOf(rules, answers, arm = "") {
  const given = {};
  return rules.map((rule, place) => {
    const asked = !rule || holds(rule, given, arm);
    given[place + 1] = asked ? answers[place] : null;
    return asked;
  });
}

// ---- In the page: a question is shown only while its rule holds ------------------------------

const main = document.querySelector("main");
const questions = [...main.querySelectorAll("[data-number]")];
const rules = []; // by the places of the questions; those without a rule are asked
for (const { dataset } of questions) {
  rules[dataset.number - 1] = dataset.rule ? JSON.parse(dataset.rule) : null;
}

/** The answer to a question, as rules read it. */
function givenTo(question) {
  const fieldset = question.querySelector("fieldset[data-name]");
  if (!fieldset || fieldset.querySelector("textarea, [data-declined]:checked")) return null;
  if (fieldset.querySelector("[data-width]")) {
    if (ask("problem", fieldset)) return null;
    return { codes: [], number: Number(read(fieldset).code.replace(".", "")) };
  }
  const chosen = checked(fieldset);
  if (!chosen.length || chosen.some((one) => one.closest(".declines"))) return null;
  return { codes: chosen.map(({ value }) => value), number: null };
}

/** The questions whose rules hide them, by the answers as they are now. */
function hiddenNow() {
  const answers = [];
  for (const question of questions) answers[question.dataset.number - 1] = givenTo(question);
  const asked = askedOf(Array.from(rules, (rule) => rule ?? null), answers);
  return questions.filter(({ dataset }) => dataset.rule && !asked[dataset.number - 1]);
}

/** At the moment of sending: of hidden questions the marks alone, and no text. */
function leaveOut({ target }) {
  if (!target.closest("[data-act=send]")) return;
  for (const question of hiddenNow().filter((one) => one.isConnected)) {
    const area = question.querySelector("textarea");
    if (area) area.value = "";
    else question.replaceWith(...unasked(question, question.dataset.notAsked));
  }
}

main.addEventListener("click", leaveOut, true); // before the answers are read
register("logic", {
  skips: (question) => (question.dataset.rule && hiddenNow().includes(question)) || undefined,
});
