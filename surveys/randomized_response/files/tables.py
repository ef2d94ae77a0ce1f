"""Table and Column: CSV, JSON or Parquet that people hand in; names, cells, numbers, codes.

A column is kept as its distinct texts and one number per row, so a million reports take megabytes.
Every refusal is a ``TableError``: one line with the place, the value and the remedy.
"""

import csv
import difflib
import io
import json
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..messages import shortened

# Not what float() takes: it reads nan, inf, underscores and the digits of other scripts.
NUMBER = re.compile(r"[+-]?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
STDIN = "-"
PARQUET = b"PAR1"  # how such a file begins
NO_PARQUET = (OSError, OverflowError, UnicodeDecodeError)  # what pyarrow raises beside its own
BLOCK = 50_000  # rows of one that are in memory at once
REPORTED = "_rep"  # ends the names of columns of reports in a survey's downloads; once nothing did


class TableError(ValueError):
    """A table that cannot be used; the message is one line and names a remedy."""


@dataclass(frozen=True, eq=False)
class Column:
    """``texts``: the distinct cells in order of appearance; ``codes`` (rows,): which one it is."""

    name: str
    texts: tuple[str, ...]
    codes: NDArray[np.int64]
    places: Sequence[int]
    place_word: str

    def __len__(self) -> int:
        return len(self.codes)

    def numbers(self) -> NDArray[np.float64]:
        """Finite floats of shape (rows,). Raises TableError naming the first other cell."""
        return self.numbers_of_texts(np.zeros(len(self.texts), dtype=bool))[self.codes]

    def numbers_of_texts(self, missing: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The number of each distinct text, shape (texts,), NaN for those that are ``missing``.

        Raises TableError naming the first other cell that is no finite number.
        """
        values = np.array([_number(text) for text in self.texts], dtype=float)
        bad = ~np.isfinite(values) & ~missing
        self.refuse(bad, "write a finite number with a decimal point, or leave the row out")
        return np.where(missing, np.nan, values)

    def coded(self, levels: Sequence[str], remedy: str = "") -> NDArray[np.int64]:
        """The place of every cell in ``levels``, shape (rows,). Raises TableError for others."""
        known = {level: i for i, level in enumerate(levels)}
        numbers = np.array([_level_of(text, known) for text in self.texts], dtype=np.int64)
        shown = ", ".join(map(_shown, levels[:6])) + (", ..." if len(levels) > 6 else "")
        self.refuse(numbers < 0, remedy or f"the levels are {shown}: name others with --levels")
        return np.asarray(numbers[self.codes])

    def labels(self) -> NDArray[np.str_]:
        """The text of each row, shape (rows,). Raises TableError for empty cells."""
        self.refuse(np.array([not text.strip() for text in self.texts]), "every row needs a label")
        return np.array(self.texts)[self.codes]

    def cells(self) -> list[str]:
        """Every cell, in the order of the rows."""
        return [self.texts[code] for code in self.codes]

    def place(self, row: int) -> str:
        """Where a row stands: "line 3" of a CSV, "record 2" of a JSON."""
        return f"{self.place_word} {self.places[row]}"

    def refuse(self, bad: NDArray[np.bool_], remedy: str) -> None:
        """Raise TableError for the first row whose text is ``bad`` (one entry per text)."""
        if bad.any():
            row = int(np.argmax(bad[self.codes]))
            text = self.texts[self.codes[row]]
            shown = _shown(text) if text.strip() else "an empty cell"
            where = f"{self.place(row)}, column {_shown(self.name)}"
            raise TableError(f"{where}: {shown} cannot be used: {remedy}")


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length, at least one row."""

    columns: dict[str, Column]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns)

    def column(self, name: str) -> Column:
        """One column, by either name. Raises TableError that suggests the nearest name."""
        return self.columns[_known(name, self.names)]


def read_table(
    source: str, stdin: BinaryIO, wanted: Callable[[Sequence[str]], Iterable[str]] | None = None
) -> Table:
    r"""The table in a file, or in ``stdin`` for "-". Raises TableError.

    ``wanted`` gets the names in the header and says which columns are needed; None keeps all.
    ``x`` is found as ``x_rep`` too, and the other way round, where the file has that name alone.
    JSON is a list of objects, one object, or an object of lists of equal length; a list within a
    record becomes the columns name[0], name[1], ... A Parquet file needs pyarrow.

    >>> from io import BytesIO
    >>> from randomized_response.files import read_table
    >>> table = read_table("-", stdin=BytesIO(b"no,yes\n60,40\n"))
    >>> table.names, table.column("yes").numbers().tolist()
    (('no', 'yes'), [40.0])
    """
    data = _bytes_of(source, stdin)
    if data.startswith(PARQUET):
        return _from_parquet(data, wanted)
    _check_text(data)
    is_json = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{")
    # A name in brackets at the beginning of a CSV looks like JSON.
    if source.lower().endswith(".csv"):
        is_json = False
    return (_from_json if is_json else _from_csv)(data, wanted)


def read_bytes(source: str, stdin: BinaryIO) -> bytes:
    """The content of a file or of ``stdin``, in UTF-8. Raises TableError."""
    data = _bytes_of(source, stdin)
    _check_text(data)
    return data


def _bytes_of(source: str, stdin: BinaryIO) -> bytes:
    try:
        return stdin.read() if source == STDIN else Path(source).read_bytes()
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise TableError(f"{_shown(source)} cannot be read: {reason}: check the path") from None


def read_json(source: str, stdin: BinaryIO) -> Any:
    """Any JSON; numbers stay as they are written. Raises TableError.

    >>> from io import BytesIO
    >>> from randomized_response.files import read_json
    >>> read_json("-", stdin=BytesIO(b'{"design": "warner", "p_direct": 0.75}'))
    {'design': 'warner', 'p_direct': '0.75'}
    """
    return _parsed(read_bytes(source, stdin))


def entry_of(argument: str) -> tuple[str, int | None]:
    """``weights[3]`` as its name and number; no number in an argument about all."""
    name, _, rest = argument.partition("[")
    number = rest.partition("]")[0]
    return name, int(number) if number.isdecimal() else None


def refuse_twice(names: Sequence[str]) -> None:
    """Raise TableError for a column that is named twice."""
    for i, name in enumerate(names):
        if name in names[:i]:
            raise TableError(f"column {_shown(name)} stands twice in the header: rename one")


def _check_text(data: bytes) -> None:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise TableError("line 1: this is UTF-16: save the file as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        words = f"byte 0x{data[problem.start]:02x} is no UTF-8: save the file as UTF-8"
        raise TableError(f"line {line}: {words}") from None
    if not text.strip():
        raise TableError("the file is empty: give a header and at least one row")


def _from_csv(data: bytes, wanted: Callable[[Sequence[str]], Iterable[str]] | None) -> Table:
    # Strict: a quote that is never closed would swallow the rest of the file.
    lines = csv.reader(
        io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline=""), strict=True
    )
    try:
        names = read_header(lines)
        chosen = _chosen(names, wanted)
        rows = read_rows(lines, names)
        return _encoded(chosen, [names.index(name) for name in chosen], rows, "line")
    except csv.Error as problem:
        raise TableError(f"line {lines.line_num}: this is no CSV: {problem}: quote cells") from None


def read_header(lines: Any) -> list[str]:
    """The names in the first line of a CSV that is not empty. Raises TableError, StopIteration."""
    names = [name.strip() for name in next(row for row in lines if row)]
    if len(names) == 1 and re.search("[;\t]", names[0]):
        raise TableError("line 1: the columns are not separated by commas: save the file with ,")
    refuse_twice(names)
    if "" in names:
        raise TableError(f"line 1: column {names.index('') + 1} has no name: give it one")
    return names


def read_rows(lines: Any, names: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Non-empty rows with their line numbers. Raises TableError for one of another length."""
    width, start = len(names), lines.line_num
    for row in lines:
        # A cell may span lines: its row is named by the first.
        start, line = lines.line_num, start + 1
        if len(row) == width:
            yield line, row
        elif row:
            remedy = "quote cells that hold a comma" if len(row) > width else "fill in the rest"
            raise TableError(f"line {line}: {len(row)} cells under {width} names: {remedy}")


def _from_parquet(data: bytes, wanted: Callable[[Sequence[str]], Iterable[str]] | None) -> Table:
    pyarrow, parquet = parquet_libraries()
    try:
        file = parquet.ParquetFile(io.BytesIO(data))
        names = file.schema_arrow.names
        refuse_twice(names)
        chosen = _chosen(names, wanted)
        rows = enumerate(_parquet_rows(file, chosen), start=1)
        return _encoded(chosen, list(range(len(chosen))), rows, "row")
    except pyarrow.ArrowException as problem:
        raise no_parquet(problem) from None


def _parquet_rows(file: Any, names: list[str]) -> Iterator[list[str]]:
    for batch in parquet_batches(file, BLOCK, names):
        try:
            columns = [batch.column(batch.schema.names.index(name)).to_pylist() for name in names]
        except NO_PARQUET as problem:
            raise no_parquet(problem) from None
        for cells in zip(*columns, strict=True):
            yield ["" if cell is None else str(cell) for cell in cells]


def parquet_batches(file: Any, rows: int, names: list[str] | None = None) -> Iterator[Any]:
    """The rows of a Parquet file, so many at a time. Raises TableError for one that is broken."""
    pyarrow, _ = parquet_libraries()
    try:
        yield from file.iter_batches(rows, columns=names)
    except (pyarrow.ArrowException, *NO_PARQUET) as problem:
        raise no_parquet(problem) from None


def parquet_libraries() -> tuple[ModuleType, ModuleType]:
    """The library pyarrow and its part for Parquet. Raises TableError."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        words = "Parquet files need the library pyarrow, which is not installed: give the CSV"
        raise TableError(words) from None
    return pyarrow, parquet


def no_parquet(problem: Exception) -> TableError:
    """What pyarrow says of a file that it cannot read, in one line."""
    words = " ".join(str(problem).split())[:200]
    return TableError(f"this is no Parquet file that can be read: {words}")


def _from_json(data: bytes, wanted: Callable[[Sequence[str]], Iterable[str]] | None) -> Table:
    records = _records(_parsed(data))
    if not records:
        raise TableError("the file holds no records: give at least one")
    flat = [_flat(f"record {i}", record) for i, record in enumerate(records, start=1)]
    names = list(flat[0])
    for i, record in enumerate(flat, start=1):
        if record.keys() != flat[0].keys():
            odd = sorted(record.keys() ^ flat[0].keys())[0]
            raise TableError(f"record {i}: {_shown(odd)} is not in every record: give all alike")
    chosen = _chosen(names, wanted)
    rows = ((i, [record[name] for name in chosen]) for i, record in enumerate(flat, start=1))
    return _encoded(chosen, list(range(len(chosen))), rows, "record")


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(
            data.decode("utf-8-sig"),
            parse_float=str,
            parse_int=str,
            parse_constant=str,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as problem:
        raise TableError(f"line {problem.lineno}: this is no JSON: {problem.msg}") from None
    except RecursionError:
        raise TableError("this JSON is nested too deeply: give a list of records") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # json would keep the last of two equal names.
    refuse_twice([name for name, _ in pairs])
    return dict(pairs)


def _records(content: Any) -> list[Any]:
    if isinstance(content, list):
        return content
    if not isinstance(content, dict):
        raise TableError("the file holds no records: give a list of objects")
    lists = [v for v in content.values() if isinstance(v, list)]
    if len(lists) == len(content) and lists and "counts" not in content:
        lengths = {name: len(values) for name, values in content.items()}
        if len(set(lengths.values())) > 1:
            raise TableError(f"the columns have the lengths {lengths}: give lists of equal length")
        return [dict(zip(content, cells, strict=True)) for cells in zip(*lists, strict=True)]
    return [content]


def _flat(where: str, record: Any) -> dict[str, str]:
    if not isinstance(record, dict):
        raise TableError(f"{where}: {_shown(str(record))} is no object: write names and values")
    cells: dict[str, str] = {}
    for name, value in record.items():
        if isinstance(value, list):
            cells |= {f"{name}[{i}]": _cell(where, name, v) for i, v in enumerate(value)}
        else:
            cells[name] = _cell(where, name, value)
    return cells


def _cell(where: str, name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if not isinstance(value, str):
        raise TableError(f"{where}, column {_shown(name)}: write a number or a text")
    return value


def _chosen(names: list[str], wanted: Callable[[Sequence[str]], Iterable[str]] | None) -> list[str]:
    asked = names if wanted is None else wanted(names)
    return list(dict.fromkeys(_known(name, names) for name in asked))


def spellings(name: str) -> tuple[str, str]:
    """The names that a column of reports has in downloads: as given, and in the other naming."""
    bare = name.removesuffix(REPORTED)
    return name, bare if bare != name else f"{name}{REPORTED}"


def _known(name: str, names: Sequence[str]) -> str:
    """The name under which a file has a column. Raises TableError."""
    for spelling in spellings(name):
        if spelling in names:
            return spelling
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {_shown(near[0])}?" if near else f"there are {', '.join(names)}"
    raise TableError(f"there is no column {_shown(name)}: {shortened(hint, 200)}")


def _encoded(
    names: list[str],
    positions: list[int],
    rows: Iterable[tuple[int, list[str]]],
    place_word: str,
) -> Table:
    places = array("q")
    known: list[dict[str, int]] = [{} for _ in names]
    codes = [array("q") for _ in names]
    trio = list(zip(positions, known, codes, strict=True))
    for number, row in rows:
        places.append(number)
        for position, texts, column in trio:
            column.append(texts.setdefault(row[position], len(texts)))
    if not places:
        raise TableError("there is a header, but no row under it: give at least one")
    return Table(
        {
            name: Column(name, tuple(texts), np.frombuffer(c, dtype=np.int64), places, place_word)
            for name, texts, c in zip(names, known, codes, strict=True)
        }
    )


def _level_of(text: str, known: dict[str, int]) -> int:
    """Downloads put an apostrophe before what a spreadsheet could take for a formula."""
    spellings = (text, text.strip(), text.removeprefix("'"))
    return next((known[spelling] for spelling in spellings if spelling in known), -1)


def _number(text: str) -> float:
    cell = text.strip()
    return float(cell) if NUMBER.fullmatch(cell) else float("nan")


def _shown(text: str) -> str:
    return repr(shortened(text, 40))
