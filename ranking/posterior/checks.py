"""Validation of counts, pseudocounts and utilities of ratings, for any number of items."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking.posterior.errors import PriorError, RatingsError, UtilityError
from surveys.randomized_response.errors import StatisticsError

FloatArray = NDArray[np.float64]
Numbers = Sequence[float] | Sequence[Sequence[float]] | NDArray[Any]


def checked_utilities(utilities: Numbers) -> FloatArray:
    """Shape (levels,): finite and not all equal. Raises UtilityError."""
    values = _numbers("utilities", utilities, UtilityError, dimensions=1)
    if len(values) < 2:
        raise UtilityError("utilities", utilities, "give one number per level, for 2 or more")
    if values.min() == values.max():
        raise UtilityError("utilities", utilities, "equal utilities order nothing: vary them")
    return values


def checked_counts(counts: Numbers, levels: int) -> FloatArray:
    """Shape (items, levels): finite and at least 0. Raises RatingsError."""
    values = _numbers("counts", counts, RatingsError, dimensions=2)
    if values.shape[1] != levels:
        remedy = f"give {levels} counts per item, one per level (utilities has {levels})"
        raise RatingsError("counts", values.shape, remedy)
    return values


def checked_pseudocounts(prior: Numbers, counts: FloatArray) -> FloatArray:
    """Shape (levels,) or (items, levels): finite and at least 0. Raises PriorError."""
    dimensions = 2 if np.ndim(prior) == 2 else 1
    values = _numbers("prior", prior, PriorError, dimensions)
    if values.shape not in ((counts.shape[1],), counts.shape):
        remedy = f"give {counts.shape[1]} pseudocounts, or that many for each item"
        raise PriorError("prior", values.shape, remedy)
    return values


def _numbers(
    argument: str, values: Numbers, error: type[StatisticsError], dimensions: int
) -> FloatArray:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise error(argument, values, "give numbers, equally many for every item") from None
    if array.ndim != dimensions or array.size == 0:
        raise error(argument, array.shape, f"give a table with {dimensions} dimension(s)")
    # One pass each: NaN fails the first comparison, infinity the second.
    if error is not UtilityError and not array.min() >= 0:
        where = np.unravel_index(int(np.argmin(np.where(array >= 0, 1, 0))), array.shape)
        raise error(f"{argument}{_place(where)}", float(array[where]), "give a number of 0 or more")
    if not np.isfinite(array.max()) or not np.isfinite(array.min()):
        where = np.unravel_index(int(np.argmin(np.isfinite(array))), array.shape)
        raise error(f"{argument}{_place(where)}", float(array[where]), "give a finite number")
    return array


def _place(where: tuple[Any, ...]) -> str:
    return "".join(f"[{int(index)}]" for index in where)
