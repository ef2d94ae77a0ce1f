"""One file of texts as a stream of rows: CSV, JSON lines or Parquet, delimiter, header, bad rows.

Every bad row is named by its line, and a file with one is refused whole: leaving rows out silently
would change what a report is about. Nothing but words and their counts stays in memory.
"""

import codecs
import csv
import difflib
import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

from analytics.kinds.making import bags_of
from analytics.kinds.settings import Settings, Watch
from analytics.text.bags import Bags
from surveys.randomized_response.files.tables import TableError
from surveys.randomized_response.messages import sentence

FORMATS = (".csv", ".jsonl", ".parquet")
DELIMITERS = (",", ";", "\t", "|")
NO_PARQUET = (
    "Parquet files need the library pyarrow, which is not installed here: add it with "
    'pip install "pyarrow>=17", or save the file as CSV'
)
_EMPTY = "the file is empty: give a header and at least one row"
_LONGEST_CELL = 2**27
_MOST_TOLD = 20
_LONGEST_NAME = 200
_EVERY = 10_000
_BATCH = 8_192


class FileError(TableError):
    """A file that no report can be made from; the message tells every bad row, up to 20."""


class NoParquetLibrary(FileError):
    """The library that reads Parquet is not installed."""

    def __init__(self, words: str = NO_PARQUET) -> None:
        super().__init__(words)  # kept, so that it comes back from a worker


@dataclass(frozen=True)
class FileSource:
    """A file, the column of its texts, and the column that names who wrote each, if any.

    Without ``respondent`` every row is one respondent. ``delimiter`` of a CSV is found from its
    header unless it is given.
    """

    path: Path
    column: str
    respondent: str | None = None
    delimiter: str | None = None

    @property
    def unit(self) -> str:
        """Who is protected, in words."""
        if self.respondent is None:
            return (
                "One respondent is one row of the file: a person who wrote several rows is "
                "protected for each row, not for all of them together."
            )
        return (
            f"One respondent is all rows with the same value in the column “{self.respondent}”: "
            "their texts are pooled and protected together."
        )


