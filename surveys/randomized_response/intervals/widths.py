"""Half-widths of intervals at the widest counts, for one look or all looks; the n that reaches one.

The widest count is the middle one. Along the even n, and along the odd n, the half-width of a
Clopper-Pearson interval falls strictly, and so does that of a confidence sequence along the even n
(both proved in docs/statistics.md for those that favour no number); the rest was measured. So each
parity is searched by halving, and the answer is the number after the last n, of either parity, that
is too wide.

A share is the mean of a score. With two distinct scores its interval is the image of a binomial
one. With more it is that of a bounded mean, by the score method or by bets, which is widest where
half of the reports have the least score and half the largest: no law of bounded scores varies more
(measured, for all counts of small n).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import log

import numpy as np

from ..checks import FloatArray
from ..roots import last_number
from .bets import mean_sequence
from .intervals import EXACT, Method, grouped_scores, interval_method
from .profiles import calibrated, mean_ends, squared_normal

Methods = Callable[[int], Method]
# No plan is this large: the search ends here and the caller refuses the size.
_SEARCH_LIMIT = 2**31


@dataclass(frozen=True)
class Swing:
    """How far a mean score moves: its range, and how equally likely reports scatter in parts of it.

    ``spread`` is None where reports have two scores or one.
    """

    reach: float
    spread: float | None

    @classmethod
    def of(cls, scores: FloatArray) -> "Swing":
        """From the score of each report, shape (reported levels,)."""
        values = np.array(grouped_scores(scores, (0,) * len(scores))[0])
        reach = float(np.ptp(values))
        return cls(reach, float(np.std(values) / reach) if len(values) > 2 else None)

    def half_width(self, n: int, failure_probability: float, method: Method = EXACT) -> float:
        """Half the width that no interval from n or more answers exceeds."""
        if not self.reach:
            return 0.0
        return self.reach * error_of_interval(n, failure_probability, method, self.spread)

    def sample_size(self, half_width: float, failure_probability: float, methods: Methods) -> int:
        """Smallest n from which every larger n has at most that half-width."""
        if not self.reach:
            return 1
        wanted = half_width / self.reach
        return interval_sample_size(wanted, failure_probability, methods, self.spread)


def exact(n: int) -> Method:
    """For one look at any number of answers."""
    del n
    return EXACT


def widest_half_width(
    n: int, failure_probability: float, method: Method = EXACT, spread: float | None = None
) -> float:
    """Half the width of the interval of a score from 0 to 1 whose n // 2 successes are at 1."""
    half, level = n // 2, 1 - failure_probability
    chosen = interval_method(method)
    if spread is None:
        return chosen.proportion(half, n, level).width / 2
    ends, counts = np.array([0.0, 1.0]), np.array([n - half, half], dtype=float)
    if chosen.sequence:
        limit = log(2 / failure_probability)
        low, high = mean_sequence(ends, counts, limit, chosen.sequence.planned, spread)
    else:
        low, high = mean_ends(ends, counts, calibrated(squared_normal(level), n))
    return (high - low) / 2


@lru_cache(maxsize=4096)
def error_of_interval(
    n: int, failure_probability: float, method: Method = EXACT, spread: float | None = None
) -> float:
    """The widest half-width at n or any larger size (one of each parity is enough)."""
    sizes = (n, n + 1)
    return max(widest_half_width(size, failure_probability, method, spread) for size in sizes)


@lru_cache(maxsize=1024)
def interval_sample_size(
    half_width: float,
    failure_probability: float,
    methods: Methods = exact,
    spread: float | None = None,
) -> int:
    """Smallest n from which every larger n has a half-width of at most ``half_width``.

    ``methods`` gives the method of each n: a sequence may be narrowest at the n that is planned.
    """

    def too_wide(n: int) -> bool:
        return widest_half_width(n, failure_probability, methods(n), spread) > half_width

    return max(_last_too_wide(parity, too_wide) for parity in (0, 1)) + 1


def _last_too_wide(parity: int, too_wide: Callable[[int], bool]) -> int:
    """Largest n of this parity that is too wide; n = 2 m + parity, and m = -1 stands for none."""
    low, high = (0 if parity == 0 else -1), 1
    while too_wide(2 * high + parity):
        low, high = high, 2 * high
        if high > _SEARCH_LIMIT:
            return high
    return 2 * last_number(lambda m: too_wide(2 * m + parity), low, high) + parity
