"""Asks and Workloads: counts, totals, CDFs, ranges and cross-tables as implicit matrices.

A workload is a matrix W with a row for each number that is asked and a column for each cell; the
answers are W x for the vector x of counts. Only its Gram matrix W'W decides how well it can be
answered, and that has a closed form for every ask here (McKenna, Miklau, Hay and Machanavajjhala
2018). Rows: ``ask.rows``; cells: ``ask.cells``.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from analytics.workloads.checks import (
    FloatArray,
    WorkloadError,
    check_publishable,
    checked_cells,
    checked_dense,
    checked_matrix,
    checked_sizes,
    checked_table,
)
from surveys.randomized_response.checks import checked_number


class Ask(StrEnum):
    """What is asked of one question."""

    COUNTS = "counts"
    TOTAL = "total"
    CDF = "cdf"
    RANGES = "ranges"


class Workload(Protocol):
    """Numbers that are asked of a vector of counts."""

    @property
    def cells(self) -> int: ...

    @property
    def rows(self) -> int: ...

    def gram(self) -> FloatArray:
        """W'W, cells x cells."""

    def matrix(self) -> FloatArray:
        """W itself, rows x cells."""


@dataclass(frozen=True)
class OneWay:
    """One ask of one question with ``cells`` levels in their order.

    ``COUNTS`` is the identity, ``TOTAL`` one row of ones, ``CDF`` the lower triangle of ones (its
    last row is the total), ``RANGES`` all intervals of neighbouring levels. Raises WorkloadError.
    """

    ask: Ask
    cells: int

    def __post_init__(self) -> None:
        checked_cells("cells", self.cells)

    @property
    def rows(self) -> int:
        """How many numbers are asked."""
        if self.ask is Ask.RANGES:
            return self.cells * (self.cells + 1) // 2
        return 1 if self.ask is Ask.TOTAL else self.cells

    def gram(self) -> FloatArray:
        """W'W by its closed form: how many asked numbers count both of two levels."""
        n = checked_dense(self.cells)
        if self.ask is Ask.COUNTS:
            return np.eye(n)
        if self.ask is Ask.TOTAL:
            return np.ones((n, n))
        position = np.arange(n, dtype=np.float64)
        after = n - np.maximum.outer(position, position)
        if self.ask is Ask.CDF:
            return after
        return np.asarray((np.minimum.outer(position, position) + 1) * after)

    def matrix(self) -> FloatArray:
        """W, rows x cells; ranges from the shortest list of starts, then ends."""
        n = checked_dense(self.cells)
        if self.ask is Ask.COUNTS:
            return np.eye(n)
        if self.ask is Ask.TOTAL:
            return np.ones((1, n))
        if self.ask is Ask.CDF:
            return np.tri(n)
        if self.rows * n > 50_000_000:
            raise WorkloadError("cells", n, "the ranges of so many levels are too many to list")
        first, last = np.triu_indices(n)
        position = np.arange(n)
        return ((position >= first[:, None]) & (position <= last[:, None])).astype(np.float64)


@dataclass(frozen=True, eq=False)
class ListedWorkload:
    """A workload written out: any finite matrix, rows x cells. Raises WorkloadError."""

    written: Any

    @cached_property
    def _rows(self) -> FloatArray:
        return checked_matrix("workload", self.written)

    @property
    def cells(self) -> int:
        """The number of columns."""
        return int(self._rows.shape[1])

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self._rows.shape[0])

    def gram(self) -> FloatArray:
        """W'W, cells x cells."""
        checked_dense(self.cells)
        return self._rows.T @ self._rows

    def matrix(self) -> FloatArray:
        """The matrix as it was given, float64."""
        return self._rows


@dataclass(frozen=True)
class Product:
    """The Kronecker product of one ask a question, the first question slowest; times ``weight``.

    ``factors`` are OneWay asks; a question that is not in the table is asked its TOTAL.
    """

    factors: tuple[OneWay, ...]
    weight: float = 1.0

    @property
    def cells(self) -> int:
        """The cells of the whole domain."""
        return math.prod(factor.cells for factor in self.factors)

    @property
    def rows(self) -> int:
        """How many numbers are asked."""
        return math.prod(factor.rows for factor in self.factors)

    def gram(self) -> FloatArray:
        """W'W, the Kronecker product of the factors' Gram matrices."""
        checked_dense(self.cells)
        return self.weight**2 * kronecker(factor.gram() for factor in self.factors)

    def matrix(self) -> FloatArray:
        """W, the Kronecker product of the factors."""
        checked_dense(self.cells)
        return self.weight * kronecker(factor.matrix() for factor in self.factors)


