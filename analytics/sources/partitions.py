"""Texts by parts of whole respondents: database ranges, Parquet row groups, CSV; for a cluster.

A source says where to look and carries no text and no password: the process that reads it has an
address of the database in its own environment, and the files at the same path.
"""

import csv
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from itertools import islice, pairwise
from math import ceil
from pathlib import Path
from typing import Any

import psycopg

from analytics.kinds.making import bags_of
from analytics.kinds.settings import Settings
from analytics.sources.executors import Executor, ExecutorError, Source, go_on, open_partitions
from analytics.sources.files import (
    DELIMITERS,
    BadRow,
    FileError,
    Row,
    check_types,
    csv_body,
    decoded,
    header_of,
    name_of,
    unreadable_parquet,
    wide_cells,
)
from analytics.sources.files import Source as TextColumn
from analytics.text.bags import Bags

ADDRESS = "DENIABLE_DATABASE_URL"
# Respondents of a part: some 100 MB of memory while their words are counted.
PART = 50_000
_FETCHED = 5_000
Rows = Callable[[], Iterable[tuple[str, str]]]


@dataclass(frozen=True)
class DatabaseTexts:
    """The texts of a query on PostgreSQL, one a respondent, with the reader's own address."""

    query: str
    parameters: tuple[object, ...]
    settings: Settings

    def read(self) -> Iterator[Bags]:
        """Raises ExecutorError where the environment has no address, psycopg.Error."""
        address = os.environ.get(ADDRESS, "")
        if not address.startswith(("postgresql://", "postgres://")):
            remedy = "give every worker the address of the PostgreSQL database in its environment"
            raise ExecutorError(ADDRESS, "of a worker", remedy)
        with psycopg.connect(address) as connection:
            connection.read_only = True
            with connection.cursor("texts") as cursor:
                cursor.itersize = _FETCHED
                rows = cursor.execute(self.query, self.parameters)
                yield from blocks_of((text for (text,) in rows), self.settings)


@dataclass(frozen=True)
class RowGroups:
    """Some row groups of a Parquet file in which every row is a respondent."""

    path: str
    column: str
    groups: tuple[int, ...]
    settings: Settings

    def read(self) -> Iterator[Bags]:
        """Raises ExecutorError, OSError."""
        with _parquet(self.path) as file:
            for group in self.groups:
                table = file.read_row_group(group, columns=[self.column])
                yield from blocks_of(_written(table[self.column].to_pylist()), self.settings)


@dataclass(frozen=True)
class CsvRange:
    """Whole rows of a CSV file between two of its bytes; every row is a respondent.

    ``before`` is how many lines stand before them, ``place`` the column's, from 0, and ``width``
    how many columns there are.
    """

    path: str
    place: int
    width: int
    first: int
    last: int
    before: int
    settings: Settings

    def read(self) -> Iterator[Bags]:
        """Raises ExecutorError, OSError."""
        with open(self.path, "rb") as file:
            file.seek(self.first)
            lines = _Lines(io.BytesIO(file.read(self.last - self.first)), self.before)
        reader = csv.reader(lines, strict=True)
        with _csv(self.path):
            rows = _good(csv_body(reader, self.width, self.place, None, self.before), lines)
            yield from blocks_of((row.text for row in rows), self.settings)


@dataclass(frozen=True)
class RespondentsOfRows:
    """The respondents of a file whose name falls into one part of several.

    Rows of one respondent may be anywhere in the file. Who reads a part goes through all rows and
    keeps the respondents whose hash belongs to the part, so that each is whole, in one part.
    """

    rows: Rows
    part: int
    parts: int
    settings: Settings

    def read(self) -> Iterator[Bags]:
        """Raises ExecutorError, OSError."""
        own = [row for row in self.rows() if _part_of(row[0], self.parts) == self.part]
        yield bags_of([text for _, text in own], self.settings, [who for who, _ in own])


def blocks_of(texts: Iterable[str], settings: Settings, size: int = PART) -> Iterator[Bags]:
    """Bags of texts that have a respondent each, at most ``size`` at a time."""
    remaining = iter(texts)
    while block := list(islice(remaining, size)):
        yield bags_of(block, settings)


def partitions_of_file(
    path: Path | str,
    column: str,
    settings: Settings,
    *,
    respondent: str | None = None,
    scheduler: str | None = None,
    beat: Callable[[], None] = go_on,
) -> Executor:
    """The texts in a column of a Parquet or CSV file, read where they are counted.

    Without a ``respondent`` column every row is one. ``scheduler`` as in ``open_partitions``; its
    workers need the file at this path. Raises ExecutorError, OSError.
    """
    chosen, place = replace(settings), str(Path(path).absolute())
    if place.lower().endswith(".parquet"):
        sources = _parquet_sources(place, column, respondent, chosen)
    elif respondent:
        rows = partial(csv_rows, place, column, respondent)
        parts = max(1, ceil(_lines(place) / PART))
        sources = _by_respondent(rows, parts, chosen)
    else:
        sources = list(csv_ranges(place, column, chosen))
    return open_partitions(sources, scheduler, most_words=settings.most_words, beat=beat)


def csv_rows(path: str, column: str, respondent: str) -> Iterator[tuple[str, str]]:
    """(respondent, text) of every row."""
    with open(path, "rb") as file, _csv(path):
        lines = _Lines(file)
        reader = csv.reader(lines, strict=True)
        names = _columns(path, reader, column, respondent)
        places = names.index(column), names.index(respondent)
        for row in _good(csv_body(reader, len(names), *places), lines):
            yield row.who or "", row.text


