"""mu: Gaussian differential privacy: delta and epsilon of a mu and back, the sigma for it, groups.

A mechanism is mu-GDP if telling two neighbouring data sets apart from its output is at least as
hard as telling N(0, 1) from N(mu, 1) (Dong, Roth and Su 2022, Gaussian differential privacy,
definition 2.6). Adding N(0, sigma^2) to a statistic of L2 sensitivity s is exactly (s / sigma)-GDP
in any dimension, and releases compose exactly to mu^2 = sum mu_i^2 (their corollary 3.3), also when
a later release is chosen after seeing an earlier one. The profile (their corollary 2.13; Balle and
Wang 2018, theorem 8) is

    delta(epsilon) = Phi(mu / 2 - epsilon / mu) - e^epsilon Phi(-mu / 2 - epsilon / mu).

With the Mills ratio R = (1 - Phi) / phi and a = epsilon / mu - mu / 2 the two terms share a factor:

    delta(epsilon) = phi(a) (R(a) - R(a + mu)),

which is evaluated here, because the difference of the two tails loses every digit of a small delta.
"""

import functools
import math
from collections.abc import Iterable

import numpy as np
import scipy

from analytics.privacy.checks import (
    FloatArray,
    checked_count,
    checked_delta,
    checked_not_negative,
    checked_positive,
)
from analytics.privacy.roots import bisected

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)
# A delta of e^-(10^30): such an epsilon is never exceeded.
_OUT_OF_REACH = 1e15
# What a root finder leaves open, relative to the root; results are moved to the safe side by it.
_SLACK = 1e-12


def mu_of(sigma: float, sensitivity: float = 1.0) -> float:
    """GDP of one Gaussian release: sensitivity / sigma. Both above 0. Raises AccountingError."""
    return checked_positive("sensitivity", sensitivity) / checked_positive("sigma", sigma)


def compose(mus: Iterable[float]) -> float:
    """GDP of several releases together: the root of the sum of squares; 0 for none.

    Source: Dong, Roth and Su (2022), corollary 3.3. Raises AccountingError.
    """
    return math.hypot(*(checked_not_negative(f"mus[{i}]", mu) for i, mu in enumerate(mus)))


def for_groups(mu: float, size: int) -> float:
    """GDP for data sets that differ in ``size`` respondents: size * mu.

    Source: Dong, Roth and Su (2022), theorem 2.14. Raises AccountingError.
    """
    return checked_not_negative("mu", mu) * checked_count("size", size)


def log_delta(mu: float, epsilon: float) -> float:
    """ln delta(epsilon) of a mu-GDP mechanism; -inf for mu = 0 and where delta is beyond reach.

    ``mu`` and ``epsilon`` are 0 or more. Relative error of delta: about 1e-12 for delta above
    1e-100. Raises AccountingError.
    """
    mu, epsilon = checked_not_negative("mu", mu), checked_not_negative("epsilon", epsilon)
    return _log_delta(mu, epsilon) if mu > 0 else -math.inf


def delta_of(mu: float, epsilon: float) -> float:
    """The smallest delta with which a mu-GDP mechanism is (epsilon, delta)-DP."""
    return math.exp(log_delta(mu, epsilon))


def epsilon_of(mu: float, delta: float) -> float:
    """The smallest epsilon with which a mu-GDP mechanism is (epsilon, delta)-DP, 0 or more.

    Rounded up by a relative 1e-12, never down. ``delta`` lies in (0, 1). Raises AccountingError.
    """
    mu = checked_not_negative("mu", mu)
    return _epsilon_at(mu, math.log(checked_delta("delta", delta)))


@functools.lru_cache(maxsize=1024)  # a ledger's page says the same few amounts again and again
def _epsilon_at(mu: float, goal: float) -> float:
    """``epsilon_of`` at delta = exp(goal)."""
    if log_delta(mu, 0.0) <= goal:
        return 0.0
    # P(loss > epsilon) <= delta holds there: the loss is N(mu^2 / 2, mu^2).
    highest = mu * mu / 2 + mu * math.sqrt(-2 * goal)
    if _log_delta(mu, highest) >= goal:  # by rounding, at mu of many millions
        return highest
    root = bisected(lambda epsilon: _log_delta(mu, epsilon) - goal, 0.0, highest)
    return root * (1 + _SLACK)


def mu_for(epsilon: float, delta: float) -> float:
    """The largest mu whose mechanisms are (epsilon, delta)-DP.

    Rounded down by a relative 1e-12, so that noise calibrated to it is never too little.
    ``epsilon`` is 0 or more, ``delta`` in (0, 1). Raises AccountingError.
    """
    epsilon, goal = (
        checked_not_negative("epsilon", epsilon),
        math.log(checked_delta("delta", delta)),
    )
    low, high = 1e-3, 1.0
    while _log_delta(low, epsilon) > goal:
        low /= 1e3
    while _log_delta(high, epsilon) < goal:
        high *= 2
    return bisected(lambda mu: _log_delta(mu, epsilon) - goal, low, high) * (1 - _SLACK)


def sigma_for(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """The least Gaussian noise that is (epsilon, delta)-DP, rounded up by a relative 1e-12.

    The analytic Gaussian mechanism (Balle and Wang 2018, algorithm 1). The classical
    sqrt(2 ln(1.25 / delta)) / epsilon is larger, and not proved for epsilon of 1 or more.
    Raises AccountingError.
    """
    return checked_positive("sensitivity", sensitivity) / mu_for(epsilon, delta)


def _log_delta(mu: float, epsilon: float) -> float:
    start = epsilon / mu - mu / 2
    if start > _OUT_OF_REACH:
        return -math.inf
    if start < 0 and mu > 1:
        # Most of the mass lies beyond epsilon: delta is near 1, its complement is what is small.
        lost = math.exp(scipy.special.log_ndtr(start)) + math.exp(
            epsilon + scipy.special.log_ndtr(-start - mu)
        )
        return math.log1p(-lost)
    return -start * start / 2 - _HALF_LOG_TWO_PI + math.log(_mills_difference(start, mu))


def _mills_difference(start: float, width: float) -> float:
    """R(start) - R(start + width), from the integral of -R' where the two are close."""
    if width > 1:
        ends = _mills(np.array([start, start + width]))
        return float(ends[0] - ends[1])
    points = start + width * (1 + _NODES) / 2
    return float(width / 2 * (_WEIGHTS @ _minus_mills_slope(points)))


def _mills(x: FloatArray) -> FloatArray:
    return math.sqrt(math.pi / 2) * scipy.special.erfcx(x / math.sqrt(2))


def _minus_mills_slope(x: FloatArray) -> FloatArray:
    """-R'(x) = 1 - x R(x); by its asymptotic series where the two terms cancel."""
    inverse = 1 / np.maximum(x, 1.0) ** 2
    series = inverse * (1 - 3 * inverse * (1 - 5 * inverse * (1 - 7 * inverse)))
    return np.where(x > 100, series, 1 - x * _mills(x))
