"""The rules of a draft's questions, from rows of conditions; reasons why one cannot be launched."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from uuid import UUID

from surveys.authoring.draft.arms import arm_reasons, arm_rule, arms_of, both, empty_arm_reasons
from surveys.authoring.draft.behind import placed
from surveys.authoring.draft.kinds import draft_kind
from surveys.authoring.draft.layout import layout_of
from surveys.authoring.draft.reasons import of_question
from surveys.authoring.draft.trees import Tree, folded, own_tree, section_tree
from surveys.kinds.number.promise import NumberQuestion
from surveys.kinds.silent.promise import ConsentQuestion
from surveys.kinds.ticks.promise import MOST_NAMED
from surveys.models import Condition, PrivacyBudget, Question, Survey
from surveys.questionnaire.arms import Arm
from surveys.questionnaire.families import in_ways, protected_numbers
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.questionnaire.kinds.registry import Table, kind_name
from surveys.questionnaire.logic.cells import never_asked
from surveys.questionnaire.logic.rules import (
    BadRule,
    Rule,
    check_place,
    check_size,
    loosened,
)
from surveys.randomized_response.messages import Message, sentence
from surveys.wording.language.messages import message_of

MOST_CONDITIONS = 10
IS, LIMITS = Condition.Comparison, {"less": "less", "most": "most", "more": "most", "least": "less"}
ATOMS = {
    IS.IS: "is",
    IS.IS_NOT: "is",
    IS.MARKED: "marked",
    IS.FEWER: "marked",
    IS.ANSWERED: "answered",
    IS.MISSING: "answered",
}
UNREADABLE = sentence(
    "The rule of this question depends on question {source}, but no rule can use an answer with "
    "this kind of protection. Use a yes-or-no question, a choice, a scale or a date, with a "
    "design that needs no second question."
)
PROTECTED_OTHER = sentence(
    "Question {source}, right above this question, is protected. Only people who choose its "
    "last option are asked for a text, so each text would reveal this choice. Ask question "
    "{source} directly, or ask all people for a text."
)
SECTION_PROTECTED = sentence(
    "The rule of this section depends on question {source}, which is protected. Use only direct "
    "answers in the rule of the section. Give each question that depends on question {source} a "
    "rule of its own."
)
DRAWN = sentence(
    "Each person is asked only some of the protected questions, drawn by chance. So chance "
    "decides whether this question is asked, and a rule or an arm cannot decide too. Remove the "
    "rule and the arms of this question. Or ask each person all protected questions."
)
SHOWS_COIN = sentence(
    "Coins and dice cannot give exactly the odds of this question, so people who use their own "
    "coin leave the question out. If the rule or arm of the question applies to a person, the "
    "missing answer shows that the person used a coin. Choose a design that works with coins, "
    "such as two coins, or ask all people."
)
CONSENT = sentence("Ask all people for consent, in all arms and without conditions.")
UNREACHED = sentence(
    "No answers lead to this question, so it would never be asked. Change the rule of this "
    "question, or leave the question out."
)
COUNTED = sentence(
    "Reports show exactly how many people wrote a text. So they would also show how many people "
    "meet the rule of this question, or how many are in its arm. The budget for tables promises "
    "to blur these numbers. Ask all people, or choose a budget for free texts only."
)


def rules_of(
    survey: Survey, questions: Sequence[Question], items: Sequence[PromisedQuestion]
) -> tuple[list[PromisedQuestion], list[str]]:
    """The items of a draft with their rules, those of arms included, and every reason against one.

    Nothing is said of arms whose own lines cannot be launched.
    """
    if any(arm_reasons(survey)):
        return list(items), []
    items_placed, reasons = ruled(survey, questions, items)
    return items_placed, reasons or [*_reasons(survey, items_placed, arms_of(survey))]


def ruled(
    survey: Survey, questions: Sequence[Question], items: Sequence[PromisedQuestion]
) -> tuple[list[PromisedQuestion], list[str]]:
    """The same with those reasons alone for which a rule cannot be read, or a family not be made.

    Without a query: for drafts that are tried and not launched.
    """
    arms = arms_of(survey)
    numbers = {question.pk: n for n, question in enumerate(questions, start=1)}
    with_rules: list[PromisedQuestion] = []
    named: dict[int, set[str]] = {}
    sections, reasons = section_rules(questions, numbers, items)
    for number, (question, item) in enumerate(zip(questions, items, strict=True), start=1):
        try:
            own = both(arm_rule(question, arms), rule_of(question, numbers, items))
            rule = both(sections.get(number), own)
            if rule is not None:
                check_place(rule, number)
                check_size(rule)
                _check_named(rule, items, named)
        except BadRule as problem:
            reasons.append(of_question(number, question.text, message_of(problem)))
            rule = None
        with_rules.append(replace(item, rule=rule))
    return (with_rules, reasons) if reasons else placed(questions, with_rules)


def _check_named(rule: Rule, items: Sequence[PromisedQuestion], named: dict[int, set[str]]) -> None:
    """Refuse more named options of a multiple choice than can be walked through. Raises BadRule.

    ``named`` are those of the rules before, by question, to which those of this one are added.
    """
    for atom in rule.atoms():
        if atom.name == "is" and kind_name(items[atom.question - 1]) == "ticks":
            codes = named.setdefault(atom.question, set()).union(atom.codes)
            if len(codes) > MOST_NAMED:
                raise BadRule(
                    sentence(
                        "The rules of this survey name more than {most} options of question "
                        "{number}. Name fewer options, or ask how many options are ticked.",
                        most=MOST_NAMED,
                        number=atom.question,
                    )
                )
            named[atom.question] = codes


def rule_of(
    question: Question, numbers: Mapping[UUID, int], items: Sequence[PromisedQuestion]
) -> Rule | None:
    """The rule that a question's rows say; None without rows. Raises BadRule."""
    tree = own_tree(question)
    if draft_kind(question).stands_below:
        return _of_last_answer(numbers[question.pk], tree, items)
    rows = question.conditions.all()
    count = sum(not row.of_section for row in rows)
    if not question.rule_shape and count > MOST_CONDITIONS:
        raise BadRule(
            sentence(
                "This rule has {count} conditions. Use at most {most_conditions} conditions.",
                most_conditions=MOST_CONDITIONS,
                count=count,
            )
        )
    return _rule(tree, numbers, items) if tree else None


