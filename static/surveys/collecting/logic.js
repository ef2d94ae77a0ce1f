// Rules: which questions are asked, worked out in this page from the answers that it has.

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
