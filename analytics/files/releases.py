"""A release of tables of a person's own file, charged to the file's ledger before it is drawn."""

import io
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import numpy as np

from analytics.files.ledgers import LedgerEntry, OpenLedger, opened
from analytics.files.promises import Promise
from analytics.kinds.registry import TABLE_RELEASE
from analytics.kinds.settings import SettingsError
from analytics.kinds.tables.asked import NO_ANSWER, AskedTables, Variable
from analytics.kinds.tables.planned import PlannedTables
from analytics.kinds.tables.released import TableRelease, release_tables
from analytics.kinds.tables.settings import TableQuestion
from analytics.privacy.accounting import Cost
from analytics.privacy.checks import IntArray
from analytics.privacy.mechanisms import Noise
from analytics.workloads.asks import Ask
from surveys.randomized_response.files.tables import NUMBER, Column, TableError, read_table


@dataclass(frozen=True)
class FileColumn:
    """A column with its public levels, or with the numbers at which it is cut; and what is asked.

    An empty cell is a person who gave no answer: a level of its own. Raises SettingsError.
    """

    name: str
    levels: tuple[str, ...] = ()
    cuts: tuple[str, ...] = ()
    ask: Ask = Ask.COUNTS

    def __post_init__(self) -> None:
        if bool(self.levels) == bool(self.cuts):
            remedy = "give its levels, or the numbers to cut it at: both are public"
            raise SettingsError("column", self.name, remedy)
        if NO_ANSWER in self.levels:
            raise SettingsError("levels", NO_ANSWER, "leave it out: empty cells are counted so")
        TableQuestion(1, self.ask, self.cuts)  # its checks

    @property
    def variable(self) -> Variable:
        """The column in words. Raises WorkloadError."""
        levels = self.levels or _between(self.cuts)
        return Variable(self.name, (*levels, NO_ANSWER), self.ask, has_no_answer=True)

    def codes(self, column: Column) -> IntArray:
        """The level of every row. Raises TableError for the first cell that is none."""
        places = np.array([self._place(text.strip()) for text in column.texts], dtype=np.int64)
        column.refuse(places < 0, self._remedy)
        return np.asarray(places[column.codes])

    @property
    def _remedy(self) -> str:
        if self.cuts:
            return "write a number, or leave the cell empty"
        return "it is none of its levels: add it to them, or leave the cell empty"

    def _place(self, cell: str) -> int:
        if not cell:
            return len(self.levels) or len(self.cuts) + 1
        if self.levels:
            return self.levels.index(cell) if cell in self.levels else -1
        if not NUMBER.fullmatch(cell):
            return -1
        return sum(Decimal(cut) <= Decimal(cell) for cut in self.cuts)


@dataclass(frozen=True)
class FileRelease:
    """Tables of a file's columns, by their names; one row is one respondent."""

    path: Path
    columns: tuple[FileColumn, ...]
    tables: tuple[tuple[str, ...], ...]
    promise: Promise
    ledger: Path | None = None

    @property
    def asked(self) -> AskedTables:
        """The tables by positions. Raises SettingsError, WorkloadError."""
        place_of = {column.name: position for position, column in enumerate(self.columns)}
        for name in (name for table in self.tables for name in table):
            if name not in place_of:
                remedy = "describe this column with --levels or --cuts"
                raise SettingsError("table", name, remedy)
        places = tuple(tuple(sorted(place_of[name] for name in table)) for table in self.tables)
        return AskedTables(tuple(column.variable for column in self.columns), places)

    @property
    def planned(self) -> PlannedTables:
        """How it would be released: no row is read. Raises SettingsError, WorkloadError."""
        cost = Cost(self.promise.cost.mu_squared)
        return PlannedTables.of(self.asked, cost, self.promise.adjacency)

    def rows(self) -> IntArray:
        """The level of each row for each column. Raises TableError."""
        names = [column.name for column in self.columns]
        table = read_table(str(self.path), io.BytesIO(), lambda known: names)
        codes = [column.codes(table.column(column.name)) for column in self.columns]
        rows = np.column_stack(codes)
        if not len(rows):
            raise TableError(f"{self.path.name} has no rows: give at least one")
        return rows


def release_file(
    request: FileRelease, noise: Noise, finish: Callable[[TableRelease], None]
) -> TableRelease:
    """The release, given to ``finish``; it was paid before the first draw.

    What is refused before costs nothing: plans before a row is read, bad rows before the ledger is
    written. Raises SettingsError, WorkloadError, StrategyError, TableError, BudgetError,
    LedgerError, NoiseError.
    """
    planned = request.planned
    with _account(request, planned.cost) as account:
        rows = request.rows()
        terms = request.promise.terms.budget(len(rows))
        planned.plan.require_people(len(rows))
        if account is not None:
            account.pay(LedgerEntry.of(TABLE_RELEASE.name, request.path, planned.cost))
        release = release_tables(planned, rows, noise, terms)
        finish(release)
    return release


def _account(request: FileRelease, cost: Cost) -> AbstractContextManager[OpenLedger | None]:
    if request.ledger is None:
        return nullcontext()
    return opened(request.ledger, request.promise.terms, cost)


def _between(cuts: tuple[str, ...]) -> tuple[str, ...]:
    """What the levels between cuts span, in words."""
    middle = (f"{low} to below {high}" for low, high in pairwise(cuts))
    return (f"below {cuts[0]}", *middle, f"{cuts[-1]} or more")
