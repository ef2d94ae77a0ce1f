"""The language of rules: what is one, what is refused, and when it holds."""

import json
import random

import pytest

from surveys.questionnaire.logic.rules import (
    DEEPEST,
    MOST_NODES,
    BadRule,
    Given,
    asked_of,
    check_place,
    rule_from,
)
from tests.random_rules import Case, small_rule

YES, NO = Given(("01",)), Given(("00",))


def holds(entry, given, arm="") -> bool:
    return rule_from(entry).holds(given, arm)


@pytest.mark.parametrize(
    ("entry", "answer", "expected"),
    [
        ({"is": [4, "01"]}, YES, True),
        ({"is": [4, "01"]}, NO, False),
        ({"is": [4, "00", "01"]}, NO, True),
        ({"is": [4, "01"]}, Given(("00", "01", "02")), True),
        ({"less": [4, 185]}, Given(number=184), True),
        ({"less": [4, 185]}, Given(number=185), False),
        ({"most": [4, 185]}, Given(number=185), True),
        ({"most": [4, -3]}, Given(number=-2), False),
        ({"most": [4, 0]}, Given(number=0), True),
        ({"less": [4, 5]}, YES, False),
        ({"marked": [4, 2]}, Given(("00", "02")), True),
        ({"marked": [4, 2]}, YES, False),
        ({"marked": [4, 0]}, Given(()), True),
        ({"answered": [4]}, NO, True),
    ],
)
def test_what_an_atom_says(entry, answer, expected):
    assert holds(entry, {4: answer}) is expected
    assert holds({"not": entry}, {4: answer}) is not expected


@pytest.mark.parametrize(
    "atom",
    [{"is": [4, "01"]}, {"less": [4, 9]}, {"most": [4, 9]}, {"marked": [4, 0]}, {"answered": [4]}],
)
@pytest.mark.parametrize("given", [{}, {4: None}])
def test_what_is_said_of_an_answer_that_is_not_there_is_false_and_not_turns_it_over(atom, given):
    assert not holds(atom, given)
    assert holds({"not": atom}, given)


def test_joined_rules_and_arms():
    both = {"all": [{"is": [1, "01"]}, {"not": {"is": [2, "01"]}}]}
    assert holds(both, {1: YES, 2: NO})
    assert not holds(both, {1: YES, 2: YES})
    either = {"any": [{"is": [1, "01"]}, {"arm": ["direct"]}]}
    assert holds(either, {1: NO}, "direct")
    assert not holds(either, {1: NO}, "coins")


def test_an_answer_to_a_hidden_question_counts_as_none():
    rules = [None, rule_from({"is": [1, "01"]}), rule_from({"is": [2, "01"]})]
    assert asked_of(rules, [YES, YES, YES]) == (True, True, True)
    assert asked_of(rules, [NO, YES, YES]) == (True, False, False)
    otherwise = [None, rule_from({"is": [1, "01"]}), rule_from({"not": {"is": [2, "01"]}})]
    assert asked_of(otherwise, [NO, YES, YES]) == (True, False, True)


def test_a_rule_writes_what_it_was_read_from():
    chance = random.Random(3)
    for _ in range(300):
        entry = small_rule(chance, 6)
        rule = rule_from(entry)
        assert json.loads(json.dumps(rule.to_document())) == entry


def test_it_says_which_questions_it_reads():
    entry = {"any": [{"is": [1, "00"]}, {"not": {"all": [{"less": [3, 1]}, {"arm": ["a"]}]}}]}
    assert rule_from(entry).questions == {1, 3}


def nested(levels: int) -> dict:
    rule: dict = {"answered": [1]}
    for _ in range(levels - 1):
        rule = {"not": rule}
    return rule


def test_depth_and_size_have_limits():
    assert rule_from(nested(DEEPEST)).depth == DEEPEST
    with pytest.raises(BadRule, match="at most 8 levels"):
        rule_from(nested(DEEPEST + 1))
    atoms = [{"answered": [1]}] * (MOST_NODES - 1)
    assert rule_from({"all": atoms}).nodes == MOST_NODES
    with pytest.raises(BadRule, match="at most 64 parts; this one has 65"):
        rule_from({"any": [{"all": atoms}]})


def test_a_rule_deeper_than_the_stack_is_refused_by_its_depth():
    with pytest.raises(BadRule, match="levels"):
        rule_from(nested(5000))


@pytest.mark.parametrize(
    "entry",
    [
        None,
        [],
        "is",
        {},
        {"is": [1, "01"], "less": [1, 2]},
        {"is": [1]},
        {"is": [1, 1]},
        {"is": ["1", "01"]},
        {"is": "01"},
        {"less": [1]},
        {"less": [1, 2, 3]},
        {"less": [1, 2.5]},
        {"less": [1, "2"]},
        {"less": [1, True]},
        {"most": [1, 2**53]},
        {"answered": []},
        {"answered": [1, "01"]},
        {"arm": []},
        {"arm": [1]},
        {"all": []},
        {"all": {"is": [1, "01"]}},
        {"not": []},
        {"not": [{"answered": [1]}]},
        {"eval": [1]},
        {"__proto__": [1]},
    ],
)
def test_what_is_not_a_rule_is_refused(entry):
    with pytest.raises(BadRule):
        rule_from(entry)


@pytest.mark.parametrize(
    ("read", "problem"),
    [
        (3, "depends on the answer to this question itself"),
        (4, "question 4, which does not come earlier"),
        (0, "question 0"),
        (-1, "question -1"),
    ],
)
def test_only_earlier_questions_may_be_read(read, problem):
    check_place(rule_from({"answered": [2]}), 3)
    rule = rule_from({"any": [{"answered": [1]}, {"answered": [read]}]})
    with pytest.raises(BadRule, match=problem):
        check_place(rule, 3)


def test_random_questionnaires_ask_and_hide():
    """So that what agrees below is not all of one kind."""
    chance = random.Random(7)
    found = [asked for _ in range(300) for asked in Case(chance).asked()]
    assert 0.3 < sum(found) / len(found) < 0.8
