"""The loss of a person over a whole questionnaire: exact, and equal to enumeration."""

import math
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest

from surveys.questionnaire.logic import loss
from surveys.questionnaire.logic.loss import (
    HIDDEN,
    Asked,
    Loss,
    Open,
    Protected,
    loss_of,
    of_channel,
    of_largest,
)
from surveys.questionnaire.logic.rules import Given, Rule, rule_from

CODES = ("00", "01", "02", "03")
HIDES = {"not": {"answered": [1]}}


def two_coins(levels: int) -> list[list[Fraction]]:
    """Half the time the truth, else each level alike: e^epsilon is levels + 1."""
    other = Fraction(1, 2 * levels)
    return [
        [Fraction(1, 2) + other if x == y else other for y in range(levels)] for x in range(levels)
    ]


def question(levels: int, rule: dict | None = None, hidden: str = "") -> Protected:
    """A question through two coins; ``hidden`` is "no" (its first level) or "own" (one more)."""
    columns = two_coins(levels + (hidden == "own"))
    states = columns[:levels]
    if hidden:
        states = [*states, columns[0] if hidden == "no" else columns[levels]]
    given = tuple(Given((code,)) for code in CODES[:levels])
    return Protected(given, of_channel(states), rule_from(rule) if rule else None)


def behind(answer: str, hidden: str, source: int = 1, levels: int = 2) -> Protected:
    return question(levels, {"is": [source, answer]}, hidden)


# ---- The loss table of the design ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("questions", "expected"),
    [
        ([question(2), behind("01", "no")], 9),
        ([question(2), behind("01", "own")], 12),
        ([question(3)], 4),  # the same as a family: No, Yes-No, Yes-Yes
        ([question(2), behind("01", "no"), behind("00", "no")], 27),
        ([question(3), *(behind(code, "no") for code in CODES[:3])], 36),
        ([question(3), *(behind(code, "own") for code in CODES[:3])], 64),
        ([question(4), *(behind(code, "no") for code in CODES)], 45),
        ([question(2), behind("01", "no"), behind("01", "no", source=2)], 27),
        ([question(2), behind("01", "own"), behind("01", "own", source=2)], 48),
        (
            [
                Open(tuple(Given((code,)) for code in CODES[:3])),
                question(2, {"is": [1, "00"]}),
                question(2, {"is": [1, "01"]}),
                question(2, {"is": [1, "01"]}),
            ],
            9,
        ),
    ],
)
def test_the_loss_table(questions, expected):
    assert loss_of(questions) == Loss(Fraction(expected))
    assert enumerated(questions) == expected


@pytest.mark.parametrize(
    ("questions", "expected"),
    [
        ([question(3), *(behind(code, "no") for code in CODES[:3])], 108),
        ([question(3), *(behind(code, "own") for code in CODES[:3])], 256),
        ([question(4), *(behind(code, "no") for code in CODES)], 405),
    ],
)
def test_a_sum_of_epsilons_would_say_more(questions, expected):
    assert math.prod(one.largest for one in questions) == expected


# ---- Enumeration --------------------------------------------------------------------------------


def walked(
    questions: Sequence[Asked], known: dict[int, Given | None], states: tuple = (), cell: tuple = ()
) -> Iterator[tuple[tuple, tuple]]:
    """Every (unprotected answers, states) that is possible, straight from the meaning of rules."""
    number = len(known) + 1
    if number > len(questions):
        yield cell, states
        return
    one = questions[number - 1]
    is_asked = one.rule is None or one.rule.holds(known)
    if isinstance(one, Open):
        for answer in one.answers if is_asked else (None,):
            yield from walked(questions, {**known, number: answer}, states, (*cell, answer))
        return
    for state in range(len(one.answers)) if is_asked else (HIDDEN,):
        answer = None if state == HIDDEN else one.answers[state]
        yield from walked(questions, {**known, number: answer}, (*states, state), cell)


def enumerated(questions: Sequence[Asked]) -> Fraction:
    """The largest ratio of any two people with the same unprotected answers.

    A question that is hidden from both counts nothing, so that it has no law for "hidden".
    """
    people: dict[tuple, list[tuple]] = {}
    for cell, states in walked(questions, {}):
        people.setdefault(cell, []).append(states)
    protected = [one for one in questions if isinstance(one, Protected)]

    def ratio(one: Protected, a: int, b: int) -> Fraction:
        found = Fraction(1) if a == b == HIDDEN else one.ratios[a][b]
        assert found is not None
        return found

    return max(
        math.prod(map(ratio, protected, s, t))
        for group in people.values()
        for s in group
        for t in group
    )


def random_channel(chance: random.Random, levels: int) -> list[list[Fraction]]:
    columns = [[Fraction(chance.randint(1, 6)) for _ in range(3)] for _ in range(levels)]
    return [[weight / sum(column) for weight in column] for column in columns]


