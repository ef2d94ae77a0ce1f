"""Rows of a text file: CSV or tab-separated, in UTF-8 or Windows-1252, with limits."""

import csv
import io
from dataclasses import dataclass

from surveys.definitions.imports.remarks import FormRefused, Remarks, Spot
from surveys.randomized_response.messages import sentence

MOST_ROWS = 5000
LONGEST_CELL = 32_767
DELIMITERS = (",", ";", "\t")
SAVE_ANEW = sentence("Open the file in the program that made it, and save it again as UTF-8.")


@dataclass(frozen=True)
class FormRow:
    """Cells by the names of their columns; ``number`` is the row or line where it begins.

    ``beyond`` is what stands in cells that have no column.
    """

    number: int
    cells: dict[str, str]
    beyond: str = ""


@dataclass(frozen=True)
class FormTable:
    """A header, as it stands in the file, and the rows below it that are not empty."""

    header: list[str]
    rows: list[FormRow]


def text_of(content: bytes, remarks: Remarks) -> str:
    """The text of a file. Raises FormRefused."""
    if b"\0" in content:
        raise FormRefused(
            sentence("The file is not a text file, because it contains zero bytes."), SAVE_ANEW
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    text = content.decode("cp1252", errors="replace")
    remarks.changed(
        Spot(),
        "",
        sentence("The file is not UTF-8. It is read as Windows-1252."),
        sentence("Check letters with accents. If these letters are wrong, save the file as UTF-8."),
    )
    return text


def table_of(text: str) -> FormTable:
    """The table of a text; the delimiter is the one that parts the first line most often.

    Quotation marks must be closed: one that is not would swallow the rest of the file. Raises
    FormRefused.
    """
    first_line = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=first_line.count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[FormRow] = []
    header: list[str] = []
    try:
        start = 1
        for cells in lines:
            _check_cells(cells, start)
            if not header and any(map(str.strip, cells)):
                header = [cell.strip() for cell in cells]
            elif any(map(str.strip, cells)):
                # A column that comes twice keeps its first cell.
                named = dict(reversed([*zip(header, cells, strict=False)]))
                beyond = " ".join(cells[len(header) :]).strip()
                rows.append(FormRow(start, named, beyond))
            if len(rows) > MOST_ROWS:
                raise too_many_rows(Spot(row=start))
            start = lines.line_num + 1
    except csv.Error as problem:
        words = sentence(
            "The file cannot be read as a table from line {line} on: {problem}.",
            line=start,
            problem=str(problem),
        )
        remedy = sentence(
            "Close all quotation marks. Double each quotation mark inside a cell. Then save the "
            "file again."
        )
        raise FormRefused(words, remedy, Spot(row=start)) from None
    return FormTable(header, rows)


def note_beyond(table: FormTable, remarks: Remarks) -> None:
    """Note cells that no column is for: most often a delimiter stands in a cell without quotes."""
    for row in table.rows:
        if row.beyond:
            remarks.left_out(
                Spot(row=row.number),
                row.beyond,
                sentence(
                    "The line has more cells than the table has columns. The extra cells are not "
                    "read."
                ),
                sentence("Put cells that contain a delimiter into quotation marks."),
            )


def too_many_rows(spot: Spot) -> FormRefused:
    """What refuses a file with more than ``MOST_ROWS`` rows."""
    words = sentence("The file has more than {most} rows.", most=f"{MOST_ROWS:,}")
    return FormRefused(words, sentence("Divide the form into several files."), spot)


def _check_cells(cells: list[str], line: int) -> None:
    if max(map(len, cells), default=0) > LONGEST_CELL:
        words = sentence("A cell has more than {most} characters.", most=f"{LONGEST_CELL:,}")
        remedy = sentence("Shorten the cell, or check that its quotation marks are closed.")
        raise FormRefused(words, remedy, Spot(row=line))