def section_rules(
    questions: Sequence[Question], numbers: Mapping[UUID, int], items: Sequence[PromisedQuestion]
) -> tuple[dict[int, Rule], list[str]]:
    """The rules of sections by the numbers of the questions that have them; reasons against some.

    A text for a last answer has that of its choice already, and a follow-up of a family that of its
    first question, without which it is not asked.
    """
    begun: dict[int, Rule | None] = {}
    reasons: list[str] = []
    layout = layout_of(questions)
    for first in [section.first for section in layout.sections]:
        question = questions[first - 1]
        try:
            begun[first] = _of_section(question, numbers, items)
        except BadRule as problem:
            reasons.append(of_question(first, question.text, message_of(problem)))
    rules: dict[int, Rule] = {}
    for number, question in enumerate(questions, start=1):
        section = layout.section_of(number)
        rule = begun.get(section.first) if section else None
        before = range(section.first, number) if section else range(0)
        if rule is not None and not _follows_within(question, before, numbers, items):
            rules[number] = rule
    return rules, reasons


def _of_section(
    question: Question, numbers: Mapping[UUID, int], items: Sequence[PromisedQuestion]
) -> Rule | None:
    """Raises BadRule."""
    tree = section_tree(question)
    rule = _rule(tree, numbers, items) if tree else None
    if rule is None:
        return None
    check_place(rule, numbers[question.pk])
    for source in sorted(rule.questions):
        if items[source - 1].is_randomized:
            raise BadRule(SECTION_PROTECTED.format(source=source))
    return rule


def _follows_within(
    question: Question,
    section: range,
    numbers: Mapping[UUID, int],
    items: Sequence[PromisedQuestion],
) -> bool:
    """Whether its own rule lets it follow a question of its section that has the section's rule."""
    if draft_kind(question).stands_below:
        return True
    if not items[numbers[question.pk] - 1].is_randomized:  # a page has no report of a family
        return False
    sources = {numbers.get(row.source_id, 0) for row in question.conditions.all()}
    own = sources.intersection(section)
    return not question.behind and any(items[number - 1].is_randomized for number in own)


def _rule(tree: Tree, numbers: Mapping[UUID, int], items: Sequence[PromisedQuestion]) -> Rule:
    """Raises BadRule."""
    return folded(
        tree,
        lambda row: _condition(row, numbers, items),
        lambda word, parts: Rule(word, parts=tuple(parts)),
    )


def _of_last_answer(number: int, tree: Tree | None, items: Sequence[PromisedQuestion]) -> Rule:
    """The rule of a text for the last answer to the question before. Raises BadRule."""
    before = items[number - 2] if number > 1 else None
    if before is not None and before.is_randomized:
        raise BadRule(PROTECTED_OTHER.format(source=number - 1))
    readable = before.in_rules.readable if before else frozenset()
    if before is None or "is" not in readable or "less" in readable:  # no answer beside a number
        raise BadRule(
            sentence(
                "This question asks for a text from people who chose the last option of a "
                "choice. Move this question right below a choice that is asked directly."
            )
        )
    if tree is not None:
        raise BadRule(
            sentence(
                "This question is only for people who chose the last option of the question "
                "above. It can have no other conditions. Remove its conditions."
            )
        )
    *_, last = before.in_rules.nameable
    return Rule("is", number - 1, codes=(last,))