def random_rule(chance: random.Random, sources: Sequence[int]) -> Rule:
    atoms = [
        {"is": [source, *chance.sample(CODES[:3], chance.randint(1, 2))]}
        if chance.random() < 0.8
        else {"answered": [source]}
        for source in chance.sample(list(sources), min(len(sources), chance.randint(1, 3)))
    ]
    joined = [{"not": atom} if chance.random() < 0.3 else atom for atom in atoms]
    return rule_from({chance.choice(["all", "any"]): joined})


def random_questions(chance: random.Random, laws: list | None = None) -> list[Asked]:
    """Up to five questions; unprotected ones read unprotected ones alone.

    The channels of the protected ones are added to ``laws``.
    """
    questions: list[Asked] = []
    for _ in range(chance.randint(2, 5)):
        levels = chance.randint(2, 3)
        given: tuple[Given | None, ...] = tuple(Given((code,)) for code in CODES[:levels])
        if chance.random() < 0.3:
            given = (*given[:-1], None)
        is_open = chance.random() < 0.35
        sources = [n for n, one in enumerate(questions, 1) if isinstance(one, Open) or not is_open]
        rule = random_rule(chance, sources) if sources and chance.random() < 0.7 else None
        if is_open:
            questions.append(Open(given, rule))
        else:
            columns = random_channel(chance, levels + 1)
            questions.append(Protected(given, of_channel(columns), rule))
            if laws is not None:
                laws.append(columns)
    return questions


def test_two_hundred_random_rule_graphs_equal_enumeration():
    chance = random.Random(17)
    trees = 0
    for _ in range(200):
        questions = random_questions(chance)
        found = loss_of(questions)
        assert found.is_exact
        assert found.ratio == enumerated(questions), questions
        trees += found.ratio > 1
    assert trees > 150


def told_by_reports(questions: Sequence[Asked], laws: Sequence) -> float:
    """The largest ratio of two people's chances of one and the same row of reports.

    From whole laws of rows: no ratio of one question is made, and none multiplied.
    """
    columns = [np.array(one, dtype=float) for one in laws]
    people: dict[tuple, list[np.ndarray]] = {}
    for cell, states in walked(questions, {}):
        law = reduce(np.kron, (one[state] for one, state in zip(columns, states, strict=True)))
        people.setdefault(cell, []).append(law)
    # Of each row of reports the most and the least likely person's chance.
    return max((np.max(one, axis=0) / np.min(one, axis=0)).max() for one in people.values())


def test_the_loss_is_the_largest_ratio_of_whole_rows_of_reports():
    chance = random.Random(29)
    above = 0
    for _ in range(60):
        laws: list = []
        questions = random_questions(chance, laws)
        if laws:
            found = float(loss_of(questions).ratio)
            assert found == pytest.approx(told_by_reports(questions, laws), rel=1e-9)
            above += found > 1
    assert above > 40


def test_what_is_not_exact_is_at_least_what_enumeration_finds(monkeypatch):
    monkeypatch.setattr(loss, "MOST_CONFIGURATIONS", 2)
    chance = random.Random(23)
    bounds = 0
    for _ in range(200):
        questions = random_questions(chance)
        found = loss_of(questions)
        bounds += not found.is_exact
        assert found.ratio >= enumerated(questions)
    assert bounds > 20


def test_too_many_unprotected_answers_are_bounded_by_the_product(monkeypatch):
    monkeypatch.setattr(loss, "MOST_CELLS", 2)
    open_one = Open(tuple(Given((code,)) for code in CODES[:3]))
    questions = [open_one, question(2, {"is": [1, "00"]}), question(2, {"is": [1, "01"]})]
    assert loss_of(questions) == Loss(Fraction(9), is_exact=False)


def test_chance_that_asks_some_of_the_protected_ones_costs_the_largest(monkeypatch):
    questions = [Protected((None, None), of_largest(Fraction(n))) for n in (3, 7, 2, 5)]
    assert loss_of(questions, 2) == Loss(Fraction(35))
    assert loss_of(questions, 4) == loss_of(questions) == Loss(Fraction(210))


def test_an_infinite_ratio_makes_the_loss_infinite():
    questions = [question(2), Protected((None, None), of_largest(None))]
    assert loss_of(questions) == loss_of(questions, 1) == Loss(None)
    assert loss_of([]) == Loss(Fraction(1))


def test_a_graph_of_nearly_two_thousand_configurations_is_compared_exactly():
    """Two sources for each follow-up, so that no tree is there."""
    both = {"any": [{"is": [1, "01"]}, {"is": [2, "01"]}]}
    questions = [question(4), question(4), *(question(3, both, "own") for _ in range(4))]
    found = loss_of(questions)
    assert found.is_exact
    assert found.ratio == 5**6
