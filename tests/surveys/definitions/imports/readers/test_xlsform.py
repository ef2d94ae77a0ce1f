"""An XLSForm: types, rules with groups and calculations, bounds, tables, languages."""

import pytest

from tests.surveys.definitions.imports.making import (
    names,
    outcomes,
    planned,
    question,
    remarks,
    rows_planned,
    rule,
    workbook,
)

FRUIT = [("fruit", "a", "Apple"), ("fruit", "p", "Pear"), ("fruit", "other", "Other")]
YES_NO = [("yn", 1, "Yes"), ("yn", 0, "No")]
ALL = [*FRUIT, *YES_NO]


def row(kind: str, name: str | None = None, **cells: object) -> dict[str, object]:
    return {"type": kind, "name": name, "label": name and name.upper(), **cells}


def asking(*rows: dict[str, object], choices=ALL):
    return rows_planned(*rows, choices=choices)


@pytest.mark.parametrize(
    ("kind", "cells", "ours"),
    [
        ("select_one fruit", {}, "choice"),
        ("Select One  fruit", {}, "choice"),
        ("select_one fruit", {"appearance": "likert"}, "scale"),
        ("select_one yn", {}, "yes_no"),
        ("select_multiple fruit", {}, "ticks"),
        ("rank fruit", {}, "rank"),
        ("integer", {}, "number"),
        ("decimal", {}, "number"),
        ("range", {"parameters": "start=1 end=5 step=0.5"}, "number"),
        ("date", {}, "date"),
        ("text", {}, "text"),
        ("note", {}, "info"),
        ("acknowledge", {"required": "yes"}, "agree"),
        ("acknowledge", {}, "info"),
    ],
)
def test_each_type_becomes_a_kind(kind, cells, ours):
    assert question(asking(row(kind, "q1", **cells)), "q1").kind == ours


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("geopoint", "locations identify people"),
        ("image", "identify people"),
        ("barcode", "identify people"),
        ("time", "time of day"),
        ("select_one_from_file x.csv", "its options are in another file"),
        ("hologram", "its type is unknown"),
        ("select_one nowhere", "2 to 300 options, but has 0"),
    ],
)
def test_what_cannot_be_asked_is_left_out_by_name(kind, why):
    plan = asking(row(kind, "q1"), row("text", "q2"))
    assert names(plan) == ["q2"]
    assert (plan.asked, plan.held_count) == (2, 1)
    assert why in outcomes(plan, "left_out")


@pytest.mark.parametrize("kind", ["start", "end", "deviceid", "username", "audit"])
def test_what_identifies_respondents_is_left_out_and_is_no_question(kind):
    plan = asking(row(kind, "q1"), row("text", "q2"))
    assert (plan.asked, plan.held_count) == (1, 1)
    assert "identifies respondents" in outcomes(plan, "left_out")


@pytest.mark.parametrize(
    ("kind", "constraint", "bounds"),
    [
        ("integer", ". >= 0 and . <= 120", ("0", "120", 0)),
        ("integer", ".>0 and .<10", ("1", "9", 0)),
        ("integer", "120 >= . and 0 <= .", ("0", "120", 0)),
        ("decimal", ".>= 5.05 and .<= 20", ("5.05", "20", 2)),
        ("integer", "", ("-999999999", "999999999", 0)),
    ],
)
def test_numbers_are_bounded_by_their_constraint(kind, constraint, bounds):
    asked = question(asking(row(kind, "q1", constraint=constraint)), "q1")
    assert (asked.minimum, asked.maximum, asked.decimal_places) == bounds


def test_a_number_outside_the_bounds_is_a_special_answer_that_rules_still_read():
    plan = asking(
        row("integer", "q1", constraint="(. >= 0 and . <= 30) or . = 999"),
        row("text", "q2", relevant="${q1} > 20"),
        row("text", "q3", relevant="${q1} = 999"),
        row("text", "q4", relevant="${q1} < 20"),
    )
    assert [special.code for special in question(plan, "q1").special] == ["999"]
    assert rule(plan, "q2") == "q1 > 20 or q1 is 999"
    assert (rule(plan, "q3"), rule(plan, "q4")) == ("q1 is 999", "q1 < 20")


@pytest.mark.parametrize(
    "constraint",
    [
        "not(selected(., 'other') and count-selected(.) > 1)",
        "not(selected(., 'other') and (selected(., 'a') or selected(., 'p')))",
    ],
)
def test_an_option_that_goes_with_no_other_is_exclusive(constraint):
    asked = question(asking(row("select_multiple fruit", "q1", constraint=constraint)), "q1")
    assert [option.value for option in asked.options if option.exclusive] == ["other"]


