"""The structure of a survey of LimeSurvey: types, languages, relevance, what is left out."""

import pytest

from tests.surveys.definitions.imports.making import (
    names,
    outcomes,
    planned,
    question,
    rule,
    structure,
)


def asked(kind: str, name: str = "q1", **cells: str) -> dict[str, str]:
    return {"class": "Q", "type/scale": kind, "name": name, "text": name.upper(), **cells}


def part(kind: str, name: str, **cells: str) -> dict[str, str]:
    return {"class": kind, "name": name, "text": name.upper(), **cells}


ANSWERS = [part("A", name, **{"type/scale": "0"}) for name in ("A1", "A2", "A3")]
ROWS = [part("SQ", name, **{"type/scale": "0"}) for name in ("SQ001", "SQ002")]
GROUP = {"class": "G", "name": "Part one", "type/scale": "1"}


def plan_of(*rows: dict[str, str]):
    return planned(structure(GROUP, *rows), "survey.txt")


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ([asked("L"), *ANSWERS], "choice"),
        ([asked("!"), *ANSWERS], "choice"),
        ([asked("Y")], "yes_no"),
        ([asked("G")], "choice"),
        ([asked("5")], "scale"),
        ([asked("M"), *ROWS], "ticks"),
        ([asked("N")], "number"),
        ([asked("D")], "date"),
        ([asked("S")], "text"),
        ([asked("T")], "text"),
        ([asked("X")], "info"),
        ([asked("F"), *ROWS, *ANSWERS], "matrix"),
        ([asked("A"), *ROWS], "matrix"),
        ([asked("C"), *ROWS], "matrix"),
        ([asked("R"), *ANSWERS], "rank"),
    ],
)
def test_each_type_becomes_a_kind(rows, kind):
    plan = plan_of(*rows)
    assert (question(plan, "q1").kind, plan.held_count) == (kind, 1)


def test_titles_sections_bounds_and_exclusive_options_are_taken_over():
    plan = plan_of(
        asked("N", min_num_value_n="0", max_num_value_n="9", num_value_int_only="1", mandatory="Y"),
        asked("M", "q2", exclude_all_others="SQ002"),
        *ROWS,
    )
    number = question(plan, "q1")
    assert (number.minimum, number.maximum, number.required) == ("0", "9", True)
    assert [option.exclusive for option in question(plan, "q2").options] == [False, True]
    assert plan.definition.title == {"en": "Habits"}
    assert [section.title for section in plan.definition.sections] == [{"en": "Part one"}]


def test_other_adds_an_option_and_a_text_for_it():
    plan = plan_of(
        asked("L", other="Y"), *ANSWERS, asked("S", "q2", relevance="q1.NAOK == '-oth-'")
    )
    assert names(plan) == ["q1", "q1_other", "q2"]
    assert question(plan, "q1_other").kind == "other"
    assert rule(plan, "q2") == "q1 is oth"


@pytest.mark.parametrize(
    ("relevance", "text"),
    [
        ('((q1.NAOK == "A1"))', "q1 is A1"),
        ('q1.NAOK != "A1"', "q1 is not A1"),
        ("is_empty(q1.NAOK)", "q1 is missing"),
        ("!is_empty(q1.NAOK)", "not (q1 is missing)"),
        ('q2_SQ001.NAOK == "Y"', "chosen(q2, SQ001)"),
        ('q2_SQ001.NAOK == ""', "not chosen(q2, SQ001)"),
        ('q3.NAOK > 3 && q1.NAOK == "A2"', "q3 > 3 and q1 is A2"),
        ("1", ""),
    ],
)
def test_relevance_becomes_a_rule(relevance, text):
    plan = plan_of(
        asked("L"),
        *ANSWERS,
        asked("M", "q2"),
        *ROWS,
        asked("N", "q3"),
        asked("S", "q4", relevance=relevance),
    )
    assert rule(plan, "q4") == text
    assert not question(plan, "q4").unfinished


def test_without_naok_a_question_needs_those_that_it_reads():
    plan = plan_of(
        asked("Y"),
        asked("Y", "q2", relevance='q1.NAOK == "Y"'),
        asked("S", "q3", relevance='q2 != "Y"'),
    )
    assert rule(plan, "q3") == "q1 is yes and q2 is not yes"


def test_rows_of_other_languages_add_texts():
    rows = [
        {"class": "S", "name": "additional_languages", "text": "de pt"},
        GROUP,
        asked("L"),
        *ANSWERS,
        {**GROUP, "name": "Teil eins", "language": "de"},
        asked("L", language="de", text="Frage"),
        *({**answer, "language": "de", "text": "Antwort"} for answer in ANSWERS),
        asked("L", language="pt", text="x"),
    ]
    plan = planned(structure(*rows), "survey.txt")
    assert plan.definition.languages == ("en", "de")
    assert question(plan, "q1").text == {"en": "Q1", "de": "Frage"}
    assert question(plan, "q1").options[0].text == {"en": "A1", "de": "Antwort"}
    assert plan.definition.sections[0].title == {"en": "Part one", "de": "Teil eins"}


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([asked("|")], "Deniable has no questions of the type “|”"),
        ([asked("H"), *ROWS, *ANSWERS], "Deniable has no questions of the type “H”"),
        ([asked("S", hidden="1")], "people never see it"),
        ([{"class": "QTA", "name": "quota"}], "Quotas are left out"),
        ([{"class": "AS", "name": "score"}], "Assessments are left out"),
        (
            [asked("M", array_filter="q9"), *ROWS],
            "The filter is left out: all rows or options of the question",
        ),
        ([asked("O"), *ANSWERS], "The comment fields next to the options"),
        ([asked("F"), *ROWS], "2 to 11 columns, but has 2 and 0"),
        ([asked("S", text="Hello {TOKEN:FIRSTNAME}")], "replaced by “…”"),
    ],
)
def test_what_is_lost_is_named(rows, why):
    plan = plan_of(*rows, asked("S", "last"))
    assert why in outcomes(plan, "left_out")
    assert plan.held_count == 1


def test_an_equation_is_no_question_and_stands_in_the_rules_that_read_it():
    plan = plan_of(
        asked("Y"),
        asked("*", "old", text='{if(q1.NAOK == "Y", 1, 0)}'),
        asked("S", "q2", relevance="old.NAOK == 1"),
    )
    assert (plan.asked, rule(plan, "q2")) == (2, "q1 is yes")
