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
from itertools import chain, islice, pairwise
from math import ceil
from pathlib import Path
from typing import Any

import psycopg

from analytics.kinds.making import bags_of
from analytics.kinds.settings import Settings
from analytics.sources.executors import Executor, ExecutorError, PartSource, go_on, open_partitions
from analytics.sources.files import (
    BadRow,
    FileError,
    csv_body,
    decoded,
    delimiter_of,
    first_lines,
    good_rows,
    header_of,
    parquet_body,
    parquet_file,
    places_of,
    wide_cells,
    with_lines,
)
from analytics.sources.files import FileSource as TextColumn
from analytics.text.bags import Bags

ADDRESS = "DENIABLE_DATABASE_URL"
# Respondents of a part: some 100 MB of memory while their words are counted.
PART = 50_000
A_PART = "a part of the file"
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
    """Some row groups of a Parquet file in which every row is a respondent.

    ``before`` is how many rows stand before them.
    """

    path: str
    column: str
    groups: tuple[int, ...]
    before: int
    settings: Settings

    def read(self) -> Iterator[Bags]:
        """Raises FileError, OSError."""
        source = TextColumn(Path(self.path), self.column)
        with _parquet(source) as file:
            rows = parquet_body(file, source, self.groups, self.before)
            yield from blocks_of((row.text for row in good_rows(rows, A_PART)), self.settings)


@dataclass(frozen=True)
class CsvRange:
    """Whole rows of a CSV file between two of its bytes; every row is a respondent.

    ``before`` is how many lines stand before them, ``position`` the column's, from 0, and ``width``
    how many columns there are.
    """

    path: str
    position: int
    width: int
    first: int
    last: int
    before: int
    settings: Settings

    def read(self) -> Iterator[Bags]:
        """Raises FileError, OSError."""
        with open(self.path, "rb") as file:
            file.seek(self.first)
            lines = _Lines(io.BytesIO(file.read(self.last - self.first)), self.before)
        reader = csv.reader(lines, strict=True)
        rows = csv_body(reader, self.width, self.position, None, self.before)
        with wide_cells():
            good = good_rows(with_lines(rows, lines.bad), A_PART)
            yield from blocks_of((row.text for row in good), self.settings)


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
        """Raises FileError, OSError."""
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
    workers need the file at this path. Raises FileError, ExecutorError, OSError.
    """
    chosen, location = replace(settings), str(Path(path).absolute())
    if location.lower().endswith(".parquet"):
        sources = _parquet_sources(location, column, respondent, chosen)
    elif respondent:
        rows = partial(csv_rows, location, column, respondent)
        parts = max(1, ceil(_lines(location) / PART))
        sources = _by_respondent(rows, parts, chosen)
    else:
        sources = list(csv_ranges(location, column, chosen))
    return open_partitions(sources, scheduler, most_words=settings.most_words, beat=beat)


def csv_rows(path: str, column: str, respondent: str) -> Iterator[tuple[str, str]]:
    """(respondent, text) of every row. Raises FileError, OSError."""
    with open(path, "rb") as file, wide_cells():
        lines = _Lines(file)
        reader, places = _behind_header(lines, TextColumn(Path(path), column, respondent))
        for row in good_rows(with_lines(csv_body(reader, *places), lines.bad)):
            yield row.who or "", row.text


def csv_ranges(path: str, column: str, settings: Settings) -> list[CsvRange]:
    """The rows in ranges of bytes, ``PART`` rows each.

    One pass finds where rows end: a cell may hold line ends of its own, so no other place of a
    file says it. A reader of a range then reads its bytes alone. Raises FileError, OSError.
    """
    with open(path, "rb") as file, wide_cells():
        lines = _Lines(file)
        reader, places = _behind_header(lines, TextColumn(Path(path), column))
        (width, position, _), count = places, 0
        ends = [(lines.read, reader.line_num)]
        rows = good_rows(with_lines(csv_body(reader, *places), lines.bad))
        for count, _ in enumerate(rows, start=1):
            if count % PART == 0:
                ends.append((lines.read, reader.line_num))
        if count % PART or not count:
            ends.append((lines.read, reader.line_num))
    return [
        CsvRange(path, position, width, first, last, before, settings)
        for (first, before), (last, _) in pairwise(ends)
    ]


class _Lines:
    """Lines as a file that is read here has them, and how many of their bytes were read so far."""

    def __init__(self, file: Iterable[bytes], before: int = 0) -> None:
        self.read = 0
        self.bad: list[BadRow] = []
        self._decoded = decoded(self._counted(file), self.bad, before)

    def __iter__(self) -> Iterator[str]:
        return self._decoded

    def _counted(self, file: Iterable[bytes]) -> Iterator[bytes]:
        for line in file:
            self.read += len(line)
            yield line


def _behind_header(lines: _Lines, source: TextColumn) -> tuple[Any, tuple[int, int, int | None]]:
    """A reader of the rows, and the places as ``csv_body`` takes them. Raises FileError."""
    first = first_lines(iter(lines))
    if delimiter_of(first[-1], source) != ",":
        remedy = "workers read commas: save it with commas, or give --delimiter without --cluster"
        raise FileError(f"{source.path.name} has the header {first[-1].strip()!r}, and {remedy}")
    reader = csv.reader(chain(first, lines), strict=True)
    return reader, places_of(header_of(reader), source)


def parquet_rows(path: str, column: str, respondent: str) -> Iterator[tuple[str, str]]:
    """(respondent, text) of every row. Raises FileError, OSError."""
    source = TextColumn(Path(path), column, respondent)
    with _parquet(source) as file:
        for row in good_rows(parquet_body(file, source)):
            yield row.who or "", row.text


def _parquet_sources(
    path: str, column: str, respondent: str | None, settings: Settings
) -> list[PartSource]:
    with _parquet(TextColumn(Path(path), column, respondent)) as file:
        rows = file.metadata.num_rows
        sizes = [file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups)]
    if respondent:
        read = partial(parquet_rows, path, column, respondent)
        return _by_respondent(read, max(1, ceil(rows / PART)), settings)
    return [
        RowGroups(path, column, groups, sum(sizes[: min(groups, default=0)]), settings)
        for groups in _grouped(sizes)
    ]


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


def _by_respondent(rows: Rows, parts: int, settings: Settings) -> list[PartSource]:
    return [RespondentsOfRows(rows, part, parts, settings) for part in range(parts)]


def _part_of(who: str, parts: int) -> int:
    digest = blake2b(who.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") % parts


def _lines(path: str) -> int:
    with open(path, "rb") as file:
        return sum(1 for _ in file)


@contextmanager
def _parquet(source: TextColumn) -> Iterator[Any]:
    """Raises FileError; OSError where the file cannot be read, as on a machine without it."""
    source.path.open("rb").close()
    with parquet_file(source) as file:
        yield file