def test_days_and_lengths_are_bounds_too():
    plan = asking(
        row("date", "q1", constraint=". >= date('2000-01-01') and . <= '2020-12-31'"),
        row("text", "q2", constraint="string-length(.) <= 80"),
    )
    asked = question(plan, "q1")
    assert (asked.first_day, asked.last_day) == ("2000-01-01", "2020-12-31")
    assert question(plan, "q2").longest == 80
    assert plan.held_count == 2


@pytest.mark.parametrize(
    ("kind", "constraint", "why"),
    [
        ("text", "regex(., '^[^@]+@[^@]+$')", "it would check an address"),
        ("integer", ". <= ${q0}", "checks only whether an answer is within its bounds"),
        ("date", ". <= today()", "checks only whether an answer is within its bounds"),
        ("select_one fruit", ". != 'a'", "checks only whether an answer is within its bounds"),
        ("integer", ". >= (", "checks only whether an answer is within its bounds"),
    ],
)
def test_other_constraints_are_left_out_once_and_the_question_is_not_whole(kind, constraint, why):
    plan = asking(row("integer", "q0"), row(kind, "q1", constraint=constraint))
    assert [why in words for _, _, words in remarks(plan, "left_out")] == [True]
    assert [each.is_whole for each in plan.questions] == [True, False]


@pytest.mark.parametrize(
    ("relevant", "text"),
    [
        ("${f} = 'a'", "f is a"),
        ("selected(${f}, 'a')", "f is a"),
        ("${f} = “a”", "f is a"),
        ("selected(${m}, 'a') and not(selected(${m}, 'p'))", "chosen(m, a) and not chosen(m, p)"),
        ("count-selected(${m}) >= 2", "count(m) ≥ 2"),
        ("${m} = 'a'", "chosen(m, a) and not (count(m) ≥ 2)"),
        ("${m} = ''", "not (count(m) ≥ 1)"),
        ("${y} = 1 or ${y} = ''", "y is yes or y is missing"),
        ("${n} != 3", "n is not 3"),
        ("number(${n}) > 3", "n > 3"),
        ("${when} < date('2020-01-01')", "when < 2020-01-01"),
        ("${grown} = 1", "n ≥ 18"),
        ("${grown} != 1", "not (n ≥ 18)"),
        ("${both} = 'yes'", "n > 1 and f is a"),
        ("${both} = ''", "not (n > 1 and f is a)"),
        ("${both} != ''", "not not (n > 1 and f is a)"),
        ("true()", ""),
    ],
)
def test_relevant_becomes_a_rule(relevant, text):
    plan = asking(
        row("select_one fruit", "f"),
        row("select_multiple fruit", "m"),
        row("select_one yn", "y"),
        row("integer", "n"),
        row("date", "when"),
        row("calculate", "grown", calculation="if(${n} >= 18, 1, 0)"),
        row("calculate", "both", calculation="'yes'", relevant="${n} > 1 and ${f} = 'a'"),
        row("text", "q", relevant=relevant),
    )
    assert rule(plan, "q") == text
    assert not question(plan, "q").unfinished


def test_a_calculation_stands_in_the_rules_that_read_it_or_is_left_out():
    plan = asking(
        row("integer", "n"),
        row("calculate", "grown", calculation="if(${n} >= 18, 1, 0)"),
        row("calculate", "bmi", calculation="${n} * 2"),
        row("text", "q", relevant="${grown} = 1"),
    )
    assert "Each condition that depends on “grown” now contains this formula" in outcomes(
        plan, "changed"
    )
    assert "The form calculates “bmi”" in outcomes(plan, "left_out")
    assert (plan.asked, plan.held_count) == (2, 2)


@pytest.mark.parametrize(
    ("calculation", "why"),
    [
        ("${c}", "a calculation that depends on itself"),
        ("${d}", "a calculation that depends on itself"),
        ("${n} * 2", "a calculation of the form that conditions in Deniable cannot contain"),
    ],
)
def test_a_calculation_that_is_no_condition_is_not_put_in(calculation, why):
    plan = asking(
        row("integer", "n"),
        row("calculate", "c", calculation=calculation),
        row("calculate", "d", calculation="${c}"),
        row("text", "q", relevant="${c} = 1"),
    )
    assert question(plan, "q").unfinished
    assert why in outcomes(plan, "left_out")


