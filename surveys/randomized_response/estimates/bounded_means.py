"""The mean of a bounded number, known truly of each person: for one look, or for all looks.

For numbers that are asked directly and ranks; the means of randomized ones are ``MeanEstimate``'s.
However often one looks, bets against each mean are counted, see ``intervals.bets``. What follows is
about one look at a fixed sample.

Student's interval for such a mean is short where answers are skewed: most are 0, and the rare large
ones that decide the mean may all be missing from the sample. Here every mean m in the range has the
law of answers that makes what was seen most likely, among all laws with this mean on the values
that were given and on the two ends of the range: shares proportional to c / (r - x), x the value
and c its count, and what is left on the end if that is not enough (Owen 1988). The upper end of the
interval is the m under whose law a sample of the same size has a mean as small as the observed one
or smaller with probability (1 - level) / 2; the lower end is that of the numbers turned around.
Testing each m under a law fitted to it: "nonparametric tilting", Efron (1981, section 11); with
this likelihood and its error of second order, DiCiccio and Romano (1990). We add the ends of the
range as values, as profile likelihoods of reports do here, and compute the probability of the sum
instead of drawing samples.

Of 0 and 1 alone this is the interval of Clopper and Pearson. In general it is approximate; the
coverage that was measured is in docs/statistics.md.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from ..checks import FloatArray, checked_level
from ..columns import checked_value_counts
from ..intervals.bets import UNKNOWN, Bets, lower_end
from ..intervals.intervals import BETTING, SEQUENCE, Interval
from ..messages import sentence
from ..roots import find_root

METHOD = "tilting"
NOTE = sentence(
    "The interval is approximate, and valid for one look only. Each possible mean is tested "
    "under its most likely distribution within the range."
)
# Numbers may scatter as little as they like; a quarter of their range is in the middle of what is
# common, and the law of the sizes is the wide one.
_SPREAD = 0.25
# More values are rounded outwards to so many for bets, which widens by a 4,096th of the range at
# most, and split between so many for one look.
MOST_VALUES = 4096
# Numbers lie on the coarsest grid that has all of them, up to so many steps; others are split
# between the two nearest points of a grid as fine as the longest transform allows.
_OWN_STEPS = 512
_FINEST = 8192
_LONGEST = 2**15
# The part of the sums that a transform keeps apart, in standard errors.
_KEPT = 24
_ROUNDING = 1e-9
# ln of the distance above the range: below and above, means no longer change.
_NEAREST, _FARTHEST = -700.0, 80.0


def tilted_mean_interval(
    values: ArrayLike, counts: ArrayLike, low: float, high: float, *, level: float = 0.95
) -> Interval:
    """Interval for the mean of numbers between ``low`` and ``high``, for one look.

    ``values`` (distinct, shape (m,)) came ``counts`` times each, from independent people of one
    population. The range is what is possible, not what was seen: where the largest numbers are
    far from it, a value that no one gave yet decides the width. Up to 4,096 values are taken as
    they are. Approximate; equal to Clopper and Pearson's interval for 0 and 1. Source: Efron
    (1981), DiCiccio and Romano (1990), see above. Raises EstimationError.

    >>> from randomized_response.estimates import tilted_mean_interval
    >>> print(tilted_mean_interval([0, 1, 2, 14], [80, 10, 8, 2], 0, 60))  # doctest: +ELLIPSIS
    interval  level       low     high
    tilting    0.95  0.273112  2.24083
    The interval is approximate, and valid for one look only. Each possible mean is tested ...
    """
    confidence = checked_level(level)
    numbers, times, least, most = checked_value_counts(values, counts, low, high)
    places, weights = _merged((numbers - least) / (most - least), times)
    tail, size, width = (1 - confidence) / 2, int(times.sum()), most - least
    lower = 1 - _upper_end(1 - places, weights, size, tail)
    upper = _upper_end(places, weights, size, tail)
    return Interval(least + width * lower, least + width * upper, confidence, METHOD, NOTE)


def _merged(places: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Places that were given, and the share of each; more than 4,096 on a grid, the same mean."""
    kept, where = np.unique(places[counts > 0], return_inverse=True)
    weights = np.bincount(where, weights=counts[counts > 0]) / counts.sum()
    if len(kept) <= MOST_VALUES:
        return kept, weights
    below, parts = _split(kept, MOST_VALUES)
    shares = np.bincount(below, weights * (1 - parts), MOST_VALUES + 2)
    shares += np.bincount(below + 1, weights * parts, MOST_VALUES + 2)
    return np.flatnonzero(shares) / MOST_VALUES, np.asarray(shares[shares > 0], np.float64)


def _split(places: FloatArray, steps: int) -> tuple[NDArray[np.int64], FloatArray]:
    """The grid point below each place, and the part of its weight that goes to the next one."""
    scaled = places * steps
    below = np.floor(scaled + _ROUNDING)
    return below.astype(np.int64), np.maximum(scaled - below, 0.0)


def _upper_end(places: FloatArray, weights: FloatArray, n: int, tail: float) -> float:
    """Places in [0, 1]: the mean under whose law so small a sum has probability ``tail``."""
    if len(places) == 1:  # a share t at 1 is missed by all n with probability (1 - t)^n
        return 1 - (1 - float(places[0])) * math.exp(math.log(tail) / n)
    sums = _Sums(np.append(places, 1.0), float(places @ weights), n)
    gaps = 1 - places

    def law(distance: float, added: float = 0.0) -> FloatArray:
        pulls = weights / (distance + gaps)
        return np.append(pulls / pulls.sum() * (1 - added), added)

    if gaps.min() > 0 and sums.at_most_observed(law(0.0)) > tail:
        # Not even the distance 0 is enough: the end that no one gave has a share.
        start, end = math.log(n), 0.0
        added = _root(lambda u: sums.at_most_observed(law(0.0, math.exp(-u))) - tail, start, end)
        return float(law(0.0, math.exp(-added)) @ sums.places)
    spread = math.sqrt(float(weights @ (places - sums.observed) ** 2))
    start = math.log(spread * math.sqrt(n))
    distance = _root(lambda u: sums.at_most_observed(law(math.exp(u))) - tail, start, _NEAREST)
    return float(law(math.exp(distance)) @ sums.places)