@dataclass(frozen=True)
class Union:
    """Several workloads on the same cells, one under the other. Raises WorkloadError."""

    parts: tuple[Workload, ...]

    def __post_init__(self) -> None:
        if len({part.cells for part in self.parts}) != 1:
            raise WorkloadError("parts", len(self.parts), "give workloads on the same cells")

    @property
    def cells(self) -> int:
        """The cells of every part."""
        return self.parts[0].cells

    @property
    def rows(self) -> int:
        """How many numbers are asked."""
        return sum(part.rows for part in self.parts)

    def gram(self) -> FloatArray:
        """The sum of the parts' Gram matrices."""
        return np.asarray(sum(part.gram() for part in self.parts))

    def matrix(self) -> FloatArray:
        """The parts' rows, one part under the other."""
        return np.vstack([part.matrix() for part in self.parts])


@dataclass(frozen=True)
class Tables:
    """Tables of several questions: which questions together, what is asked of each, how weighted.

    ``sizes`` are the levels of the questions, ``asks`` what a table asks of a question that it
    holds, ``tables`` the positions of the questions of each table (``()`` is the total), and
    ``weights`` count the error of a table more or less (1 each by default: the error of a row is
    multiplied by weight squared). Raises WorkloadError.
    """

    sizes: tuple[int, ...]
    tables: tuple[tuple[int, ...], ...]
    asks: tuple[Ask, ...]
    weights: tuple[float, ...]

    @classmethod
    def of(
        cls,
        sizes: Iterable[int],
        tables: Iterable[Iterable[int]],
        asks: Sequence[Ask] | None = None,
        weights: Sequence[float] | None = None,
    ) -> "Tables":
        """Tables with everything checked. Raises WorkloadError."""
        levels = checked_sizes(sizes)
        named = tuple(checked_table(table, len(levels)) for table in tables)
        if not named:
            raise WorkloadError("tables", (), "ask for at least one table")
        for table in named:
            check_publishable(levels, table)
        wanted = tuple(Ask(ask) for ask in asks) if asks else (Ask.COUNTS,) * len(levels)
        if len(wanted) != len(levels):
            raise WorkloadError("asks", len(wanted), f"give one ask a question, {len(levels)}")
        return cls(levels, named, wanted, _checked_weights(weights, len(named)))

    @property
    def cells(self) -> int:
        """The cells of the whole domain; it is never built where it is large."""
        return math.prod(self.sizes)

    @property
    def rows(self) -> int:
        """How many numbers all tables hold."""
        return sum(part.rows for part in self.parts)

    @cached_property
    def parts(self) -> tuple[Product, ...]:
        """Each table as a product of asks."""
        pairs = zip(self.tables, self.weights, strict=True)
        return tuple(Product(self._factors(table), weight) for table, weight in pairs)

    def gram(self) -> FloatArray:
        """W'W of all tables together, cells x cells."""
        return Union(self.parts).gram()

    def matrix(self) -> FloatArray:
        """The rows of all tables, in the order of ``tables``."""
        return Union(self.parts).matrix()

    def _factors(self, table: tuple[int, ...]) -> tuple[OneWay, ...]:
        return tuple(
            OneWay(self.asks[position] if position in table else Ask.TOTAL, size)
            for position, size in enumerate(self.sizes)
        )


def kronecker(factors: Iterable[FloatArray], start: FloatArray | None = None) -> FloatArray:
    """The Kronecker product, the first factor slowest; of none: ``start``, by default 1 x 1."""
    product = np.eye(1) if start is None else start
    for factor in factors:
        product = np.asarray(np.kron(product, factor), dtype=np.float64)
    return product


def _checked_weights(weights: Sequence[float] | None, tables: int) -> tuple[float, ...]:
    if weights is None:
        return (1.0,) * tables
    checked = tuple(float(checked_number("weights", weight, WorkloadError)) for weight in weights)
    if len(checked) != tables or not all(weight > 0 for weight in checked):
        raise WorkloadError("weights", weights, f"give {tables} weights above 0, one a table")
    return checked
