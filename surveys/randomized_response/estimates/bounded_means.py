"""The mean of a bounded number, known truly of each person, however often one looks.

For numbers that are asked directly and ranks; the means of randomized ones are ``MeanEstimate``'s.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..checks import checked_level
from ..columns import checked_value_counts
from ..intervals.bets import UNKNOWN, Bets, lower_end
from ..intervals.intervals import BETTING, SEQUENCE, Interval

# Numbers may scatter as little as they like; a quarter of their range is in the middle of what is
# common, and the law of the sizes is the wide one.
_SPREAD = 0.25
# Values are rounded outwards to so many: the interval grows by a 4,096th of the range at most.
MOST_VALUES = 4096


def bounded_mean_interval(
    values: Sequence[float],
    counts: Sequence[int],
    low: float,
    high: float,
    *,
    level: float = 0.95,
    planned: int | None = None,
) -> Interval:
    """Interval for the mean of numbers between ``low`` and ``high`` that covers at every look.

    ``values`` (distinct, shape (m,)) came ``counts`` times each; ``planned``: the number of answers
    at which it is to be narrowest, chosen before the first. Of bets on numbers above the mean, and
    of those below it, neither gains 2 / a for ever except with probability a; see
    ``intervals.bets``.

    Assumes independent answers from one unchanging population. Raises EstimationError.

    >>> from randomized_response.estimates import bounded_mean_interval
    >>> print(bounded_mean_interval([1, 2, 3], [400, 300, 300], 1, 3))
    interval             level      low     high
    confidence-sequence   0.95  1.80673  1.99469
    A bet against each mean: valid however often one looks.
    """
    confidence = checked_level(level)
    found, times, least, most = checked_value_counts(values, counts, low, high)
    shares = (found - least) / (most - least)
    bound = np.log(2 / (1 - confidence))
    bets = Bets.of(planned, bound, UNKNOWN)
    lower, upper = (
        lower_end(*_rounded_down(side, times), bound, bets, _SPREAD)
        for side in (shares, 1 - shares)
    )
    width = most - least
    ends = (least + width * lower, least + width * (1 - upper))
    return Interval(*ends, confidence, SEQUENCE, BETTING)


def _rounded_down(
    shares: NDArray[np.float64], counts: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fewer values, none above what it was: the martingale is smaller, the lower end too."""
    if len(shares) <= MOST_VALUES:
        return shares, counts
    places = np.floor(shares * MOST_VALUES).astype(int)
    kept, where = np.unique(places, return_inverse=True)
    totals = np.bincount(where, weights=counts).astype(float)
    return kept / MOST_VALUES, totals
