"""Files that are broken or hostile: all that is wrong in remarks, no traceback, in no time."""

import io
import time
import zipfile

import openpyxl
import pytest

from surveys.definitions.documents import MOST_BYTES, to_bytes
from surveys.definitions.imports.files import plan_import
from surveys.definitions.imports.plans import ImportPlan
from surveys.definitions.imports.readers.workbooks import MOST_UNZIPPED
from tests.surveys.definitions.imports.making import (
    dictionary,
    lines_of,
    names,
    outcomes,
    question,
    structure,
    workbook,
)

TEXT = {"type": "text", "name": "q1", "label": "Q"}
GOOD = workbook(TEXT)
FIELD = {"field_name": "a"}


def with_member(name: str, content: bytes) -> bytes:
    """The good workbook, with a member put into its archive or in place of another."""
    into = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(GOOD)) as old, zipfile.ZipFile(into, "w", 8) as new:
        for member in old.infolist():
            if member.filename != name:
                new.writestr(member, old.read(member))
        new.writestr(name, content)
    return into.getvalue()


def with_cells(*cells: object) -> bytes:
    """A workbook whose second question has these cells as name and label."""
    return workbook(TEXT, {"type": "text", "name": cells[0], "label": cells[1]})


def with_formula() -> bytes:
    book = openpyxl.load_workbook(io.BytesIO(GOOD))
    book["survey"]["B2"] = '=CONCAT("q", "1")'
    into = io.BytesIO()
    book.save(into)
    return into.getvalue()


def lying_archive() -> bytes:
    """A zip whose list says that a member is small, while it unpacks to more than the limit."""
    content = with_member("xl/media/image1.bmp", b"\0" * (MOST_UNZIPPED + 1))
    size = (MOST_UNZIPPED + 1).to_bytes(4, "little")
    return content.replace(size, (1000).to_bytes(4, "little"))


def groups(count: int, **cells: str) -> bytes:
    begin = [{"type": "begin_group", "name": f"g{n}", **cells} for n in range(count)]
    return workbook(*begin, TEXT, *[{"type": "end_group"}] * count)


