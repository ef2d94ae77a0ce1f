"""A workbook of ours that was changed: read where it can be, else named, and never a crash."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveys.definitions.imports.files import plan_import
from surveys.definitions.imports.readers.workbooks import MOST_COLUMNS
from surveys.definitions.rules.text import written
from surveys.definitions.xlsforms.columns import in_order
from surveys.definitions.xlsforms.files import workbook_of
from surveys.definitions.xlsforms.forms import FormSheets, sheets_of_definition
from tests.surveys.definitions.drafts import EVERYTHING
from tests.surveys.definitions.imports.making import outcomes, question
from tests.surveys.definitions.xlsforms.making import opened, plan_of_sheets


def changed(of: str, /, **cells: str) -> FormSheets:
    """The sheets of a draft with every part; the row ``of`` has these cells."""
    sheets = sheets_of_definition(EVERYTHING)
    row = next(row for row in sheets.survey if row["name"] == of)
    row |= cells
    return sheets


def with_row(**cells: str) -> FormSheets:
    """The sheets with one row more before the end of the last section."""
    sheets = sheets_of_definition(EVERYTHING)
    sheets.survey.insert(-1, cells)
    return sheets


def test_texts_bounds_and_options_are_read_as_they_were_changed():
    sheets = changed("days", constraint="(. >= 1 and . <= 31) or . = -9", relevant="")
    sheets.survey[0] |= {"label::English (en)": "A new title"}
    next(row for row in sheets.choices if row["name"] == "AO_1")["label::German (de)"] = "Häufig"
    plan = plan_of_sheets(sheets)
    days = question(plan, "days")
    assert (days.minimum, days.maximum) == ("1", "31")
    assert question(plan, "often").options[1].text == {"en": "Often", "de": "Häufig"}


def test_a_condition_that_only_other_programs_read_is_named_and_not_read():
    plan = plan_of_sheets(changed("often", relevant="${drug} = 'no'"))
    assert "Deniable uses this text instead: “${drug} = 'yes'”" in outcomes(plan, "changed")
    assert written(question(plan, "often").rule) == "drug is yes"


def test_a_condition_that_is_in_no_cell_of_ours_is_not_changed_unseen():
    sheets = changed("often", more='{"rule": {"is": ["drug", "yes"]}}', rule="", relevant="")
    assert "Deniable uses this text instead: “${drug} = 'yes'”" in outcomes(
        plan_of_sheets(sheets), "changed"
    )


def test_without_our_condition_that_of_other_programs_is_read():
    plan = plan_of_sheets(changed("often", relevant="${drug} != 'no' and ${drug} != ''", rule=""))
    assert written(question(plan, "often").rule) == "drug is not no and drug is not missing"


def test_a_condition_that_cannot_be_read_leaves_the_question_unfinished():
    plan = plan_of_sheets(changed("often", relevant="${gone} = 'no'", rule=""))
    assert "The rule depends on “gone”, but the form has no question with this name" in outcomes(
        plan, "left_out"
    )
    assert question(plan, "often").unfinished


def test_a_question_that_was_added_in_another_program_is_asked():
    added = with_row(
        type="integer",
        name="age",
        relevant="${days} > 3",
        constraint=". >= 0 and . <= 120",
        **{"label::English (en)": "Age?"},
    )
    plan = plan_of_sheets(added)
    age = question(plan, "age")
    assert (age.kind, age.text, age.minimum, age.maximum) == ("number", {"en": "Age?"}, "0", "120")
    assert written(age.rule) == "days > 3"
    assert not outcomes(plan)


def test_a_question_that_was_added_without_bounds_loses_nothing():
    added = with_row(type="text", name="why", **{"label::English (en)": "Why?"})
    plan = plan_of_sheets(added)
    assert question(plan, "why").longest == 500
    assert not outcomes(plan)


def test_a_column_of_another_program_is_named():
    plan = plan_of_sheets(changed("days", choice_filter="x = 1"))
    assert "The column “choice_filter” is not read." in outcomes(plan, "left_out")


@pytest.mark.parametrize(
    ("sheets", "words"),
    [
        (changed("days", rule="drug is"), "Column 8: Write a value"),
        (changed("days", most="3"), "“number” cannot have “most”. Remove “most”."),
        (changed("often", most="many"), "Write a whole number from 1 to"),
        (changed("often", epsilon="high"), "Write a number in quotation marks"),
        (changed("often", design="magic"), "Write one of these words: direct"),
        (changed("drug", known_share="0.1"), "Write a fraction from 0 to 1"),
        (changed("drug", more="{"), "The cell is not valid JSON"),
        (changed("drug", more="[1]"), "The cell is not valid JSON"),
        (changed("drug", more="[" * 5000), "The cell is not valid JSON"),
        (changed("drug", more='{"text": 1, "name": null}'), "Write the text with its language"),
        (changed("drug", more='{"minimum": NaN, "options": 5}'), "cannot be read exactly"),
        (changed("drug", name="a b"), "“a b” is not a possible name"),
        (changed("drug", kind="photo"), "“photo” is not a kind of question"),
        (with_row(type="calculate", name="x"), "“calculate” is not a kind of question"),
        (with_row(type="begin_group", name="x"), "A group inside another group"),
        (with_row(type="begin_repeat", name="x"), "“begin_repeat” is not a kind of question"),
    ],
)
def test_what_cannot_be_read_stops_the_import_at_its_row(sheets, words):
    plan = plan_of_sheets(sheets)
    assert plan.definition is None
    stops = [remark for remark in plan.remarks if remark.grade == "stops"]
    assert any(words in str(remark.outcome) for remark in stops), outcomes(plan)
    assert all(remark.remedy and remark.spot.sheet for remark in stops)
    assert any(remark.spot.row > 1 for remark in stops)


def test_a_workbook_of_a_newer_version_is_refused_by_its_number():
    sheets = sheets_of_definition(EVERYTHING)
    sheets.settings["deniable_draft"] = "2"
    assert "written in version 2 of the format, but this program reads version 1" in outcomes(
        plan_of_sheets(sheets)
    )


def test_without_our_mark_it_is_a_form_like_others():
    book = opened(workbook_of(EVERYTHING))
    sheet = book["settings"]
    mark = next(cell for cell in sheet[1] if cell.value == "deniable_draft")
    sheet.cell(2, mark.column).value = None
    into = io.BytesIO()
    book.save(into)
    plan = plan_import(into.getvalue(), "form.xlsx")
    assert question(plan, "drug").design.name == "direct"
    assert "The column “design” is not read." in outcomes(plan, "left_out")


def test_all_columns_that_a_draft_can_have_are_looked_at():
    rows = sheets_of_definition(EVERYTHING).survey
    assert len(in_order([column for row in rows for column in row])) < MOST_COLUMNS


CELLS = st.sampled_from(
    [
        *("", "yes", "1", "note", "begin_group", "end_group", "select_one often", "matrix", "row"),
        *("{}", "a", "often", "text", "${drug} = 1", "a is 1", '{"rows": 1}', "1/2 x", "section"),
        "99999999",
    ]
)
CHANGES = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), CELLS), max_size=12)


@settings(max_examples=30)
@given(CHANGES)
def test_any_change_is_read_or_refused_in_words(changes):
    sheets = sheets_of_definition(EVERYTHING)
    columns = in_order([column for row in sheets.survey for column in row])
    for row, column, text in changes:
        sheets.survey[row % len(sheets.survey)][columns[column % len(columns)]] = text
    plan = plan_of_sheets(sheets)
    assert plan.definition or any(remark.grade == "stops" for remark in plan.remarks)
