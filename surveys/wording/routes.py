"""Which answers ask a question, in words for people with their own coin."""

from decimal import Decimal

from django.utils.translation import gettext

from surveys.kinds.family.promise import FamilyQuestion
from surveys.kinds.levels.promise import level_code
from surveys.kinds.number.promise import NumberQuestion
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.registry import Table
from surveys.questionnaire.logic.rules import JOINS, Rule
from surveys.wording.language.messages import translated


def rule_words(questionnaire: Questionnaire, rule: Rule) -> str:
    """A rule as the end of "Only if ...": "you answered “Yes” to question 4"."""
    if rule.name == "not":
        return _denied(questionnaire, rule.parts[0])
    if denied := _limit_below(questionnaire, rule):
        return _above_words(questionnaire, denied)
    if rule.name in JOINS:
        parts = [_part_words(questionnaire, part) for part in rule.parts]
        return (gettext(" and ") if rule.name == "all" else gettext(" or ")).join(parts)
    return _atom_words(questionnaire, rule)


def _part_words(questionnaire: Questionnaire, part: Rule) -> str:
    words = rule_words(questionnaire, part)
    return f"({words})" if _needs_brackets(questionnaire, part) else words


def _needs_brackets(questionnaire: Questionnaire, rule: Rule) -> bool:
    """Whether its words would run into those of the rules that it is joined with."""
    if rule.name == "not":
        return rule.parts[0].name not in ("is", "answered")
    if rule.name == "arm":
        return len(rule.codes) > 1
    return len(rule.parts) > 1 and _limit_below(questionnaire, rule) is None


def _limit_below(questionnaire: Questionnaire, rule: Rule) -> Rule | None:
    """Of a rule that asks for a number above a limit, the comparison that it denies."""
    if rule.name != "all" or len(rule.parts) != 2:
        return None
    answered, denial = rule.parts
    if denial.name != "not" or not _asks_for_number(questionnaire, answered):
        return None
    (denied,) = denial.parts
    is_limit = denied.name in ("less", "most") and denied.question == answered.question
    return denied if is_limit else None


def _asks_for_number(questionnaire: Questionnaire, rule: Rule) -> bool:
    """Whether there is an answer; where others stand beside a number, one up to the largest."""
    if rule.name != "most":
        return rule.name == "answered"
    return rule.number == LARGEST(questionnaire.items[rule.question - 1])


def _above_words(questionnaire: Questionnaire, denied: Rule) -> str:
    words = {
        "less": gettext("you wrote at least {limit} in question {number}"),
        "most": gettext("you wrote more than {limit} in question {number}"),
    }[denied.name]
    return words.format(limit=_limit(questionnaire, denied), number=denied.question)


def _denied(questionnaire: Questionnaire, rule: Rule) -> str:
    number = rule.question
    if rule.name == "answered":
        return gettext("you gave no answer to question {number}").format(number=number)
    if rule.name == "is":
        return gettext("you did not answer {answers} to question {number}").format(
            answers=_answers(questionnaire, rule), number=number
        )
    return gettext("this is not true: {rule}").format(rule=rule_words(questionnaire, rule))


def _atom_words(questionnaire: Questionnaire, rule: Rule) -> str:
    words = {
        "is": gettext("you answered {answers} to question {number}"),
        "less": gettext("you wrote less than {limit} in question {number}"),
        "most": gettext("you wrote at most {limit} in question {number}"),
        "marked": gettext("you chose {limit} or more options (question {number})"),
        "answered": gettext("you answered question {number}"),
        "arm": gettext("you drew {answers}"),
    }[rule.name]
    return words.format(
        number=rule.question,
        answers=_answers(questionnaire, rule),
        limit=_limit(questionnaire, rule),
    )


def _answers(questionnaire: Questionnaire, rule: Rule) -> str:
    """The answers that a rule names, as the page shows them."""
    if rule.name == "arm":
        names = (f"“{arm.text}”" for arm in questionnaire.arms if arm.code in rule.codes)
        return gettext(" or ").join(names)
    names_of = questionnaire.items[rule.question - 1].in_rules.nameable
    return gettext(" or ").join(f"“{translated(names_of[code])}”" for code in rule.codes)