ENTITIES = b"""<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">
]><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">&b;</worksheet>"""
SHEET = "xl/worksheets/sheet1.xml"
STOPPED = {
    "empty": (b"", "not a form in a format that Deniable knows"),
    "old Excel": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 1000,
        "in an old format, or it is encrypted",
    ),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0", "it contains zero bytes"),
    "words": (b"Dear all,\nplease find", "not a form in a format that Deniable knows"),
    "half a zip": (GOOD[: len(GOOD) // 2], "The workbook is damaged"),
    "another zip": (with_member("[Content_Types].xml", b"<x/>"), "The workbook is damaged"),
    "broken XML": (with_member(SHEET, b"<worksheet><sheetData><row"), "The workbook is damaged"),
    "macros": (with_member("xl/vbaProject.bin", b"\0"), "The workbook contains macros"),
    "entities": (with_member(SHEET, ENTITIES), "XML with a document type"),
    "entities in UTF-16": (
        with_member(SHEET, ENTITIES.decode().encode("utf-16")),
        "XML with a document type",
    ),
    "a zip bomb": (
        with_member("xl/media/image1.bmp", b"\0" * (MOST_UNZIPPED + 1)),
        "The unpacked workbook has more than 20 MB",
    ),
    "a zip that lies": (lying_archive(), "The workbook is damaged"),
    "too many members": (None, "The unpacked workbook has more than 20 MB"),
    "a large file": (b"x" * (MOST_BYTES + 1), "more than 5 MB"),
    "no survey": (workbook(TEXT, sheets=("Sheet1", "b", "c")), "no sheet “survey”"),
    "no type": (None, "needs the columns “type” and “label”"),
    "no question": (workbook({"type": "start", "name": "s"}), "No question of the form"),
    "too many rows": (None, "more than 5,000 rows"),
    "too many questions": (
        workbook(*({"type": "text", "name": f"q{n}", "label": "Q"} for n in range(301))),
        "The form has 301 questions",
    ),
    "LimeSurvey's dump": (b"<?xml version='1.0'?><LimeSurveyDocType>", ".lss"),
    "an open quote": (
        dictionary(FIELD) + b'"never closed,,\n',
        "cannot be read as a table from line 4 on",
    ),
    "a long cell": (dictionary({**FIELD, "field_label": "x" * 40_000}), "more than 32,767"),
    "a long table": (dictionary(*[FIELD] * 5000), "more than 5,000 rows"),
    "no rows": (dictionary().splitlines()[0] + b"\n", "No question of the form"),
    "no columns": (b"a,b\n1,2\n", "not a form in a format that Deniable knows"),
    "bad JSON": (b'{"deniable_draft": 1,', "The file is not valid JSON"),
    "newer JSON": (b'{"deniable_draft": 9}', "written in version 9"),
}


def made(case: str) -> bytes:
    """What is too large to be made when this module is read."""
    content = STOPPED[case][0]
    if content is not None:
        return content
    if case == "no type":
        book = openpyxl.Workbook()
        book.active.title = "survey"
        book.active.append(["kind", "name", "label"])
        into = io.BytesIO()
        book.save(into)
        return into.getvalue()
    if case == "too many rows":
        row = b'<row r="%d"><c r="A%d" t="inlineStr"><is><t>text</t></is></c></row>'
        rows = b"".join(row % (n, n) for n in (1, 2, 20_000))
        start = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        return with_member(SHEET, start + b"<sheetData>" + rows + b"</sheetData></worksheet>")
    into = io.BytesIO(GOOD)
    with zipfile.ZipFile(into, "a") as archive:
        for number in range(1001):
            archive.writestr(f"xl/x{number}", b"")
    return into.getvalue()


def planned_soon(content: bytes, name: str) -> ImportPlan:
    """The plan of a file, made in less than two seconds of work."""
    start = time.process_time()
    plan = plan_import(content, name)
    assert time.process_time() - start < 2
    return plan


@pytest.mark.parametrize("case", STOPPED)
def test_a_file_that_is_no_form_is_not_imported_and_says_what_to_do(case):
    words = STOPPED[case][1]
    plan = planned_soon(made(case), f"{case}.xlsx")
    assert plan.definition is None
    assert words in outcomes(plan, "stops")
    assert all(str(remark.remedy) for remark in plan.remarks)


READ = {
    "a name twice": (workbook(TEXT, TEXT), ["q1", "q1_2"], "The name in Deniable is “q1_2”"),
    "a reserved name": (with_cells("with", "Q"), ["q1", "q_with"], "“q_with”"),
    "a name in Arabic": (with_cells("العمر", "Q"), ["q1", "q"], "The name in Deniable is “q”"),
    "a name of 100 letters": (
        with_cells("n" * 100, "Q"),
        ["q1", "n" * 24],
        "The name in Deniable is “nnn",
    ),
    "no name": (with_cells(None, "Q"), ["q1", "q"], "The name in Deniable is “q”"),
    "no label": (with_cells("q2", None), ["q1", "q2"], "“q2” is used instead"),
    "names that differ in case": (with_cells("Q1", "Q"), ["q1", "Q1_2"], "“Q1_2”"),
    "a formula": (with_formula(), ["q"], "Deniable does not calculate formulas"),
    "links to other workbooks": (
        with_member("xl/externalLinks/externalLink1.xml", b"<x/>"),
        ["q1"],
        "are not followed",
    ),
    "a cell of 32,768 letters": (with_cells("q2", "x" * 32_767), ["q1", "q2"], "is cut to 500"),
    "60 nested groups": (groups(60, label="G"), ["q1"], ""),
    "60 nested groups with rules": (
        groups(60, label="G", relevant="${q1} = 1"),
        ["q1"],
        "depends on “q1”. Conditions in Deniable cannot use answers",
    ),
    "groups that never end": (
        workbook(*[{"type": "begin_group", "name": "g"}] * 60, TEXT),
        ["q1"],
        "“g” has no end",
    ),
    "a cycle": (
        workbook(
            {**TEXT, "type": "integer", "relevant": "${q2} = 1"},
            {"type": "integer", "name": "q2", "label": "Q", "relevant": "${q1} = 1"},
        ),
        ["q1", "q2"],
        "depends on “q2”, which does not come before this question",
    ),
    "curly quotes": (
        workbook(
            {**TEXT, "type": "integer"}, {"type": "text", "name": "q2", "relevant": "${q1} = ‘1’"}
        ),
        ["q1", "q2"],
        "",
    ),
    "a list without options": (
        workbook(TEXT, {"type": "select_one nothing", "name": "q2", "label": "Q"}),
        ["q1"],
        "2 to 300 options, but has 0",
    ),
    "an option without a list": (workbook(TEXT, choices=[(None, "a", "A")]), ["q1"], "no list"),
    "labels that spreadsheets run": (with_cells("q2", '+1 -2 @x ". execute.'), ["q1", "q2"], ""),
    "a label from right to left": (with_cells("q2", "\u202eكم عمرك؟"), ["q1", "q2"], ""),
    "semicolons and Windows-1252": (
        dictionary({**FIELD, "field_label": "Größe; so"}, delimiter=";", encoding="cp1252"),
        ["a"],
        "Windows-1252",
    ),
    "a comma without quotes": (
        dictionary(FIELD) + b"b,form,,text,Label,,,,,,,,,,,,,,beyond\n",
        ["a", "b"],
        "more cells than the table has columns",
    ),
    "two fields of one name": (dictionary(FIELD, FIELD), ["a", "a_2"], "“a_2”"),
    "a part below no question": (
        structure(
            {"class": "A", "name": "A1"},
            {"class": "Q", "type/scale": "S", "name": "q", "text": "Q"},
        ),
        ["q"],
        "it belongs to no question",
    ),
    "an unknown class": (
        structure(
            {"class": "ZZ", "name": "A1"},
            {"class": "Q", "type/scale": "S", "name": "q", "text": "Q"},
        ),
        ["q"],
        "its class is unknown",
    ),
}


@pytest.mark.parametrize("case", READ)
def test_what_can_be_read_is_read_and_all_else_is_noted(case):
    content, expected, words = READ[case]
    plan = planned_soon(content, "form.xlsx")
    assert names(plan) == expected
    assert words in outcomes(plan)


def test_rules_through_nested_groups_that_differ_are_lost_beyond_what_can_be_asked():
    begin = [
        {"type": "begin_group", "name": f"g{n}", "label": "G", "relevant": f"${{n}} > {n}"}
        for n in range(70)
    ]
    plan = planned_soon(
        workbook({"type": "integer", "name": "n", "label": "N"}, *begin, TEXT), "form.xlsx"
    )
    assert question(plan, "q1").unfinished
    assert "but can have at most 64" in outcomes(plan, "left_out")


def test_calculations_that_read_each_other_many_times_end():
    rows = [
        {
            "type": "calculate",
            "name": f"c{n}",
            "calculation": f"if({' and '.join([f'${{c{n + 1}}} = 1'] * 3)}, 1, 0)",
        }
        for n in range(9)
    ]
    last = {"type": "calculate", "name": "c9", "calculation": "if(${n} = 1, 1, 0)"}
    asking = {"type": "text", "name": "q1", "label": "Q", "relevant": "${c0} = 1"}
    first = {"type": "integer", "name": "n", "label": "N"}
    plan = planned_soon(workbook(first, *rows, last, asking), "form.xlsx")
    assert question(plan, "q1").unfinished
    assert (
        "The rule uses calculations that use other calculations, and there are too many of them"
        in outcomes(plan, "left_out")
    )


def test_all_remarks_come_at_once():
    rows = [
        {"type": "geopoint", "name": "here", "label": "Where?"},
        {"type": "integer", "name": "if", "label": None, "relevant": "${here} != ''"},
        {"type": "select_one nothing", "name": "b", "label": "B"},
        {"type": "text", "name": "c", "label": "<b>C</b>", "constraint": "regex(., 'x')"},
    ]
    plan = planned_soon(workbook(*rows), "form.xlsx")
    assert {remark.spot.row for remark in plan.remarks if remark.spot.sheet == "survey"} == {
        2,
        3,
        4,
        5,
    }
    assert len(plan.remarks) >= 7


@pytest.mark.parametrize("name", ["", ".xlsx", "x" * 300 + ".xlsx", "a\udcff\x07.xlsx"])
def test_any_name_of_a_file_serves_as_a_title(name):
    plan = plan_import(workbook(TEXT, settings={"form_title": ""}), name)
    assert 0 < len(plan.definition.title["en"]) <= 200
    assert to_bytes(plan.definition)


def test_a_draft_of_our_own_comes_back_as_it_is():
    draft = (
        b'{"deniable_draft":1,"languages":["en"],"sections":[{"questions":[{"kind":"yes_no",'
        b'"name":"a","text":{"en":"Do you?"}}]}],"title":{"en":"Habits"}}'
    )
    plan = plan_import(draft, "habits.json")
    assert (plan.form, names(plan), plan.held_count) == ("deniable", ["a"], 1)


def test_a_header_in_any_case_with_columns_twice_keeps_the_first():
    rows = lines_of(["Field_Name", "FIELD_TYPE", "field_label"], [], ",")
    content = rows.strip() + ",field_label\nid,text,Id,x\nb,text,B,y\n"
    assert question(plan_import(content.encode(), "d.csv"), "b").text == {"en": "B"}