@dataclass(frozen=True)
class FileRow:
    """A text at a place of the file, such as "line 3"."""

    position: str
    text: str
    who: str | None


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be used, and why."""

    position: str
    problem: str

    def __str__(self) -> str:
        return f"{self.position}: {self.problem}"


@dataclass(frozen=True, eq=False)
class FileTexts:
    """Bags with one row a respondent, how many texts they were, and a name of every respondent."""

    bags: Bags
    texts: int
    keys: tuple[str, ...]


def read_bags(source: FileSource, settings: Settings, watch: Watch) -> FileTexts:
    """The words of a file. ``watch`` gets "Reading answers" and how much of the file is read.

    A cell without a value is a person who took part and wrote nothing. Raises FileError,
    NoParquetLibrary, TextError.
    """
    tally, reader = _Tally(), _reader_of(source)
    watch.reach(sentence("Reading answers"), 0.0)
    with wide_cells():
        rows = reader(source, lambda part: watch.reach(sentence("Reading answers"), part))
        bags = bags_of(tally.texts(good_rows(rows)), settings, tally.codes)
    if not bags.respondents:
        raise FileError(f"{source.path.name} has no rows: give at least one")
    return FileTexts(bags, len(tally.codes), tuple(tally.names))


@dataclass
class _Tally:
    """What is known of the rows while they pass."""

    codes: "array[int]" = field(default_factory=lambda: array("q"))
    names: dict[str, int] = field(default_factory=dict)

    def texts(self, rows: Iterator[FileRow]) -> Iterator[str]:
        """The texts; their writers are numbered on the way."""
        for row in rows:
            self.codes.append(self.names.setdefault(row.who or row.position, len(self.names)))
            yield row.text


def good_rows(rows: Iterable[FileRow | BadRow], read: str = "the file") -> Iterator[FileRow]:
    """The rows before the first bad one; all are read, and all bad ones told.

    ``read`` says of what the rows are. Raises FileError at their end if one is bad.
    """
    bad: list[BadRow] = []
    count = 0
    for row in rows:
        if isinstance(row, BadRow):
            count += 1
            bad.extend([row] if count <= _MOST_TOLD else [])
        elif not count:
            yield row
    if count:
        listing = "\n".join(f"  {row}" for row in bad)
        rest = f"\n  and {count - len(bad):,} more" if count > len(bad) else ""
        words = "1 row" if count == 1 else f"{count:,} rows"
        raise FileError(f"{words} of {read} cannot be used; nothing was made:\n{listing}{rest}")


Reader = Callable[[FileSource, Callable[[float], None]], Iterator[FileRow | BadRow]]


def _reader_of(source: FileSource) -> Reader:
    suffix = source.path.suffix.lower()
    if suffix not in FORMATS:
        raise FileError(f"{source.path.name}: give a file that ends in {', '.join(FORMATS)}")
    if source.delimiter is not None and (suffix != ".csv" or source.delimiter not in DELIMITERS):
        raise FileError("--delimiter is for .csv: give one of , ; | or a tab")
    return {".csv": _csv_rows, ".jsonl": _json_rows, ".parquet": _parquet_rows}[suffix]


def _csv_rows(source: FileSource, done: Callable[[float], None]) -> Iterator[FileRow | BadRow]:
    with opened(source.path) as stream:
        bad: list[BadRow] = []
        lines = decoded(stream, bad)
        first = first_lines(lines)
        delimiter = source.delimiter or delimiter_of(first[-1], source)
        reader = csv.reader(chain(first, lines), delimiter=delimiter, strict=True)
        places = places_of(header_of(reader), source)
        tell = _progress(source.path, stream, done)
        for number, row in enumerate(with_lines(csv_body(reader, *places), bad)):
            if not number % _EVERY:
                tell()
            yield row
    done(1.0)


def with_lines(rows: Iterable[FileRow | BadRow], bad: list[BadRow]) -> Iterator[FileRow | BadRow]:
    """Each row, behind the lines that were found bad while it was read."""
    for row in rows:
        yield from _flushed(bad)
        yield row
    yield from _flushed(bad)


def _flushed(bad: list[BadRow]) -> list[BadRow]:
    """The lines that were found bad since the last time."""
    failed = list(bad)
    bad.clear()
    return failed


def first_lines(lines: Iterator[str]) -> list[str]:
    """Everything up to the first line that is not blank. Raises FileError where there is none."""
    read = []
    for line in lines:
        read.append(line)
        if line.strip():
            return read
    raise FileError(_EMPTY)


def delimiter_of(header: str, source: FileSource) -> str:
    """The delimiter under which the header names the wanted column; else a comma."""
    for delimiter in DELIMITERS:
        cells = next(csv.reader([header], delimiter=delimiter), [])
        if source.column in [cell.strip() for cell in cells]:
            return delimiter
    return max(DELIMITERS, key=header.count)


def header_of(reader: Any) -> list[str]:
    """The names of columns, none twice, in the first row that is not blank. Raises FileError."""
    try:
        row = next((row for row in reader if any(map(str.strip, row))), None)
    except csv.Error as problem:
        raise FileError(f"line 1: this is no CSV: {problem}: quote cells") from None
    if row is None:
        raise FileError(_EMPTY)
    names = [name.strip() for name in row]
    for number, name in enumerate(names):
        if name and name in names[:number]:
            raise FileError(f"column {_shown(name)} stands twice in the header: rename one")
    return names


def places_of(names: Sequence[str], source: FileSource) -> tuple[int, int, int | None]:
    """How many columns there are, and where texts and writers stand."""
    who = None if source.respondent is None else _place_of(names, source.respondent)
    return len(names), _place_of(names, source.column), who


def _place_of(names: Sequence[str], name: str) -> int:
    if name in names:
        return list(names).index(name)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
    raise FileError(f"there is no column {_shown(name)}: {hint[:_LONGEST_NAME]}")


def csv_body(
    reader: Any, width: int, text: int, who: int | None, before: int = 0
) -> Iterator[FileRow | BadRow]:
    """Rows behind the header: how many cells they have, and where texts and writers stand."""
    while True:
        position = f"line {before + reader.line_num + 1}"
        try:
            row = next(reader, None)
        except csv.Error as problem:
            yield BadRow(position, f"this is no CSV: {problem}: quote cells")
            continue
        if row is None:
            return
        if row and len(row) != width:
            remedy = "quote cells that hold a delimiter" if len(row) > width else "fill in the rest"
            yield BadRow(position, f"{len(row)} cells under {width} names: {remedy}")
        elif row:
            yield _row(position, row[text], None if who is None else row[who], who is not None)


def _row(position: str, text: str, who: str | None, is_named: bool) -> FileRow | BadRow:
    if not is_named:
        return FileRow(position, text, None)
    try:
        return FileRow(position, text, name_of(who))
    except ValueError as problem:
        return BadRow(position, str(problem))


def name_of(who: object) -> str:
    """A respondent's name without the blanks around it. Raises ValueError where it is no name."""
    name = "" if who is None else str(who).strip()
    if not name or len(name) > _LONGEST_NAME:
        raise ValueError(f"the respondent is {_shown(name)}: give 1 to {_LONGEST_NAME} letters")
    return name


