"""Conditions as JSON: what is read, what is refused, and how conditions are joined."""

import pytest

from surveys.definitions.rules.tree import (
    BadRuleTree,
    RuleTree,
    all_of,
    any_of,
    is_comparable,
    negated,
    rule_from,
)

A = RuleTree("is", "a", "1")
B = RuleTree("chosen", "b", "2")
C = RuleTree("marked", "c", least=2)


@pytest.mark.parametrize(
    "entry",
    [
        {"is": ["a", "1"]},
        {"is_not": ["a", "AO_1"]},
        {"less": ["c", "-2.5"]},
        {"least": ["born", "1990-01-31"]},
        {"marked": ["b", 2]},
        {"missing": ["a"]},
        {"not": {"answered": ["a"]}},
        {"any": [{"all": [{"is": ["a", "1"]}, {"chosen": ["b", "2"]}]}, {"more": ["c", "3"]}]},
    ],
)
def test_what_is_read_is_written_as_it_was(entry):
    assert rule_from(entry).to_json() == entry


def nested(levels: int) -> dict:
    return {"is": ["a", "1"]} if levels == 1 else {"not": nested(levels - 1)}


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ([], "one name with its arguments"),
        ({"is": ["a", "1"], "not": {}}, "one name with its arguments"),
        ({"equals": ["a", "1"]}, "“equals” is not the name of a condition"),
        ({"is": ["a"]}, "wrong number of arguments"),
        ({"missing": ["a", "1"]}, "wrong number of arguments"),
        ({"is": [1, "1"]}, "Write the name of a question as the first argument of “is”"),
        ({"is": ["1a", "1"]}, "is not a possible name"),
        ({"is": ["a", 1]}, "in quotation marks"),
        ({"less": ["a", "1.50"]}, "in quotation marks"),
        ({"marked": ["a", True]}, "a whole number from 1 to 32"),
        ({"marked": ["a", 0]}, "a whole number from 1 to 32"),
        ({"all": [{"is": ["a", "1"]}]}, "a list of 2 or more"),
        (nested(9), "at most 8 levels"),
        ({"any": [{"is": ["a", str(n)]} for n in range(64)]}, "65 parts"),
    ],
)
def test_what_is_no_condition_is_refused_in_words(entry, words):
    with pytest.raises(BadRuleTree, match=words):
        rule_from(entry)


def test_eight_levels_are_read():
    assert rule_from(nested(8)).depth == 8


def test_joining_flattens_and_repeats_nothing():
    assert all_of(A, None, all_of(B, A)) == RuleTree("all", parts=(A, B))
    assert all_of(None, A) == A
    assert all_of(None) is None
    assert any_of(A, negated(B)) == RuleTree("any", parts=(A, negated(B)))


def test_a_condition_names_the_questions_that_it_reads():
    condition = all_of(A, any_of(B, negated(C)))
    assert condition is not None
    assert condition.questions == {"a", "b", "c"}
    assert (condition.depth, condition.nodes) == (4, 6)


@pytest.mark.parametrize("text", ["0", "-3", "2.5", "AO_1", "2026-01-31"])
def test_answers_are_compared_with_values_numbers_and_days(text):
    assert is_comparable(text)


@pytest.mark.parametrize(
    "text", ["", "-0", "01", "1.0", "1.", ".5", "2026-1-31", "1e5", "a b", "٣"]
)
def test_other_texts_are_nothing_to_compare_with(text):
    assert not is_comparable(text)
