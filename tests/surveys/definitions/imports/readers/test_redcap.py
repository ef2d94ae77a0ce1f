"""A data dictionary of REDCap: each type, branching logic, matrices, annotations, encodings."""

import pytest

from tests.surveys.definitions.imports.making import (
    dictionary,
    names,
    outcomes,
    planned,
    question,
    remarks,
    rule,
)

FRUIT = "1, Apple | 2, Pear | 99, None of these"
VALIDATION = "text_validation_type_or_show_slider_number"
OPTIONS = "select_choices_or_calculations"


def field(name: str, kind: str = "text", **cells: str) -> dict[str, str]:
    return {"field_name": name, "field_type": kind, **cells}


def one(kind: str, **cells: str):
    """The question that a field becomes."""
    return question(planned(dictionary(field("a", kind, **cells))), "a")


@pytest.mark.parametrize(
    ("kind", "cells", "ours"),
    [
        ("text", {}, "text"),
        ("notes", {}, "text"),
        ("text", {VALIDATION: "integer"}, "number"),
        ("text", {VALIDATION: "number_1dp"}, "number"),
        ("text", {VALIDATION: "date_dmy"}, "date"),
        ("radio", {OPTIONS: FRUIT}, "choice"),
        ("dropdown", {OPTIONS: FRUIT}, "choice"),
        ("checkbox", {OPTIONS: FRUIT}, "ticks"),
        ("yesno", {}, "yes_no"),
        ("radio", {OPTIONS: "1, Yes | 0, No"}, "yes_no"),
        ("truefalse", {}, "choice"),
        ("slider", {}, "number"),
        ("descriptive", {}, "info"),
    ],
)
def test_each_type_becomes_a_kind(kind, cells, ours):
    assert one(kind, **cells).kind == ours


def test_everything_is_asked_directly_and_keeps_its_texts_and_values():
    asked = one("radio", **{OPTIONS: FRUIT}, field_note="Just one.", required_field="y")
    assert (asked.design.name, asked.required, asked.help) == ("direct", True, {"en": "Just one."})
    assert [(option.value, option.text["en"]) for option in asked.options] == [
        ("1", "Apple"),
        ("2", "Pear"),
        ("99", "None of these"),
    ]


def test_bounds_are_kept_and_the_widest_proposed_where_there_are_none():
    cells = {VALIDATION: "integer", "text_validation_min": "0", "text_validation_max": "120"}
    bounded = planned(dictionary(field("a", **cells)))
    assert (question(bounded, "a").minimum, question(bounded, "a").maximum) == ("0", "120")
    assert "The import proposes" not in outcomes(bounded)
    open_ended = planned(dictionary(field("a", **cells | {"text_validation_max": ""})))
    assert question(open_ended, "a").maximum == "999999999"
    assert "The import proposes 0 and 999999999" in outcomes(open_ended, "changed")


def test_a_slider_is_a_number_from_0_to_100_with_its_labels_in_the_help():
    asked = one("slider", **{OPTIONS: "Sad | Happy"}, field_note="Move it.")
    assert (asked.minimum, asked.maximum, asked.help) == (
        "0",
        "100",
        {"en": "Move it. – Sad – Happy"},
    )


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ({"identifier": "y"}, "The question is left out: it identifies people"),
        ({VALIDATION: "email"}, "The question is left out: it identifies people"),
        ({VALIDATION: "phone"}, "The question is left out: it identifies people"),
        ({VALIDATION: "datetime_dmy"}, "time of day"),
        ({"field_type": "file"}, "files identify people"),
        ({"field_type": "sql"}, "it queries a database"),
        ({"field_type": "signature"}, "its type is unknown"),
        ({"field_annotation": "@HIDDEN"}, "people never see it"),
        ({"field_type": "radio", OPTIONS: "1, Only"}, "2 to 300 options, but has 1"),
        (
            {"field_type": "checkbox", OPTIONS: " | ".join(f"{n}, x{n}" for n in range(33))},
            "2 to 32 options, but has 33",
        ),
    ],
)
def test_what_is_left_out_is_named_with_its_row_and_reason(cells, why):
    plan = planned(dictionary(field("a") | cells, field("b")))
    assert names(plan) == ["b"]
    assert any(row == 3 and why in words for row, _, words in remarks(plan, "left_out"))
    assert (plan.asked, plan.held_count) == (3, 1)


@pytest.mark.parametrize(
    ("logic", "text"),
    [
        ("[a] = '1'", "a is 1"),
        ("[a] <> '1'", "a is not 1"),
        ("[a] = ''", "a is missing"),
        ("[a] != ''", "a is not missing"),
        ("[b(2)] = '1'", "chosen(b, 2)"),
        ("[b(2)] = '0'", "not chosen(b, 2)"),
        ("[c] > 3", "c > 3"),
        ("3 <= [c]", "c ≥ 3"),
        ("[d] = '1'", "d is yes"),
        ("[d] = 0", "d is no"),
        ("[a] > 1", "a is 2 or a is 99"),
        (
            "[a] = '1' and ([b(2)] = '1' or [c] > 3)",
            "a is 1 and (chosen(b, 2) or c > 3)",
        ),
        ("[a] = '1' AND 1 = 1", "a is 1"),
    ],
)
def test_branching_logic_becomes_a_rule(logic, text):
    plan = planned(
        dictionary(
            field("a", "radio", **{OPTIONS: FRUIT}),
            field("b", "checkbox", **{OPTIONS: FRUIT}),
            field("c", **{VALIDATION: "integer"}),
            field("d", "yesno"),
            field("e", branching_logic=logic),
        )
    )
    assert rule(plan, "e") == text
    assert not question(plan, "e").unfinished


