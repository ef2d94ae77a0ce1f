"""Small forms of our own writing, as bytes, and what is said of them."""

import csv
import io
from collections.abc import Sequence

import openpyxl

from surveys.definitions.definition import DraftQuestion
from surveys.definitions.imports.assembly import plan_of
from surveys.definitions.imports.files import plan_import
from surveys.definitions.imports.plans import ImportPlan
from surveys.definitions.imports.readers.tables import FormRow
from surveys.definitions.imports.readers.workbooks import Sheet
from surveys.definitions.imports.readers.xlsform import read_xlsform
from surveys.definitions.imports.remarks import Remarks
from surveys.definitions.rules.text import written

REDCAP = [
    *("field_name", "form_name", "section_header", "field_type", "field_label"),
    *("select_choices_or_calculations", "field_note"),
    *("text_validation_type_or_show_slider_number", "text_validation_min", "text_validation_max"),
    *("identifier", "branching_logic", "required_field", "custom_alignment", "question_number"),
    *("matrix_group_name", "matrix_ranking", "field_annotation"),
]
LIMESURVEY = [
    *("class", "type/scale", "name", "relevance", "text", "help", "language", "mandatory"),
    *("other", "hidden", "exclude_all_others", "min_num_value_n", "max_num_value_n"),
    *("num_value_int_only", "array_filter"),
]


def dictionary(*fields: dict[str, str], delimiter: str = ",", encoding: str = "utf-8") -> bytes:
    """A data dictionary of REDCap: a record id, and these fields."""
    record = {"field_name": "record_id", "field_type": "text", "field_label": "Record"}
    usual = {"form_name": "form", "field_type": "text", "field_label": "Label"}
    rows = [{**usual, **field} for field in (record, *fields)]
    return lines_of(REDCAP, rows, delimiter).encode(encoding)


def structure(*rows: dict[str, str]) -> bytes:
    """A structure of LimeSurvey, in English."""
    first = {"class": "S", "name": "language", "text": "en"}
    title = {"class": "SL", "name": "surveyls_title", "text": "Habits", "language": "en"}
    usual = {"language": "en", "relevance": "1", "type/scale": ""}
    return lines_of(LIMESURVEY, [first, title, *({**usual, **row} for row in rows)], "\t").encode()


def lines_of(header: list[str], rows: list[dict[str, str]], delimiter: str) -> str:
    into = io.StringIO()
    writer = csv.DictWriter(into, header, delimiter=delimiter, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return into.getvalue()


def workbook(
    *rows: dict[str, object],
    choices: list[tuple[object, ...]] = (),
    settings: dict[str, str] | None = None,
    header: tuple[str, ...] = ("list_name", "name", "label"),
    sheets: tuple[str, str, str] = ("survey", "choices", "settings"),
) -> bytes:
    """An XLSForm with these rows; ``choices`` are list, value and label."""
    book = openpyxl.Workbook()
    survey = book.active
    survey.title = sheets[0]
    columns = list(dict.fromkeys(["type", "name", *(name for row in rows for name in row)]))
    if not any(name.startswith("label") for name in columns):
        columns.append("label")
    survey.append(columns)
    for row in rows:
        survey.append([row.get(name) for name in columns])
    options = book.create_sheet(sheets[1])
    options.append(header)
    for choice in choices:
        options.append(choice)
    texts = settings or {"form_title": "Habits", "default_language": "English (en)"}
    sheet = book.create_sheet(sheets[2])
    sheet.append(list(texts))
    sheet.append(list(texts.values()))
    into = io.BytesIO()
    book.save(into)
    return into.getvalue()


def rows_planned(*rows: dict[str, object], choices: list[tuple[object, ...]] = ()) -> ImportPlan:
    """The plan of an XLSForm from the rows of its sheets: workbooks take ten times as long."""
    options = [dict(zip(("list_name", "name", "label"), choice, strict=True)) for choice in choices]
    settings = [{"form_title": "Habits", "default_language": "English (en)"}]
    sheets = {"survey": rows, "choices": options, "settings": settings}
    remarks = Remarks()
    read = {name: _sheet(name, its) for name, its in sheets.items()}
    return plan_of(read_xlsform(read, "en", "form", remarks), remarks)


def _sheet(name: str, rows: Sequence[dict[str, object]]) -> Sheet:
    header = list(dict.fromkeys(column for row in rows for column in row))
    texts = [
        {column: "" if row.get(column) is None else str(row[column]) for column in header}
        for row in rows
    ]
    return Sheet(name, header, [FormRow(number, cells) for number, cells in enumerate(texts, 2)])


def planned(content: bytes, name: str = "form.xlsx") -> ImportPlan:
    return plan_import(content, name)


def question(plan: ImportPlan, name: str) -> DraftQuestion:
    """The question of a plan with this name."""
    assert plan.definition is not None, plan.remarks
    return next(each for each in plan.definition.questions if each.name == name)


def names(plan: ImportPlan) -> list[str]:
    assert plan.definition is not None, plan.remarks
    return [each.name for each in plan.definition.questions]


def rule(plan: ImportPlan, name: str) -> str:
    """The rule of a question as text; empty without one."""
    its = question(plan, name).rule
    return written(its) if its else ""


def remarks(plan: ImportPlan, grade: str = "") -> list[tuple[int, str, str]]:
    """FormRow, what stood there and what becomes of it, of each remark of this grade."""
    return [
        (remark.spot.row, remark.text, str(remark.outcome))
        for remark in plan.remarks
        if grade in ("", remark.grade)
    ]


def outcomes(plan: ImportPlan, grade: str = "") -> str:
    """All that is said, one remark a line, so that a test can look for words in it."""
    return "\n".join(f"{row} {text}: {words}" for row, text, words in remarks(plan, grade))