def _limit(questionnaire: Questionnaire, rule: Rule) -> str:
    """A number of a rule as people write it."""
    places = DECIMAL_PLACES(questionnaire.items[rule.question - 1]) if rule.question else 0
    return f"{Decimal(rule.number).scaleb(-places):f}"


DECIMAL_PLACES: Table[[], int] = Table.mostly(
    lambda item: 0, number=lambda item: item.number.decimal_places
)


def _largest(item: NumberQuestion) -> int:
    """In units of the last decimal place."""
    return int(Decimal(item.number.maximum).scaleb(item.number.decimal_places))


LARGEST: Table[[], int | None] = Table.mostly(lambda item: None, number=_largest)


def route_line(questionnaire: Questionnaire, number: int) -> str:
    """For whom a question is and where others go on; empty if it is asked of all."""
    item = questionnaire.items[number - 1]
    if item.rule is None:
        return ""
    return gettext("Only if {rule}.").format(rule=rule_words(questionnaire, item.rule))


def open_line(questionnaire: Questionnaire, number: int) -> str:
    """The same as far as unprotected answers decide it: who else is not asked writes so."""
    item = questionnaire.items[number - 1]
    rule = questionnaire.routes.open_rules[number - 1] if item.is_sent else item.rule
    if rule is None:
        return ""
    return gettext("Only if {rule}.").format(rule=rule_words(questionnaire, rule))


def truth_line(questionnaire: Questionnaire, number: int) -> str:
    """What people do by hand whom a protected answer hides a question from; empty if none does."""
    item = questionnaire.items[number - 1]
    if item.hidden is None or item.rule is None:
        return ""
    return gettext(
        "{people}. How your coin fell there does not matter. All other people take “{answer}” "
        "as their true answer, and flip the coin anyway."
    ).format(
        people=_people_words(questionnaire, item.rule),
        answer=translated(item.label(level_code(item.hidden.level))),
    )


def _people_words(questionnaire: Questionnaire, rule: Rule) -> str:
    if rule.name == "is":
        return gettext("For people whose true answer to question {number} is {answers}").format(
            number=rule.question, answers=_answers(questionnaire, rule)
        )
    return gettext("For people for whom this is true: {rule}").format(
        rule=rule_words(questionnaire, rule)
    )


def family_lines(questionnaire: Questionnaire, item: FamilyQuestion) -> list[str]:
    """The questions of a family, each with the answers by which it follows."""
    lines = [item.text]
    for number in item.members[1:]:
        member = questionnaire.items[number - 1]
        lines.append(
            gettext("{question} ({route})").format(
                question=member.text, route=route_line(questionnaire, number)
            )
        )
    return lines


def next_number(questionnaire: Questionnaire, number: int) -> int | None:
    """The next question that may be asked of those whom this one's rule leaves out.

    A text below the last answer of a question is for people who are asked that question.
    """
    rules, items = questionnaire.routes.open_rules, questionnaire.items
    later = (n for n in range(number + 1, len(rules) + 1) if not items[n - 1].stands_below)
    return next((n for n in later if rules[n - 1] != rules[number - 1]), None)


def asking_line(questionnaire: Questionnaire) -> str:
    """What respondents read first of questions that not all are asked; empty if all are."""
    if not questionnaire.routes.read_answers:
        return ""
    if questionnaire.routes.protected_rules:
        return gettext(
            "Some questions are asked only of people with certain answers. If a protected "
            "answer decides whether you are asked, what is sent leaves this in doubt. What this "
            "site's script sends is equally long in both cases."
        )
    return gettext(
        "Some questions are asked only of people with certain answers to questions that are not "
        "protected. Being asked or not reveals only those answers. What this site's script sends "
        "is equally long in both cases."
    )
