"""Tables as files: CSV lines, Parquet, file names, cells that no spreadsheet runs as a formula."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from django.utils.text import slugify
from django.utils.translation import gettext_noop

from surveys import PROGRAM, VERSION

if TYPE_CHECKING:
    from numpy.typing import NDArray

NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


# What spreadsheets take for the start of a formula, in their full-width forms too.
FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")

TEXT = "text"  # of a column of a Parquet file; others are named as Arrow names them: int64
STORED_AS = {"date32": "int32"}  # numpy's name where Arrow has one of its own
PARQUET_TYPE = "application/vnd.apache.parquet"
# Kept with an export in English; a page looks it up in its own language.
NO_PARQUET = gettext_noop(
    "The Parquet file was not created, because the library pyarrow is not installed on this "
    'server. Your operator can install it with pip install "pyarrow>=17". CSV and JSON files '
    "contain the same numbers."
)


class LibraryMissing(RuntimeError):
    """A library that writes a kind of file is not installed; the words say which."""


class ParquetMissing(LibraryMissing):
    """The library that writes Parquet is not installed."""

    def __init__(self) -> None:
        super().__init__(NO_PARQUET)


class Echo:
    """A file that returns what is written to it, so that a CSV writer makes one line at a time."""

    def write(self, text: str) -> str:
        return text


_WRITER = csv.writer(Echo())
_QUOTED = re.compile('[",\r\n]')  # what the writer quotes a cell for
_AFTER = len(",\r\n")  # what the writer puts behind the last cell but one


def csv_line(cells: Iterable[str]) -> str:
    """One line of a CSV."""
    line: str = _WRITER.writerow(cells)
    return line


def csv_cells(cells: Sequence[str]) -> str:
    """Some cells of a line, quoted where they need it, to be joined with others."""
    if not any(map(_QUOTED.search, cells)):  # most: the writer takes four times as long
        return ",".join(cells)
    return csv_line([*cells, ""])[:-_AFTER]


def csv_joined(parts: Sequence[str]) -> str:
    """The line of a CSV that has these cells, as ``csv_line`` writes it."""
    if parts == [""]:  # an empty line would be no row: readers skip it
        return csv_line(parts)
    return ",".join(parts) + "\r\n"


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


def table_parquet(rows: Iterable[dict[str, Any]], about: Mapping[str, str]) -> bytes:
    """Any such table as one Parquet file, with ``about`` and the program in its metadata.

    Raises ParquetMissing.
    """
    pyarrow, parquet = _parquet()
    table = pyarrow.Table.from_pylist(list(rows))
    buffer = io.BytesIO()
    parquet.write_table(table.replace_schema_metadata({**about, "program": PROGRAM}), buffer)
    return buffer.getvalue()


def parquet_stream(
    fields: Mapping[str, str], blocks: Iterable[Sequence[Any]], about: Mapping[str, str]
) -> Iterator[bytes]:
    """A long table as the bytes of one Parquet file, a block of columns at a time.

    ``fields`` says of each column, by name, whether it holds ``TEXT`` or which numbers. Memory is
    that of one block. Raises ParquetMissing, before anything is read.
    """
    pyarrow, parquet = _parquet()
    text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    types = {
        kind: text if kind == TEXT else pyarrow.type_for_alias(kind) for kind in fields.values()
    }
    schema = pyarrow.schema([(name, types[kind]) for name, kind in fields.items()])

    def parts() -> Iterator[bytes]:
        sink = Sink()
        # Readers get columns of plain texts: how they stood in memory here is not kept.
        with parquet.ParquetWriter(sink, schema, store_schema=False) as writer:
            writer.add_key_value_metadata({**about, "program": PROGRAM})
            for columns in blocks:
                writer.write_table(pyarrow.Table.from_arrays(list(columns), schema=schema))
                del columns  # before the next are made beside them
                yield sink.drain()
        yield sink.drain()

    return parts()


def text_column(words: Sequence[str | None], places: "NDArray[np.intp]") -> Any:
    """A column that has the word at each of these places, which holds every word once.

    None is an empty cell.
    So Parquet keeps it too; told so, it need not look for equal words itself, which took longer
    than all else that writes a file of labels. Raises ParquetMissing.
    """
    pyarrow, _ = _parquet()
    numbers: dict[str, int] = {}
    of_words = [None if word is None else numbers.setdefault(word, len(numbers)) for word in words]
    column = number_column(of_words, places, "int32")
    return pyarrow.DictionaryArray.from_arrays(
        column, _strings([word.encode() for word in numbers])
    )


def _strings(words: Sequence[bytes]) -> Any:
    pyarrow, _ = _parquet()
    ends = np.cumsum([0, *map(len, words)], dtype=np.int32)
    letters = pyarrow.py_buffer(b"".join(words))
    return pyarrow.StringArray.from_buffers(len(words), pyarrow.py_buffer(ends), letters)


def number_column(numbers: Sequence[float | None], places: "NDArray[np.intp]", kind: str) -> Any:
    """A column of this kind that has the number at each of these places; None is an empty cell.

    A date is its number of days since 1970. The column is made of bytes: asked to read a list,
    pyarrow looks whether pandas is installed, which takes 50 MB. Raises ParquetMissing.
    """
    pyarrow, _ = _parquet()
    is_there = np.array([number is not None for number in numbers], dtype=bool)[places]
    values = np.array([number or 0 for number in numbers], dtype=STORED_AS.get(kind, kind))[places]
    validity = pyarrow.py_buffer(np.packbits(is_there, bitorder="little"))
    buffers = [validity, pyarrow.py_buffer(values)]
    return pyarrow.Array.from_buffers(pyarrow.type_for_alias(kind), len(places), buffers)


class Sink(io.RawIOBase):
    """A file that is sent on as it is written."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.written = 0

    def writable(self) -> bool:
        return True

    def write(self, part: Any) -> int:
        self.parts.append(bytes(part))
        self.written += len(part)
        return len(part)

    def tell(self) -> int:
        return self.written

    def drain(self) -> bytes:
        """What was written since this was asked last."""
        content, self.parts = b"".join(self.parts), []
        return content


def _parquet() -> tuple[ModuleType, ModuleType]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as problem:
        raise ParquetMissing from problem
    return pyarrow, parquet


def guarded(cell: str) -> str:
    """Text that no spreadsheet runs as a formula; numbers stay as they are."""
    if cell.startswith(FORMULA_STARTS) and not NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell


def cell_text(value: object) -> str:
    """A value as a cell of a CSV file; None is an empty cell."""
    return "" if value is None else str(value)
