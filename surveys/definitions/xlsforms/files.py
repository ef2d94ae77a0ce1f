"""``workbook_of``: a definition as the bytes of an ``.xlsx``, the same ones each time."""

import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from surveys.definitions.definition import Definition
from surveys.definitions.xlsforms.columns import in_order, text_column
from surveys.definitions.xlsforms.forms import FormSheets, sheets_of_definition
from surveys.definitions.xlsforms.notes import notes_on

if TYPE_CHECKING:
    from openpyxl.cell import Cell
    from openpyxl.worksheet._write_only import WriteOnlyWorksheet

# Of sheets without rows, and of all others first: other programs ask for these.
COLUMNS = {
    "survey": ("type", "name"),
    "choices": ("list_name", "name"),
    "settings": (),
    "arms": ("weight",),
}
TEXT = "@"  # a format of cells: programs take nothing in them for a number, a day or a formula
# The earliest time that a zip can name, and properties without the time and the program.
NO_TIME = (1980, 1, 1, 0, 0, 0)
PROPERTIES = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/'
    'core-properties"/>'
)


def workbook_of(definition: Definition) -> bytes:
    """The XLSForm of a definition, which ``plan_import`` reads whole and other programs in part."""
    import openpyxl  # 14 MB, which a process that writes no workbook does not hold

    sheets = sheets_of_definition(definition)
    book = openpyxl.Workbook(write_only=True)
    for name, rows in _tables(sheets, definition):
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append([_cell(sheet, text) for text in row])
    into = io.BytesIO()
    book.save(into)
    return _without_times(into.getvalue())


def _tables(
    sheets: FormSheets, definition: Definition
) -> Iterator[tuple[str, Iterator[Sequence[str]]]]:
    yield "survey", _table("survey", sheets.survey, definition.languages)
    yield "choices", _table("choices", sheets.choices, definition.languages)
    yield "settings", _table("settings", [sheets.settings], ())
    if sheets.arms:
        yield "arms", _table("arms", sheets.arms, ())
    yield "read_me", iter(notes_on(definition))


def _table(
    name: str, rows: Sequence[Mapping[str, str]], languages: Sequence[str]
) -> Iterator[Sequence[str]]:
    used = {column: None for row in rows for column in row}
    # Other programs miss a text in each language that has a column of labels.
    texts = [text for text in ("label", "hint") if text == "label" or _has(used, text)]
    usual = [text_column(text, language) for text in texts for language in languages]
    columns = in_order([*COLUMNS[name], *usual, *used])
    yield columns
    for row in rows:
        yield [row.get(column, "") for column in columns]


def _has(columns: Iterable[str], text: str) -> bool:
    return any(column.partition("::")[0] == text for column in columns)


def _cell(sheet: "WriteOnlyWorksheet", text: str) -> "Cell | None":
    """A cell of text: what begins with ``=`` is no formula, and ``#N/A`` no error."""
    if not text:
        return None
    from openpyxl.cell import WriteOnlyCell

    cell = WriteOnlyCell(sheet, value=text)
    cell.data_type = "s"
    cell.number_format = TEXT
    return cell


def _without_times(content: bytes) -> bytes:
    """The same workbook without the time and the day on which it was made."""
    into = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as made,
        zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as again,
    ):
        for member in made.infolist():
            is_core = member.filename == "docProps/core.xml"
            part = PROPERTIES.encode() if is_core else made.read(member)
            again.writestr(zipfile.ZipInfo(member.filename, NO_TIME), part, zipfile.ZIP_DEFLATED)
    return into.getvalue()
