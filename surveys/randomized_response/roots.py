"""Roots of functions of one number, by SciPy's method of Brent (1973, ch. 4), and least values.

And by halving, where numbers are whole.
"""

from collections.abc import Callable

import numpy as np

from .checks import FloatArray

Function = Callable[[float], float]
Functions = Callable[[FloatArray], FloatArray]
# Looks at once, and how often: the second time a 128th of the range apart.
_LOOKS, _TIMES = 17, 2


def find_root(function: Function, low: float, high: float, *, xtol: float) -> float:
    """Where a continuous function with two signs at ``low`` and ``high`` is 0, to ``xtol``.

    SciPy's optimize takes a quarter of a second to load, which is why it is loaded here: processes
    that only receive answers or draw a page need no root.
    """
    from scipy.optimize import brentq

    return float(brentq(function, low, high, xtol=xtol))


def last_number(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The largest whole number that holds, of those from ``low``, which does, to ``high``, not.

    Those that hold come before those that do not.
    """
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def find_least(function: Functions, low: float, high: float) -> float:
    """The least value of a function of many numbers at once that is convex or nearly so.

    Looks all over, then around the best of them, then at the lowest point of the parabola through
    the best three. SciPy's method looks at one number after the other, where NumPy takes as long
    for two as for seventeen.
    """
    for _ in range(_TIMES):
        places = np.linspace(low, high, _LOOKS)
        values = function(places)
        best = int(np.argmin(values))
        low, high = places[max(best - 1, 0)], places[min(best + 1, _LOOKS - 1)]
    least = float(values[best])
    if not 0 < best < _LOOKS - 1:
        return least
    before, after = values[best - 1], values[best + 1]
    curve = before - 2 * least + after
    if not 0 < curve < np.inf:
        return least
    lowest = places[best] + (before - after) / (2 * curve) * (high - low) / 2
    return min(least, float(function(np.array([lowest]))[0]))
