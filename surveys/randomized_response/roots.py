"""Roots and minima of functions of one number, by SciPy's methods of Brent (1973, ch. 4, 5).

And by halving, where numbers are whole.
"""

from collections.abc import Callable

Function = Callable[[float], float]


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


def find_minimum(function: Function, low: float, high: float, *, xtol: float) -> float:
    """Where a function with one minimum between ``low`` and ``high`` has it, to ``xtol``."""
    from scipy.optimize import minimize_scalar

    bounds = (low, high)
    least = minimize_scalar(function, bounds=bounds, method="bounded", options={"xatol": xtol})
    return float(least.x)
