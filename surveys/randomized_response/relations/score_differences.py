"""Score intervals for the difference of a share between two groups that are both randomized.

With N and D the joint share of the answer and the size of a group, the share within it is q where
N_1 - q D_1 = 0, in the other group p where N_0 - p D_0 = 0. Both are mean scores of the same
reports; their squared distance from 0, T(q, p), in units of their estimated covariance, is
chi-squared with two degrees of freedom at the truth. A difference t is kept where the least T over
all p in [0, 1], with q = p + t in [0, 1] as well, is within a limit. If that least T lies inside
the range it has one degree of freedom, as p was chosen to fit. If it lies at an end, p was kept
from fitting, and it has at most two: with the share 0 in truth and p* the best p without the range,
T is the sum of one square that p* does not enter and (p* / its error)^2. So the level holds, to
first order, wherever the truth lies, however small a group is; a group that may be empty leaves all
p equally good. Both limits are calibrated as in ``profiles``. The covariance is that of the counts
with one more for each squared normal quantile in all, spread evenly over the levels: counts of 0
are no certainty (after Agresti and Coull 1998). Sources: Fieller (1954) for one group; the least
over what is not asked for, and its limit where it is not identified: Guggenberger, Kleibergen,
Mavroeidis and Chen (2012). The end of the range is our derivation.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..checks import FloatArray
from ..intervals.intervals import Interval
from ..intervals.profiles import accepted_around, accepted_ends, calibrated, squared_normal

SCORE_TEST = "Score test, both groups' shares fitted: approximate."
_SHARES = 121
_ROUNDING = 1e-12


@dataclass(frozen=True)
class PairOfGroups:
    """Means (4,) of N_1, D_1, N_0, D_0 and their covariance (4, 4), with both limits.

    ``limits``: for a least T inside the range, and at an end of it.
    """

    means: FloatArray
    covariance: FloatArray
    limits: tuple[float, float]

    @classmethod
    def of(cls, scores: FloatArray, counts: FloatArray, level: float) -> "PairOfGroups":
        """From scores (4, reported levels) and counts of the reported levels."""
        n, one = float(counts.sum()), squared_normal(level)
        smoothed = (counts + one / len(counts)) / (n + one)
        centred = scores - (scores @ smoothed)[:, None]
        covariance = (centred * smoothed) @ centred.T / max(n - 1, 1)
        # The quantile of chi-squared with two degrees of freedom has a closed form.
        limits = (calibrated(one, int(n)), calibrated(-2 * math.log1p(-level), int(n)))
        return cls(scores @ counts / n, covariance, limits)

    def interval(self, level: float) -> Interval | None:
        """The differences kept, within [-1, 1] and their estimate; None where no look finds one."""
        if not math.isfinite(self.limits[1]):
            return Interval(-1.0, 1.0, level, "score")
        if any(self._is_impossible(place) for place in (0, 2)):
            return None
        ends = accepted_ends(self._excess, *self._range())
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
        (a, b), (c, d) = (self._possible(place) for place in (0, 2))
        low, high = np.maximum(c, a - differences), np.minimum(d, b - differences)
        least, second = self._least(differences, low, high)
        first = second + differences
        smallest, largest = np.minimum(first, second), np.maximum(first, second)
        at_end = (smallest <= _ROUNDING) | (largest >= 1 - _ROUNDING)
        found = least - np.where(at_end, self.limits[1], self.limits[0])
        return np.where(low <= high, found, np.inf)

    def _least(
        self, differences: FloatArray, low: FloatArray, high: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """The least T over a grid of shares of the second group, and its share: (differences,)."""
        second = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, _SHARES)
        values = self.statistic(second + differences[:, None], second)
        place = np.arange(len(values)), values.argmin(axis=1)
        return values[place], second[place]

    def _range(self) -> tuple[float, float]:
        (a, b), (c, d) = (self._possible(place) for place in (0, 2))
        return a - d, b - c

    def _possible(self, place: int) -> tuple[float, float]:
        """Shares of one group within [0, 1] that it does not reject by itself at the wide limit."""
        roots = self._roots(place)
        if roots is None or roots[1] <= 0 or roots[0] >= 1:
            return 0.0, 1.0
        return max(0.0, roots[0]), min(1.0, roots[1])

    def _roots(self, place: int) -> tuple[float, float] | None:
        """Fieller's ends; None where the group may be empty."""
        (top, bottom), c = self.means[place : place + 2], self.covariance
        limit, i, j = self.limits[1], place, place + 1
        a, b = bottom**2 - limit * c[j, j], top * bottom - limit * c[i, j]
        discriminant = b**2 - a * (top**2 - limit * c[i, i])
        if not (bottom > 0 and a > 0 and discriminant >= 0):
            return None
        half = math.sqrt(discriminant) / a
        return float(b / a - half), float(b / a + half)

    def _is_impossible(self, place: int) -> bool:
        """Whether a group is below 0 by more than chance: then its ratio means nothing."""
        size, variance = self.means[place + 1], self.covariance[place + 1, place + 1]
        return bool(size < 0 and size**2 > self.limits[0] * variance)

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
            return self._least(differences, low, high)[0] - self.limits[0]

        value = shares[0] - shares[1]
        return accepted_around(excess, value, min(-1.0, value), max(1.0, value))
