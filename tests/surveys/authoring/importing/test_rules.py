"""Rules over names in a draft: lines where they say the same, else the tree as it was written."""

import json

import numpy as np
import pytest

from surveys.authoring.draft.trees import own_tree
from surveys.authoring.importing.conditions import NEVER, Unsaid
from surveys.authoring.importing.rule_names import NamedQuestions
from surveys.authoring.importing.rules import Readable, give_rule, tree_of
from surveys.definitions.rules.text import read, written
from surveys.definitions.rules.tree import RuleTree
from surveys.models import Condition, Option, Question, Survey
from tests.surveys.authoring.importing.making import BY_NAME, SOURCES, drawn_rule

DRAWS = 300


def prefetched(row: Question, **rows: list[object]) -> Question:
    vars(row)["_prefetched_objects_cache"] = cache = {}
    for name, given in rows.items():
        queryset = getattr(row, name).get_queryset()
        queryset._result_cache, queryset._prefetch_done = given, True
        cache[name] = queryset
    return row


ROWS = {
    drafted.name: prefetched(
        Question(kind=drafted.kind, name=drafted.name, minimum=0, maximum=5),
        options=[Option(text=each.text["en"], value=each.value) for each in drafted.options],
    )
    for drafted in SOURCES
}
WORDS = {
    drafted.name: {each.value: each.text["en"] for each in drafted.options} for drafted in SOURCES
} | {"drug": {"yes": "Yes", "no": "No"}}


def given(text: str) -> tuple[Question, list[Condition]]:
    row = Question(survey=Survey(), kind="yes_no")
    conditions = give_rule(row, read(text), Readable(BY_NAME, ROWS, WORDS))
    return prefetched(row, conditions=conditions), conditions


def again(row: Question) -> str:
    """The text of a rule as a draft holds it."""
    return NamedQuestions((*ROWS.values(), row), "en").text(own_tree(row))


@pytest.mark.parametrize(
    "text",
    [
        "drug is yes",
        "drug is yes and days < 3",
        "where is a or where is b",
        "drug is yes and (where is a or days < 3)",
        "often < c",
        "days is 3",
        "not chosen(fruit, a)",
        "not (where is a or where is c)",
    ],
)
def test_what_lines_say_is_kept_as_lines(text):
    row, _ = given(text)
    assert row.rule_shape is None
    assert tree_of(read(again(row)), BY_NAME) == tree_of(read(text), BY_NAME)


@pytest.mark.parametrize(
    "text",
    [
        "(drug is yes and where is not b) or (days > 3 and (often is a or fruit is missing))",
        "not (drug is yes and days < 3)",
        "not (days < 3)",
        "not (count(fruit) ≥ 2 and days ≥ 4) and drug is yes",
    ],
)
def test_what_no_lines_say_so_keeps_its_shape(text):
    row, conditions = given(text)
    assert json.loads(row.rule_shape)
    assert [each.leaf for each in conditions] == list(range(len(conditions)))
    assert again(row) == text


def test_the_order_of_what_is_joined_makes_no_shape():
    row, _ = given("days < 3 and drug is yes")
    assert row.rule_shape is None


def test_what_cannot_be_is_left_out_of_a_shape_and_what_must_be_too():
    row, _ = given("not (drug is yes and days < 3) or days > 9")
    assert again(row) == "not (drug is yes and days < 3)"
    row, conditions = given("days < 9 or days is missing or often is not missing or days ≥ -4")
    assert row.rule_shape is None or conditions


def test_a_rule_that_asks_all_has_no_conditions_and_one_that_asks_nobody_is_refused():
    assert given("not days > 9")[1] == []
    with pytest.raises(Unsaid, match="The rule is never met"):
        given("days > 9")


def test_a_rule_beyond_the_largest_launched_one_is_refused_and_the_row_stays():
    row = Question(survey=Survey(), kind="yes_no", rule_shape="0")
    deep = "drug is yes"
    for name in ("days < 3", "where is a") * 5:
        deep = f"not ({deep} and {name})"
    with pytest.raises(ValueError, match="levels"):
        give_rule(row, read(deep), Readable(BY_NAME, ROWS, WORDS))
    assert row.rule_shape == "0"


def asks_nobody(rule: RuleTree) -> bool:
    try:
        tree_of(rule, BY_NAME)
    except Unsaid as problem:
        return problem.words == NEVER
    return False


def test_any_rule_comes_back_from_a_draft_and_once_it_did_it_stays_as_it_is():
    """What a draft writes of a rule it holds in the same way when it reads it again."""
    rng = np.random.default_rng(44)
    shapes = 0
    for _ in range(DRAWS):
        rule = drawn_rule(rng)
        if asks_nobody(rule):
            continue
        row, _ = given(written(rule))
        if not (text := again(row)):
            continue
        same, _ = given(text)
        assert again(same) == text
        assert (same.rule_joins, same.rule_shape) == (row.rule_joins, row.rule_shape)
        shapes += row.rule_shape is not None
    assert DRAWS / 10 < shapes < DRAWS / 1.5
