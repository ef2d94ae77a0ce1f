"""Half-widths of intervals at the widest counts, for one look or all looks; the n that reaches one.

The widest count is the middle one. Along the even n, and along the odd n, the half-width of a
Clopper-Pearson interval falls strictly, and so does that of a confidence sequence along the even n
(both proved in docs/statistics.md); the rest was measured. So each parity is searched by halving,
and the answer is the number after the last n, of either parity, that is too wide.

A share is the mean of a score. With two distinct scores its interval is the image of a binomial
one. With k > 2 it is a box of k binomial intervals, each at 1 - c/k, and the ends are the least and
the largest mean of laws in the box. Two such laws differ by d with sum(d) = 0 and |d_y| at most the
width w of an interval, so that for every m their means differ by sum((s_y - m) d_y), which is at
most w sum |s_y - m|, least for the median m.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..checks import FloatArray
from .intervals import EXACT, INTERVAL_METHODS, grouped_scores

# No plan is this large: the search ends here and the caller refuses the size.
_SEARCH_LIMIT = 2**31


@dataclass(frozen=True)
class Swing:
    """How far a mean score moves: ``reports`` distinct scores, and sum |score - median|."""

    reports: int
    reach: float

    @classmethod
    def of(cls, scores: FloatArray) -> "Swing":
        """From the score of each report, shape (reported levels,)."""
        values = np.array(grouped_scores(scores, (0,) * len(scores))[0])
        return cls(len(values), float(np.abs(values - np.median(values)).sum()))

    def half_width(self, n: int, failure_probability: float, method: str = EXACT) -> float:
        """Half the width that no interval from n or more answers exceeds."""
        each = self._each(failure_probability)
        return self.reach * error_of_interval(n, each, method) if self.reach else 0.0

    def sample_size(
        self, half_width: float, failure_probability: float, method: str = EXACT
    ) -> int:
        """Smallest n from which every larger n has at most that half-width."""
        if not self.reach:
            return 1
        each = self._each(failure_probability)
        return interval_sample_size(half_width / self.reach, each, method)

    def _each(self, failure_probability: float) -> float:
        return failure_probability / (self.reports if self.reports > 2 else 1)


def widest_half_width(n: int, failure_probability: float, method: str = EXACT) -> float:
    """Half the width of the interval for n // 2 successes in n."""
    proportion = INTERVAL_METHODS[method].proportion
    return proportion(n // 2, n, 1 - failure_probability).width / 2


@lru_cache(maxsize=1024)
def error_of_interval(n: int, failure_probability: float, method: str = EXACT) -> float:
    """The widest half-width at n or any larger size (one of each parity is enough)."""
    return max(widest_half_width(size, failure_probability, method) for size in (n, n + 1))


@lru_cache(maxsize=1024)
def interval_sample_size(half_width: float, failure_probability: float, method: str = EXACT) -> int:
    """Smallest n from which every larger n has a half-width of at most ``half_width``."""

    def too_wide(n: int) -> bool:
        return widest_half_width(n, failure_probability, method) > half_width

    return max(_last_too_wide(parity, too_wide) for parity in (0, 1)) + 1


def _last_too_wide(parity: int, too_wide: Callable[[int], bool]) -> int:
    """Largest n of this parity that is too wide; n = 2 m + parity, and m = -1 stands for none."""
    low, high = (0 if parity == 0 else -1), 1
    while too_wide(2 * high + parity):
        low, high = high, 2 * high
        if high > _SEARCH_LIMIT:
            return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if too_wide(2 * middle + parity) else (low, middle)
    return 2 * low + parity
