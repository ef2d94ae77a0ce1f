"""The arms of a draft, from its lines, and which questions each is asked; reasons against them."""

import re
from collections.abc import Iterator, Sequence

from surveys.authoring.draft.reasons import Reason
from surveys.kinds.counted.promise import sends_something
from surveys.models import Question, Survey
from surveys.questionnaire.arms import MOST_ARMS, MOST_TOTAL, MOST_WEIGHT, Arm, arms_from
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.questionnaire.logic.cells import asks_nothing
from surveys.questionnaire.logic.rules import BadRule, Rule
from surveys.randomized_response.messages import sentence

LINE = re.compile(r"(?P<name>[^|:]*[^|:\s])\s*:\s*(?P<weight>[0-9]{1,6})")
LONGEST_NAME = 60


def arms_of(survey: Survey) -> tuple[Arm, ...]:
    """The arms that the draft's lines say; none unless all of them can be launched."""
    return () if any(arm_reasons(survey)) else arms_from(typed_arms(survey))


def arm_reasons(survey: Survey) -> Iterator[str]:
    """What is wrong with the lines of the arms, or with having any."""
    return (Reason(why, "arms") for why in _arm_reasons(survey))


def _arm_reasons(survey: Survey) -> Iterator[str]:
    lines = _lines(survey)
    bad = [line for line in lines if not LINE.fullmatch(line)]
    if bad:
        yield sentence(
            "“{bad}” is not a complete arm. Write each arm as its name, a colon and its weight, "
            "such as “Asked directly: 1”.",
            bad=bad[0],
        )
    if not lines or bad:
        return
    named = typed_arms(survey)
    names = [name.casefold() for name, _ in named]
    if len(named) == 1:
        yield sentence(
            "The survey has only one arm. Write at least two arms, or empty the field “arms”."
        )
    if len(named) > MOST_ARMS:
        yield sentence(
            "This draft has {count} arms. A survey can have at most {most_arms} arms.",
            most_arms=MOST_ARMS,
            count=len(named),
        )
    if len(set(names)) < len(names):
        yield sentence("Two arms have the same name. Change one of the names.")
    if any(len(name) > LONGEST_NAME for name in names):
        yield sentence(
            "The name of an arm is too long. Use at most {longest_name} characters.",
            longest_name=LONGEST_NAME,
        )
    yield from _weight_reasons(named)
    if survey.released_together is not None:
        yield sentence(
            "You chose to show direct answers only in released tables, but the survey would "
            "show the exact number of people in each arm. Remove the arms, or show direct "
            "answers unchanged."
        )


def _weight_reasons(named: Sequence[tuple[str, int]]) -> Iterator[str]:
    if any(not 0 < weight <= MOST_WEIGHT for _, weight in named):
        yield sentence(
            "The weight of an arm must be a whole number from 1 to {most_weight}.",
            most_weight=MOST_WEIGHT,
        )
    elif sum(arm.weight for arm in arms_from(named)) > MOST_TOTAL:
        yield sentence(
            "The weights of all arms add up to more than {most_total}. Choose smaller weights, "
            "so that people can draw their arm with a die.",
            most_total=MOST_TOTAL,
        )


def arm_rule(question: Question, arms: Sequence[Arm]) -> Rule | None:
    """The arms that a question names, as a rule; None if it is asked in all. Raises BadRule."""
    names = [name.strip() for name in question.arms.split("|") if name.strip()]
    if not names:
        return None
    if not arms:
        raise BadRule(
            sentence(
                "This question names arms, but the survey has no arms. Add arms to the survey, "
                "or empty “arms that are asked this question”."
            )
        )
    codes = {arm.text.casefold(): arm.code for arm in arms}
    unknown = [name for name in names if name.casefold() not in codes]
    if unknown:
        known = " | ".join(arm.text for arm in arms)
        raise BadRule(
            sentence(
                "There is no arm “{unknown}”. Use one or more of these names: {known}.",
                unknown=unknown[0],
                known=known,
            )
        )
    asked = {codes[name.casefold()] for name in names}
    return None if len(asked) == len(arms) else Rule("arm", codes=tuple(sorted(asked)))


def both(first: Rule | None, second: Rule | None) -> Rule | None:
    """The rule that asks whom both ask."""
    if first is None or second is None:
        return first or second
    return Rule("all", parts=(first, second))


def empty_arm_reasons(arms: Sequence[Arm], items: Sequence[PromisedQuestion]) -> Iterator[str]:
    """Arms whose people could be asked nothing, and arms between which nothing differs."""
    sent = [position for position, item in enumerate(items) if sends_something(item)]
    for arm in arms:
        if sent and asks_nothing(items, sent, arm.code):
            yield sentence(
                "Some people in the arm “{text}” are asked no question. Add a question for these "
                "people.",
                text=arm.text,
            )
    rules = [item.rule for item in items if item.rule]
    if arms and not any(atom.name == "arm" for rule in rules for atom in rule.atoms()):
        yield sentence(
            "All arms get the same questions, so there is nothing to compare. For at least one "
            "question, enter the arms that are asked this question."
        )


def _lines(survey: Survey) -> list[str]:
    return [line.strip() for line in survey.arms.splitlines() if line.strip()]


def typed_arms(survey: Survey) -> list[tuple[str, int]]:
    """Names and weights, of the lines that are well written."""
    matches = [LINE.fullmatch(line) for line in _lines(survey)]
    return [(match["name"], int(match["weight"])) for match in matches if match]