@pytest.mark.parametrize(
    ("logic", "why"),
    [
        (
            "[gone] = '1'",
            "on “gone”, which is left out: The question is left out: it identifies people",
        ),
        ("[nowhere] = '1'", "depends on “nowhere”, but the form has no question with this name"),
        ("[later] = '1'", "depends on “later”, which does not come before this question"),
        ("[e] = '1'", "depends on “e”, which does not come before this question"),
        ("[words] = 'x'", "depends on “words”. Conditions in Deniable cannot use answers"),
        ("[a] = '7'", "compares “a” with “7”, which is not an answer to “a”"),
        ("[a] = [later]", "compares two answers with each other"),
        ("[a] + 1 = 2", "calculates with “+”"),
        ("datediff([a], 'today') > 1", "uses the function “datediff()”"),
        (
            "[total] > 3",
            "depends on “total”, a calculation of the form that conditions in Deniable cannot "
            "contain",
        ),
        ("[event][a] = '1'", "Rules cannot use events of REDCap"),
        ("[a] = ", "Something is missing here"),
        ("1 = 2", "The rule is never met"),
    ],
)
def test_a_question_whose_rule_is_lost_is_unfinished_and_says_why(logic, why):
    plan = planned(
        dictionary(
            field("a", "radio", **{OPTIONS: FRUIT}),
            field("gone", identifier="y"),
            field("words"),
            field("total", "calc", **{OPTIONS: "[a] + 1"}),
            field("e", "yesno", branching_logic=logic),
            field("later", "yesno"),
        )
    )
    assert question(plan, "e").unfinished
    assert rule(plan, "e") == ""
    assert why in outcomes(plan, "left_out")
    assert [each.name for each in plan.questions if not each.is_whole] == ["e"]


def test_a_matrix_becomes_a_table():
    rows = [
        field(name, "radio", **{OPTIONS: FRUIT}, matrix_group_name="grid", field_label=name.upper())
        for name in ("x", "y")
    ]
    rows[0]["section_header"] = "How often?"
    plan = planned(dictionary(*rows))
    table = question(plan, "grid")
    assert (table.kind, table.text) == ("matrix", {"en": "How often?"})
    assert [(row.value, row.text["en"]) for row in table.rows] == [("x", "X"), ("y", "Y")]
    assert (plan.asked, plan.held_count) == (3, 2)


def test_a_matrix_with_a_row_that_a_rule_reads_stays_questions():
    rows = [field(n, "radio", **{OPTIONS: FRUIT}, matrix_group_name="grid") for n in ("x", "y")]
    plan = planned(dictionary(*rows, field("z", branching_logic="[x] = '1'")))
    assert names(plan) == ["x", "y", "z"]
    assert "a rule depends on one of the questions" in outcomes(plan, "changed")


def test_headers_and_instruments_begin_sections():
    fields = [field("a"), field("b", section_header="Part 2"), field("c", form_name="last_part")]
    plan = planned(dictionary(*fields))
    titles = [section.title["en"] for section in plan.definition.sections]
    assert titles == ["Form", "Part 2", "Last part"]


@pytest.mark.parametrize(
    "annotation", ["@NONEOFTHEABOVE=99", "@NONEOFTHEABOVE='99'", "@NONEOFTHEABOVE"]
)
def test_none_of_the_above_excludes_the_others(annotation):
    asked = one("checkbox", **{OPTIONS: FRUIT}, field_annotation=annotation)
    assert [option.value for option in asked.options if option.exclusive] == ["99"]


def test_other_annotations_are_left_out_by_name():
    plan = planned(dictionary(field("a", field_annotation="@NOW @CHARLIMIT=5")))
    assert [text for _, text, _ in remarks(plan, "left_out")[1:]] == ["@NOW", "@CHARLIMIT=5"]
    assert plan.held_count == 0


def test_answers_are_quoted_where_they_can_be():
    plan = planned(
        dictionary(
            field("a", "yesno"),
            field("b", field_label="You said [a]. [Please] explain [c] <b>now</b>"),
            field("c", identifier="y"),
        )
    )
    assert question(plan, "b").text == {"en": "You said {your answer to a}. [Please] explain … now"}
    assert "replaced by “…”" in outcomes(plan, "left_out")


def test_two_fields_of_one_name_are_numbered():
    plan = planned(dictionary(field("Age"), field("age"), field("if")))
    assert names(plan) == ["Age", "age_2", "q_if"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_windows_1252_semicolons_and_line_ends_in_cells_are_read(delimiter):
    fields = [field("a", field_label="Größe;\n“so, wie” sie ist"), field("b")]
    plan = planned(dictionary(*fields, delimiter=delimiter, encoding="cp1252"))
    assert question(plan, "a").text == {"en": "Größe; “so, wie” sie ist"}
    assert "read as Windows-1252" in outcomes(plan, "changed")
    assert [each.spot.row for each in plan.questions] == [3, 5]


def test_the_columns_are_known_by_their_labels_too():
    label = dictionary(field("a")).decode()
    label = label.replace("field_name", "Variable / Field Name").replace("field_type", "Field Type")
    plan = planned(label.replace("field_label", "Field Label").encode())
    assert names(plan) == ["a"]
    assert plan.questions[0].spot.column == "Variable / Field Name"