def _condition(
    row: Condition, numbers: Mapping[UUID, int], items: Sequence[PromisedQuestion]
) -> Rule:
    """One row as a rule. Raises BadRule with what its author can do."""
    number = numbers.get(row.source_id)
    if number is None:
        raise BadRule(
            sentence(
                "The rule of this question depends on a question of another survey. Choose a "
                "question of this survey."
            )
        )
    item = items[number - 1]
    if item.is_randomized and kind_name(item) != "levels":
        raise BadRule(UNREADABLE.format(source=number))
    _check_kind(row, number, item)
    comparison = row.comparison
    if comparison in (IS.ANSWERED, IS.MISSING):
        return _turned(Rule("answered", number), comparison == IS.MISSING)
    if comparison in (IS.IS, IS.IS_NOT):
        return _turned(_named(row.value, number, item), comparison == IS.IS_NOT)
    if comparison in (IS.MARKED, IS.FEWER):
        rule = Rule("marked", number, number=_ticks(row.value, number, item))
        return _turned(rule, comparison == IS.FEWER)
    if _is_scale(item):
        return Rule("is", number, codes=_codes_beyond(row, number, item))
    rule = Rule(LIMITS[comparison], number, number=_limit(row.value, number, item))
    if comparison in (IS.LESS, IS.MOST):
        return rule
    # Above a limit there is a number; what is missing or a special answer is not above it.
    return Rule("all", parts=(ANY_NUMBER(item, number), _turned(rule, True)))


def _check_kind(row: Condition, number: int, item: PromisedQuestion) -> None:
    if item.text_bytes:
        raise BadRule(
            sentence(
                "The rule of this question depends on question {number}, which asks for a text. "
                "Texts are stored separately from all other answers, so no rule can use texts. "
                "Use another question in the rule.",
                number=number,
            )
        )
    atom = ATOMS.get(IS(row.comparison)) or LIMITS[row.comparison]
    if _is_scale(item) and row.comparison in LIMITS:
        return
    if _is_number(item) and atom == "is":
        return
    if atom in item.in_rules.readable_in_page:
        return
    if not item.in_rules.readable_in_page:
        raise BadRule(
            sentence(
                "The rule of this question depends on question {number}, but no rule can use "
                "question {number}. Use another question in the rule.",
                number=number,
            )
        )
    raise BadRule(
        sentence(
            "The comparison “{comparison}” does not fit question {number}. Choose another "
            "comparison.",
            comparison=IS(row.comparison).label,
            number=number,
        )
    )


def _turned(rule: Rule, is_turned: bool) -> Rule:
    return Rule("not", parts=(rule,)) if is_turned else rule


def _codes(value: str, number: int, item: PromisedQuestion) -> tuple[str, ...]:
    """The codes of the answers that are named, in any case of letters."""
    by_text = {text.casefold(): code for code, text in item.in_rules.nameable.items()}
    names = [part.strip() for part in value.split("|")]
    unknown = [name for name in names if name.casefold() not in by_text]
    if unknown:
        offered = ", ".join(item.in_rules.nameable.values())
        raise BadRule(
            sentence(
                "Question {number} has no answer “{unknown}”. Write one of these answers exactly "
                "as it is shown: {offered}.",
                number=number,
                unknown=unknown[0],
                offered=offered,
            )
        )
    return tuple(by_text[name.casefold()] for name in names)


def _named(value: str, number: int, item: PromisedQuestion) -> Rule:
    """One of the answers that are named; a number is one if it is neither less nor more."""
    if not _is_number(item):
        return Rule("is", number, codes=_codes(value, number, item))
    parts = [_equal(part, number, item) for part in value.split("|")]
    return parts[0] if len(parts) == 1 else Rule("any", parts=tuple(parts))


def _equal(value: str, number: int, item: PromisedQuestion) -> Rule:
    """A number, or the words of an answer beside it."""
    if value.strip().casefold() in map(str.casefold, item.in_rules.nameable.values()):
        return Rule("is", number, codes=_codes(value, number, item))
    limit = _limit(value, number, item)
    above = _turned(Rule("less", number, number=limit), True)
    return Rule("all", parts=(Rule("most", number, number=limit), above))


def _is_number(item: PromisedQuestion) -> bool:
    return "less" in item.in_rules.readable_in_page


def _is_scale(item: PromisedQuestion) -> bool:
    """Whether its answers stand in an order, and rules can name them."""
    return item.kind == Question.Kind.SCALE and "is" in item.in_rules.readable_in_page


