"""Rules as rows in brackets: they ask the same people, in as few rows as either form has."""

import numpy as np
import pytest

from surveys.authoring.importing.conditions import Unsaid, rows_of
from surveys.definitions.definition import DraftQuestion, SpecialAnswer
from surveys.definitions.rules.text import read
from tests.surveys.authoring.importing.making import (
    ALL_ANSWERS,
    BY_NAME,
    Answer,
    drawn_rule,
    holds,
)

DRAWS = 150


def said(text: str, **more: DraftQuestion) -> list[tuple[str, str, tuple[str, ...], int | None]]:
    rows = rows_of(read(text), {**BY_NAME, **more})
    lines = [
        (atom.question, str(atom.comparison), atom.values, bracket)
        for atom, bracket in rows.numbered()
    ]
    return [(str(rows.joins), "", (), None), *lines] if len(lines) > 1 else lines


def test_one_comparison_is_one_row():
    assert said("drug is yes") == [("drug", "is", ("yes",), None)]
    assert said("not (drug is yes)") == [("drug", "is_not", ("yes",), None)]
    assert said("not (fruit is missing)") == [("fruit", "answered", (), None)]
    assert said("not (count(fruit) >= 2)") == [("fruit", "fewer", ("2",), None)]


def test_several_answers_to_one_question_are_one_row():
    assert said("where is a or where is b") == [("where", "is", ("a", "b"), None)]
    assert said("where is not a and where is not b") == [("where", "is_not", ("a", "b"), None)]
    assert said("not (where is a or where is c)") == [("where", "is_not", ("a", "c"), None)]


def test_a_scale_is_compared_by_its_order_and_its_opposite_names_the_answers():
    assert said("often < c") == [("often", "less", ("c",), None)]
    assert said("not (often < c)") == [("often", "is_not", ("a", "b"), None)]


def test_what_is_joined_in_two_ways_has_brackets():
    assert said("drug is yes and (where is a or days < 3)") == [
        ("all", "", (), None),
        ("drug", "is", ("yes",), None),
        ("where", "is", ("a",), 1),
        ("days", "less", ("3",), 1),
    ]
    assert said("drug is yes or (where is a and days < 3)")[0][0] == "any"


def test_a_number_that_is_a_value_is_one_row_and_never_one_that_cannot_be_given():
    assert said("days is 3") == [("days", "is", ("3",), None)]
    assert said("days is not 3 or drug is yes")[2] == ("days", "is_not", ("3",), None)
    for never in ("days is 6", "days is -1", "days is 2.5"):
        with pytest.raises(Unsaid, match="The rule is never met"):
            said(never)


def test_an_answer_beside_a_number_is_named_by_its_code():
    special = (SpecialAnswer(code="-9", text={"en": "Refused"}),)
    days = DraftQuestion(
        name="days", kind="number", text={"en": "?"}, minimum="0", maximum="7", special=special
    )
    assert said("days is -9", days=days) == [("days", "is", ("-9",), None)]
    assert said("days is not -9", days=days) == [("days", "is_not", ("-9",), None)]
    assert said("days < 9", days=days) == [("days", "most", ("7",), None)]
    assert said("days >= -2", days=days) == [("days", "least", ("0",), None)]
    assert said("not (days < 3)", days=days) == [
        ("any", "", (), None),
        ("days", "is", ("-9",), None),
        ("days", "least", ("3",), None),
        ("days", "missing", (), None),
    ]


def test_a_rule_that_always_holds_has_no_rows():
    assert said("drug is yes or (drug is not yes or days < 3) or often is missing") != []
    assert said("not (days > 9)") == said("not (days < -1)") == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("born is missing", "“born”, but rules of a draft cannot use answers to this question"),
        ("where < b", "The comparison “less” does not fit “where”"),
        ("chosen(where, a)", "The comparison “chosen” does not fit “where”"),
        ("fruit is a", "The comparison “is” does not fit “fruit”"),
        ("where is z", "compares “where” with “z”, which is not an answer to “where”"),
        ("often < z", "compares “often” with “z”, which is not an answer to “often”"),
        ("drug is yes and days > 9", "The rule is never met"),
        ("days < abc", "compares “days” with “abc”, which is not an answer to “days”"),
        (
            "days is 2026-01-31",
            "compares “days” with “2026-01-31”, which is not an answer to “days”",
        ),
    ],
)
def test_what_no_row_says_is_named(text, words):
    born = DraftQuestion(name="born", kind="date", text={"en": "?"})
    with pytest.raises(Unsaid, match=words.replace("(", "\\(")):
        said(text, born=born)


@pytest.mark.parametrize("digits", ["9" * 32, "-" + "9" * 31, "0." + "1" * 30])
def test_a_number_of_any_length_is_compared_without_rounding(digits):
    free = DraftQuestion(name="days", kind="number", text={"en": "?"}, decimal_places=4)
    rows = [atom for _, _, atom, _ in said(f"days < {digits}", days=free)]
    assert rows == [(digits,)] or rows == [("0.1111",)]


def test_a_rule_of_too_many_parts_has_no_rows_and_takes_no_time():
    names = [f"q_{number}" for number in range(16)]
    many = {name: DraftQuestion(name=name, kind="yes_no", text={"en": "?"}) for name in names}
    pairs = [f"({a} is yes or {b} is no)" for a, b in zip(names[::2], names[1::2], strict=True)]
    assert rows_of(read(" and ".join(pairs)), many) is None


def holding(atom, answer: Answer) -> bool:
    """What a row says of an answer, by the words that its author reads."""
    if answer is None:
        return atom.comparison in ("is_not", "fewer", "missing")
    if isinstance(answer, frozenset):
        is_one = not answer.isdisjoint(atom.values)
        ticks = len(answer) - int(atom.values[0]) if atom.comparison in ("marked", "fewer") else 0
    else:
        is_one, ticks = answer in map(type(answer), atom.values), 0
    compared = {
        "is": is_one,
        "is_not": not is_one,
        "marked": ticks >= 0,
        "fewer": ticks < 0,
        "answered": True,
        "missing": False,
    }
    if atom.comparison in compared:
        return compared[atom.comparison]
    limit = type(answer)(atom.values[0])
    return {
        "less": answer < limit,
        "most": answer <= limit,
        "more": answer > limit,
        "least": answer >= limit,
    }[atom.comparison]


def test_rows_ask_the_same_people_as_the_rule_that_they_say():
    rng = np.random.default_rng(40)
    count = 0
    for _ in range(DRAWS):
        rule = drawn_rule(rng)
        people = [ALL_ANSWERS[at] for at in rng.integers(len(ALL_ANSWERS), size=150)]
        try:
            rows = rows_of(rule, BY_NAME)
        except Unsaid as problem:
            if "never" in str(problem.words):
                assert not any(holds(rule, answers) for answers in people)
            continue
        if rows is None:
            continue
        count += 1
        outer, inner = (all, any) if rows.joins == "all" else (any, all)
        for answers in people:
            brackets = [
                inner([holding(atom, answers[atom.question]) for atom in bracket])
                for bracket in rows.brackets
            ]
            assert holds(rule, answers) == (outer(brackets) if brackets else True), rule
    assert count > DRAWS / 2
