"""Patterns: where the rows of a sparse strategy stand, and what V takes them to, in linear time.

A row of B stands on a window of neighbouring levels. V = W'W of a CDF and of all ranges is

    V_ij = u_min(i, j) v_max(i, j),   u_i = 1 (CDF) or i + 1 (ranges),   v_i = n - i,

levels counted from 0. Outside of a row's own window V b' is therefore a multiple of u (before it)
or of v (after it), so that B V B' and V B' Q are wanted on windows alone: with L rows over every
level and p rows in all, O(n L^2 + p^2), and no matrix is n x n nor n x p.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analytics.workloads.asks import Ask, OneWay
from analytics.workloads.checks import FloatArray

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Windows:
    """Rows of one width, by their first levels."""

    firsts: Places
    width: int

    @property
    def columns(self) -> Places:
        """rows x width: the levels that each row stands on."""
        return self.firsts[:, None] + np.arange(self.width)


@dataclass(frozen=True, eq=False)
class Reached:
    """V b' of every row b: ``local`` on its own window, flat; elsewhere by what is before, after.

    ``before`` and ``after`` are sums of u b up to each of a row's places, and of v b from it
    on, with one place more than the row has, flat; ``rising`` and ``falling`` are those of whole
    rows.
    """

    local: FloatArray
    before: FloatArray
    after: FloatArray
    rising: FloatArray
    falling: FloatArray


@dataclass(frozen=True, eq=False)
class Entries:
    """Where the entries of B stand, flat: width by width, row by row."""

    widths: Sequence[Windows]

    @cached_property
    def columns(self) -> Places:
        """The level of each entry."""
        return np.concatenate([windows.columns.ravel() for windows in self.widths])

    @cached_property
    def groups(self) -> Places:
        """The width of each entry, by its position in ``widths``."""
        return np.repeat(np.arange(len(self.widths)), [w.columns.size for w in self.widths])

    @cached_property
    def places(self) -> Places:
        """The place of each entry within its row."""
        return self.columns - np.repeat(self.firsts, self.lengths)

    @cached_property
    def owners(self) -> Places:
        """The row of each entry."""
        return np.repeat(np.arange(self.rows), self.lengths)

    @cached_property
    def firsts(self) -> Places:
        """The first level of each row."""
        return np.concatenate([windows.firsts for windows in self.widths])

    @cached_property
    def lengths(self) -> Places:
        """The width of each row."""
        return np.repeat([w.width for w in self.widths], [len(w.firsts) for w in self.widths])

    @cached_property
    def ends(self) -> Places:
        """Where each row's entries begin, and the end of the last."""
        return np.concatenate([[0], np.cumsum(self.lengths)])

    @property
    def rows(self) -> int:
        """How many rows B has."""
        return len(self.firsts)

    @cached_property
    def by_width(self) -> list[slice]:
        """Where the entries of each width stand."""
        ends = np.cumsum([0, *(windows.columns.size for windows in self.widths)])
        return [slice(start, end) for start, end in pairwise(ends)]

    @cached_property
    def until_first(self) -> Places:
        """Where ``before`` holds row i's sum up to the first level of row j."""
        return self._cumulated(self.firsts)

    @cached_property
    def from_last(self) -> Places:
        """Where ``after`` holds row i's sum from the level after row j's last."""
        return self._cumulated(self.firsts + self.lengths)

    def _cumulated(self, levels: Places) -> Places:
        # Sums have one place more than their row: each row before moves the next by one.
        starts = self.ends[:-1] + np.arange(self.rows)
        places = np.clip(levels - self.firsts[:, None], 0, self.lengths[:, None])
        return np.asarray(starts[:, None] + places)


@dataclass(frozen=True, eq=False)
class Stacks:
    """Which rows stand over each of the ``levels``: tables of levels x most rows over one level."""

    entries: Entries
    levels: int

    def through(self, values: FloatArray, inner: FloatArray) -> FloatArray:
        """The entries of B' X for a symmetric X, rows x rows, where B has entries; flat."""
        padded = np.pad(inner, ((0, 1), (0, 1)))
        by_slot = self._in_slots(values)
        total = np.zeros_like(by_slot)
        for slot in range(self._members.shape[1]):
            theirs = padded[self._members[:, slot, None], self._members]
            total += by_slot[:, slot, None] * theirs
        return np.asarray(total.ravel()[self._slots])

    @cached_property
    def _slots(self) -> Places:
        """Where an entry stands in a table."""
        columns = self.entries.columns
        order = np.argsort(columns, kind="stable")
        first = np.searchsorted(columns[order], columns)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return np.asarray(columns * self._depth + rank - first)

    @cached_property
    def _depth(self) -> int:
        return int(np.bincount(self.entries.columns).max())

    @cached_property
    def _members(self) -> Places:
        """The rows over each level; where there are fewer, a row of zeros."""
        members = np.full(self.levels * self._depth, self.entries.rows)
        members[self._slots] = self.entries.owners
        return members.reshape(-1, self._depth)

    def _in_slots(self, values: FloatArray) -> FloatArray:
        table = np.zeros(self._members.size)
        table[self._slots] = values
        return table.reshape(self._members.shape)