def _codes_beyond(row: Condition, number: int, item: PromisedQuestion) -> tuple[str, ...]:
    """The codes of the answers below or above one answer of a scale, in the order of its options.

    A document names these answers, so that programs which read it need to know no order.
    """
    limits, codes = _codes(row.value, number, item), list(item.in_rules.nameable)
    if len(limits) > 1:
        raise BadRule(
            sentence("Compare question {number} with one answer, not with several.", number=number)
        )
    at = codes.index(limits[0])
    beyond = {
        IS.LESS: codes[:at],
        IS.MOST: codes[: at + 1],
        IS.MORE: codes[at + 1 :],
        IS.LEAST: codes[at:],
    }[IS(row.comparison)]
    if not beyond:
        raise BadRule(
            sentence(
                "No answer to question {number} {comparison} “{limit}”: choose another answer or "
                "another comparison.",
                number=number,
                comparison=IS(row.comparison).label,
                limit=row.value.strip(),
            )
        )
    return tuple(beyond)


def _ticks(value: str, number: int, item: PromisedQuestion) -> int:
    """How many ticks a row asks for. Raises BadRule."""
    most = len(item.in_rules.nameable)
    if not value.strip().isdecimal() or not 1 <= int(value) <= most:
        raise BadRule(
            sentence(
                "Enter how many options of question {number} are ticked: a number from 1 to "
                "{most}.",
                number=number,
                most=most,
            )
        )
    return int(value)


def _limit(value: str, number: int, item: PromisedQuestion) -> int:
    """A number as it is typed, in units of the last decimal place of the answers."""
    return UNITS(item, value, number)


def _no_number(item: PromisedQuestion, value: str, number: int) -> int:
    raise BadRule(
        sentence(
            "Question {number} does not ask for a number. Choose another comparison.", number=number
        )
    )


def _units(item: NumberQuestion, value: str, number: int) -> int:
    scale = Decimal(10) ** item.number.decimal_places
    try:
        units = Decimal(value.strip().replace(",", ".")) * scale
    except InvalidOperation as problem:
        raise BadRule(
            sentence(
                "Enter a number with which the answer to question {number} is compared.",
                number=number,
            )
        ) from problem
    low, high = (Decimal(bound) * scale for bound in item.number.bounds)
    if not units.is_finite() or units != units.to_integral_value() or not low <= units <= high:
        raise BadRule(
            sentence(
                "Compare question {number} with a number from {minimum} to {maximum}. {fineness}.",
                number=number,
                minimum=item.number.minimum,
                maximum=item.number.maximum,
                fineness=item.number.fineness,
            )
        )
    return int(units)


def _any_number(item: NumberQuestion, number: int) -> Rule:
    """That there is a number: an answer, or one up to the largest where others stand beside it."""
    if not item.number.special:
        return Rule("answered", number)
    return Rule("most", number, number=_units(item, item.number.maximum, number))


ANY_NUMBER: Table[[int], Rule] = Table.mostly(
    lambda item, number: Rule("answered", number), number=_any_number
)
UNITS: Table[[str, int], int] = Table.mostly(_no_number, number=_units)


def _may_have_rule(item: PromisedQuestion) -> tuple[Message, ...]:
    return ()


def _consent(item: ConsentQuestion) -> tuple[Message, ...]:
    return (CONSENT,)


# Why a question can have no rule at all.
UNRULED: Table[[], tuple[Message, ...]] = Table.mostly(_may_have_rule, consent=_consent)


def _reasons(
    survey: Survey, items: Sequence[PromisedQuestion], arms: Sequence[Arm]
) -> Iterator[str]:
    """Why questions whose rules can be read cannot be launched with them."""
    asks_by_hand = any(item.is_offered_with_own_coin for item in items)
    protected = protected_numbers(items)
    blurs_tables = any(row.source == PrivacyBudget.Source.ALL for row in survey.budgets.all())
    for number, item in enumerate(items, start=1):
        if item.rule is None:
            continue
        reads_open = isinstance(loosened(item.rule, protected), Rule)
        yield from (of_question(number, item.text, why) for why in UNRULED(item))
        if survey.asked is not None and number in protected:
            yield of_question(number, item.text, DRAWN)
        # What has no place in the row shows no path: all people send a locked answer.
        if reads_open and asks_by_hand and item.width and not item.is_offered_with_own_coin:
            yield of_question(number, item.text, SHOWS_COIN)
        if blurs_tables and item.text_bytes:
            yield of_question(number, item.text, COUNTED)
    in_terms = in_ways(items)
    yield from empty_arm_reasons(arms, in_terms)
    for number in never_asked(in_terms, [arm.code for arm in arms] or [""]):
        yield of_question(number, items[number - 1].text, UNREACHED)