def test_groups_are_sections_whose_rules_and_titles_nest():
    plan = asking(
        row("select_one yn", "y"),
        row("begin group", "outer", label="Outer", relevant="${y} = 1", appearance="field-list"),
        row("text", "q1"),
        row("text", "q2"),
        row("begin_group", "inner", label=None, relevant="${y} != 0"),
        row("text", "q3"),
        row("end_group"),
        row("text", "q4"),
        row("end group"),
    )
    sections = plan.definition.sections
    assert [section.title["en"] for section in sections] == ["Habits", "Outer", "Outer", "Outer"]
    assert [len(section.questions) for section in sections] == [1, 2, 1, 1]
    assert sections[1].rule.to_json() == {"is": ["y", "yes"]}
    assert sections[2].rule.to_json() == {"all": [{"is": ["y", "yes"]}, {"is_not": ["y", "no"]}]}
    assert [question(plan, f"q{n}").same_screen for n in (1, 2, 3)] == [False, True, False]


def test_a_group_whose_rule_is_lost_leaves_all_its_questions_unfinished():
    plan = asking(
        row("integer", "n"),
        row("begin_group", "g", label="G", relevant="${n} mod 2 = 0"),
        row("text", "q1"),
        row("text", "q2"),
        row("end_group"),
        row("text", "q3"),
    )
    assert [question(plan, f"q{n}").unfinished for n in (1, 2, 3)] == [True, True, False]
    assert "The 2 questions that this rule applies to are imported without the rule" in outcomes(
        plan, "left_out"
    )


def test_everything_in_a_repeat_is_left_out_each_by_itself():
    plan = asking(
        row("begin_repeat", "child", label="Child"),
        row("text", "q1"),
        row("begin_group", "g", label="G"),
        row("text", "q2"),
        row("end_group"),
        row("end_repeat"),
        row("text", "q3", relevant="${q1} != ''"),
    )
    assert (names(plan), plan.asked, plan.held_count) == (["q3"], 3, 0)
    assert [number for number, *_ in remarks(plan, "left_out")] == [3, 5, 8]


def test_ends_without_beginnings_and_beginnings_without_ends_are_passed_over():
    plan = asking(row("end_group"), row("begin_group", "g", label="G"), row("text", "q1"))
    assert names(plan) == ["q1"]
    assert "This row does not end anything" in outcomes(plan, "changed")
    assert "“g” has no end" in outcomes(plan, "changed")


def test_labels_and_rows_without_labels_are_a_table():
    plan = asking(
        row("select_one fruit", "head", label="Which?", appearance="label"),
        row("select_one fruit", "r1", appearance="list-nolabel"),
        row("select_one fruit", "r2", appearance="list-nolabel"),
        row("text", "q"),
    )
    assert names(plan) == ["head", "q"]
    table = question(plan, "head")
    assert (table.kind, table.text["en"]) == ("matrix", "Which?")
    assert [each.value for each in table.rows] == ["r1", "r2"]
    assert (plan.asked, plan.held_count) == (4, 4)


def test_a_group_table_list_is_a_table():
    plan = asking(
        row("begin_group", "grid", label="Which?", appearance="table-list"),
        row("select_one fruit", "r1"),
        row("select_one fruit", "r2"),
        row("end_group"),
        row("select_one fruit", "q"),
    )
    assert [(name, question(plan, name).kind) for name in names(plan)] == [
        ("grid", "matrix"),
        ("q", "choice"),
    ]


def test_a_text_for_the_last_option_is_other_please_specify():
    plan = asking(
        row("select_one fruit", "f"),
        row("text", "f_other", relevant="${f} = 'other'"),
        row("select_one fruit or_other", "g"),
        row("select_one fruit", "h"),
        row("text", "h_apple", relevant="${h} = 'a'"),
    )
    kinds = [(each.name, each.kind) for each in plan.definition.questions]
    assert kinds == [
        ("f", "choice"),
        ("f_other", "other"),
        ("g", "choice"),
        ("g_other", "other"),
        ("h", "choice"),
        ("h_apple", "text"),
    ]
    assert rule(plan, "h_apple") == "h is a"


@pytest.mark.parametrize("kind", ["select_one", "select_multiple"])
def test_an_other_that_a_list_forgot_is_added_and_said_so(kind):
    choices = [("l", f"v{number}", f"Way {number}") for number in range(12)]
    asks = "selected(${f}, 'other')"
    plan = asking(
        row(f"{kind} l", "f"),
        row("text", "f_other", relevant=asks),
        row(f"{kind} l", "g"),
        row("text", "why", relevant="selected(${g}, 'other')"),
        choices=choices,
    )
    assert [option.value for option in question(plan, "f").options][-2:] == ["v11", "other"]
    assert question(plan, "f").options[-1].text == {"en": "Other"}
    assert question(plan, "f_other").kind == "other"
    assert "“f” has no option “other”. The option is added at the end" in " ".join(
        str(remark.outcome) for remark in plan.remarks if remark.text == asks
    )
    # By its name alone a text says that it belongs to an answer.
    assert question(plan, "why").unfinished
    assert len(question(plan, "g").options) == 12


