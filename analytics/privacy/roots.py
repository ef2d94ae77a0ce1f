"""Roots and minima of privacy bounds. SciPy's optimize is loaded when one is asked for.

It takes a quarter of a second, and most processes compute no budget.
"""

from collections.abc import Callable

Function = Callable[[float], float]


def bisected(
    function: Function, low: float, high: float, *, xtol: float = 1e-300, rtol: float = 1e-15
) -> float:
    """Where a function crosses 0, by bisection, which minds neither infinite values nor scales."""
    from scipy.optimize import bisect

    return float(bisect(function, low, high, xtol=xtol, rtol=rtol, maxiter=3000))


def least_value(function: Function, low: float, high: float) -> float:
    """The least value between two ends of a function that has one minimum there."""
    from scipy.optimize import minimize_scalar

    return float(minimize_scalar(function, bounds=(low, high), method="bounded").fun)
