"""Validation of privacy parameters: every refusal names the argument, its value and a remedy."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics.privacy.errors import AccountingError
from surveys.randomized_response.checks import checked_number, checked_whole_number
from surveys.randomized_response.errors import StatisticsError

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
Error = type[StatisticsError]

# Beyond these, rounding decides: squares and differences of the parameters lose their digits.
SMALLEST, LARGEST = 1e-100, 1e15


def checked_positive(argument: str, value: object, error: Error = AccountingError) -> float:
    """A finite number above 0, between 1e-100 and 1e15."""
    number = float(checked_number(argument, value, error))
    if not SMALLEST <= number <= LARGEST:
        raise error(argument, value, "give a number above 0 (between 1e-100 and 1e15)")
    return number


def checked_not_negative(argument: str, value: object, error: Error = AccountingError) -> float:
    """A finite number of 0 or more, at most 1e15."""
    number = float(checked_number(argument, value, error))
    if not 0 <= number <= LARGEST:
        raise error(argument, value, "give a number of 0 or more (at most 1e15)")
    return number


def checked_delta(argument: str, value: object, error: Error = AccountingError) -> float:
    """A probability strictly between 0 and 1, at least 1e-100."""
    number = float(checked_number(argument, value, error))
    if not SMALLEST <= number < 1:
        raise error(argument, value, "give a probability above 0 and below 1, such as 1e-5")
    return number


def checked_count(argument: str, value: object, error: Error = AccountingError) -> int:
    """A whole number of at least 1."""
    number = checked_whole_number(argument, value, error)
    if number < 1:
        raise error(argument, value, "give a whole number of at least 1")
    return number


def checked_integers(argument: str, values: Any, error: Error) -> IntArray:
    """An array of integers that fits int64; floats are refused even when they are whole."""
    array = np.asarray(values)
    if array.dtype.kind not in "iu" or array.size == 0:
        raise error(argument, array.dtype, "give a non-empty array of integers (int64)")
    if array.dtype.kind == "u" and array.max() > np.iinfo(np.int64).max:
        raise error(argument, int(array.max()), "the largest integer that fits is 2^63 - 1")
    return array.astype(np.int64, copy=False)