def csv_ranges(path: str, column: str, settings: Settings) -> list[CsvRange]:
    """The rows in ranges of bytes, ``PART`` rows each.

    One pass finds where rows end: a cell may hold line ends of its own, so no other place of a
    file says it. A reader of a range then reads its bytes alone. Raises ExecutorError, OSError.
    """
    with open(path, "rb") as file, _csv(path):
        lines = _Lines(file)
        reader = csv.reader(lines, strict=True)
        names = _columns(path, reader, column)
        place, width, rows = names.index(column), len(names), 0
        ends = [(lines.read, reader.line_num)]
        for rows, _ in enumerate(_good(csv_body(reader, width, place, None), lines), start=1):
            if rows % PART == 0:
                ends.append((lines.read, reader.line_num))
        if rows % PART or not rows:
            ends.append((lines.read, reader.line_num))
    return [
        CsvRange(path, place, width, first, last, before, settings)
        for (first, before), (last, _) in pairwise(ends)
    ]


class _Lines:
    """Lines as a file that is read here has them, and how many of their bytes were read so far."""

    def __init__(self, file: Iterable[bytes], before: int = 0) -> None:
        self._file, self._before = file, before
        self.read = 0
        self.bad: list[BadRow] = []

    def __iter__(self) -> Iterator[str]:
        return decoded(self._counted(), self.bad, self._before)

    def _counted(self) -> Iterator[bytes]:
        for line in self._file:
            self.read += len(line)
            yield line


@contextmanager
def _csv(path: str) -> Iterator[None]:
    with _refused(path), wide_cells():
        yield


@contextmanager
def _refused(path: str) -> Iterator[None]:
    """A file is refused as one that is read here, in an error that comes back from a worker."""
    try:
        yield
    except FileError as problem:
        raise ExecutorError("path", path, str(problem)) from problem


def _good(rows: Iterable[Row | BadRow], lines: _Lines) -> Iterator[Row]:
    """Raises FileError for the first row that cannot be used: a report has all rows, or is none."""
    for row in rows:
        _refuse(lines.bad)
        if isinstance(row, BadRow):
            _refuse([row])
        else:
            yield row
    _refuse(lines.bad)


def _refuse(bad: Sequence[BadRow]) -> None:
    for row in bad:
        raise FileError(str(row))


def _columns(path: str, reader: Any, *wanted: str) -> list[str]:
    """All columns' names. Raises ExecutorError, FileError."""
    names = header_of(reader)
    if len(names) == 1 and names[0] not in wanted and any(d in names[0] for d in DELIMITERS):
        remedy = "workers read commas: save it with commas, or give --delimiter without --cluster"
        raise ExecutorError("path", path, f"its header is {names[0]!r}, and {remedy}")
    _require_columns(path, names, *wanted)
    return names


def parquet_rows(path: str, column: str, respondent: str) -> Iterator[tuple[str, str]]:
    """(respondent, text) of every row."""
    number = 0
    with _parquet(path) as file:
        for batch in file.iter_batches(columns=[respondent, column]):
            names = batch[respondent].to_pylist()
            for who, text in zip(names, _written(batch[column].to_pylist()), strict=True):
                number += 1
                yield _named(who, f"row {number}"), text


def _parquet_sources(
    path: str, column: str, respondent: str | None, settings: Settings
) -> list[Source]:
    with _parquet(path) as file:
        _require_columns(path, file.schema_arrow.names, *filter(None, (column, respondent)))
        with _refused(path):
            check_types(file.schema_arrow, TextColumn(Path(path), column, respondent))
        rows = file.metadata.num_rows
        sizes = [file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups)]
    if respondent:
        found = partial(parquet_rows, path, column, respondent)
        return _by_respondent(found, max(1, ceil(rows / PART)), settings)
    return [RowGroups(path, column, groups, settings) for groups in _grouped(sizes)]


def _grouped(sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """Neighbouring row groups together, until they have the size of a part."""
    parts: list[tuple[int, ...]] = [()]
    filled = 0
    for group, size in enumerate(sizes):
        if filled and filled + size > PART:
            parts, filled = [*parts, ()], 0
        parts[-1] += (group,)
        filled += size
    return parts


def _by_respondent(rows: Rows, parts: int, settings: Settings) -> list[Source]:
    return [RespondentsOfRows(rows, part, parts, settings) for part in range(parts)]


def _part_of(who: str, parts: int) -> int:
    digest = blake2b(who.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") % parts


def _named(who: object, place: str) -> str:
    """The name that a file read here has too: one person is one name, however it is typed."""
    try:
        return name_of(who)
    except ValueError as problem:
        raise ExecutorError("respondent", who, f"{place}: {problem}") from None


def _written(texts: Iterable[Any]) -> list[str]:
    """Who wrote nothing took part: an empty text."""
    return ["" if text is None else text for text in texts]


def _require_columns(path: str, names: Sequence[str], *wanted: str) -> None:
    for name in wanted:
        if name not in names:
            remedy = f"{Path(path).name} has {', '.join(names) or 'no columns'}"
            raise ExecutorError("column", name, remedy)


def _lines(path: str) -> int:
    with open(path, "rb") as file:
        return sum(1 for _ in file)


def _parquet(path: str) -> Any:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as problem:
        remedy = 'Parquet needs pip install "pyarrow>=17", or give a CSV file'
        raise ExecutorError("path", path, remedy) from problem
    Path(path).open("rb").close()  # who may not read it learns that, not that it is no Parquet
    with _refused(path):
        try:
            return parquet.ParquetFile(path)
        except (pyarrow.ArrowException, OSError) as problem:
            raise unreadable_parquet(Path(path), problem) from None
