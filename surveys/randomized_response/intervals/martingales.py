"""ConfidenceSequence: which proportions the answers so far do not rule out, at all looks together.

After S ones in n answers, with a mixing law for the proportion, the mean over the law of likelihood
ratios against a tested proportion l,

    M_n(l) = E_law[q^S (1 - q)^(n - S)] / (l^S (1 - l)^(n - S)),

is a martingale with M_0 = 1 when the answers are independent with P(one) = l. By Ville's inequality
M_n(l) >= 1/c for *any* n has probability at most c. The law may be another one for each tested
proportion, but must not depend on the answers. Two are used.

Without a plan it is Beta(1, 1) for every l: no proportion is favoured before the first answer. Then
ln M_n(l) = ln M_n(S/n) + n KL(S/n, l), convex in l. Sources: Ville (1939); Robbins (1970); Howard,
Ramdas, McAuliffe and Sekhon (2021), section 3. The sources leave the arithmetic open; here no term
grows with n, so the ends stay exact to about ten digits at n = 10^9.

With a plan for N answers it is Beta(r l, r (1 - l)), r = N / 10, around each tested l. With
R(x, k) = sum over i < k of ln(1 + i/x),

    ln M_n(l) = R(r l, S) + R(r (1 - l), n - S) - R(r, n),

again convex: ln(1 + i/(r l)) has the second derivative 1/l^2 - r^2/(r l + i)^2 >= 0. M_n(S/n) <= 1,
as no likelihood exceeds that of S/n. For many answers the half-width is that of the normal mixture,
sqrt(l (1 - l) (1 + r/n) (2 ln(1/c) + ln(1 + n/r)) / n) (Robbins 1970), which at n = N is least for
r = .12 N and hardly more for a tenth: 1.55 times that of one look at c = .05, 1.65 times at a fifth
of N, 1.61 at four times. Centring the law on the tested proportion is ours.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import scipy

from ..checks import FloatArray, checked_positive_number
from ..errors import EstimationError
from ..roots import find_root

ALPHA = BETA = 1.0
# Answers that the law of a plan is worth, as a part of those planned; see the head of this module.
WORTH = 0.1
_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)
# From here on, four terms of the series are within 1.3e-14: the next one is 1 / (1188 x^9).
_STIRLING_FROM = 16.0
_Number = TypeVar("_Number", float, FloatArray)


@dataclass(frozen=True)
class ConfidenceSequence:
    """A method for intervals that may be looked at as often as one likes.

    ``planned``: the number of answers for which it is narrowest, fixed before the first; None
    favours none. Raises EstimationError for less than 1.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.estimates import estimate_prevalence
    >>> from randomized_response.intervals import ConfidenceSequence
    >>> estimate = estimate_prevalence(Warner(0.75), [550, 450])
    >>> print(estimate.interval(0.95, ConfidenceSequence()))
    interval             level      low      high
    confidence-sequence   0.95  0.29011  0.511545
    >>> print(estimate.interval(0.95, ConfidenceSequence(planned=1000)))
    interval             level       low      high
    confidence-sequence   0.95  0.305115  0.495969
    """

    planned: int | None = None

    def __post_init__(self) -> None:
        if self.planned is not None:
            checked_positive_number("planned", self.planned, EstimationError)

    def __str__(self) -> str:
        """The name of the method, with or without a plan."""
        return "confidence-sequence"

    @cached_property
    def _worth(self) -> float:
        return WORTH * (self.planned or 0)

    def log_evidence(self, ones: int, n: int, proportion: float) -> float:
        """ln M_n(l) for 0 <= S <= n and 0 <= l <= 1; infinite where l makes the answers impossible.

        With a plan it stays finite at l = 0 after a single one: no martingale needs to tell more.
        """
        if self.planned is not None:
            return _centred(ones, n, proportion, self._worth)
        return float(_flat(ones, n, np.array([proportion]))[0])

    def log_evidences(self, ones: int, n: int, proportions: FloatArray) -> FloatArray:
        """The same of many proportions: (proportions,)."""
        if self.planned is not None:
            return _centred_at(ones, n, proportions, self._worth)
        return _flat(ones, n, proportions)

    def ends(self, ones: int, n: int, log_bound: float) -> tuple[float, float] | None:
        """The smallest and largest l with ln M_n(l) <= ``log_bound``; None if there is none."""
        if self.planned is not None:
            return _centred_ends(ones, n, log_bound, self._worth)
        room = log_bound - _least_flat(ones, n)
        if room < 0:
            return None
        return _lower_end(ones, n, room), 1.0 - _lower_end(n - ones, n, room)


def _centred(ones: int, n: int, proportion: float, worth: float) -> float:
    parts = ((ones, proportion), (n - ones, 1 - proportion))
    return sum(_log_rise(worth * p, k) for k, p in parts) - _log_rise(worth, n)


def _centred_at(ones: int, n: int, proportions: FloatArray, worth: float) -> FloatArray:
    """Of many at once, where NumPy pays; of one it takes ten times as long as ``_centred``."""
    one, zero = _log_rises(worth * np.array([proportions, 1 - proportions]), (ones, n - ones))
    return np.asarray(one + zero - _log_rise(worth, n))


def _log_rise(x: float, k: int) -> float:
    """R(x, k), which is ln Gamma(x + k) - ln Gamma(x) - k ln x; by Stirling's formula."""
    if k < 2:
        return 0.0
    if x <= 0:
        return math.inf
    rest = _stirling_remainder(x + k) - _stirling_remainder(x)
    return (x + k - 0.5) * math.log1p(k / x) - k + rest


