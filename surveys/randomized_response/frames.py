"""Columns and frames of pandas as plain arrays, and results as frames, without pandas of our own.

pandas hands out columns of nullable numbers, truth values, texts and categories as objects. What
they hold is looked at here, so that the same answers are the same numbers in every column.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import StatisticsError


def plain_array(values: ArrayLike) -> NDArray[Any]:
    """The array of ``values``; objects that are all numbers, or all texts, as numpy's own kinds.

    A missing number is NaN. Other objects stay objects. Raises ValueError for rows of unequal
    lengths.
    """
    array = np.asarray(values)
    if array.dtype.kind != "O":
        return array
    entries = array.ravel().tolist()
    if entries and all(isinstance(entry, str) for entry in entries):
        return array.astype(str)
    present = [entry for entry in entries if not is_missing(entry)]
    if not present or not all(isinstance(entry, Real | np.bool_) for entry in present):
        return array
    numbers = np.array([np.nan if is_missing(entry) else entry for entry in entries])
    # Fractions are numbers; whole numbers that no machine word holds stay as they are.
    if numbers.dtype.kind == "O" and any(isinstance(entry, Fraction) for entry in present):
        numbers = numbers.astype(np.float64)
    return numbers.reshape(array.shape)


def is_missing(value: object) -> bool:
    """Whether a value stands for none: None, not a number, or one of pandas' own."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):  # pandas.NA is neither equal to itself nor unequal
        return type(value).__name__ == "NAType"


def categories_of(column: object) -> tuple[str, ...] | None:
    """The categories of a column of pandas' type for them, as texts; None for other columns."""
    categories = getattr(getattr(column, "dtype", None), "categories", None)
    return None if categories is None else tuple(map(str, categories))


def frame_of(columns: Mapping[str, ArrayLike], index: Sequence[object] | None = None) -> Any:
    """A pandas frame of these columns. Raises StatisticsError where pandas is not installed."""
    try:
        import pandas as pd
    except ImportError as reason:
        remedy = "a frame needs pandas: install it, or read the result's own arrays"
        raise StatisticsError("pandas", "not installed", remedy) from reason
    return pd.DataFrame(dict(columns), index=index)
