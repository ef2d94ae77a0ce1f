"""Scales: the channel with the least variance for what a long scale is asked for.

A report y of an answer x has probability Q[y, x]. The rows of an epsilon-private channel lie in the
cone q_i <= e^epsilon q_j, and splitting a row into extreme rays of that cone, whose entries are 1
and e^epsilon alone, never loses (q -> q q' / 1'q is convex and homogeneous; Kairouz, Oh and
Viswanath 2016, for other utilities). With rows theta_S s_S for all such patterns s_S,

    minimise tr(W'W M^-1) / k,   M = sum_S theta_S s_S s_S' / 1's_S,   sum_S theta_S s_S = 1,

which is convex in theta >= 0. The value, less tr(W'W) / k, is the variance of the best linear
unbiased estimate of W times the shares from one respondent, averaged over uniform answers (McKenna,
Maity, Mazumdar and Miklau 2020, who descend on it from random starts instead).
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...checks import checked_between
from ...columns import checked_floats
from ...errors import DesignError
from ..design import DesignLike, channel_of

Array = NDArray[np.float64]

# 2^k - 2 patterns: 4,094 at 12 levels, a Newton step of 0.3 s.
MOST_LEVELS = 12
# A relative gap of 1e-7 is far below what rounding a channel to integers costs.
_GAP = 1e-7
_GROWTH = 8.0
_MOST_STEPS = 400


class Purpose(StrEnum):
    """What the shares of a scale are asked for."""

    HISTOGRAM = "histogram"
    CDF = "cdf"
    MEAN = "mean"


def asked_of_scale(purpose: Purpose, levels: int) -> Array:
    """W, rows x levels: every share; the shares up to each level but the last; the mean of 0 to 1.

    >>> asked_of_scale(Purpose.CDF, 3)
    array([[1., 0., 0.],
           [1., 1., 0.]])
    """
    k = _checked_levels(levels)
    if purpose is Purpose.HISTOGRAM:
        return np.eye(k)
    if purpose is Purpose.CDF:
        return np.tri(k - 1, k)
    return np.asarray((np.arange(k) / (k - 1))[None])


def scale_variances(channel: object, asked: object) -> Array:
    """The variance from one respondent, summed over the rows asked, by true answer, (levels,).

    ``channel`` is reports x levels with columns that sum to 1, ``asked`` rows x levels. The
    estimate is the best linear unbiased one for uniform answers, (Q' D^-1 Q)^-1 Q' D^-1 with D the
    reports' probabilities then. Raises DesignError where the reports cannot tell the levels apart.

    >>> krr = np.full((5, 5), 1 / 7) + np.eye(5) * (3 - 1) / 7
    >>> round(float(scale_variances(krr, asked_of_scale(Purpose.MEAN, 5)).mean()), 6)
    1.40625
    """
    reports, rows = np.asarray(channel, dtype=np.float64), np.asarray(asked, dtype=np.float64)
    seen = reports[reports.sum(axis=1) > 0]
    weighted = seen / seen.mean(axis=1, keepdims=True)
    information = weighted.T @ seen
    # Beyond this a solution has three digits of a float left at best.
    if np.linalg.cond(information) > 1e13:
        remedy = "its reports must tell all levels apart"
        raise DesignError("channel", reports.shape, remedy)
    estimates = rows @ np.linalg.solve(information, weighted.T)
    return np.asarray((estimates**2).sum(axis=0) @ seen - (rows**2).sum(axis=0))


def gain_over_k_ary(design: DesignLike | ArrayLike, purpose: Purpose) -> float:
    """How many times the people k-ary response needs for the same error, at the same epsilon.

    ``design``: one, or a table of reports x levels, with chances above 0. Variances are averaged
    over uniform answers and summed over the rows asked; what differs between people is not in them.
    k-ary response: Kairouz, Bonawitz and Ramage (2016). Raises DesignError as ``scale_variances``.

    >>> krr = np.full((7, 7), 1 / 9) + np.eye(7) * (3 - 1) / 9
    >>> round(gain_over_k_ary(krr, Purpose.CDF), 6)
    1.0
    """
    is_table = isinstance(design, np.ndarray | list | tuple)
    table = design if is_table else channel_of(cast(DesignLike, design)).matrix
    reports = checked_floats("design", cast(ArrayLike, table), DesignError)
    if reports.ndim != 2:
        raise DesignError("design", reports.shape, "give a table: one row for each report")
    levels = reports.shape[1]
    odds = float((reports.max(axis=1) / reports.min(axis=1)).max())
    k_ary = (np.ones((levels, levels)) + np.eye(levels) * (odds - 1)) / (odds + levels - 1)
    asked = asked_of_scale(purpose, levels)
    ours, theirs = (scale_variances(each, asked).mean() for each in (reports, k_ary))
    return float(theirs / ours)


def best_patterns(levels: int, odds: float, asked: Array) -> tuple[NDArray[np.bool_], Array]:
    """Sets of levels (reports x levels, true inside), and the weight of each outside of it.

    For any rows asked, ``asked`` rows x levels. The columns sum to 1 but for rounding.
    """
    problem = PatternProblem.of(_checked_levels(levels), odds, asked)
    theta, _ = problem.solved()
    kept = theta > 1e-9 * theta.max()
    return problem.patterns[kept] > 1, theta[kept]


@dataclass(frozen=True, eq=False)
class PatternProblem:
    """``patterns``: all rows with entries 1 and e^epsilon, patterns x levels; ``rows``: W."""

    patterns: Array
    rows: Array

    @classmethod
    def of(cls, levels: int, odds: float, rows: Array) -> "PatternProblem":
        codes = np.arange(1, 2**levels - 1)
        high = (codes[:, None] >> np.arange(levels)) & 1
        return cls(np.where(high == 1, odds, 1.0), rows)

    @property
    def lengths(self) -> Array:
        return np.asarray(self.patterns.sum(axis=1))

    def information(self, theta: Array) -> Array:
        """M."""
        return np.asarray((self.patterns * (theta / self.lengths)[:, None]).T @ self.patterns)

    def value(self, theta: Array) -> float:
        """tr(W'W M^-1)."""
        half = np.linalg.solve(np.linalg.cholesky(self.information(theta)), self.rows.T)
        return float((half**2).sum())

    def solved(self) -> tuple[Array, float]:
        """theta within the gap of the best, and a lower bound of the value.

        Newton's method with a logarithmic barrier (Boyd and Vandenberghe 2004, chapter 11). The
        Hessian has the rank of levels x rows, so that a step is a small system.
        """
        count = len(self.patterns)
        theta = np.full(count, 1 / self.patterns.sum(axis=0)[0])
        value = self.value(theta)
        weight, lower = count / value, -math.inf
        for _ in range(_MOST_STEPS):
            step, decrement, prices = self._newton(theta, weight)
            theta = self._stepped(theta, step, weight)
            # Only near the centre of the barrier do its prices give a bound, and may its weight
            # grow.
            if decrement < 0.1:
                value, bound = self.value(theta), self._bound(theta, prices / weight)
                lower = max(lower, bound)
                if value - lower < _GAP * value:
                    break
                weight *= _GROWTH
        return theta, lower

    def _newton(self, theta: Array, weight: float) -> tuple[Array, float, Array]:
        """The step, its squared Newton decrement, and the prices of the equalities."""
        slope, factors = self._slope(theta)
        gradient = weight * slope - 1 / theta
        scaled = theta[:, None] ** 2 * factors
        inner = np.eye(factors.shape[1]) / (2 * weight) + factors.T @ scaled
        both = np.column_stack([gradient, self.patterns])
        diagonal = theta[:, None] ** 2 * both
        solved = diagonal - scaled @ np.linalg.solve(inner, factors.T @ diagonal)
        prices = np.linalg.lstsq(
            self.patterns.T @ solved[:, 1:],
            1 - self.patterns.T @ (theta - solved[:, 0]),
            rcond=None,
        )[0]
        step = np.asarray(-solved[:, 0] + solved[:, 1:] @ prices)
        return step, float(abs(step @ gradient)), np.asarray(-prices)

    def _slope(self, theta: Array) -> tuple[Array, Array]:
        """The gradient of the value, and factors F with Hessian 2 F F'."""
        root = np.linalg.inv(np.linalg.cholesky(self.information(theta)))
        reached = self.patterns @ root.T
        answered = self.patterns @ (root.T @ root) @ self.rows.T
        factors = (reached[:, :, None] * answered[:, None, :]).reshape(len(theta), -1)
        return -(answered**2).sum(axis=1) / self.lengths, factors / self.lengths[:, None]

    def _stepped(self, theta: Array, step: Array, weight: float) -> Array:
        """As far along the step as the barrier falls, at most 99 % of the way to the border."""
        falling = step < 0
        border = float((-theta[falling] / step[falling]).min()) if falling.any() else math.inf
        length = min(1.0, 0.99 * border)
        before = self._barrier(theta, weight)
        for _ in range(30):
            moved = theta + length * step
            # Near the centre a step gains less than what rounding takes.
            if self._barrier(moved, weight) <= before + 1e-9 * abs(before):
                return np.asarray(moved)
            length /= 2
        return theta

    def _barrier(self, theta: Array, weight: float) -> float:
        return weight * self.value(theta) - float(np.log(theta).sum())

    def _bound(self, theta: Array, prices: Array) -> float:
        """2 tr(W'W M^-1) - n'1, a lower bound for prices n with n's >= s'Ps / |s| of every pattern.

        Convexity: the value at any theta' is at least the value less the sum of
        (theta' - theta) s'Ps / |s|, P = M^-1 W'W M^-1; and theta' costs at most n'1. The
        prices of the barrier are nearly such: all are raised by what the worst pattern misses.
        """
        slope, _ = self._slope(theta)
        wanted = -slope
        offered = self.patterns @ prices
        raised = float(np.max((wanted - offered) / self.lengths))
        worth = float(prices.sum()) + max(raised, 0.0) * self.patterns.shape[1]
        return float(2 * self.value(theta) - worth)


def _checked_levels(levels: object) -> int:
    return checked_between("levels", levels, 2, MOST_LEVELS, f"give 2 to {MOST_LEVELS} levels")
