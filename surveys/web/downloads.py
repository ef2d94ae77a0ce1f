"""CSV downloads: lines, file names, and cells that no spreadsheet takes for a formula."""

import csv
import re
from collections.abc import Iterable, Iterator
from typing import Any

from django.utils.text import slugify

from surveys import VERSION

NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


# What spreadsheets take for the start of a formula, in their full-width forms too.
FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")


class Echo:
    """A file that returns what is written to it, so that a CSV writer makes one line at a time."""

    def write(self, text: str) -> str:
        return text


def file_name(title: str, ending: str) -> str:
    """A name that is safe in a header and on every disk, with the version that made the file.

    In a table nothing else could say the version: programs read every line of it.
    """
    return f"{slugify(title)[:60].strip('-') or 'survey'}-deniable-{VERSION}-{ending}"


def table_csv(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """The lines of any table whose rows have the same columns; nothing is an empty cell."""
    writer = csv.writer(Echo())
    for number, row in enumerate(rows):
        if number == 0:
            yield writer.writerow(row)
        yield writer.writerow(guarded(cell_text(cell)) for cell in row.values())


def guarded(cell: str) -> str:
    """Text that no spreadsheet runs as a formula; numbers stay as they are."""
    if cell.startswith(FORMULA_STARTS) and not NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell


def cell_text(value: object) -> str:
    """A value as a cell of a CSV file; None is an empty cell."""
    return "" if value is None else str(value)
