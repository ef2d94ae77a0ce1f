"""How far a distance may be off, from draws of noise: how many, their quantile, the interval."""

import math
from dataclasses import dataclass

import numpy as np

from analytics.comparison.checks import FloatArray

# Draws that lie beyond a quantile: with fewer, it is the largest draw by chance.
BEYOND = 2


@dataclass(frozen=True, eq=False)
class Apart:
    """Two groups by their names, the estimated distance of their answers, and its interval."""

    first: str
    second: str
    distance: float
    low: float
    high: float


def enough_for_quantile(draws: int, level: float) -> int:
    """So many draws, or more: with fewer, hardly any would lie beyond their quantile at a level."""
    # Rounded, because 1 - 0.95 is a little more than 0.05.
    return max(draws, math.ceil(round(BEYOND / (1 - level), 6)))


def reach_of(noise: FloatArray, level: float) -> float:
    """Return the quantile of draws that one draw more exceeds with a chance of 1 - level.

    That is at level * (draws + 1) of them in order; at level * draws it is exceeded more often
    (Hyndman and Fan 1996, type 6).
    """
    return float(np.quantile(noise, level, method="weibull"))


def interval_of(
    distance: float, reach: float, width: float, *, differ: bool
) -> tuple[float, float]:
    """Return the ends of the distance plus or minus its reach, between 0 and the scale's width.

    ``differ``: whether the test at the interval's level rejects no difference; else the interval
    holds 0. So it misses a distance of 0 no more often than the test errs, however few people
    there are: the noise of 5 people's answers, redrawn from these answers, is often too small. An
    estimate may lie above the width, which is then nearer to any true distance: so the lower end
    is a reach below the width, and no interval shrinks to a point.
    """
    low = max(0.0, min(distance, width) - reach) if differ else 0.0
    return low, min(distance + reach, width)
