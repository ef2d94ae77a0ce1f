"""Score intervals for the difference of a share between two groups that are both randomized.

With N and D the joint share of the answer and the size of a group, the share within it is q where
N_1 - q D_1 = 0, in the other group p where N_0 - p D_0 = 0. Both are mean scores of the same
reports; their squared distance from 0, T(q, p), in units of their estimated covariance, is
chi-squared with two degrees of freedom at the truth. A difference t is kept where the least T over
all p in [0, 1], with q = p + t in [0, 1] as well, is within a limit. If that least T lies inside
the range it has one degree of freedom, as p was chosen to fit. If it lies at an end, p was kept
from fitting, and it has at most two: with the share 0 in truth and p* the best p without the range,
T is the sum of U, one square that p* does not enter and which is the least T without the range, and
(p* / its error)^2. There t is kept where U and T are within limits of their own, which both squares
exceed with the same probability as the one square its limit inside the range. A limit on T alone
would keep differences near 1 and -1 where U is far above what it may be inside the range, because
an end is near every p. So the level holds, to first order, wherever the truth lies, however small a
group is; a group that may be empty leaves all p equally good. All limits are calibrated as in
``profiles``. The covariance is that of the counts
with one more for each squared normal quantile in all, spread evenly over the levels: counts of 0
are no certainty (after Agresti and Coull 1998). Sources: Fieller (1954) for one group; the least
over what is not asked for, and its limit where it is not identified: Guggenberger, Kleibergen,
Mavroeidis and Chen (2012). The ends of the range are our derivation.
"""

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from ..checks import FloatArray
from ..intervals.intervals import Interval
from ..intervals.profiles import (
    accepted_around,
    accepted_ends,
    calibrated,
    fieller_roots,
    squared_normal,
)
from ..messages import sentence
from ..roots import find_root

SCORE_TEST = sentence(
    "The interval uses a score test with fitted shares of both groups. It is approximate."
)
_SHARES = 121
_ROUNDING = 1e-12
# Of the failures at an end of the range, those that U alone decides: at 1 they would be all, and
# estimates far outside the range would widen intervals as Wald's; at 0, T alone decides. The share
# is a choice: nothing was tuned to it, and every share holds the level.
_BY_ONE_SQUARE = 0.8
# Shares of a group that may be empty, without their range: far enough outside of it to fit.
_ANYWHERE = (-1.0, 2.0)


class ScoreLimits(NamedTuple):
    """Of the least T inside the range; at an end of it, of the least without the range and of T."""

    inside: float
    free: float
    at_end: float

    @classmethod
    def of(cls, level: float, n: int) -> "ScoreLimits":
        free = squared_normal(1 - _BY_ONE_SQUARE * (1 - level))
        limits = squared_normal(level), free, _two_squares(level, free)
        return cls(*(calibrated(limit, n) for limit in limits))


@functools.cache
def _two_squares(level: float, free: float) -> float:
    """c with P[Z^2 > free or Z^2 + Y^2 > c] = 1 - level for independent normal Z and Y."""

    def excess(limit: float) -> float:
        def both(z: float) -> float:
            return math.exp(-z * z / 2) * math.erfc(math.sqrt((limit - z * z) / 2))

        missed = math.sqrt(2 / math.pi) * scipy.integrate.quad(both, 0, math.sqrt(free))[0]
        return math.erfc(math.sqrt(free / 2)) + missed - (1 - level)

    # The quantile with two degrees of freedom is too small, as Z^2 > free fails as well; at levels
    # below .05 it is within ``free`` already, and the sum alone decides.
    least = -2 * math.log1p(-level)
    if least <= free:
        return least
    return find_root(excess, least, 2 * least + 20, xtol=1e-9)


