"""Sheets of an ``.xlsx`` workbook as rows of text, with limits that no file gets around.

A workbook is a zip of XML. Its members are unpacked once and counted on the way: the sizes in its
list may be wrong. XML with a document type is refused, so that no entity expands. What could run
or reach elsewhere (macros, formulas, links) is never followed.
"""

import io
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from xml.etree.ElementTree import ParseError

from surveys.definitions.imports.readers.tables import (
    LONGEST_CELL,
    MOST_ROWS,
    FormRow,
    too_many_rows,
)
from surveys.definitions.imports.remarks import FormRefused, Remarks, Spot
from surveys.randomized_response.messages import sentence

MOST_UNZIPPED = 20 * 1024 * 1024
MOST_MEMBERS = 1000
MOST_COLUMNS = 200  # that are looked at
CHUNK = 64 * 1024
MACROS = "vbaproject.bin"
# In UTF-8 and UTF-16, which XML may be written in.
DOCUMENT_TYPES = [
    words.encode(encoding)
    for words in ("<!DOCTYPE", "<!ENTITY")
    for encoding in ("utf-8", "utf-16-le", "utf-16-be")
]
# What the reader of zips raises for a broken or an encrypted one.
BROKEN_ZIP = (EOFError, OSError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error)
# What openpyxl lets through when a part of a workbook is missing, or says what no part says. It
# promises no error of its own, so its calls alone stand where these are taken.
BROKEN = (
    *BROKEN_ZIP,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    ParseError,
    TypeError,
)
SAVE_ANEW = sentence("Open the workbook in a spreadsheet program, and save it again as .xlsx.")


@dataclass(frozen=True)
class Sheet:
    """A sheet: the names of its columns as they stand in its first row, and its other rows."""

    name: str
    header: Sequence[str] = ()
    rows: Sequence[FormRow] = field(default_factory=list)


def sheets_of(content: bytes, names: Sequence[str], remarks: Remarks) -> dict[str, Sheet]:
    """The sheets with these names, by these names, in any case of letters. Raises FormRefused."""
    _check_archive(content, remarks)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of looks that openpyxl does not know
        by_name = _opened(content)
        return {name: _sheet(by_name[name], name, remarks) for name in names if name in by_name}


def _opened(content: bytes) -> dict[str, Any]:
    """The sheets of a workbook by their names in small letters. Raises FormRefused."""
    import openpyxl  # 14 MB, which a process that reads no workbook does not hold

    try:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, keep_links=False)
        return {sheet.title.strip().casefold(): sheet for sheet in book.worksheets}
    except BROKEN as problem:
        raise _broken(problem) from None


def _rows_in(sheet: Any) -> Iterator[Sequence[Any]]:
    """The rows of a sheet, read one by one. Raises FormRefused."""
    try:
        sheet.reset_dimensions()  # what the sheet says of its size may be wrong
        # Bounds for rows and columns would fill each gap with cells, and hide what is beyond.
        rows = iter(sheet.iter_rows())
    except BROKEN as problem:
        raise _broken(problem) from None
    while True:
        try:
            row = next(rows, None)
        except BROKEN as problem:
            raise _broken(problem) from None
        if row is None:
            return
        yield row[:MOST_COLUMNS]


def _broken(problem: Exception) -> FormRefused:
    words = sentence("The workbook is damaged: {problem}.", problem=type(problem).__name__)
    return FormRefused(words, SAVE_ANEW)


def _check_archive(content: bytes, remarks: Remarks) -> None:
    """Unpack everything once, and look for what no form has. Raises FormRefused."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            total = sum(member.file_size for member in members)
            if total > MOST_UNZIPPED or len(members) > MOST_MEMBERS:
                raise _too_large()
            for unpacked in _unpacked(archive, members):
                if any(words in unpacked for words in DOCUMENT_TYPES):
                    words = sentence(
                        "The workbook contains XML with a document type (DOCTYPE), which Deniable "
                        "does not read."
                    )
                    raise FormRefused(words, SAVE_ANEW)
    except BROKEN_ZIP as problem:
        raise _broken(problem) from None
    names = [member.filename.casefold() for member in members]
    if any(name.endswith(MACROS) for name in names):
        words = sentence("The workbook contains macros.")
        raise FormRefused(words, sentence("Save the workbook as .xlsx, a format without macros."))
    if any("/externallinks/" in name for name in names):
        remarks.left_out(
            Spot(),
            "",
            sentence("The workbook has links to other workbooks. These links are not followed."),
            sentence("Replace the links with the values that they show."),
        )


def _unpacked(archive: zipfile.ZipFile, members: Sequence[zipfile.ZipInfo]) -> Iterator[bytes]:
    """What each member holds; sizes are counted, and not believed."""
    left = MOST_UNZIPPED
    for member in members:
        chunks = []
        with archive.open(member) as source:
            while chunk := source.read(CHUNK):
                left -= len(chunk)
                if left < 0:
                    raise _too_large()
                chunks.append(chunk)
        yield b"".join(chunks)


def _too_large() -> FormRefused:
    words = sentence("The unpacked workbook has more than {most} MB.")
    remedy = sentence("Remove pictures, and remove sheets that do not belong to the form.")
    return FormRefused(words.format(most=MOST_UNZIPPED // 1024**2), remedy)


def _sheet(source: Any, name: str, remarks: Remarks) -> Sheet:
    header: list[str] = []
    rows = []
    for number, row in enumerate(_rows_in(source), start=1):
        texts = [_text(cell, name, number, header, at, remarks) for at, cell in enumerate(row)]
        if not any(texts):
            continue
        if number > MOST_ROWS + 1:
            raise too_many_rows(Spot(name, number))
        if not header:
            header = texts
        else:
            # A column that comes twice keeps its first cell.
            named = dict(reversed([*zip(header, texts, strict=False)]))
            rows.append(FormRow(number, named))
    return Sheet(name, [label for label in header if label], rows)


def _text(cell: Any, sheet: str, row: int, header: Sequence[str], at: int, remarks: Remarks) -> str:
    """What a cell says; nothing where it is a formula, an error or too long, with a remark."""
    value = cell.value
    if value is None:
        return ""
    spot = Spot(sheet, row, header[at] if at < len(header) else "")
    if cell.data_type == "f":
        words = sentence("The cell contains a formula, and Deniable does not calculate formulas.")
        remarks.left_out(spot, str(value), words, sentence("Replace the formula with its value."))
        return ""
    if cell.data_type == "e":
        words = sentence("The cell contains an error instead of a value.")
        remarks.left_out(spot, str(value), words, sentence("Write a value into the cell."))
        return ""
    text = _written(value)
    if len(text) > LONGEST_CELL:
        words = sentence("A cell has more than {most} characters.", most=f"{LONGEST_CELL:,}")
        remarks.left_out(spot, text, words, sentence("Shorten the text of the cell."))
        return ""
    return text.strip()


def _written(value: Any) -> str:
    """A value as it was typed: 1.0 is 1, and a day has no hour."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime) and not (value.hour or value.minute or value.second):
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else str(value)
