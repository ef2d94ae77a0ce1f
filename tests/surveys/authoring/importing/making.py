"""A definition with questions that rules read, and rules over them drawn at random."""

from collections.abc import Mapping
from decimal import Decimal
from itertools import product

import numpy as np

from surveys.definitions.definition import Definition, DraftOption, DraftQuestion, DraftSection
from surveys.definitions.imports.plans import ImportPlan
from surveys.definitions.rules.tree import RuleTree
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.questionnaire.logic.rules import Given

Answer = str | Decimal | frozenset[str] | None
THREE = tuple(DraftOption(value=value, text={"en": f"Answer {value}"}) for value in ("a", "b", "c"))
SOURCES = (
    DraftQuestion(name="drug", kind="yes_no", text={"en": "Did you?"}),
    DraftQuestion(name="where", kind="choice", text={"en": "Where?"}, options=THREE),
    DraftQuestion(name="often", kind="scale", text={"en": "How often?"}, options=THREE),
    DraftQuestion(name="fruit", kind="ticks", text={"en": "Which?"}, options=THREE),
    DraftQuestion(name="days", kind="number", text={"en": "Days?"}, minimum="0", maximum="5"),
)
BY_NAME = {question.name: question for question in SOURCES}
POSSIBLE: dict[str, tuple[Answer, ...]] = {
    "drug": (None, "yes", "no"),
    "where": (None, "a", "b", "c"),
    "often": (None, "a", "b", "c"),
    "fruit": (None, *map(frozenset, ("", "a", "b", "c", "ab", "ac", "bc", "abc"))),
    "days": (None, *map(Decimal, range(6))),
}
ALL_ANSWERS = [dict(zip(POSSIBLE, each, strict=True)) for each in product(*POSSIBLE.values())]
LIMITS = ("less", "most", "more", "least")
ATOMS = (
    *(RuleTree(name, "drug", value) for name in ("is", "is_not") for value in ("yes", "no")),
    *(RuleTree(name, "where", value) for name in ("is", "is_not") for value in "abc"),
    *(RuleTree(name, "often", value) for name in ("is", *LIMITS) for value in "abc"),
    *(RuleTree("chosen", "fruit", value) for value in "abc"),
    *(RuleTree("marked", "fruit", least=least) for least in (1, 2)),
    *(RuleTree(name, "days", limit) for name in ("is", "is_not", *LIMITS) for limit in "024"),
    *(RuleTree(name, "days", limit) for name in LIMITS for limit in ("-1", "2.5", "9")),
    *(RuleTree(name, question) for name in ("answered", "missing") for question in POSSIBLE),
)


def plan_with(*questions: DraftQuestion, **fields: object) -> ImportPlan:
    """A plan of the sources and these, in one section."""
    section = DraftSection(questions=(*SOURCES, *questions))
    defaults = {"languages": ("en",), "title": {"en": "Habits"}, "sections": (section,)}
    return ImportPlan("deniable", Definition(**{**defaults, **fields}), (), 0, 0, ())


def drawn_rule(rng: np.random.Generator, levels: int = 3) -> RuleTree:
    """A rule of at most so many levels of brackets."""
    kind = rng.choice(["atom", "not", "all", "any"] if levels else ["atom"])
    if kind == "atom":
        return ATOMS[rng.integers(len(ATOMS))]
    count = 1 if kind == "not" else int(rng.integers(2, 4))
    return RuleTree(str(kind), parts=tuple(drawn_rule(rng, levels - 1) for _ in range(count)))


def holds(rule: RuleTree, answers: Mapping[str, Answer]) -> bool:
    """What ``definitions.rules.tree`` says of a rule, answer by answer."""
    if rule.name == "not":
        return not holds(rule.parts[0], answers)
    if rule.parts:
        every = [holds(part, answers) for part in rule.parts]
        return all(every) if rule.name == "all" else any(every)
    answer = answers[rule.question]
    if rule.name in ("missing", "is_not") and answer is None:
        return True
    if answer is None or rule.name == "missing":
        return False
    return rule.name == "answered" or _compared(rule, answer)


def _compared(rule: RuleTree, answer: str | Decimal | frozenset[str]) -> bool:
    if isinstance(answer, frozenset):
        return rule.value in answer if rule.name == "chosen" else len(answer) >= rule.least
    at: object = answer if isinstance(answer, Decimal) else "abc".find(answer)
    limit = Decimal(rule.value) if isinstance(answer, Decimal) else "abc".find(rule.value)
    if rule.name in ("is", "is_not"):
        same = at == limit if isinstance(answer, Decimal) else answer == rule.value
        return same == (rule.name == "is")
    left, right = Decimal(str(at)), Decimal(limit)
    signs = {"less": left < right, "most": left <= right, "more": left > right}
    return signs.get(rule.name, left >= right)


def as_given(answer: Answer, item: PromisedQuestion) -> Given | None:
    """An answer as a launched rule reads it."""
    if answer is None:
        return None
    if not isinstance(answer, str | frozenset):
        return Given(number=int(answer))
    codes = {text: code for code, text in item.in_rules.nameable.items()}
    if answer in ("yes", "no"):
        return Given(codes=(codes[answer.capitalize()],))
    return Given(codes=tuple(codes[f"Answer {one}"] for one in sorted(answer)))
