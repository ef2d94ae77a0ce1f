"""Conditions in XPath: read like a form of another program, they hold for the same answers."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveys.definitions.imports.conditions import ConditionReader, RuleSource
from surveys.definitions.imports.entries import Entry, ReadForm, Written
from surveys.definitions.imports.remarks import Spot
from surveys.definitions.rules.text import read
from surveys.definitions.rules.tree import RuleTree
from surveys.definitions.rules.xpath import FormField, xpath_of

VALUES = {
    "yes": ["yes", "no"],
    "pick": ["1", "2", "3"],
    "scale": ["1", "2", "3"],
    "ticks": ["a", "b"],
}
KINDS = {"yes": "yes_no", "pick": "choice", "scale": "scale", "ticks": "ticks", "age": "number"}
SPECIAL = "-9"
FIELDS = {
    name: FormField(kind, [name], VALUES.get(name, []) if name != "yes" else [], [SPECIAL])
    for name, kind in KINDS.items()
}
READER = ConditionReader(
    ReadForm("xlsform", ["en"], {}, "form"),
    {
        name: RuleSource(
            Entry(Spot(), name, kind, {}, special=[SPECIAL] if name == "age" else []),
            name,
            {value: value for value in VALUES.get(name, [])},
        )
        for name, kind in KINDS.items()
    },
)
ATOMS = [
    *("yes is yes", "yes is not no", "yes is missing", "pick is 2", "pick is not 3"),
    *("pick is not missing", "scale < 3", "scale >= 2", "chosen(ticks, a)"),
    *("count(ticks) >= 2", "age < 3", "age >= 2", "age is 2", "age is not 2", "age > -20"),
    *("age is missing", "age <= -9"),
]
ANSWERS = st.fixed_dictionaries(
    {
        **{name: st.sampled_from(["", *VALUES[name]]) for name in ("yes", "pick", "scale")},
        "ticks": st.lists(st.sampled_from(VALUES["ticks"]), unique=True),
        "age": st.sampled_from(["", "1", "2", "3", SPECIAL]),
    }
)
CONDITIONS = st.recursive(
    st.sampled_from(ATOMS).map(read),
    lambda inner: st.one_of(
        inner.map(lambda part: RuleTree("not", parts=(part,))),
        st.builds(
            lambda name, parts: RuleTree(name, parts=tuple(parts)),
            st.sampled_from(["all", "any"]),
            st.lists(inner, min_size=2, max_size=3),
        ),
    ),
    max_leaves=6,
)


def holds(condition: RuleTree, answers: Mapping[str, str | list[str]]) -> bool:
    """Whether a condition is true, by the words of ``rules.tree``."""
    match condition.name:
        case "not":
            return not holds(condition.parts[0], answers)
        case "all":
            return all(holds(part, answers) for part in condition.parts)
        case "any":
            return any(holds(part, answers) for part in condition.parts)
    answer = answers[condition.question]
    match condition.name:
        case "chosen":
            return condition.value in answer
        case "marked":
            return len(answer) >= condition.least
        case "answered" | "missing":
            return bool(answer) == (condition.name == "answered")
        case "is" | "is_not":
            return (answer == condition.value) == (condition.name == "is")
    if answer in ("", SPECIAL):  # a special answer is no number
        return False
    left, right = int(str(answer)), int(condition.value)
    signs = {"less": left < right, "most": left <= right, "more": left > right}
    return {**signs, "least": left >= right}[condition.name]


@settings(max_examples=150)
@given(CONDITIONS, ANSWERS)
def test_a_condition_read_again_from_its_formula_asks_the_same_people(condition, answers):
    formula = xpath_of(condition, FIELDS)
    again = READER.read(Written(formula, Spot()))
    assert again is not None
    assert holds(again, answers) == holds(condition, answers), formula


@pytest.mark.parametrize(
    ("condition", "formula"),
    [
        ("yes is yes", "${yes} = 'yes'"),
        ("yes is not no", "${yes} != 'no'"),
        ("yes is missing", "${yes} = ''"),
        ("not (yes is yes and pick is 1)", "not(${yes} = 'yes' and ${pick} = '1')"),
        (
            "(yes is yes or pick is 1) and age > 2",
            "(${yes} = 'yes' or ${pick} = '1') and ${age} > 2",
        ),
        ("scale < 3", "${scale} = '1' or ${scale} = '2'"),
        ("scale > 3", "false()"),
        ("scale > 4", "false()"),
        ("age < 3", "${age} < 3 and ${age} != -9"),
        ("yes is yes and age < 3", "${yes} = 'yes' and (${age} < 3 and ${age} != -9)"),
        ("chosen(ticks, a)", "selected(${ticks}, 'a')"),
        ("count(ticks) >= 2", "count-selected(${ticks}) >= 2"),
        ("gone is 1", "false()"),
    ],
)
def test_each_comparison_has_its_formula(condition, formula):
    assert xpath_of(read(condition), FIELDS) == formula


def test_a_day_is_compared_as_one():
    fields = {"born": FormField("date", ["born"])}
    assert xpath_of(read("born < 2000-01-31"), fields) == "${born} < date('2000-01-31')"


def test_a_table_is_answered_where_a_row_is():
    fields = {"grid": FormField("matrix", ["grid_a", "grid_b"])}
    assert xpath_of(read("grid is missing"), fields) == "${grid_a} = '' and ${grid_b} = ''"
    assert xpath_of(read("grid is not missing"), fields) == "${grid_a} != '' or ${grid_b} != ''"
