"""CDFs and ranges over thousands of ordered levels: the Gaussian optimum in time O(n) a step.

The inverse of W'W is tridiagonal for a CDF and for all ranges: W'W = c T^-1 with T = (-1, 2, -1),
whose first entry is 1 for a CDF, and c = 1 or n + 1. Therefore M of ``duals`` is

    M = sqrt(c) (D^-1/2 T D^-1/2)^-1/2,

and an inverse square root is a sum of shifted inverses (Hale, Higham and Trefethen 2008, method 3)
of a tridiagonal matrix, of which only the diagonal is needed. With pivots d_i of the factorization
from above and u_i of the one from below, (A^-1)_ii = 1 / (d_i + u_i - a_i).
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigvalsh_tridiagonal, solve_banded
from scipy.linalg.lapack import dpttrf
from scipy.special import ellipj, ellipkm1

from analytics.workloads.asks import Ask, OneWay
from analytics.workloads.checks import FloatArray, WorkloadError, checked_cells
from analytics.workloads.duals import GAP, Certified, best, optimum

# Certified to 1e-6 in 7 steps (ranges) to 40 (a CDF) of some 20 ms at this size.
MOST_LEVELS = 1_000_000
# The error of the sum falls as exp(-2 pi^2 nodes / (3 + log condition)): 1e-12 at a million levels.
_NODES = 40
# Bisection finds the least eigenvalue to rounding; the margin keeps it inside the interval.
_MARGIN = 1e-3
# LAPACK's routines take two rows and more.
_FEWEST = 3


@dataclass(frozen=True, eq=False)
class Tridiagonal:
    """A symmetric tridiagonal matrix: ``main`` (n,) and ``beside`` (n - 1,)."""

    main: FloatArray
    beside: FloatArray

    def scaled(self, scale: FloatArray) -> "Tridiagonal":
        """diag(scale) T diag(scale)."""
        return Tridiagonal(self.main * scale**2, self.beside * scale[:-1] * scale[1:])

    def inverse_diagonal(self, shift: float) -> FloatArray:
        """diag (T + shift I)^-1 of a positive definite matrix."""
        main = self.main + shift
        above, below = _pivots(main, self.beside), _pivots(main[::-1], self.beside[::-1])[::-1]
        return np.asarray(1 / (above + below - main))

    def solve(self, shift: float, right: FloatArray) -> FloatArray:
        """(T + shift I)^-1 times a vector or the columns of a matrix."""
        banded = np.zeros((3, len(self.main)))
        banded[0, 1:], banded[1], banded[2, :-1] = self.beside, self.main + shift, self.beside
        return np.asarray(solve_banded((1, 1), banded, right))

    def extremes(self) -> tuple[float, float]:
        """Numbers just below the least and above the largest eigenvalue."""
        least = eigvalsh_tridiagonal(
            self.main, self.beside, select="i", select_range=(0, 0), lapack_driver="stebz"
        )[0]
        beside = np.abs(self.beside)
        largest = (self.main + np.append(beside, 0) + np.append(0, beside)).max()
        return float(least) * (1 - _MARGIN), float(largest) * (1 + _MARGIN)


def tridiagonal_of(workload: OneWay) -> tuple[Tridiagonal, float]:
    """T and c with W'W = c T^-1, for a CDF or all ranges. Raises WorkloadError for other asks."""
    n = checked_cells("cells", workload.cells, MOST_LEVELS)
    if workload.ask not in (Ask.CDF, Ask.RANGES):
        raise WorkloadError("ask", workload.ask, "only a CDF and ranges have this form")
    main = np.full(n, 2.0)
    if workload.ask is Ask.CDF:
        main[0] = 1.0
    constant = 1.0 if workload.ask is Ask.CDF else n + 1.0
    return Tridiagonal(main, np.full(n - 1, -1.0)), constant


def optimum_of(workload: OneWay, gap: float = GAP) -> Certified:
    """The certified optimum of a CDF or of all ranges, up to a million levels. WorkloadError."""
    if workload.cells < _FEWEST:
        return optimum(workload, gap)
    matrix, constant = tridiagonal_of(workload)

    def diagonal(mu: FloatArray) -> FloatArray:
        scaled = matrix.scaled(mu**-0.5)
        shifts, weights = inverse_root(scaled, _NODES)
        pairs = zip(shifts, weights, strict=True)
        total = sum(weight * scaled.inverse_diagonal(shift) for shift, weight in pairs)
        return np.asarray(math.sqrt(constant) * total)

    return best(diagonal, workload.cells, gap)


def singular_value_bound_of(workload: OneWay) -> float:
    """The singular value bound in closed form, from the eigenvalues of T.

    Ranges: (n + 1) / (4 n) (sum 1 / sin(k pi / (2 (n + 1))))^2; a CDF: (1 / n) (sum
    1 / (2 sin((2k - 1) pi / (2 (2n + 1)))))^2, k = 1..n. Raises WorkloadError for other asks.
    """
    n, k = workload.cells, np.arange(1, workload.cells + 1)
    if workload.ask is Ask.RANGES:
        sines = np.sin(k * np.pi / (2 * (n + 1)))
        return float((n + 1) / (4 * n) * (1 / sines).sum() ** 2)
    if workload.ask is Ask.CDF:
        sines = np.sin((2 * k - 1) * np.pi / (2 * (2 * n + 1)))
        return float((1 / (2 * sines)).sum() ** 2 / n)
    raise WorkloadError("ask", workload.ask, "only a CDF and ranges have this form")


def inverse_root(matrix: Tridiagonal, nodes: int) -> tuple[FloatArray, FloatArray]:
    """Shifts and weights with T^-1/2 close to the sum of weight (T + shift I)^-1.

    A^-1/2 = (2 / pi) int_0^inf (A + w^2)^-1 dw, with w = sqrt(m) sc(s | 1 - m / M) and the midpoint
    rule in s (Hale, Higham and Trefethen 2008), m and M as ``extremes``.
    """
    least, largest = matrix.extremes()
    ratio = least / largest
    quarter = ellipkm1(ratio)
    places = (np.arange(nodes) + 0.5) * quarter / nodes
    sine, cosine, delta, _ = ellipj(places, 1 - ratio)
    weights = 2 / np.pi * quarter / nodes * math.sqrt(least) * delta / cosine**2
    return np.asarray(least * (sine / cosine) ** 2), np.asarray(weights)


def _pivots(main: FloatArray, beside: FloatArray) -> FloatArray:
    pivots, _, failed = dpttrf(main, beside)
    if failed:  # pragma: no cover - T is positive definite for every mu above 0
        raise WorkloadError("cells", len(main), "the levels differ too much in weight")
    return np.asarray(pivots)