def decoded(stream: Iterable[bytes], bad: list[BadRow], before: int = 0) -> Iterator[str]:
    """Lines as text; bytes that are no UTF-8 are told and replaced, so that reading goes on.

    ``before`` is how many lines of the file stand before these.
    """
    for number, raw in enumerate(stream, start=before + 1):
        line = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
        if number == 1 and line[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            raise FileError("line 1: this is UTF-16: save the file as UTF-8")
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError as problem:
            bad.append(_not_utf8(f"line {number}", problem))
            yield line.decode("utf-8", "replace")


def _not_utf8(position: str, problem: UnicodeDecodeError) -> BadRow:
    byte = problem.object[problem.start]
    return BadRow(position, f"byte 0x{byte:02x} is no UTF-8: save the file as UTF-8")


def _json_rows(source: FileSource, done: Callable[[float], None]) -> Iterator[FileRow | BadRow]:
    with opened(source.path) as stream:
        bad: list[BadRow] = []
        tell = _progress(source.path, stream, done)
        for number, line in enumerate(decoded(stream, bad), start=1):
            if not number % _EVERY:
                tell()
            yield from _flushed(bad)
            if line.strip():
                yield _json_row(f"line {number}", line, source)
    done(1.0)


def _json_row(position: str, line: str, source: FileSource) -> FileRow | BadRow:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as problem:
        reason = getattr(problem, "msg", "too deep or too long")
        return BadRow(position, f"this is no JSON: {reason}")
    if not isinstance(record, dict):
        return BadRow(position, 'write one object a line, such as {"text": "..."}')
    if source.column not in record:
        return BadRow(position, f"there is no {_shown(source.column)}: write null for no answer")
    text = record[source.column]
    if text is not None and not isinstance(text, str):
        return BadRow(position, f"{_shown(source.column)} is no text: write it in quotation marks")
    if "\\" in line and _has_half_characters(text or ""):
        return BadRow(position, "half a character (a lone surrogate): write it whole")
    return _json_writer(position, text or "", record, source.respondent)


def _json_writer(
    position: str, text: str, record: dict[str, Any], respondent: str | None
) -> FileRow | BadRow:
    if respondent is None:
        return FileRow(position, text, None)
    who = record.get(respondent)
    if isinstance(who, bool) or not isinstance(who, str | int) or _has_half_characters(str(who)):
        return BadRow(position, f"{_shown(respondent)} is no text and no whole number")
    return _row(position, text, str(who), True)


def _has_half_characters(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def _parquet_rows(source: FileSource, done: Callable[[float], None]) -> Iterator[FileRow | BadRow]:
    opened(source.path).close()
    with parquet_file(source) as file:
        rows = max(file.metadata.num_rows, 1)
        for number, row in enumerate(parquet_body(file, source), start=1):
            if not number % _BATCH:
                done(number / rows)
            yield row
    done(1.0)


@contextmanager
def parquet_file(source: FileSource) -> Iterator[Any]:
    """A Parquet file with the source's columns, while it is read. Raises FileError."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as problem:
        raise NoParquetLibrary from problem
    try:
        with parquet.ParquetFile(source.path) as file:
            _check_types(file.schema_arrow, source)
            yield file
    except (pyarrow.ArrowException, OSError) as problem:  # cut short is the latter
        reason = " ".join(str(problem).split())[:_LONGEST_NAME]
        raise FileError(f"{source.path.name} is no readable Parquet file: {reason}") from None


def _check_types(schema: Any, source: FileSource) -> None:
    """Refuse a Parquet file's columns that hold no texts, or no names."""
    for name, good in ((source.column, ("string",)), (source.respondent, ("string", "int"))):
        if name is None:
            continue
        kind = str(schema.field(_place_of(schema.names, name)).type)
        plain = kind.removeprefix("dictionary<values=").removeprefix("large_").removeprefix("u")
        if not plain.startswith(good):
            raise FileError(f"column {_shown(name)} holds {kind}: give {' or '.join(good)}")


def parquet_body(
    file: Any, source: FileSource, groups: Sequence[int] | None = None, before: int = 0
) -> Iterator[FileRow | BadRow]:
    """Rows of some row groups, or of all; ``before`` is how many stand before them."""
    names = [name for name in (source.column, source.respondent) if name is not None]
    wanted, number = list(dict.fromkeys(names)), before
    for batch in file.iter_batches(batch_size=_BATCH, row_groups=groups, columns=wanted):
        columns = [_cells(batch.column(batch.schema.names.index(name))) for name in names]
        for cells in zip(*columns, strict=True):
            number += 1
            yield _parquet_row(f"row {number}", [*cells, None][:2], len(names) > 1)


def _cells(column: Any) -> list[Any]:
    """The values; what is no UTF-8 as the error that says so, asked for only where there is one."""
    try:
        values: list[Any] = column.to_pylist()
    except UnicodeDecodeError:
        return [_cell(cell) for cell in column]
    return values


def _cell(cell: Any) -> Any:
    try:
        return cell.as_py()
    except UnicodeDecodeError as problem:
        return problem


def _parquet_row(position: str, cells: list[Any], is_named: bool) -> FileRow | BadRow:
    for cell in cells:
        if isinstance(cell, UnicodeDecodeError):
            return _not_utf8(position, cell)
    text, who = cells
    return _row(position, text or "", None if who is None else str(who), is_named)


def opened(path: Path) -> BinaryIO:
    """The file's bytes. Raises FileError where it cannot be read."""
    try:
        return path.open("rb")
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise FileError(f"{_shown(str(path))} cannot be read: {reason}: check the path") from None


def _progress(path: Path, stream: BinaryIO, done: Callable[[float], None]) -> Callable[[], None]:
    size = max(path.stat().st_size, 1)
    return lambda: done(min(stream.tell() / size, 1.0))


class _CellLimit:
    """The csv module's longest cell, which all threads of a process share."""

    def __init__(self) -> None:
        self._lock, self._readers, self._before = Lock(), 0, 0

    @contextmanager
    def raised(self) -> Iterator[None]:
        """Cells of up to 128 MB: one person's million words are one cell, not an error."""
        with self._lock:
            if not self._readers:
                self._before = csv.field_size_limit(_LONGEST_CELL)
            self._readers += 1
        try:
            yield
        finally:
            with self._lock:
                self._readers -= 1
                if not self._readers:
                    csv.field_size_limit(self._before)


wide_cells = _CellLimit().raised


def _shown(text: str) -> str:
    cut = text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 3] + "..."
    return repr(cut)
