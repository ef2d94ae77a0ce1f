"""Variable and AskedTables: questions with levels in words, and the tables asked of them."""

import math
from dataclasses import dataclass
from functools import cached_property

from analytics.workloads.asks import Ask, OneWay, Tables
from analytics.workloads.checks import WorkloadError
from surveys.randomized_response.messages import figure, sentence

NO_ANSWER = sentence("No answer")
# A question of more levels is no table that people read; its matrices would be megabytes of text.
MOST_LEVELS = 200
# Numbers of one release: some megabytes on a page and in its files.
MOST_NUMBERS = 20_000
MOST_TABLES = 200
# Each of their sets has noise of its own: a plan takes 1.4 s for 12 questions, 14 s for 14.
MOST_TOGETHER = 12
ORDERED = (Ask.CDF, Ask.RANGES)
# What a person may ask of a question; the total comes with every table.
ASKS = (Ask.COUNTS, Ask.CDF, Ask.RANGES)


@dataclass(frozen=True)
class Variable:
    """One question of tables: its levels in their order, and what is asked of them.

    Where ``has_no_answer``, the last level counts who gave none: a respondent who is in no cell of
    some table would make tables disagree. Raises WorkloadError.
    """

    name: str
    levels: tuple[str, ...]
    ask: Ask = Ask.COUNTS
    has_no_answer: bool = False

    def __post_init__(self) -> None:
        count = len(self.levels)
        if not 1 <= count <= MOST_LEVELS:
            remedy = sentence(
                "“{name}” must have 1 to {most} possible answers, so combine answers into groups",
                name=self.name,
                most=MOST_LEVELS,
            )
            raise WorkloadError("levels", f"{count:,}", remedy)
        if len(set(self.levels)) < count:
            raise WorkloadError(
                "levels",
                self.name,
                sentence("two possible answers to this question have the same text"),
            )
        if self.ask not in ASKS:
            raise WorkloadError(
                "ask", self.ask, sentence("give one of {kinds}", kinds=", ".join(ASKS))
            )

    @property
    def rows(self) -> int:
        """How many numbers are asked of this question by itself."""
        return OneWay(self.ask, len(self.levels)).rows

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What each of these numbers counts, in words."""
        if self.ask is Ask.COUNTS:
            return self.levels
        if self.ask is Ask.CDF:
            return (*(f"up to {level}" for level in self.levels[:-1]), "all")
        return tuple(
            self.levels[first] if first == last else f"{self.levels[first]} … {self.levels[last]}"
            for first in range(len(self.levels))
            for last in range(first, len(self.levels))
        )


@dataclass(frozen=True)
class AskedTables:
    """Tables: each is positions of variables, ascending. Raises WorkloadError."""

    variables: tuple[Variable, ...]
    tables: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        if not self.tables or not all(self.tables):
            raise WorkloadError(
                "tables",
                self.tables,
                sentence("choose at least one table of at least one question"),
            )
        if len(self.tables) > MOST_TABLES:
            remedy = sentence("choose up to {most} tables for one release", most=MOST_TABLES)
            raise WorkloadError("tables", len(self.tables), remedy)
        for table in self.tables:
            self._check_size(table)
        if self.numbers > MOST_NUMBERS:
            remedy = sentence(
                "a release can have at most {most} numbers, so choose fewer or smaller tables",
                most=figure(MOST_NUMBERS),
            )
            raise WorkloadError(
                "tables", sentence("{count} numbers", count=figure(self.numbers)), remedy
            )

    @cached_property
    def workload(self) -> Tables:
        """The same as a workload. Raises WorkloadError."""
        sizes = [len(variable.levels) for variable in self.variables]
        return Tables.of(sizes, self.tables, [variable.ask for variable in self.variables])

    @property
    def numbers(self) -> int:
        """How many numbers all tables hold."""
        return sum(self.size_of(table) for table in self.tables)

    def title(self, table: tuple[int, ...]) -> str:
        """What a table is of."""
        return " by ".join(self.variables[position].name for position in table)

    def labels(self, table: tuple[int, ...]) -> list[tuple[str, ...]]:
        """What each number of a table counts: one label a question, in the order of numbers."""
        labels: list[tuple[str, ...]] = [()]
        for position in table:
            own = self.variables[position].labels
            labels = [(*before, label) for before in labels for label in own]
        return labels

    def size_of(self, table: tuple[int, ...]) -> int:
        """How many numbers a table holds."""
        return math.prod(self.variables[position].rows for position in table)

    def _check_size(self, table: tuple[int, ...]) -> None:
        """Refused before anything of that size is built, with what would fit."""
        if len(table) > MOST_TOGETHER:
            remedy = sentence("put up to {most} questions into one table", most=MOST_TOGETHER)
            raise WorkloadError(
                "tables", sentence("{count} questions in one table", count=len(table)), remedy
            )
        numbers = self.size_of(table)
        if numbers <= MOST_NUMBERS:
            return
        kept = sorted(table, key=lambda position: self.variables[position].rows)
        while self.size_of(tuple(kept)) > MOST_NUMBERS:
            kept.pop()
        names = ", ".join(f"“{self.variables[position].name}”" for position in sorted(kept))
        remedy = sentence(
            "a release can have at most {most} numbers. A table of {names} would fit: it has "
            "{count} numbers",
            most=figure(MOST_NUMBERS),
            names=names,
            count=figure(self.size_of(tuple(kept))),
        )
        raise WorkloadError(
            "tables", sentence("{count} numbers in one table", count=figure(numbers)), remedy
        )
