"""A rule asks the same people as the formula it comes from, whatever they answer.

The formula is evaluated as XPath does, the rule as a survey does, over random answers.
"""

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.definitions.imports.conditions import ConditionReader, RuleSource, Unreadable
from surveys.definitions.imports.entries import Entry, ReadForm, Written
from surveys.definitions.imports.formulas import Formula, formula_of
from surveys.definitions.imports.remarks import Spot
from surveys.definitions.rules.tree import RuleTree

VALUES = {
    "c": {"1": "1", "2": "2", "x-y": "x_y"},
    "y": {"1": "yes", "0": "no"},
    "m": {"p": "p", "q": "q", "r": "r"},
    "n": {},
}
KINDS = {"c": "choice", "y": "yes_no", "m": "ticks", "n": "number"}
# What a person can answer, as the form has it; an empty text is no answer.
ANSWERS = {
    "c": ["", "1", "2", "x-y"],
    "y": ["", "1", "0"],
    "m": ["", "p", "p q", "q r", "p q r"],
    "n": ["", "-1", "0", "2.5", "3", "999"],
}
EVERYBODY = [dict(zip(ANSWERS, one, strict=True)) for one in product(*ANSWERS.values())]


def reader() -> ConditionReader:
    """Of a form with a choice, a yes or no, ticks, and a number with 999 as a special answer."""
    form = ReadForm("xlsform", ["en"], {}, "form")
    sources = {}
    for name, kind in KINDS.items():
        special = ["999"] if kind == "number" else []
        entry = Entry(Spot(), name, kind, {"en": name}, special=special)
        sources[name] = RuleSource(entry, name, VALUES[name])
    return ConditionReader(form, sources)


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def xpath(formula: Formula, answers: dict[str, str]) -> bool:
    """Whether a formula is true, by XPath 1.0 on texts, numbers and truth values."""
    match formula.kind:
        case "and":
            return all(xpath(part, answers) for part in formula.parts)
        case "or":
            return any(xpath(part, answers) for part in formula.parts)
        case "not":
            return not xpath(formula.parts[0], answers)
        case "call":
            field, value = formula.parts
            return value.text in answers[field.text].split()
    left, right = formula.parts
    texts = [_text(part, answers) for part in (left, right)]
    if formula.text in ("=", "!=") and "number" not in (left.kind, right.kind, _kind(left)):
        return (texts[0] == texts[1]) == (formula.text == "=")
    one, other = map(number, texts)
    signs = {
        "=": one == other,
        "!=": one != other,
        "<": one < other,
        "<=": one <= other,
        ">": one > other,
        ">=": one >= other,
    }
    return signs[formula.text]


def _kind(part: Formula) -> str:
    return "number" if part.kind == "call" else part.kind


def _text(part: Formula, answers: dict[str, str]) -> str:
    if part.kind == "field":
        return answers[part.text]
    if part.kind == "call":  # count-selected
        return str(len(answers[part.parts[0].text].split()))
    return part.text


def holds(rule: RuleTree | None, answers: dict[str, str]) -> bool:
    """Whether a rule asks a person with these answers of the form."""
    if rule is None:
        return True
    if rule.parts:
        parts = [holds(part, answers) for part in rule.parts]
        return not parts[0] if rule.name == "not" else (all, any)[rule.name == "any"](parts)
    text = answers[rule.question]
    ours = {VALUES[rule.question].get(value, value) for value in text.split()}
    is_special = text == "999"
    match rule.name:
        case "missing" | "answered":
            return bool(text) == (rule.name == "answered")
        case "is" | "chosen":
            return rule.value in ours
        case "is_not":
            return rule.value not in ours
        case "marked":
            return len(ours) >= rule.least
    if not text or is_special:
        return False
    limit = float(rule.value)
    signs = {"less": number(text) < limit, "most": number(text) <= limit}
    return (signs | {"more": number(text) > limit, "least": number(text) >= limit})[rule.name]


COMPARED = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
ATOMS = st.one_of(
    st.builds("${{c}} {} '{}'".format, st.sampled_from(["=", "!="]), st.sampled_from(ANSWERS["c"])),
    st.builds("${{c}} {} {}".format, COMPARED, st.sampled_from(["1", "2"])),
    st.builds("${{y}} {} '{}'".format, st.sampled_from(["=", "!="]), st.sampled_from(ANSWERS["y"])),
    st.builds("${{n}} {} {}".format, COMPARED, st.sampled_from(["0", "2.5", "3", "999"])),
    st.builds("{1} {0} ${{n}}".format, COMPARED, st.sampled_from(["0", "2.5", "999"])),
    st.sampled_from(["${n} = ''", "${n} != ''", "${m} = ''", "${m} != ''", "${m} = 'p'"]),
    st.builds("selected(${{m}}, '{}')".format, st.sampled_from(["p", "q"])),
    st.builds("selected(${{c}}, '{}')".format, st.sampled_from(["1", "x-y"])),
    st.builds("count-selected(${{m}}) {} {}".format, COMPARED, st.integers(0, 4)),
)
FORMULAS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("not({})".format, inner),
    ),
    max_leaves=4,
)


@given(FORMULAS)
def test_a_rule_asks_the_same_people_as_its_formula(text):
    formula = formula_of(text)
    asked = [xpath(formula, answers) for answers in EVERYBODY]
    if any(asked):
        rule = reader().read(Written(text, Spot()))
        assert [holds(rule, answers) for answers in EVERYBODY] == asked, text


def test_a_formula_that_never_holds_is_no_rule():
    with pytest.raises(Unreadable, match="The rule is never met"):
        reader().read(Written("${m} = '' and false()", Spot()))
