"""Profile likelihood of a mean score, its calibrated limit, and the values that a test accepts.

Reports are multinomial with unknown shares l_y of the levels y. The likelihood-ratio statistic of
the hypothesis that the scores s_y have mean m is

    W(m) = 2 sum_y n_y ln(f_y / l_y) at the most likely shares l with sum_y l_y s_y = m.

Levels without a report keep the right to a share, so all-same reports need no special case. The
most likely shares are n_y / (n (1 + h (s_y - m))), with h where W is largest; the ends of an
interval follow without solving for h, because along l_y proportional to n_y / (r - s_y), r above
all scores, mean and W both grow as r falls. W exceeds a chi-squared quantile with one degree of
freedom z^2 too often in small samples; against z^2 n / (n - z^2), which Student's statistic with
its variance about the hypothesis has for a limit, it holds its level (measured in
docs/statistics.md). Sources: Wilks (1938); Owen (1988), for the same likelihood.
"""

import math
from collections.abc import Callable

import numpy as np
import scipy

from ..checks import FloatArray
from ..roots import find_root

Excess = Callable[[FloatArray], FloatArray]

# Points of the first look, and of each of the looks between two of them: six of 32 steps narrow
# an end down to a 10^9th of a step.
_GRID = 241
_ZOOM = 33
_ZOOMS = 6
# More than the 53 bits of a float.
_HALVINGS = 60
# From the estimate to the end of the range, in steps that double.
_STEPS = 0.5 ** np.arange(40, -1, -1)
# ln of (r - largest score) / range: below and above, means no longer change.
_NEAREST, _FARTHEST = -700.0, 80.0


def calibrated(quantile: float, n: float) -> float:
    """A limit q for W or a score statistic in n reports; infinite where n is not above it."""
    return quantile * n / (n - quantile) if n > quantile else math.inf


def squared_normal(level: float) -> float:
    """The quantile of chi-squared with one degree of freedom: 3.84 for 0.95."""
    return float(scipy.special.ndtri((1 - level) / 2)) ** 2


def chi_squared_tail(statistic: float, freedom: int = 1) -> float:
    """The chance of a chi-squared number above ``statistic``: the p-value of a likelihood ratio."""
    return float(scipy.special.gammaincc(freedom / 2, statistic / 2))


def fieller_roots(
    top: float, bottom: float, covariance: tuple[float, float, float], limit: float
) -> tuple[float, float] | None:
    """Where (top - t bottom)^2 = limit Var(top - t bottom); None without two ends (Fieller 1954).

    ``covariance``: variance of the top, covariance, variance of the bottom.
    """
    a = bottom**2 - limit * covariance[2]
    b = top * bottom - limit * covariance[1]
    discriminant = b**2 - a * (top**2 - limit * covariance[0])
    if not (bottom > 0 and a > 0 and discriminant >= 0):
        return None
    half = math.sqrt(discriminant) / a
    return float(b / a - half), float(b / a + half)


def mean_ends(scores: FloatArray, counts: FloatArray, limit: float) -> tuple[float, float]:
    """The least and the largest mean score with W <= limit; ``scores`` differ, (levels,)."""
    if not math.isfinite(limit):
        return float(scores.min()), float(scores.max())
    return -_upper_end(-scores, counts, limit), _upper_end(scores, counts, limit)


def _upper_end(scores: FloatArray, counts: FloatArray, limit: float) -> float:
    n, top = float(counts.sum()), float(scores.max())
    reported = counts > 0
    gaps, weights = (top - scores[reported]) / np.ptp(scores), counts[reported] / n

    def at(distance: float) -> tuple[float, float]:
        """The mean's gap below the top, in ranges, and W."""
        pulls = weights / (distance + gaps)
        shares = pulls / pulls.sum()
        return float(shares @ gaps), 2 * n * float(weights @ np.log(weights / shares))

    if gaps.min() > 0:
        gap, spent = at(0.0)
        if spent < limit:
            # The level on top, which no one reported, gets a share m: W grows by -2 n ln(1 - m).
            kept = math.exp(-(limit - spent) / (2 * n))
            return top - kept * gap * float(np.ptp(scores))
    # All reports are on top, so that no mean below it can be the upper end.
    elif gaps.max() == 0:
        return top
    distance = find_root(lambda u: at(math.exp(u))[1] - limit, _NEAREST, _FARTHEST, xtol=1e-12)
    return top - at(math.exp(distance))[0] * float(np.ptp(scores))


def mean_statistic(scores: FloatArray, counts: FloatArray) -> FloatArray:
    """W of a mean score of 0, for each row of ``scores`` (hypotheses, levels): (hypotheses,).

    Infinite where no shares have that mean.
    """
    low, high = scores.min(axis=1), scores.max(axis=1)
    possible = (low < 0) & (high > 0)
    # Rows without such shares get any scores of both signs; what comes of them is not used.
    safe = np.where(possible[:, None], scores, np.linspace(-1, 1, scores.shape[1]))
    left, right = -1 / safe.max(axis=1), -1 / safe.min(axis=1)
    reported = counts > 0
    safe, known = safe[:, reported], (scores[:, reported] == 0).all(axis=1)
    for _ in range(_HALVINGS):
        middle = (left + right) / 2
        rising = ((counts[reported] * safe) / (1 + middle[:, None] * safe)).sum(axis=1) > 0
        left, right = np.where(rising, middle, left), np.where(rising, right, middle)
    factors = 1 + ((left + right) / 2)[:, None] * safe
    logs = np.log(np.maximum(factors, np.finfo(float).tiny))
    return np.where(possible, 2 * (logs @ counts[reported]), np.where(known, 0.0, np.inf))


def accepted_ends(excess: Excess, low: float, high: float) -> tuple[float, float] | None:
    """The outermost values in [low, high] with ``excess`` <= 0; None where a look finds none.

    ``excess`` maps (values,) to (values,) and may jump; between two values of the first look it is
    taken to change its sign once.
    """
    values = np.linspace(low, high, _GRID)
    inside = np.flatnonzero(excess(values) <= 0)
    if len(inside) == 0:
        return None
    first, last = int(inside[0]), int(inside[-1])
    least = low if first == 0 else _edge(excess, values[first], values[first - 1])
    return least, high if last == _GRID - 1 else _edge(excess, values[last], values[last + 1])


def accepted_around(excess: Excess, value: float, low: float, high: float) -> tuple[float, float]:
    """The ends of the accepted values around ``value``, which is one, within [low, high]."""
    return _outward(excess, value, low), _outward(excess, value, high)


def _outward(excess: Excess, value: float, end: float) -> float:
    values = value + (end - value) * np.append(0.0, _STEPS)
    out = np.flatnonzero(excess(values[1:]) > 0)
    return _edge(excess, values[out[0]], values[out[0] + 1]) if len(out) else end


def _edge(excess: Excess, inside: float, outside: float) -> float:
    for _ in range(_ZOOMS):
        values = np.linspace(inside, outside, _ZOOM)
        out = np.flatnonzero(excess(values[1:-1]) > 0)
        first = int(out[0]) + 1 if len(out) else _ZOOM - 1
        inside, outside = float(values[first - 1]), float(values[first])
    return inside