def test_values_that_are_no_names_are_rewritten_and_rules_follow():
    choices = [("l", "AO-1", "One"), ("l", "AO 1", "Two"), ("l", 3, "Three"), ("l", 3, "Four")]
    plan = asking(
        row("select_one l", "q1"),
        row("text", "q2", relevant="${q1} = 'AO 1' or ${q1} = 3"),
        choices=choices,
    )
    assert [each.value for each in question(plan, "q1").options] == ["AO_1", "AO_1_2", "3", "v_3"]
    assert rule(plan, "q2") == "q1 is AO_1_2 or q1 is 3"


def test_languages_are_the_columns_and_missing_texts_are_noted():
    header = ("list_name", "name", "label::German (de)", "label::English (en)")
    rows = [
        {
            "type": "select_one l",
            "name": "q1",
            "label::German (de)": "Frage",
            "label::English (en)": "Question",
            "label::Klingon (tlh)": "x",
            "hint::English (en)": "Hint",
        },
        {"type": "text", "name": "q2", "label::English (en)": "Only English"},
    ]
    choices = [("l", "a", "Eins", "One"), ("l", "b", "Zwei", None)]
    settings = {"form_title": "Titel", "default_language": "German (de)"}
    plan = planned(workbook(*rows, choices=choices, header=header, settings=settings))
    assert plan.definition.languages == ("de", "en")
    assert question(plan, "q1").text == {"de": "Frage", "en": "Question"}
    assert question(plan, "q1").options[1].text == {"de": "Zwei"}
    assert question(plan, "q2").text == {"de": "Only English", "en": "Only English"}
    assert "left out. Deniable has pages in these languages: en, de, fr, es, ar" in outcomes(
        plan, "left_out"
    )
    places = {(each.spot.row, each.spot.column) for each in plan.remarks if each.grade == "changed"}
    assert {(3, "label::German (de)"), (3, "label::English (en)")} <= places


def test_a_label_without_a_language_is_in_that_of_the_settings():
    settings = {"form_title": "T", "default_language": "French (fr)"}
    plan = planned(workbook(row("text", "q1"), settings=settings))
    assert plan.definition.languages == ("fr",)
    assert "does not name the language" not in outcomes(plan)


@pytest.mark.parametrize(
    ("column", "cell", "why"),
    [
        ("choice_filter", "county = ${q0}", "all options are offered"),
        ("media::image", "iron.jpg", "Pictures, sounds and films"),
        ("image", "iron.jpg", "Pictures, sounds and films"),
        ("required", "${q0} = 1", "all people may leave it unanswered"),
        ("default", "3", "no answer is filled in"),
        ("appearance", "ex:org.counter()", "No other app fills in the answer"),
    ],
)
def test_what_a_question_loses_is_named_with_its_column(column, cell, why):
    plan = asking(row("text", "q1", **{column: cell}))
    ours = [(each.spot.row, each.spot.column, str(each.outcome)) for each in plan.remarks]
    assert any(place[:2] == (2, column) and why in place[2] for place in ours)
    assert (plan.asked, plan.held_count) == (1, 0)


def test_pictures_of_options_are_named_once():
    header = ("list_name", "name", "label", "media::image", "county")
    choices = [("l", "a", "A", "a.png", 1), ("l", "b", "B", "b.png", 2)]
    plan = planned(workbook(row("select_one l", "q1"), choices=choices, header=header))
    left_out = [
        (each.spot.sheet, each.spot.column) for each in plan.remarks if each.grade == "left_out"
    ]
    assert left_out == [("choices", "media::image")]


def test_a_list_that_several_questions_use_is_noted_once():
    choices = [("l", "AO-1", "One"), ("l", "b", "Two")]
    plan = asking(row("select_one l", "q1"), row("select_one l", "q2"), choices=choices)
    assert [text for _, text, _ in remarks(plan, "changed")] == ["AO-1"]


def test_unknown_columns_are_named_once():
    plan = asking(row("text", "q1", colour="red"), row("text", "q2", colour="blue"))
    assert remarks(plan, "left_out") == [(1, "colour", "The column “colour” is not read.")]


def test_a_text_that_is_too_long_is_cut_and_kept_in_the_remark():
    plan = asking(row("text", "q1", label="x" * 600), row("note", "q2", label="A\n\nB " * 300))
    assert len(question(plan, "q1").text["en"]) == 500
    assert "\n\n" in question(plan, "q2").text["en"]
    assert any(text.startswith("xxx") for _, text, _ in remarks(plan, "changed"))