@dataclass(frozen=True)
class PairOfGroups:
    """Means (4,) of N_1, D_1, N_0, D_0 and their covariance (4, 4), with its limits."""

    means: FloatArray
    covariance: FloatArray
    limits: ScoreLimits

    @classmethod
    def of(cls, scores: FloatArray, counts: FloatArray, level: float) -> "PairOfGroups":
        """From scores (4, reported levels) and counts of the reported levels."""
        n, added = float(counts.sum()), squared_normal(level)
        smoothed = (counts + added / len(counts)) / (n + added)
        centred = scores - (scores @ smoothed)[:, None]
        covariance = (centred * smoothed) @ centred.T / max(n - 1, 1)
        return cls(scores @ counts / n, covariance, ScoreLimits.of(level, int(n)))

    def interval(self, level: float) -> Interval | None:
        """The differences kept, within [-1, 1] and their estimate; None where no look finds one."""
        if not math.isfinite(self.limits.at_end):
            return Interval(-1.0, 1.0, level, "score")
        if any(self._is_impossible(group) for group in (0, 2)):
            return None
        (a, b), (c, d) = (self._possible(group) for group in (0, 2))
        ends = accepted_ends(self._excess, a - d, b - c)
        shares = self._shares()
        if shares is not None and not all(0 <= share <= 1 for share in shares):
            around = self._around(shares)
            ends = around if ends is None else (min(ends[0], around[0]), max(ends[1], around[1]))
        return None if ends is None else Interval(*ends, level, "score", SCORE_TEST)

    def statistic(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """T(q, p) for arrays of one shape."""
        c = self.covariance
        here, there = (self.means[i] - s * self.means[i + 1] for i, s in ((0, first), (2, second)))
        v = c[0, 0] - 2 * first * c[0, 1] + first**2 * c[1, 1]
        w = c[2, 2] - 2 * second * c[2, 3] + second**2 * c[3, 3]
        both = c[0, 2] - first * c[1, 2] - second * c[0, 3] + first * second * c[1, 3]
        determinant = np.maximum(v * w - both**2, np.finfo(float).tiny)
        return np.asarray((w * here**2 - 2 * both * here * there + v * there**2) / determinant)

    def _excess(self, differences: FloatArray) -> FloatArray:
        """The least T over shares in [0, 1], less its limit."""
        (a, b), (c, d) = (self._possible(group) for group in (0, 2))
        low, high = np.maximum(c, a - differences), np.minimum(d, b - differences)
        least, second = self._least(differences, low, high)
        first = second + differences
        smallest, largest = np.minimum(first, second), np.maximum(first, second)
        at_end = (smallest <= _ROUNDING) | (largest >= 1 - _ROUNDING)
        # The least T over all shares; infinite where a group's own test rejects each of them.
        (a, b), (c, d) = (self._roots(group) or _ANYWHERE for group in (0, 2))
        lowest, highest = np.maximum(c, a - differences), np.minimum(d, b - differences)
        free = self._least(differences, lowest, highest)[0]
        free = np.where(lowest <= highest, free, np.inf)
        ends = np.maximum(least - self.limits.at_end, free - self.limits.free)
        return np.where(low <= high, np.where(at_end, ends, least - self.limits.inside), np.inf)

    def _least(
        self, differences: FloatArray, low: FloatArray, high: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """The least T over a grid of shares of the second group, and its share: (differences,)."""
        second = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, _SHARES)
        values = self.statistic(second + differences[:, None], second)
        least = np.arange(len(values)), values.argmin(axis=1)
        return values[least], second[least]

    def _possible(self, group: int) -> tuple[float, float]:
        """Shares of one group within [0, 1] that it does not reject by itself at the wide limit."""
        roots = self._roots(group)
        if roots is None or roots[1] <= 0 or roots[0] >= 1:
            return 0.0, 1.0
        return max(0.0, roots[0]), min(1.0, roots[1])

    def _roots(self, group: int) -> tuple[float, float] | None:
        """Fieller's ends; None where the group may be empty."""
        (top, bottom), c = self.means[group : group + 2], self.covariance
        covariance = c[group, group], c[group, group + 1], c[group + 1, group + 1]
        return fieller_roots(top, bottom, covariance, self.limits.at_end)

    def _is_impossible(self, group: int) -> bool:
        """Whether a group is below 0 by more than chance: then its ratio means nothing."""
        size, variance = self.means[group + 1], self.covariance[group + 1, group + 1]
        return bool(size < 0 and size**2 > self.limits.inside * variance)

    def _shares(self) -> tuple[float, float] | None:
        """The estimates of both shares; None where a group may be empty."""
        if self._roots(0) is None or self._roots(2) is None:
            return None
        first, second = self.means[[0, 2]] / self.means[[1, 3]]
        return float(first), float(second)

    def _around(self, shares: tuple[float, float]) -> tuple[float, float]:
        """Where an estimate is impossible, also what fits without the range."""
        roots = self._roots(2) or (0.0, 1.0)

        def excess(differences: FloatArray) -> FloatArray:
            low, high = (np.full_like(differences, end) for end in roots)
            return self._least(differences, low, high)[0] - self.limits.inside

        value = shares[0] - shares[1]
        return accepted_around(excess, value, min(-1.0, value), max(1.0, value))
