"""Texts by parts of whole respondents: database ranges, Parquet row groups, CSV; for a cluster.

A source says where to look and carries no text and no password: the process that reads it has an
address of the database in its own environment, and the files at the same path.
"""

import codecs
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
from analytics.sources.files import name_of
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

    ``before`` is how many lines stand before them, and ``place`` the column's, from 0.
    """

    path: str
    place: int
    first: int
    last: int
    before: int
    settings: Settings

    def read(self) -> Iterator[Bags]:
        """Raises ExecutorError, OSError."""
        with open(self.path, "rb") as file:
            file.seek(self.first)
            content = io.BytesIO(file.read(self.last - self.first))
        reader = csv.reader(io.TextIOWrapper(content, "utf-8", newline=""), strict=True)
        with _named_line(self.path, lambda: self.before + reader.line_num):
            texts = (_cell(row, self.place) for row in reader if row)
            yield from blocks_of(texts, self.settings)


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
    if place.endswith(".parquet"):
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
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        with _named_line(path, lambda: reader.line_num):
            _require_columns(path, reader.fieldnames or (), column, respondent)
            for row in reader:
                yield _named(row[respondent], f"line {reader.line_num}"), row[column] or ""


def csv_ranges(path: str, column: str, settings: Settings) -> list[CsvRange]:
    """The rows in ranges of bytes, ``PART`` rows each.

    One pass finds where rows end: a cell may hold line ends of its own, so no other place of a
    file says it. A reader of a range then reads its bytes alone. Raises ExecutorError, OSError.
    """
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = _Lines(file, _mark_length(path))
        reader = csv.reader(lines, strict=True)
        with _named_line(path, lambda: reader.line_num):
            names = next(reader, [])
            _require_columns(path, names, column, None)
            place = names.index(column)
            ends = [(lines.read, reader.line_num)]
            rows = 0
            for rows, _ in enumerate(reader, start=1):
                if rows % PART == 0:
                    ends.append((lines.read, reader.line_num))
    if rows % PART or not rows:
        ends.append((lines.read, reader.line_num))
    return [
        CsvRange(path, place, first, last, before, settings)
        for (first, before), (last, _) in pairwise(ends)
    ]


def _mark_length(path: str) -> int:
    """Bytes of the mark that some programs write before the header."""
    with open(path, "rb") as file:
        mark = codecs.BOM_UTF8
        return len(mark) if file.read(len(mark)) == mark else 0


class _Lines:
    """The lines of a text, and how many of its bytes were read so far."""

    def __init__(self, file: Iterable[str], before: int) -> None:
        self._file, self.read = iter(file), before

    def __iter__(self) -> Iterator[str]:
        for line in self._file:
            self.read += len(line) if line.isascii() else len(line.encode())
            yield line


@contextmanager
def _named_line(path: str, line: Callable[[], int]) -> Iterator[None]:
    """What is wrong with a CSV is said with its line."""
    try:
        yield
    except (csv.Error, UnicodeDecodeError) as problem:
        # What is no text was not counted as a line yet.
        number = line() + isinstance(problem, UnicodeDecodeError)
        remedy = f"line {number}: {problem}; save it as CSV in UTF-8"
        raise ExecutorError("path", path, remedy) from problem


def _cell(row: Sequence[str], place: int) -> str:
    """A row that ends early has no text."""
    return row[place] if place < len(row) else ""


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
        _require_columns(path, file.schema_arrow.names, column, respondent)
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


def _require_columns(path: str, known: Iterable[str], column: str, respondent: str | None) -> None:
    names = list(known)
    for name in filter(None, (column, respondent)):
        if name not in names:
            remedy = f"{Path(path).name} has {', '.join(names) or 'no columns'}"
            raise ExecutorError("column", name, remedy)


def _lines(path: str) -> int:
    with open(path, "rb") as file:
        return sum(1 for _ in file)


def _parquet(path: str) -> Any:
    try:
        from pyarrow import parquet
    except ImportError as problem:
        remedy = 'Parquet needs pip install "pyarrow>=17", or give a CSV file'
        raise ExecutorError("path", path, remedy) from problem
    return parquet.ParquetFile(path)
