// Rules: which questions are asked, worked out in this page from the answers that it has.

import { ask, checked, read, register } from "./send.js";

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

const UNREAD = "textarea, .declines :checked, option.declines:checked"; // rules read none of these
const questions = [...document.querySelectorAll("[data-number]")];
const rules = questions.map(({ dataset }) => JSON.parse(dataset.rule ?? "null"));
// What they ask of answers that are not protected.
const openRules = questions.map(({ dataset: it }) => JSON.parse(it.openRule ?? it.rule ?? "null"));

/** The answer to a question, as rules read it. */
function givenTo(question) {
  const fieldset = question.querySelector("fieldset");
  if (!fieldset || fieldset.querySelector(UNREAD)) return null;
  const isNumber = fieldset.querySelector("[data-width]");
  if (isNumber && ask("problem", fieldset)) return null;
  const codes = checked(fieldset).map(({ value }) => value); // of a number: what was ticked instead
  if (isNumber && !codes.length)
    return { codes: [], number: Number(read(fieldset).code.replace(".", "")) };
  return codes.length || fieldset.dataset.fields ? { codes, number: null } : null; // no ticks too
}

/** The questions whose rules hide them, by the answers as they are now. */
function hiddenNow(some = rules) {
  const asked = askedOf(some, questions.map(givenTo), document.querySelector("main").dataset.arm);
  return questions.filter((_, place) => !asked[place]);
}

/** Of questions that unprotected answers hide the marks alone are sent, and no text. */
function leaveOut() {
  for (const question of hiddenNow(openRules)) {
    const area = question.querySelector("textarea");
    if (area) area.value = "";
    else question.dataset.unasked = question.dataset.notAsked;
  }
}

/** The answers to a family are one: the code of each. What a protected answer hides has one too. */
function codeOf(fieldset) {
  const { family, ifHidden } = fieldset.dataset;
  const hidden = family || ifHidden ? hiddenNow() : [];
  const code = (one) => (hidden.includes(one) ? "--" : checked(one)[0].value);
  if (family) return family.split(" ").map((number) => code(questions[number - 1])).join("");
  return hidden.includes(fieldset.closest("[data-number]")) ? ifHidden : undefined;
}

const isHidden = (one) => "rule" in one.dataset && hiddenNow().includes(one);
register("logic", { skips: (one) => isHidden(one) || undefined, drawing: leaveOut });
register("logic", { read: codeOf, forget: () => questions.splice(0) }); // they show answers still
