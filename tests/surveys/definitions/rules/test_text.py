"""Conditions as text: what authors type, and the column of what they typed wrong."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.definitions.rules.text import LONGEST_TEXT, BadRuleText, number_of, read, written
from surveys.definitions.rules.tree import COMPARED, RuleTree, negated
from surveys.questionnaire.logic.rules import DEEPEST, MOST_NODES

EXAMPLE = "(a is 1 and b is not 2) or c > 3"


def test_the_example_of_the_documentation():
    assert read(EXAMPLE).to_json() == {
        "any": [
            {"all": [{"is": ["a", "1"]}, {"is_not": ["b", "2"]}]},
            {"more": ["c", "3"]},
        ]
    }
    assert written(read(EXAMPLE)) == EXAMPLE


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("a is yes", {"is": ["a", "yes"]}),
        ("A IS NOT yes", {"is_not": ["A", "yes"]}),
        ("a=1", {"is": ["a", "1"]}),
        ("a != 1", {"is_not": ["a", "1"]}),
        ("a <> 1", {"is_not": ["a", "1"]}),
        ("a<=03.50", {"most": ["a", "3.5"]}),
        ("a ≥ -2", {"least": ["a", "-2"]}),
        ("a < -.5", {"less": ["a", "-0.5"]}),
        ("born > 1990-01-31", {"more": ["born", "1990-01-31"]}),
        ("a is missing", {"missing": ["a"]}),
        ("a is not missing", {"answered": ["a"]}),
        ('a is "missing"', {"is": ["a", "missing"]}),
        ("a is “yes”", {"is": ["a", "yes"]}),
        ("chosen(b, 2)", {"chosen": ["b", "2"]}),
        ("chosen is 2", {"is": ["chosen", "2"]}),
        ("count(b) >= 2", {"marked": ["b", 2]}),
        ("count(b) > 2", {"marked": ["b", 3]}),
        ("count(b) < 2", {"not": {"marked": ["b", 2]}}),
        ("count(b) <= 2", {"not": {"marked": ["b", 3]}}),
        ("count(b) = 2", {"all": [{"marked": ["b", 2]}, {"not": {"marked": ["b", 3]}}]}),
        ("count(b) = 0", {"not": {"marked": ["b", 1]}}),
        ("count(b) != 0", {"marked": ["b", 1]}),
        ("not a is 1", {"not": {"is": ["a", "1"]}}),
        (
            "a is 1 or b is 1 and not c is 1",
            {
                "any": [
                    {"is": ["a", "1"]},
                    {"all": [{"is": ["b", "1"]}, {"not": {"is": ["c", "1"]}}]},
                ]
            },
        ),
        (" ( ( a is 1 ) ) ", {"is": ["a", "1"]}),
    ],
)
def test_what_authors_type_is_read(text, entry):
    assert read(text).to_json() == entry


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("", 1, "the name of a question"),
        ("a", 2, "Write “is”, “is not”"),
        ("a is", 5, "Write a value"),
        ("a is 1 b", 8, "“and” or “or”"),
        ("a is 1 and", 11, "the name of a question"),
        ("(a is 1", 8, "Write “)” here"),
        ("a is 1)", 7, "“and” or “or”"),
        ("2nd is 1", 1, "“2nd” is not a possible name"),
        ("'a' is 1", 1, "is not a possible name"),
        ('"a" is 1', 1, "without quotation marks"),
        ('a is "1', 6, "not closed"),
        ("a is or", 6, "“or” cannot be a value"),
        ("a > 1e5", 5, "“1e5” cannot be a value"),
        ("a is > 1", 6, "Write a value"),
        ("a like 1", 3, "Write “is”, “is not”"),
        ("chosen(b 2)", 10, "Write “,” here"),
        ("chosen(b, 2", 12, "Write “)” here"),
        ("count(b) >= x", 13, "Write a whole number here: the number of ticked options"),
        ("count(b) >= 0", 13, "a number from 1 to 32"),
        ("count(b) > 32", 12, "a number from 1 to 32"),
        ("not " * 40 + "a is 1", 133, "Too many brackets"),
        ("(" * 4000, 34, "Too many brackets"),
        ("not " * 8 + "a is 1", 1, "is nested 9 levels deep, but at most 8 levels are possible"),
        (" or ".join(f"a is {n}" for n in range(64)), 1, "65 parts"),
        ("a" * (LONGEST_TEXT + 1), LONGEST_TEXT + 1, "at most 4000 characters"),
        ("a ! 1", 3, "Write “is”, “is not”"),
    ],
)
def test_an_error_names_its_column_and_what_to_write_there(text, column, words):
    with pytest.raises(BadRuleText) as refusal:
        read(text)
    assert words in refusal.value.words
    assert refusal.value.column == column
    assert str(refusal.value).startswith(f"Column {column}: ")


@pytest.mark.parametrize(
    ("text", "number"),
    [("3", "3"), ("03.50", "3.5"), ("-.5", "-0.5"), ("-0.0", "0"), ("5.", "5"), ("", "")]
    + [(text, "") for text in (".", "-", "1.2.3", "1e5", "٣", "a")],
)
def test_a_number_is_written_in_one_way(text, number):
    assert number_of(text) == number


NAMES = st.sampled_from(["a", "b", "c_1"])
ATOMS = st.one_of(
    st.builds(
        RuleTree,
        st.sampled_from(COMPARED),
        NAMES,
        st.sampled_from(["1", "yes", "missing", "chosen", "-2.5", "2026-01-31"]),
    ),
    st.builds(RuleTree, st.sampled_from(["answered", "missing"]), NAMES),
    st.builds(lambda name, least: RuleTree("marked", name, least=least), NAMES, st.integers(1, 32)),
)


def joined(parts: st.SearchStrategy[RuleTree]) -> st.SearchStrategy[RuleTree]:
    several = st.lists(parts, min_size=2, max_size=4).map(tuple)
    return st.one_of(
        parts.map(negated),
        st.builds(
            lambda name, all_: RuleTree(name, parts=all_), st.sampled_from(["all", "any"]), several
        ),
    )


@given(st.recursive(ATOMS, joined, max_leaves=12))
def test_every_condition_is_read_back_from_its_text(condition):
    if condition.depth <= DEEPEST and condition.nodes <= MOST_NODES:
        assert read(written(condition)) == condition


@pytest.mark.parametrize("pump", ["(", "not ", "a is 1 and ", '"', "a<", "“”", "<", " ", "\0"])
def test_the_longest_hostile_text_is_refused_at_once(pump):
    start = time.process_time()
    with pytest.raises(BadRuleText):
        read(pump * (LONGEST_TEXT // len(pump)))
    assert time.process_time() - start < 0.1
