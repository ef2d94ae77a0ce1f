"""Multiscale strategies: a CDF or ranges over thousands of levels, released without a matrix.

The optimum of ``neighbours`` is A'A = N (sum_q w_q (T + t_q D)^-1) N for a few nodes q, with N such
that every column has norm 1: five nodes are within 0.02 % of it. With T + t_q D = L L',
the rows of A are sqrt(w_q) L^-1 N, which a recursion along the levels applies:
y_i = a_i x_i + r_i y_(i-1), all numbers at least 0. Least squares are conjugate gradients on A'A.

What is released is A x in units of 2^-20, rounded, worked out in exact integers: with coefficients
of 64 binary places, every answer is off by less than 1/2 + 2^-20 of a unit, so that a respondent
moves the integers by at most 2^20 |A e| + sqrt(rows) in L2, and 2^20 |A e|_1 + rows in L1.
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.linalg import solve_banded
from scipy.linalg.lapack import dpttrf
from scipy.optimize import brentq

from analytics.privacy.accounting import Adjacency
from analytics.privacy.checks import IntArray, checked_integers
from analytics.privacy.mechanisms import Noise, Release, release_sum
from analytics.workloads.asks import OneWay
from analytics.workloads.checks import FloatArray, StrategyError, checked_cells
from analytics.workloads.neighbours import Tridiagonal, inverse_root, optimum_of, tridiagonal_of

MOST_LEVELS = 16_384
_BITS, _NODES, _GAP = 20, 5, 1e-5
# Nodes with which the square root in the preconditioner is exact to rounding.
_MANY_NODES = 40
_PLACES = 64
# Norms are sums of positive floats over the levels: 1e-11 of rounding at most.
_ROUNDING = 1 + 1e-9
# Every answer is off by at most 1/2 and the recursion's truncation, 16,384 2^-64 2^bits.
_APART = 1 + 1e-6
_RESIDUAL, _MOST_STEPS = 1e-12, 60


@dataclass(frozen=True, eq=False)
class Multiscale:
    """``start`` and ``carry`` are a and r, nodes x levels; see the head of this module."""

    workload: OneWay
    matrix: Tridiagonal
    mu: FloatArray
    shifts: FloatArray
    weights: FloatArray
    unit: FloatArray
    start: FloatArray
    carry: FloatArray

    @property
    def rows(self) -> int:
        """How many integers are released."""
        return self.start.size

    def norm(self, order: int) -> float:
        """The largest L1 or L2 norm of a column of A, rounded up."""
        total = np.zeros(self.start.shape[1])
        for start, carry in zip(self.start, self.carry, strict=True):
            beyond = 0.0
            for level in range(len(start) - 1, -1, -1):
                following = carry[level + 1] ** order if level + 1 < len(start) else 0.0
                beyond = 1 + following * beyond
                total[level] += start[level] ** order * beyond
        return float(total.max() ** (1 / order)) * _ROUNDING

    def sensitivity(self, order: int, adjacency: Adjacency = Adjacency.ADD_OR_REMOVE) -> int:
        """A whole bound of how far one respondent moves the integers, in L1 or L2.

        Columns are not negative, so that two of them are at most sqrt(2) (L2) or 2 (L1) norms
        apart.
        """
        factor = 2.0 ** (1 / order) if adjacency is Adjacency.REPLACE else 1.0
        rounding = float(self.rows) ** (1 / order) * _APART
        bound: float = (factor * self.norm(order) * 2.0**_BITS + rounding) * _ROUNDING
        return math.ceil(bound)

    def answers(self, counts: Any) -> IntArray:
        """A x, rounded, in units of 2^-20: nodes times levels. Raises StrategyError."""
        cells = checked_integers("counts", counts, StrategyError)
        if cells.shape != (self.workload.cells,) or cells.min() < 0:
            remedy = f"give {self.workload.cells:,} counts of 0 or more"
            raise StrategyError("counts", cells.shape, remedy)
        people, half = cells.tolist(), 1 << (_PLACES - _BITS - 1)
        values = []
        for start, carry in zip(self.start, self.carry, strict=True):
            so_far = 0
            for own, kept, count in zip(_fixed(start), _fixed(carry), people, strict=True):
                so_far = own * count + (kept * so_far >> _PLACES)
                values.append((so_far + half) >> (_PLACES - _BITS))
        if max(values) > 2**61:
            raise StrategyError("counts", sum(people), "there are too many respondents for 64 bits")
        return np.array(values, dtype=np.int64)

    def counts(self, noisy: Any) -> FloatArray:
        """The least-squares estimate of the counts from noisy answers, (levels,)."""
        scaled = np.asarray(noisy, dtype=np.float64).reshape(self.start.shape) / 2.0**_BITS
        right = sum(
            (
                self.unit * math.sqrt(weight) * self._factor_solved(shift, row)
                for shift, weight, row in zip(self.shifts, self.weights, scaled, strict=True)
            ),
            start=np.zeros(self.workload.cells),
        )
        return self._solved(right[:, None])[:, 0]

    def variances(self, firsts: Any, lasts: Any) -> FloatArray:
        """Of the counts from level ``firsts`` to ``lasts``, both included, for noise of 1 unit."""
        first, last = _checked_ranges(firsts, lasts, self.workload.cells)
        level = np.arange(self.workload.cells)[:, None]
        asked = ((level >= first) & (level <= last)).astype(np.float64)
        return np.asarray((asked * self._solved(asked)).sum(axis=0) / 4.0**_BITS)

    def expected_error(self, adjacency: Adjacency = Adjacency.ADD_OR_REMOVE) -> float:
        """E_2 = Delta^2 tr(W'W (A'A)^-1), over all numbers asked, in time O(levels).

        A'A = N D^-1/2 f(K) D^-1/2 N with f(z) = sum w_q / (z + t_q). 1 / f is a z + b + sum
        p_j / (z + s_j), where the -s_j are the zeros of f: one between each two nodes. So
        (A'A)^-1 = N^-1 (a T + b D + sum p_j D (T + s_j D)^-1 D) N^-1, and W'W = c T^-1.
        """
        _, constant = tridiagonal_of(self.workload)
        bare, beside = 1 / self.unit, self.matrix.beside
        slope, level, poles, parts = _inverted(self.shifts, self.weights)
        inverse = _Inverse.of(self.matrix)
        main = slope * self.matrix.main + level * self.mu
        apart = -beside / inverse.pivots[:-1] * inverse.diagonal[1:]
        total = float((inverse.diagonal * bare**2 * main).sum())
        total += 2 * slope * float((apart * bare[:-1] * bare[1:] * beside).sum())
        for pole, part in zip(poles, parts, strict=True):
            shifted = Tridiagonal(self.matrix.main + pole * self.mu, beside)
            total += part * _paired(inverse, _Inverse.of(shifted), bare * self.mu)
        cells = 2 if adjacency is Adjacency.REPLACE else 1
        return constant * total * cells * self.norm(2) ** 2

    def _factor_solved(self, shift: float, right: FloatArray) -> FloatArray:
        """L'^-1 times a vector, for L L' = T + shift D."""
        diagonal = np.sqrt(_pivots(self.matrix, shift, self.mu))
        banded = np.zeros((2, len(diagonal)))
        banded[0, 1:], banded[1] = self.matrix.beside / diagonal[:-1], diagonal
        return np.asarray(solve_banded((0, 1), banded, right))

    def _gram(self, right: FloatArray) -> FloatArray:
        """A'A times columns."""
        scaled, total = self.unit[:, None] * right, np.zeros_like(right)
        for shift, weight in zip(self.shifts, self.weights, strict=True):
            shifted = Tridiagonal(self.matrix.main + shift * self.mu, self.matrix.beside)
            total += weight * shifted.solve(0.0, scaled)
        return np.asarray(self.unit[:, None] * total)

    def _near_inverse(self, right: FloatArray) -> FloatArray:
        """N^-1 D^1/2 K^1/2 D^1/2 N^-1 with K = D^-1/2 T D^-1/2: the inverse with many nodes."""
        root, scaled = np.sqrt(self.mu)[:, None], self.matrix.scaled(self.mu**-0.5)
        inner, total = root * right / self.unit[:, None], np.zeros_like(right)
        for shift, weight in zip(*inverse_root(scaled, _MANY_NODES), strict=True):
            total += weight * scaled.solve(float(shift), inner)
        return np.asarray(root * _times(scaled, total) / self.unit[:, None])

    def _solved(self, right: FloatArray) -> FloatArray:
        """(A'A)^-1 times columns, by preconditioned conjugate gradients (Hestenes and Stiefel).

        Raises StrategyError where they do not converge.
        """
        solution, rest = np.zeros_like(right), right.copy()
        ahead = self._near_inverse(rest)
        step, size = ahead.copy(), (rest * ahead).sum(axis=0)
        least = _RESIDUAL**2 * np.maximum((right**2).sum(axis=0), 1e-300)
        for _ in range(_MOST_STEPS):
            moved = self._gram(step)
            along = (step * moved).sum(axis=0)
            length = np.divide(size, along, out=np.zeros_like(size), where=along > 0)
            solution, rest = solution + length * step, rest - length * moved
            if ((rest**2).sum(axis=0) <= least).all():
                return np.asarray(solution)
            ahead = self._near_inverse(rest)
            before, size = size, (rest * ahead).sum(axis=0)
            turn = np.divide(size, before, out=np.zeros_like(size), where=before > 0)
            step = ahead + turn * step
        remedy = "its equations were not solved: ask for fewer levels"
        raise StrategyError("levels", len(right), remedy)


@dataclass(frozen=True, eq=False)
class PublishedRanges:
    """Counts of ranges of levels with their standard errors; all agree with ``counts``."""

    counts: FloatArray
    values: FloatArray
    standard_errors: FloatArray
    release: Release


def multiscale(workload: OneWay) -> Multiscale:
    """The strategy for a CDF or ranges of 3 to 16,384 levels. Raises WorkloadError."""
    checked_cells("cells", workload.cells, MOST_LEVELS)
    matrix, _ = tridiagonal_of(workload)
    mu = optimum_of(workload, _GAP).mu
    shifts, weights = inverse_root(matrix.scaled(mu**-0.5), _NODES)
    pairs = list(zip(shifts.tolist(), weights.tolist(), strict=True))
    diagonal = sum(
        (
            weight * Tridiagonal(matrix.main + shift * mu, matrix.beside).inverse_diagonal(0.0)
            for shift, weight in pairs
        ),
        start=np.zeros(len(mu)),
    )
    unit, start, carry = 1 / np.sqrt(diagonal), [], []
    for shift, weight in pairs:
        root = np.sqrt(_pivots(matrix, shift, mu))
        start.append(math.sqrt(weight) * unit / root)
        carry.append(np.append(0.0, -matrix.beside / (root[:-1] * root[1:])))
    return Multiscale(workload, matrix, mu, shifts, weights, unit, np.array(start), np.array(carry))


def publish_ranges(
    strategy: Multiscale,
    counts: Any,
    firsts: Any,
    lasts: Any,
    *,
    mu: float,
    noise: Noise,
    adjacency: Adjacency = Adjacency.ADD_OR_REMOVE,
) -> PublishedRanges:
    """Counts from level ``firsts`` to ``lasts``, for a charge of at most ``mu``.

    Raises StrategyError before anything is drawn, NoiseError.
    """
    exact = strategy.answers(counts)
    first, last = _checked_ranges(firsts, lasts, strategy.workload.cells)
    spread = strategy.variances(first, last)
    moved = strategy.sensitivity(2, adjacency)
    released = release_sum(exact, sensitivity=moved, mu=mu, noise=noise)
    estimate = strategy.counts(released.values)
    upto = np.append(0.0, np.cumsum(estimate))
    errors = released.lattice_sd * np.sqrt(spread)
    return PublishedRanges(estimate, upto[last + 1] - upto[first], errors, released)


@dataclass(frozen=True, eq=False)
class _Inverse:
    """The inverse G of a tridiagonal T: G_ij = -(T_i,i+1 / pivot_i) G_(i+1)j above the diagonal."""

    pivots: FloatArray
    diagonal: FloatArray
    ratios: FloatArray

    @classmethod
    def of(cls, matrix: Tridiagonal) -> "_Inverse":
        pivots = _pivots(matrix, 0.0, np.zeros(len(matrix.main)))
        return cls(pivots, matrix.inverse_diagonal(0.0), -matrix.beside / pivots[:-1])


def _paired(inverse: _Inverse, other: _Inverse, scale: FloatArray) -> float:
    """sum_ij G_ij H_ij a_i a_j of two inverses: each column is its diagonal times ratios."""
    both = (inverse.ratios * other.ratios).tolist()
    ends = (inverse.diagonal * other.diagonal * scale).tolist()
    total = above = 0.0
    for position, own in enumerate(scale.tolist()):
        above *= both[position - 1] if position else 0.0
        total += ends[position] * (own + 2 * above)
        above += own
    return total


def _inverted(
    shifts: FloatArray, weights: FloatArray
) -> tuple[float, float, list[float], list[float]]:
    """1 / sum weight / (z + shift) as a z + b + sum part / (z + pole): a, b, poles, parts.

    Partial fractions. For weights above 0 the sum falls between two neighbouring poles of its own,
    from infinity to minus infinity, so that it has one zero there, at which 1 over its slope is
    left over; a and b follow from the two largest orders in 1 / z.
    """
    order = np.argsort(shifts)
    nodes, own = shifts[order], weights[order]
    total = float(own.sum())

    def value(shift: float) -> float:
        return float((own / (nodes - shift)).sum())

    poles = [
        float(brentq(value, low + 1e-12 * (high - low), high - 1e-12 * (high - low), xtol=1e-300))
        for low, high in pairwise(nodes.tolist())
    ]
    parts = [-1 / float((own / (nodes - pole) ** 2).sum()) for pole in poles]
    return 1 / total, float((own * nodes).sum()) / total**2, poles, parts


def _pivots(matrix: Tridiagonal, shift: float, mu: FloatArray) -> FloatArray:
    pivots, _, _ = dpttrf(matrix.main + shift * mu, matrix.beside)
    return np.asarray(pivots)


def _times(matrix: Tridiagonal, right: FloatArray) -> FloatArray:
    product = matrix.main[:, None] * right
    product[:-1] += matrix.beside[:, None] * right[1:]
    product[1:] += matrix.beside[:, None] * right[:-1]
    return np.asarray(product)


def _fixed(values: FloatArray) -> list[int]:
    """Doubles in 64 binary places; the bound of the norm covers the last place."""
    return [int(math.ldexp(value, _PLACES)) for value in values.tolist()]


def _checked_ranges(firsts: Any, lasts: Any, levels: int) -> tuple[IntArray, IntArray]:
    first = checked_integers("firsts", firsts, StrategyError)
    last = checked_integers("lasts", lasts, StrategyError)
    if first.shape != last.shape or first.ndim != 1:
        raise StrategyError("lasts", last.shape, "give one last level for each first one")
    if (first < 0).any() or (last >= levels).any() or (first > last).any():
        remedy = f"a range goes from a level to the same or a later one, of 0 to {levels - 1}"
        raise StrategyError("firsts", "a range upside down or outside", remedy)
    return first, last
