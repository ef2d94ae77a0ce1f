"""Workbooks of drafts: the same JSON comes back, and the bytes are the same each time."""

import io
import zipfile
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings

from surveys.definitions.definition import (
    Definition,
    DraftDesign,
    DraftOption,
    DraftQuestion,
    DraftSection,
)
from surveys.definitions.documents import to_bytes
from surveys.definitions.imports.files import plan_import
from surveys.definitions.xlsforms.files import workbook_of
from surveys.definitions.xlsforms.forms import sheets_of_definition
from tests.surveys.definitions.drafts import EVERYTHING
from tests.surveys.definitions.xlsforms.making import (
    HARD,
    draft,
    hard_drafts,
    opened,
    plan_of_sheets,
    rows_of,
)

COUNTRIES = tuple(
    DraftOption(value=str(number), text={"en": f"Country {number}"}) for number in range(1, 301)
)
LARGEST = DraftDesign(
    name="channel_matrix", channel=((Fraction(123_456_789, 987_654_321),) * 100,) * 100
)


def pages(*texts: str) -> Definition:
    return draft(
        *(
            DraftQuestion(name=f"page_{number}", kind="info", text={"en": text})
            for number, text in enumerate(texts)
        )
    )


def choice(name: str, **fields: object) -> DraftQuestion:
    return DraftQuestion(name=name, kind="choice", text={"en": "Which?"}, **fields)


def assert_comes_back(definition: Definition) -> None:
    """It is read again whole, without a remark."""
    plan = plan_import(workbook_of(definition), "draft.xlsx")
    assert plan.remarks == ()
    assert to_bytes(plan.definition) == to_bytes(definition)


def test_a_draft_with_every_part_comes_back_the_same():
    assert_comes_back(EVERYTHING)


@settings(max_examples=40)
@given(hard_drafts())
def test_the_sheets_of_any_draft_say_all_of_it(definition):
    plan = plan_of_sheets(sheets_of_definition(definition))
    assert plan.remarks == ()
    assert to_bytes(plan.definition) == to_bytes(definition)


@pytest.mark.parametrize(
    "definition",
    [
        draft(),
        replace(draft(), sections=(DraftSection(questions=()),) * 2),
        pages(*HARD, "x" * 4000),
        draft(choice("home", options=COUNTRIES), choice("born", options=COUNTRIES)),
        draft(choice("none")),
        draft(choice("large", design=LARGEST)),
    ],
    ids=["empty", "empty sections", "hard texts", "300 options", "no options", "large channel"],
)
def test_what_is_hard_to_say_in_cells_comes_back(definition):
    assert_comes_back(definition)


def test_the_same_draft_is_the_same_bytes_without_a_day():
    content = workbook_of(EVERYTHING)
    assert workbook_of(EVERYTHING) == content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        core = archive.read("docProps/core.xml")
    assert b"created" not in core
    assert b"modified" not in core


def test_texts_that_look_like_formulas_and_errors_are_texts():
    book = opened(workbook_of(pages("=1+1", "+1", "-1", "@here", "#N/A", "=HYPERLINK(1)")))
    cells = [cell for sheet in book.worksheets for row in sheet.iter_rows() for cell in row]
    written = [cell for cell in cells if cell.value is not None]
    assert {cell.data_type for cell in written} == {"s"}
    assert {cell.number_format for cell in written} == {"@"}
    assert {"=1+1", "+1", "-1", "@here", "#N/A", "=HYPERLINK(1)"} <= {
        each.value for each in written
    }


def test_questions_with_the_same_options_share_a_list():
    sheets = sheets_of_definition(
        draft(choice("home", options=COUNTRIES), choice("born", options=COUNTRIES))
    )
    assert [row["type"] for row in sheets.survey] == ["select_one home"] * 2
    assert len(sheets.choices) == len(COUNTRIES)


def test_the_sheet_for_people_says_that_other_programs_ask_directly():
    notes = [row[0].value for row in opened(workbook_of(EVERYTHING))["read_me"].iter_rows()]
    assert any(text and "ask every question directly" in text for text in notes)
    assert "drug" in notes


def test_each_part_of_the_imports_table_is_written_the_other_way_round():
    rows = rows_of(EVERYTHING)
    assert rows["drug"]["type"] == "select_one yes_no"
    assert rows["often"]["constraint"] == (
        "not(selected(., 'AO_1') and count-selected(.) > 1) and count-selected(.) <= 1"
    )
    assert rows["often"]["relevant"] == "${drug} = 'yes'"
    assert (rows["grid"]["type"], rows["grid"]["appearance"]) == ("begin_group", "table-list")
    assert rows["grid_a"]["type"] == rows["often"]["type"].replace("multiple", "one")
    assert rows["days"]["type"] == "decimal"
    assert rows["days"]["constraint"] == "(. >= 0 and . <= 30.5) or . = -9"
    assert rows["days"]["relevant"] == (
        "(selected(${often}, 'AO_1') and count-selected(${often}) >= 2) or "
        "(${grid_a} = '' and ${grid_b} = '')"
    )
    assert rows["born"]["constraint"] == ". >= date('1900-01-01') and . <= date('2010-12-31')"
    assert rows["words"]["constraint"] == "string-length(.) <= 100"
    assert rows["section_2"]["relevant"] == "${drug} != ''"
    assert rows["drug"]["label::Arabic (ar)"] == "هل فعلت؟"
    assert rows["drug"]["second::English (en)"] == "Born in May?"