def _log_rises(x: FloatArray, counts: tuple[int, ...]) -> FloatArray:
    """Of x, (counts, proportions), with each its row."""
    k = np.array(counts, dtype=float)[:, None]
    safe = np.where(x > 0, x, 1.0)
    rest = _stirling_remainders(safe + k) - _stirling_remainders(safe)
    rises = (safe + k - 0.5) * np.log1p(k / safe) - k + rest
    return np.where(k < 2, 0.0, np.where(x > 0, rises, np.inf))


def _centred_ends(ones: int, n: int, log_bound: float, worth: float) -> tuple[float, float] | None:
    if n == 0:
        return (0.0, 1.0) if log_bound >= 0 else None
    if log_bound < _centred(ones, n, ones / n, worth):
        return None
    low, below_one = (_centred_lower_end(k, n, log_bound, worth) for k in (ones, n - ones))
    return low, 1.0 - below_one


def _centred_lower_end(ones: int, n: int, log_bound: float, worth: float) -> float:
    """The l = (S/n) e^-t at which ln M_n(l) = ``log_bound``; 0 after at most a single one."""

    def excess(t: float) -> float:
        return _centred(ones, n, ones / n * math.exp(-t), worth) - log_bound

    if ones < 2 or excess(0.0) >= 0:
        return 0.0 if ones < 2 else ones / n
    far = 1 / ones
    while excess(far) < 0:
        far *= 2
    return ones / n * math.exp(-find_root(excess, 0.0, far, xtol=1e-15))


def _least_flat(ones: float, n: float) -> float:
    """ln M_n(S/n) of the flat law.

    Derived from Stirling's formula with its remainder r: every part of size n cancels beforehand.
    """
    total, zeros = n + ALPHA + BETA, n - ones
    moved = _shifted(ones, n, ALPHA, total) + _shifted(zeros, n, BETA, total)
    shape = (ALPHA - 0.5) * math.log((ones + ALPHA) / total)
    shape += (BETA - 0.5) * math.log((zeros + BETA) / total) - 0.5 * math.log(total)
    rest = (
        _stirling_remainder(ones + ALPHA)
        + _stirling_remainder(zeros + BETA)
        - _stirling_remainder(total)
    )
    return moved + shape + rest + _HALF_LOG_TWO_PI


def _flat(ones: int, n: int, proportions: FloatArray) -> FloatArray:
    one, zero = _deviance(ones, n * proportions), _deviance(n - ones, n * (1 - proportions))
    return np.asarray(_least_flat(ones, n) + one + zero)


def _deviance(count: int, expected: FloatArray) -> FloatArray:
    """count ln(count / expected) + expected - count; the linear parts of a pair sum to 0."""
    if count == 0:
        return expected
    excess = np.where(expected > 0, expected - count, 0.0) / count
    return np.where(expected > 0, count * (excess - np.log1p(excess)), np.inf)


def _lower_end(ones: int, n: int, room: float) -> float:
    """The l = (S/n) e^-t at which n KL(S/n, l) = S t - (n - S) ln(1 + S (1 - e^-t)/(n - S)) = room.

    As ln(1 + x) <= x, the left side is at least S (t - 1), which brackets t.
    """
    if ones == 0:
        return 0.0
    if ones == n:
        return math.exp(-room / n)

    def excess(t: float) -> float:
        return ones * t - (n - ones) * math.log1p(-ones * math.expm1(-t) / (n - ones)) - room

    if excess(0.0) >= 0:
        return ones / n
    # t shrinks as n grows: its tolerance is far below any that matters.
    return ones / n * math.exp(-find_root(excess, 0.0, room / ones + 2, xtol=1e-18))


def _shifted(count: float, n: float, prior: float, total: float) -> float:
    """S ln((S + alpha)/(n + alpha + beta)) - S ln(S/n); 0 at S = 0."""
    if count == 0:
        return 0.0
    return count * math.log1p((n * prior - count * (total - n)) / (count * total))


def _stirling_remainder(x: float) -> float:
    """ln Gamma(x) minus Stirling's (x - 1/2) ln x - x + ln(2 pi)/2."""
    if x < _STIRLING_FROM:
        return float(scipy.special.gammaln(x)) - (x - 0.5) * math.log(x) + x - _HALF_LOG_TWO_PI
    return _series(x)


def _stirling_remainders(x: FloatArray) -> FloatArray:
    if x.min() >= _STIRLING_FROM:
        return _series(x)
    small = np.minimum(x, _STIRLING_FROM)
    exact = scipy.special.gammaln(small) - (small - 0.5) * np.log(small) + small - _HALF_LOG_TWO_PI
    return np.where(x < _STIRLING_FROM, exact, _series(x))


def _series(x: _Number) -> _Number:
    inverse = 1 / (x * x)
    return (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680)))) / x
