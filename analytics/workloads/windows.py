"""Windows: the least error of Laplace noise that a sparse strategy reaches for ordered levels.

A = [I; B] D with B >= 0 and D = diag(1 / (1 + sum_k B_k)), so that every column has L1 norm 1, as
in the p-Identity strategies of McKenna, Miklau, Hay and Machanavajjhala (2018), whose B
is dense; here its rows stand on half-overlapping windows and the whole range. With V = W'W,
S = D^-1, Q = (I + B B')^-1 and R = B S V S B',

    E_1 = tr(S V S) - tr(R Q),
    dE_1/dB = -2 S V S B' Q + 2 B' Q R Q + 2 (level j: (V S (I + B'B)^-1)_jj),

each wanted where B has entries alone, which ``patterns`` gives in linear time. Not convex: the best
of several starts, the identity among them; ``duals`` bounds what any L2 strategy can do, which says
nothing for L1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.optimize import minimize

from analytics.workloads.asks import Ask, OneWay
from analytics.workloads.checks import FloatArray, WorkloadError, checked_cells
from analytics.workloads.patterns import Entries, Pattern, Windows
from surveys.randomized_response.threads import on_one_thread

Slope = Callable[[FloatArray], tuple[float, FloatArray]]

# Directions remembered: the errors are long narrow valleys, in which 10, SciPy's own, take longer.
_REMEMBERED = 20
# 700 rows: a step takes 0.1 s and all of it 0.4 GB.
MOST_LEVELS = 16_384
# Up to here every row stands on all levels, and several random starts are cheap.
_DENSE_TO = 256
_DENSE_STARTS = 6
# Narrowest windows, how much wider the next are, and rows on all levels. Each is the best of them
# for some ask and some number of levels: trials of a few steps choose. The first has a row for
# every 8 levels, which takes too long above ``_FINEST_TO``.
_SHAPES = ((32, 2, 2), (32, 4, 2), (64, 4, 2))
_TRIAL = 50
_FINEST_TO = 4_096
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


@on_one_thread
def plan_windows(workload: OneWay, rng: np.random.Generator, steps: int = 600) -> WindowStrategy:
    """The best strategy found for the CDF or ranges of up to 16,384 levels. WorkloadError.

    ``steps`` of L-BFGS from each start.
    """
    n = checked_cells("cells", workload.cells, MOST_LEVELS)
    if workload.ask not in (Ask.CDF, Ask.RANGES):
        raise WorkloadError("ask", workload.ask, "windows answer a CDF or ranges")
    candidates = [_identity(workload)]
    if n <= _DENSE_TO:
        # Numbers of rows that won in trials at 8 to 256 levels: a sixteenth, and a few more.
        for rows in sorted({max(1, n // 16), n // 16 + 1, n // 16 + 2}):
            problem = _WindowProblem.on(workload, _everywhere(n, rows))
            starts = (problem.random(rng) for _ in range(_DENSE_STARTS))
            candidates += [problem.strategy(problem.descend(start, steps)[0]) for start in starts]
    else:
        problem, start = _best_trial(workload, rng, min(steps, _TRIAL))
        candidates.append(problem.strategy(problem.descend(start, steps)[0]))
    return min(candidates, key=lambda candidate: candidate.error)


def _best_trial(
    workload: OneWay, rng: np.random.Generator, steps: int
) -> tuple["_WindowProblem", FloatArray]:
    """The shape that is ahead after a few steps, and where it has come to."""
    trials = []
    for shape in _SHAPES[workload.cells > _FINEST_TO :]:
        problem = _WindowProblem.on(workload, _windows(workload.cells, *shape))
        trials.append((problem, problem.descend(problem.by_width() * problem.jitter(rng), steps)))
    problem, (reached, _) = min(trials, key=lambda trial: trial[1][1])
    return problem, reached


def _identity(workload: OneWay) -> WindowStrategy:
    none = sparse.csr_array((1, workload.cells), dtype=np.float64)
    return WindowStrategy(none, float(Pattern(workload, Entries(())).diagonal.sum()))


def _everywhere(n: int, rows: int) -> list[Windows]:
    return [Windows(np.zeros(rows, dtype=np.int64), n)]


def _windows(n: int, narrowest: int, factor: int, most: int) -> list[Windows]:
    """Widths up to below n, each half over its neighbours, and the last up to the last level."""
    widths, width = [], narrowest
    while width < n:
        firsts = np.arange(0, n - width, width // 2)
        widths.append(Windows(np.append(firsts, n - width), width))
        width *= factor
    return [*widths, *_everywhere(n, most)]


@dataclass(frozen=True, eq=False)
class _WindowProblem:
    pattern: Pattern

    @classmethod
    def on(cls, workload: OneWay, widths: list[Windows]) -> "_WindowProblem":
        return cls(Pattern(workload, Entries(tuple(widths))))

    @cached_property
    def size(self) -> int:
        """How many entries B has."""
        return len(self.pattern.entries.columns)

    def random(self, rng: np.random.Generator) -> FloatArray:
        """A start with entries up to 0.1, 0.3 or 1."""
        return np.asarray(rng.random(self.size) * rng.choice([0.1, 0.3, 1.0]))

    def jitter(self, rng: np.random.Generator) -> FloatArray:
        """Factors from 0.7 to 1.3: a start that is symmetric stays so, and symmetric ends worse."""
        return rng.uniform(0.7, 1.3, self.size)

    def by_width(self) -> FloatArray:
        """The best start with one weight a width, then one profile along the windows of a width."""
        groups = self.pattern.entries.groups
        weights = self._grouped(groups, np.full(int(groups.max()) + 1, 0.1), 30)[groups]
        keys = groups * self.pattern.workload.cells + self.pattern.entries.places
        groups = np.unique(keys, return_inverse=True)[1]
        start = np.bincount(groups, weights) / np.bincount(groups)
        return np.asarray(self._grouped(groups, start, 60)[groups])

    def descend(self, start: FloatArray, steps: int) -> tuple[FloatArray, float]:
        """What L-BFGS finds within the bounds, and its error."""
        return descend(self.slope, start, steps, _LARGEST)

    def strategy(self, weights: FloatArray) -> WindowStrategy:
        """Without entries that answer nothing, and its error worked out anew."""
        kept = np.where(weights < _SMALLEST, 0.0, weights)
        rows = self.pattern.matrix(kept).copy()
        rows.eliminate_zeros()
        return WindowStrategy(rows, self.slope(kept)[0])

    def slope(self, values: FloatArray) -> tuple[float, FloatArray]:
        """E_1 and its gradient in the entries of B."""
        pattern, columns = self.pattern, self.pattern.entries.columns
        rows, scale = pattern.matrix(values), 1 + pattern.sums(values)
        scaled = values * scale[columns]
        reached = pattern.reached(scaled)
        products = pattern.products(scaled, reached)
        inner = _inverse(np.eye(pattern.entries.rows) + (rows @ rows.T).toarray())
        own = pattern.stacks.through(values, inner @ products @ inner)
        reach = scale[columns] * pattern.reached_through(reached, inner)
        by_scale = pattern.diagonal * scale - pattern.sums(reach * values) / scale
        error = float(scale**2 @ pattern.diagonal - np.sum(products * inner))
        return error, 2 * (by_scale[columns] + own - reach)

    def _grouped(self, groups: np.ndarray, start: FloatArray, steps: int) -> FloatArray:
        def slope(weights: FloatArray) -> tuple[float, FloatArray]:
            error, gradient = self.slope(weights[groups])
            return error, np.bincount(groups, gradient, len(start)).astype(np.float64)

        return descend(slope, start, steps, _LARGEST)[0]


def _inverse(matrix: FloatArray) -> FloatArray:
    """Of a positive definite matrix, by Cholesky's factor: half the work of a general one."""
    upper, _ = dpotrf(matrix)
    inverse, _ = dpotri(upper)
    return np.asarray(np.triu(inverse) + np.triu(inverse, 1).T)


def descend(
    slope: Slope, start: FloatArray, steps: int, largest: float | None = None
) -> tuple[FloatArray, float]:
    """The point after at most ``steps`` steps of L-BFGS, and its value.

    ``slope`` takes a point to its value and gradient. With ``largest`` every parameter stays
    between 0 and that; else it is free. Ends where a step gains less than a relative 1e-10. Byrd,
    Lu, Nocedal and Zhu (1995).
    """
    bounds = None if largest is None else [(0.0, largest)] * len(start)
    options: Any = {
        "maxiter": steps, "maxfun": 2 * steps + 100, "maxcor": _REMEMBERED,
        "ftol": 1e-10, "gtol": 1e-10,
    }  # fmt: skip
    result = minimize(slope, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return np.asarray(result.x), float(result.fun)