def _root(excess: Callable[[float], float], start: float, least: float) -> float:
    """Where a growing function is 0, or the farthest value if it is below 0 there too."""
    left, right = max(least, start - 1), start + 1
    while excess(left) > 0 and left > least:
        left = max(least, 2 * left - right)
    while excess(right) < 0:
        if right >= _FARTHEST:
            return right
        right = min(_FARTHEST, 2 * right - left)
    return find_root(excess, left, right, xtol=1e-8)


@dataclass(frozen=True)
class _Sums:
    """Sums of n independent places in [0, 1], against n times the mean that was observed."""

    places: FloatArray
    observed: float
    n: int

    @cached_property
    def own_steps(self) -> int | None:
        """The coarsest grid on [0, 1] that has all places, if one of up to 512 steps has."""
        if len(self.places) > _OWN_STEPS + 2:
            return None
        steps = np.arange(1, _OWN_STEPS + 1)
        scaled = np.outer(steps, self.places)
        # Places such as 0.1 are on their grid but for the rounding of floats.
        on_grid = (np.abs(scaled - np.rint(scaled)) < 1e-7).all(axis=1)
        return int(steps[np.argmax(on_grid)]) if on_grid.any() else None

    def at_most_observed(self, law: FloatArray) -> float:
        """Probability of a sum up to the observed one; ``law``: the chance of each place."""
        error = math.sqrt(self.n * float(law @ (self.places - law @ self.places) ** 2))
        steps = self.own_steps
        if steps is None:
            steps = int(min(_FINEST, max(_OWN_STEPS, _LONGEST / (_KEPT * error + _ROUNDING))))
        length = _KEPT * error * steps + 2 * _KEPT
        if length <= _LONGEST:
            # Lengths that are powers of 2 transform fastest.
            return self._convolved(law, steps, 2 ** math.ceil(math.log2(length)))
        return _lugannani_rice(law, self.places - self.observed, self.n)

    def _convolved(self, law: FloatArray, steps: int, length: int) -> float:
        """By the n-th power of the transform, which knows sums up to multiples of ``length``."""
        below, parts = _split(self.places, steps)
        single = np.bincount(below % length, law * (1 - parts), length)
        single += np.bincount((below + 1) % length, law * parts, length)
        chances = np.fft.irfft(np.fft.rfft(single) ** self.n, length)
        first = round(self.n * float(law @ self.places) * steps) - length // 2
        kept = np.arange(first, round(self.n * self.observed * steps) + 1)
        return float(chances[kept[:length] % length].sum())


def _lugannani_rice(law: FloatArray, deviations: FloatArray, n: int) -> float:
    """P(mean of n deviations <= 0) where their expectation is above 0. Lugannani and Rice (1980).

    With K(t) the logarithm of the mean of exp(t y), least at s: r = -sqrt(-2 n K(s)) and
    u = s sqrt(n K''(s)) give Phi(r) + phi(r) (1/r - 1/u).
    """

    def tilted(t: float) -> tuple[FloatArray, float]:
        exponents = t * deviations
        pulls = law * np.exp(exponents - exponents.max())
        return pulls / pulls.sum(), float(np.log(pulls.sum()) + exponents.max())

    def slope(t: float) -> float:
        return float(tilted(t)[0] @ deviations)

    least = -1.0
    while slope(least) > 0:
        least *= 2
    # At the expectation r and u are 0, and the formula has the limit 1/2, or close to it.
    if slope(0.0) <= _ROUNDING:
        return 0.5
    saddle = find_root(slope, least, 0.0, xtol=1e-12 * -least)
    shares, log_mean = tilted(saddle)
    # Not 0: the formula divides by it.
    r = -math.sqrt(max(-2 * n * log_mean, _ROUNDING))
    u = saddle * math.sqrt(n * float(shares @ deviations**2))
    density = math.exp(-r * r / 2) / math.sqrt(2 * math.pi)
    return float(scipy.special.ndtr(r)) + density * (1 / r - 1 / u)


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
    The interval comes from bets against each possible mean, and is valid however often you look.
    """
    confidence = checked_level(level)
    numbers, times, least, most = checked_value_counts(values, counts, low, high)
    shares = (numbers - least) / (most - least)
    bound = np.log(2 / (1 - confidence))
    bets = Bets.of(planned, bound, UNKNOWN)
    lower, upper = (
        lower_end(*_rounded_down(side, times), bound, bets, _SPREAD)
        for side in (shares, 1 - shares)
    )
    width = most - least
    ends = (least + width * lower, least + width * (1 - upper))
    return Interval(*ends, confidence, SEQUENCE, BETTING)


def _rounded_down(shares: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Fewer values, none above what it was: the martingale is smaller, the lower end too."""
    if len(shares) <= MOST_VALUES:
        return shares, counts
    places = np.floor(shares * MOST_VALUES).astype(int)
    kept, where = np.unique(places, return_inverse=True)
    totals = np.bincount(where, weights=counts).astype(float)
    return kept / MOST_VALUES, totals
