"""One way down: L-BFGS (Byrd, Lu, Nocedal and Zhu 1995) on an exact slope, with bounds."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize

from analytics.workloads.checks import FloatArray

Slope = Callable[[FloatArray], tuple[float, FloatArray]]

# Directions remembered: the errors are long narrow valleys, in which 10, SciPy's own, take longer.
_REMEMBERED = 20


def descend(
    slope: Slope, start: FloatArray, steps: int, largest: float | None = None
) -> tuple[FloatArray, float]:
    """The point after at most ``steps`` steps, and its value.

    ``slope`` takes a point to its value and gradient. With ``largest`` every parameter stays
    between 0 and that; else it is free. Ends where a step gains less than a relative 1e-10.
    """
    bounds = None if largest is None else [(0.0, largest)] * len(start)
    options: Any = {
        "maxiter": steps, "maxfun": 2 * steps + 100, "maxcor": _REMEMBERED,
        "ftol": 1e-10, "gtol": 1e-10,
    }  # fmt: skip
    result = minimize(slope, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return np.asarray(result.x), float(result.fun)
