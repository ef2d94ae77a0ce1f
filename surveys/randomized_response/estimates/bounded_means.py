"""The mean of a bounded number, known truly of each person, however often one looks.

For numbers that are asked directly and ranks; the means of randomized ones are ``MeanEstimate``'s.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..checks import checked_level
from ..columns import checked_value_counts
from ..intervals.intervals import Interval
from ..roots import find_root

METHOD = "confidence-sequence"
NOTE = "A bet against each mean: valid however often one looks."
# Parts of all that may be lost on one answer, from nearly all to what ten billion answers call for.
# Neighbours differ by less than half, which costs a few percent of the width.
BETS = np.concatenate([[0.99], 2.0 ** -np.arange(0.5, 17.5, 0.5)])
# Values are rounded outwards to so many: the interval grows by a 4,096th of the range at most.
MOST_VALUES = 4096
_TOLERANCE = 1e-9  # of the range


def bounded_mean_interval(
    values: Sequence[float],
    counts: Sequence[int],
    low: float,
    high: float,
    *,
    level: float = 0.95,
) -> Interval:
    """Interval for the mean of numbers between ``low`` and ``high`` that covers at every look.

    ``values`` (distinct, shape (m,)) came ``counts`` times each. With x the values on the scale
    from 0 to 1, M(m) = mean over bets c of prod_i (1 + c (x_i / m - 1)) begins at 1, is never
    negative, and is a martingale if m is the mean, in whichever order the answers came; so
    M(m) < 2 / a for ever except with probability a / 2 (Ville 1939). M falls in m, so its root is
    the lower end; the upper end is that of 1 - x. Betting against means: Waudby-Smith and Ramdas
    (2024, section 4). We average fixed bets instead of choosing each by the answers before it,
    because only how often each value came is kept; the price is the logarithm of their number.

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
    lower = _lower_end(*_rounded_down(shares, times), bound)
    upper = 1 - _lower_end(*_rounded_down(1 - shares, times), bound)
    width = most - least
    ends = (least + width * lower, least + width * upper)
    return Interval(*ends, confidence, METHOD, NOTE)


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


def _lower_end(shares: NDArray[np.float64], counts: NDArray[np.float64], bound: float) -> float:
    """The mean at which the martingale reaches the bound; 0 where every answer is 0."""

    def beyond(mean: float) -> float:
        factors = np.log1p(BETS[:, None] * (shares / mean - 1))
        return float(np.logaddexp.reduce(factors @ counts) - np.log(len(BETS)) - bound)

    observed = float(shares @ counts / counts.sum())
    if observed <= _TOLERANCE or beyond(_TOLERANCE) <= 0:
        return 0.0
    return find_root(beyond, _TOLERANCE, observed, xtol=_TOLERANCE)
