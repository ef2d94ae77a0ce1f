"""Formulas of other programs: one grammar, three ways to name a field, no way to make it slow."""

import time

import pytest

from surveys.definitions.imports.formulas import BadFormula, Formula, formula_of

A = Formula("field", "a")
ONE = Formula("number", "1")


def compared(sign: str, left: Formula, right: Formula) -> Formula:
    return Formula("compare", sign, parts=(left, right))


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("${a} = 1", compared("=", A, ONE)),
        ("${ a }!=1", compared("!=", A, ONE)),
        ("[a] <> '1'", compared("!=", A, Formula("text", "1"))),
        ("[a(2)] = ‘1’", compared("=", Formula("field", "a", "2"), Formula("text", "1"))),
        ("${a} = “1”", compared("=", A, Formula("text", "1"))),
        (". >= -1.5", compared(">=", Formula("field", "."), Formula("number", "-1.5"))),
        (".>=.5", compared(">=", Formula("field", "."), Formula("number", ".5"))),
        ("not(${a} = 1)", Formula("not", parts=(compared("=", A, ONE),))),
        (
            "count-selected(.) > 1",
            compared(">", Formula("call", "count-selected", parts=(Formula("field", "."),)), ONE),
        ),
        (
            "${a} mod 2 = 1",
            compared("=", Formula("arithmetic", "mod", parts=(A, Formula("number", "2"))), ONE),
        ),
        (
            "${a} = 1 or ${a} = 1 AND true()",
            Formula(
                "or",
                parts=(
                    compared("=", A, ONE),
                    Formula("and", parts=(compared("=", A, ONE), Formula("call", "true"))),
                ),
            ),
        ),
    ],
)
def test_what_forms_write_is_read_as_a_tree(text, formula):
    assert formula_of(text) == formula


def test_limesurvey_names_fields_by_bare_words():
    read = formula_of('!is_empty(a.NAOK) && (a == "1")', has_bare_fields=True)
    empty = Formula("call", "is_empty", parts=(A,))
    same = compared("=", A, Formula("text", "1"))
    assert read == Formula("and", parts=(Formula("not", parts=(empty,)), same))


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("", 1, "Something is missing"),
        ("${a} =", 7, "Something is missing"),
        ("${a = 1", 1, "“${” is not closed"),
        ("'a", 1, "“'” is not closed"),
        ("(${a} = 1", 10, "A bracket is not closed"),
        ("${a} = 1)", 9, "“)” is not allowed here"),
        ("a = 1", 1, "“a” is not allowed here"),
        ("${a} # 1", 6, "“#” is not allowed here"),
        ("[visit_1_arm_1][a] = 1", 1, "Rules cannot use events of REDCap"),
        ("1" + "+1" * 2000, 2001, "The formula is too long"),
        ("(" * 60 + "1", 52, "Too many brackets"),
        ("not " * 60 + "1", 205, "Too many brackets"),
    ],
)
def test_what_is_no_formula_says_where(text, column, words):
    with pytest.raises(BadFormula) as refusal:
        formula_of(text)
    assert (refusal.value.column, words in refusal.value.words) == (column, True)


@pytest.mark.parametrize(
    "pump", ["(", "not ", "1+", "'", "${a} = 1 and ", "-", "!", "[", "f(", "a."]
)
def test_the_longest_hostile_cell_is_refused_at_once(pump):
    start = time.process_time()
    with pytest.raises(BadFormula):
        formula_of(pump * (32_767 // len(pump)) + "#")
    assert time.process_time() - start < 0.3
