"""Windows: the least error of Laplace noise that a sparse strategy reaches for ordered levels.

A = [I; B] D with B >= 0 and D = diag(1 / (1 + sum_k B_k)), so that every column has L1 norm 1, as
in the p-Identity strategies of McKenna, Miklau, Hay and Machanavajjhala (2018), whose B
is dense; here its rows stand on half-overlapping windows and the whole range. With V = W'W,
S = D^-1, Q = (I + B B')^-1 and R = B S V S B',

    E_1 = tr(S V S) - tr(R Q),
    dE_1/dB = -2 Q B S V S + 2 Q R Q B + 2 (column j: (V S (I + B'B)^-1)_jj),

where V is applied by cumulated sums: no matrix is n x n. Not convex: the best of several starts,
the identity among them; ``duals`` bounds what any L2 strategy can do, which says nothing for L1.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from analytics.workloads.asks import Ask, OneWay
from analytics.workloads.checks import FloatArray, checked_cells
from analytics.workloads.errors import WorkloadError
from analytics.workloads.searches.descents import descend

# A window is stored for every level of its columns: 16,384 levels take 0.5 GB.
MOST_LEVELS = 16_384
# Up to here every row stands on all levels, and several random starts are cheap.
_DENSE_TO = 256
_DENSE_STARTS = 6
_NARROWEST = 32
# Larger parameters make tr(SVS) and tr(RQ) cancel each other.
_LARGEST = 100.0
# An entry this small answers nothing.
_SMALLEST = 1e-9


@dataclass(frozen=True, eq=False)
class WindowStrategy:
    """The rows B on their windows, and E_1 at sensitivity 1. No rows: the identity."""

    rows: sparse.csr_array
    error: float

    def matrix(self) -> FloatArray:
        """The strategy written out, rows x levels: identity first; every column has L1 norm 1."""
        extra: FloatArray = self.rows.toarray()
        norms = 1 + extra.sum(axis=0)
        return np.asarray(np.vstack([np.eye(extra.shape[1]), extra]) / norms)


def plan_windows(workload: OneWay, rng: np.random.Generator, steps: int = 600) -> WindowStrategy:
    """The best strategy found for the CDF or ranges of up to 16,384 levels. WorkloadError.

    ``steps`` of L-BFGS from each start.
    """
    n = checked_cells("cells", workload.cells, MOST_LEVELS)
    if workload.ask not in (Ask.CDF, Ask.RANGES):
        raise WorkloadError("ask", workload.ask, "windows answer a CDF or ranges")
    found = [_identity(workload)]
    if n <= _DENSE_TO:
        for rows in _dense_rows(n):
            problem = _Problem(workload, _everywhere(n, rows))
            starts = (problem.random(rng) for _ in range(_DENSE_STARTS))
            found += [problem.descend(start, steps) for start in starts]
    else:
        problem = _Problem(workload, _windows(n, 2))
        found.append(problem.descend(problem.by_level() * problem.jitter(rng), steps))
    return min(found, key=lambda one: one.error)


def p_identity(
    workload: OneWay, rows: int, rng: np.random.Generator, steps: int = 2_000
) -> WindowStrategy:
    """HDMM's strategy by its name: ``rows`` dense rows under an identity, from one random start."""
    n = checked_cells("cells", workload.cells, MOST_LEVELS)
    problem = _Problem(workload, _everywhere(n, checked_cells("rows", rows, n)))
    return problem.descend(problem.random(rng), steps)


@dataclass(frozen=True)
class Window:
    """A row of B: its level (0 for the narrowest), first column, and the column after its last."""

    level: int
    first: int
    after: int


def _identity(workload: OneWay) -> WindowStrategy:
    none = sparse.csr_array((1, workload.cells), dtype=np.float64)
    return WindowStrategy(none, float(_diagonal(workload).sum()))