@dataclass(frozen=True, eq=False)
class Pattern:
    """The rows of B, by their ``entries``, and what V takes them to."""

    workload: OneWay
    entries: Entries

    @cached_property
    def stacks(self) -> Stacks:
        """Which rows stand over each level."""
        return Stacks(self.entries, self.workload.cells)

    @cached_property
    def rising(self) -> FloatArray:
        """u, by level."""
        n = self.workload.cells
        return np.ones(n) if self.workload.ask is Ask.CDF else np.arange(1.0, n + 1)

    @cached_property
    def falling(self) -> FloatArray:
        """v, by level."""
        return np.arange(self.workload.cells, 0.0, -1)

    @property
    def diagonal(self) -> FloatArray:
        """diag V."""
        return self.rising * self.falling

    def matrix(self, values: FloatArray) -> sparse.csr_array:
        """B, rows x levels."""
        shape = (self.entries.rows, self.workload.cells)
        return sparse.csr_array((values, self.entries.columns, self.entries.ends), shape=shape)

    def sums(self, values: FloatArray) -> FloatArray:
        """The sum of every level's entries, (levels,)."""
        return np.bincount(self.entries.columns, values, self.workload.cells).astype(np.float64)

    def reached(self, values: FloatArray) -> Reached:
        """V b' of every row b."""
        parts = []
        for here, windows in zip(self.entries.by_width, self.entries.widths, strict=True):
            columns = windows.columns
            u, v = self.rising[columns], self.falling[columns]
            entries = values[here].reshape(columns.shape)
            before, after = _before(u * entries), _before((v * entries)[:, ::-1])[:, ::-1]
            local = v * before[:, 1:] + u * after[:, 1:]
            parts.append((local, before, after, before[:, -1], after[:, 0]))
        return Reached(
            *(np.concatenate([x.ravel() for x in part]) for part in zip(*parts, strict=True))
        )

    def products(self, values: FloatArray, reached: Reached) -> FloatArray:
        """B V B', rows x rows."""
        both = (self.matrix(values) @ self.matrix(reached.local).T).toarray()
        both += reached.before[self.entries.until_first] * reached.falling
        both += reached.after[self.entries.from_last] * reached.rising
        return np.asarray((both + both.T) / 2)

    def reached_through(self, reached: Reached, inner: FloatArray) -> FloatArray:
        """The entries of V B' X for a symmetric X, where B has entries; flat."""
        passed, coming = self._passed, self._coming
        before = _before((reached.rising[:, None] * inner)[passed.order].T).T
        after = _before((reached.falling[:, None] * inner)[coming.order].T).T
        columns, owner = self.entries.columns, self.entries.owners
        outside = (
            self.falling[columns] * before[passed.number[columns], owner]
            + self.rising[columns] * after[coming.number[columns], owner]
        )
        return self.stacks.through(reached.local, inner) + outside

    @cached_property
    def _passed(self) -> "_Ordered":
        """Rows by the level after their last, and how many lie before each level."""
        return _Ordered.of(
            self.entries.firsts + self.entries.lengths, np.arange(self.workload.cells)
        )

    @cached_property
    def _coming(self) -> "_Ordered":
        """Rows by their first level from above, and how many lie after each level."""
        return _Ordered.of(-self.entries.firsts, -np.arange(1, self.workload.cells + 1))


@dataclass(frozen=True, eq=False)
class _Ordered:
    """Rows in an order, and how many of them come at or before each level."""

    order: Places
    number: Places

    @classmethod
    def of(cls, ends: Places, levels: Places) -> "_Ordered":
        order = np.argsort(ends, kind="stable")
        return cls(order, np.searchsorted(ends[order], levels, side="right"))


def _before(values: FloatArray) -> FloatArray:
    """Sums along the rows up to each place, from none to all: one column more."""
    sums = np.zeros((len(values), values.shape[1] + 1))
    np.cumsum(values, axis=1, out=sums[:, 1:])
    return sums
