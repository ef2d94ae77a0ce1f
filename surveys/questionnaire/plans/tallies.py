"""TallyPromise: which questions are counted while they are locked, and for whom, frozen at launch.

``{"trustees": [{"name", "key", "proof"}, ...], "tables": [{"table": 1, "questions": [5, 6],
"cells": 12, "sigma": "4"}]}``. A table counts people by their answers to its questions together:
the last question varies fastest, and one more last cell counts who was not asked, where that can
be. Absent where all answers are sent as they were drawn or given.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from surveys.kinds.counted.promise import CountedQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import of_kind

MOST_TRUSTEES = 7
MOST_CELLS, LEAST_CELLS = 60, 2  # the most of all tables together, the least of each
MOST_TOGETHER = 3  # questions of a table
MOST_TABLES = MOST_CELLS // LEAST_CELLS
# Noise is kept in bits that hold so many deviations to each side: less than 2 in 10^22 is left out.
MOST_BITS, TAILS = 24, 10
LARGEST_NOISE = 1 << (MOST_BITS - 1)
# What a locked answer takes for each cell (two points and four numbers), and for their sum.
CELL_BYTES, SUM_BYTES = 192, 64
# No exponents: a few characters would stand for a number that fills the memory.
SIGMA = re.compile(r"[0-9]{1,9}(/[1-9][0-9]{0,8})?")
HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True)
class TrusteeKey:
    """The public half of a trustee's key: ``name`` says who holds the other.

    ``key`` is 32 bytes as hex, ``proof`` shows in 64 that the other half is known. Raises
    ValueError.
    """

    name: str
    key: str
    proof: str

    def __post_init__(self) -> None:
        if not all(isinstance(text, str) for text in (self.name, self.key, self.proof)):
            raise ValueError("A trustee has a name, a key and a proof.")
        if len(self.key) != 64 or len(self.proof) != 128 or set(self.key + self.proof) - HEX:
            raise ValueError("A trustee's key and proof are 64 and 128 digits in small letters.")


@dataclass(frozen=True)
class LockedTable:
    """One table: the numbers of its questions, its cells, the deviation of each trustee's noise.

    Raises ValueError.
    """

    table: int
    questions: tuple[int, ...]
    cells: int
    sigma: str

    def __post_init__(self) -> None:
        if not all(type(number) is int for number in (self.table, self.cells, *self.questions)):
            raise ValueError("Tables, questions and cells are whole numbers.")
        if not 1 <= len(self.questions) <= MOST_TOGETHER:
            raise ValueError(f"A table has 1 to {MOST_TOGETHER} questions.")
        if self.cells < LEAST_CELLS:
            raise ValueError(f"A table has at least {LEAST_CELLS} cells.")
        if not isinstance(self.sigma, str) or not is_noise(self.sigma):
            raise ValueError(
                "The noise of a table is a whole number or a fraction, above 0, and fits into "
                f"{MOST_BITS} bits."
            )

    @property
    def field(self) -> str:
        """The form field of its locked answers."""
        return f"t{self.table:02d}"

    @property
    def ballot_bytes(self) -> int:
        """How long each locked answer is."""
        return CELL_BYTES * self.cells + SUM_BYTES


@dataclass(frozen=True)
class TallyPromise:
    """Who adds up which tables together. Raises ValueError for what none launches."""

    trustees: tuple[TrusteeKey, ...]
    tables: tuple[LockedTable, ...]

    def __post_init__(self) -> None:
        keys = {trustee.key for trustee in self.trustees}
        if not 1 <= len(self.trustees) <= MOST_TRUSTEES or len(keys) < len(self.trustees):
            raise ValueError(f"A tally has 1 to {MOST_TRUSTEES} trustees, each with another key.")
        if not self.tables or sum(table.cells for table in self.tables) > MOST_CELLS:
            raise ValueError(f"A tally has tables, with at most {MOST_CELLS} cells in all.")
        if [table.table for table in self.tables] != list(range(1, len(self.tables) + 1)):
            raise ValueError("Tables are numbered from 1, in their order.")
        counted = [number for table in self.tables for number in table.questions]
        if len(set(counted)) < len(counted):
            raise ValueError("No question is counted in two tables, or twice in one.")

    @classmethod
    def from_document(cls, entry: Mapping[str, Any] | None) -> Self | None:
        """None where nothing is counted locked. Raises ValueError, KeyError or TypeError."""
        if entry is None:
            return None
        trustees = (TrusteeKey(one["name"], one["key"], one["proof"]) for one in entry["trustees"])
        tables = (
            LockedTable(one["table"], tuple(one["questions"]), one["cells"], one["sigma"])
            for one in entry["tables"]
        )
        return cls(tuple(trustees), tuple(tables))

    def to_document(self) -> dict[str, Any]:
        """What the launched document holds."""
        return {
            "trustees": [asdict(trustee) for trustee in self.trustees],
            "tables": [{**asdict(one), "questions": list(one.questions)} for one in self.tables],
        }

    @cached_property
    def table_of(self) -> Mapping[int, int]:
        """The number of its table of each question that is counted locked, by its number."""
        return {number: one.table for one in self.tables for number in one.questions}

    def require_of(self, items: Sequence[Question], *, has_own_coin: bool) -> None:
        """Raises ValueError unless these are the tables of these questions, and of no other."""
        counted = {number: item.table for number, item in of_kind(CountedQuestion, items)}
        if counted != self.table_of:
            raise ValueError("Tables have other questions than those that are counted locked.")
        for one in self.tables:
            if cells_of(items, one.questions, has_own_coin=has_own_coin) != one.cells:
                raise ValueError(f"Table {one.table} has another number of cells.")


def tables_of(tally: TallyPromise | None) -> tuple[LockedTable, ...]:
    """None where nothing is counted locked."""
    return tally.tables if tally else ()


def is_noise(sigma: str) -> bool:
    """Whether noise of this deviation, as it is written, is any, and fits into its bits."""
    return bool(SIGMA.fullmatch(sigma)) and 0 < TAILS * Fraction(sigma) <= LARGEST_NOISE


def cells_of(items: Sequence[Question], questions: Sequence[int], *, has_own_coin: bool) -> int:
    """How many cells a table of these questions has, all of which are counted locked."""
    sizes = (
        len(item.levels) for number, item in of_kind(CountedQuestion, items) if number in questions
    )
    return math.prod(sizes) + has_not_asked(items, questions, has_own_coin=has_own_coin)


def has_not_asked(
    items: Sequence[Question], questions: Sequence[int], *, has_own_coin: bool
) -> bool:
    """Whether some people may not be asked all of these: by a rule, an arm or their own coin."""
    return has_own_coin or any(items[number - 1].rule is not None for number in questions)