def _dense_rows(n: int) -> list[int]:
    """Numbers of rows that won in trials at 8 to 256 levels: a sixteenth, and a few more."""
    return sorted({max(1, n // 16), n // 16 + 1, n // 16 + 2})


def _everywhere(n: int, rows: int) -> list[Window]:
    return [Window(0, 0, n)] * rows


def _windows(n: int, factor: int) -> list[Window]:
    """Widths 32, 64, ... up to n, each half over its neighbours and cut at the ends; all levels."""
    windows, width, level = [], _NARROWEST, 0
    while width <= n:
        for first in range(-(width // 2), n, width // 2):
            start, after = max(first, 0), min(first + width, n)
            if after - start > 1:
                windows.append(Window(level, start, after))
        width, level = width * factor, level + 1
    return [*windows, Window(level, 0, n)]


@dataclass(frozen=True, eq=False)
class _Problem:
    workload: OneWay
    windows: list[Window]

    @cached_property
    def columns(self) -> np.ndarray:
        return np.concatenate([np.arange(one.first, one.after) for one in self.windows])

    @cached_property
    def ends(self) -> np.ndarray:
        return np.cumsum([0, *(one.after - one.first for one in self.windows)])

    @cached_property
    def levels(self) -> np.ndarray:
        return np.concatenate([np.full(w.after - w.first, w.level) for w in self.windows])

    @cached_property
    def diagonal(self) -> FloatArray:
        return _diagonal(self.workload)

    def random(self, rng: np.random.Generator) -> FloatArray:
        """A start with entries up to 0.1, 0.3 or 1."""
        return np.asarray(rng.random(len(self.columns)) * rng.choice([0.1, 0.3, 1.0]))

    def jitter(self, rng: np.random.Generator) -> FloatArray:
        """Factors from 0.7 to 1.3: a start that is symmetric stays so, and symmetric ends worse."""
        return rng.uniform(0.7, 1.3, len(self.columns))

    def by_level(self) -> FloatArray:
        """The best start with one weight a width, then one profile along the windows of a width."""
        count = int(self.levels.max()) + 1
        weights = self._grouped(self.levels, np.full(count, 0.1), 30)[self.levels]
        places = np.concatenate([np.arange(one.after - one.first) for one in self.windows])
        keys = self.levels * self.workload.cells + places
        groups = np.unique(keys, return_inverse=True)[1]
        start = np.bincount(groups, weights) / np.bincount(groups)
        return np.asarray(self._grouped(groups, start, 60)[groups])

    def descend(self, start: FloatArray, steps: int) -> WindowStrategy:
        """What L-BFGS finds within the bounds, its error worked out anew."""
        found, _ = descend(self.slope, start, steps, _LARGEST)
        kept = np.where(found < _SMALLEST, 0.0, found)
        rows = self.rows(kept).copy()
        rows.eliminate_zeros()
        return WindowStrategy(rows, self.slope(kept)[0])

    def rows(self, values: FloatArray) -> sparse.csr_array:
        """B, rows x levels."""
        shape = (len(self.windows), self.workload.cells)
        return sparse.csr_array((values, self.columns, self.ends), shape=shape)

    def slope(self, values: FloatArray) -> tuple[float, FloatArray]:
        """E_1 and its gradient in the entries of B."""
        rows = self.rows(values)
        scale = 1 + np.asarray(rows.sum(axis=0)).ravel()
        reach = scale[:, None] * _applied(self.workload, (rows * scale).T.toarray())
        inner = np.linalg.inv(np.eye(len(self.windows)) + (rows @ rows.T).toarray())
        right = rows @ reach
        middle = inner @ ((right + right.T) / 2) @ inner
        both = rows.T @ np.hstack([inner, middle])
        answered, twice = both[:, : len(inner)], both[:, len(inner) :]
        error = float(scale**2 @ self.diagonal - np.sum(right * inner))
        by_scale = self.diagonal * scale - np.sum(reach * answered, axis=1) / scale
        slope = 2 * by_scale[self.columns]
        for row, window in enumerate(self.windows):
            here = slice(window.first, window.after)
            slope[self.ends[row] : self.ends[row + 1]] += 2 * (
                twice[here, row] - reach[here] @ inner[row]
            )
        return error, np.asarray(slope)

    def _grouped(self, groups: np.ndarray, start: FloatArray, steps: int) -> FloatArray:
        def slope(weights: FloatArray) -> tuple[float, FloatArray]:
            error, gradient = self.slope(weights[groups])
            return error, np.bincount(groups, gradient, len(start)).astype(np.float64)

        return descend(slope, start, steps, _LARGEST)[0]


def _diagonal(workload: OneWay) -> FloatArray:
    """diag V: how many asked numbers count a level."""
    n, place = workload.cells, np.arange(workload.cells, dtype=np.float64)
    return (n - place) * (1.0 if workload.ask is Ask.CDF else place + 1)


def _applied(workload: OneWay, columns: FloatArray) -> FloatArray:
    """V times the columns of an n x p matrix, by cumulated sums of terms without cancellation."""
    n = workload.cells
    place = np.arange(n, dtype=np.float64)[:, None]
    before = place + 1 if workload.ask is Ask.RANGES else np.ones_like(place)
    upto = np.cumsum(before * columns, axis=0)
    beyond = np.cumsum(((n - place) * columns)[::-1], axis=0)[::-1]
    return np.asarray((n - place) * upto + before * (beyond - (n - place) * columns))
