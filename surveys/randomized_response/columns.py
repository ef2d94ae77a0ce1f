"""Columns, one value per respondent, checked: weights, levels, labels, inclusion probabilities."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import FloatArray, checked_float, checked_number
from .errors import CountsError, EstimationError, StatisticsError, WeightsError
from .frames import is_missing, plain_array
from .labels import index_of


def checked_column(
    argument: str, values: ArrayLike, error: type[StatisticsError], n: int | None = None
) -> FloatArray:
    """Finite floats of shape (n,), at least one. Raises ``error``, naming the first bad entry."""
    column = checked_floats(argument, values, error)
    if column.ndim != 1 or len(column) == 0:
        raise error(argument, column.shape, "give one number per respondent, and at least one")
    if n is not None and len(column) != n:
        raise error(argument, len(column), f"give {n} numbers, one per respondent")
    refuse_where(argument, column, ~np.isfinite(column), "give a finite number", error)
    return column


def checked_floats(argument: str, values: ArrayLike, error: type[StatisticsError]) -> FloatArray:
    """Floats of any shape, finite or not. Raises ``error`` for what is not numbers."""
    try:
        array = plain_array(values)
    except ValueError as ragged:
        raise error(argument, "rows of unequal length", "give one number per entry") from ragged
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    if array.dtype.kind != "O":
        value = "texts" if array.dtype.kind in "US" else array.dtype.name
        raise error(argument, value, "give numbers")
    entries = enumerate(array.ravel().tolist())
    checked = [checked_float(f"{argument}[{i}]", x, error) for i, x in entries]
    return np.array(checked).reshape(array.shape)


def flat_numbers(argument: str, values: ArrayLike, remedy: str) -> FloatArray:
    """Floats of shape (n,). Raises CountsError with ``remedy`` for everything else."""
    try:
        array = plain_array(values)
    except ValueError as reason:
        raise CountsError(argument, values, remedy) from reason
    # An empty list has no kind of its own.
    if array.ndim != 1 or (array.size and array.dtype.kind not in "biuf"):
        raise CountsError(argument, values, remedy)
    return array.astype(np.float64)


def require_aligned(error: type[StatisticsError], **columns: object) -> None:
    """Raise ``error`` where two columns label their rows otherwise, or in another order.

    Columns of a pandas frame have labels; arrays and lists have none and are read by position.
    """
    labelled = [(name, index_of(column)) for name, column in columns.items()]
    known = [(name, index) for name, index in labelled if index is not None]
    for name, index in known[1:]:
        first, expected = known[0]
        if not expected.equals(index):
            remedy = (
                f"its index is not that of {first}: order it by that index (.loc[...]), or give "
                f"{name}.to_numpy() if row after row is the same person"
            )
            first_labels = [str(label) for label in list(index[:3])]
            raise error(f"the index of {name}", first_labels, remedy)


def refuse_where(
    argument: str,
    column: NDArray[Any],
    bad: NDArray[np.bool_],
    remedy: str,
    error: type[StatisticsError],
) -> None:
    """Raise ``error`` for the first entry that is bad, by its number."""
    if bad.any():
        first = int(np.argmax(bad))
        raise error(f"{argument}[{first}]", column[first].item(), remedy)


def require_distinct(argument: str, sizes: Mapping[Any, Any]) -> None:
    """Raise WeightsError where two labels, such as 1 and "1", read the same."""
    texts = [str(label) for label in sizes]
    for number, text in enumerate(texts):
        if text in texts[:number]:
            raise WeightsError(argument, text, "two labels read the same: rename one of them")


def checked_levels(
    argument: str, values: ArrayLike, levels: int, n: int | None = None
) -> NDArray[np.int64]:
    """Whole numbers from 0 to ``levels`` - 1, shape (n,). Raises CountsError."""
    column = checked_column(argument, values, CountsError, n)
    bad = (column != np.floor(column)) | (column < 0) | (column >= levels)
    refuse_where(argument, column, bad, f"reports are numbered 0 to {levels - 1}", CountsError)
    return column.astype(np.int64)


def checked_weights(
    weights: ArrayLike, n: int | None = None, argument: str = "weights"
) -> FloatArray:
    """Weights of at least 0, not all 0, divided by the largest. Raises WeightsError.

    Dividing keeps sums of squares within the range of a float; no share depends on the scale.
    """
    column = checked_column(argument, weights, WeightsError, n)
    refuse_where(argument, column, column < 0, "a weight is 0 or more", WeightsError)
    largest = float(column.max())
    if largest == 0:
        raise WeightsError(argument, 0.0, "all weights are 0: give at least one above 0")
    return np.asarray(column / largest)


# Products of values, weights and their squares stay within the range of a float.
LARGEST_VALUE, LEAST_WEIGHT, LARGEST_WEIGHT = 1e60, 1e-60, 1e60


def require_moderate(argument: str, values: FloatArray, error: type[StatisticsError]) -> None:
    """Raise ``error`` for a number whose squares may leave the range of a float."""
    if (size := float(np.abs(values).max(initial=0.0))) > LARGEST_VALUE:
        raise error(argument, size, "use another unit of measurement: it is too large")


# No sample draws one person among more than 10^15.
SMALLEST_INCLUSION = 1e-15


def checked_inclusion_probabilities(probabilities: ArrayLike, n: int) -> FloatArray:
    """First-order inclusion probabilities in [1e-15, 1], shape (n,). Raises WeightsError."""
    name = "inclusion_probabilities"
    column = checked_column(name, probabilities, WeightsError, n)
    remedy = "give the probability above 0 and at most 1 with which this person was to be drawn"
    refuse_where(name, column, (column < SMALLEST_INCLUSION) | (column > 1), remedy, WeightsError)
    return column


def checked_labels(
    argument: str, labels: ArrayLike, n: int, error: type[StatisticsError] = WeightsError
) -> NDArray[Any]:
    """One label (text or number) of a group, stratum or cluster per respondent: shape (n,).

    Raises ``error``, naming the first respondent without one.
    """
    try:
        column = plain_array(labels)
    except ValueError as ragged:
        raise error(argument, "rows of unequal length", f"give {n} labels") from ragged
    if column.shape != (n,):
        raise error(argument, column.shape, f"give {n} labels, one per respondent")
    # Whole numbers, texts and truth values are all there; floats may be NaN and objects None.
    if column.dtype.kind in "iuUSb":
        return column
    for i, label in enumerate(column.tolist()):
        if is_missing(label):
            raise error(f"{argument}[{i}]", None, "every respondent needs a label")
    return column if column.dtype.kind == "f" else np.array([str(x) for x in column.tolist()])


def checked_value_counts(
    values: ArrayLike, counts: ArrayLike, low: object, high: object
) -> tuple[FloatArray, FloatArray, float, float]:
    """Values within [low, high], how often each was given, and both ends; two shapes (m,).

    Raises EstimationError.
    """
    require_aligned(EstimationError, values=values, counts=counts)
    least, most = float(checked_number("low", low)), float(checked_number("high", high))
    numbers = checked_floats("values", values, EstimationError)
    times = checked_floats("counts", counts, EstimationError)
    if not least < most:
        raise EstimationError("high", high, "give a largest number above the smallest")
    if numbers.ndim != 1 or numbers.shape != times.shape or not len(numbers):
        raise EstimationError("values", numbers.shape, "give as many values as counts")
    if not np.all((least <= numbers) & (numbers <= most)):  # not a number is refused too
        remedy = "give numbers between the smallest and the largest"
        raise EstimationError("values", numbers, remedy)
    are_whole = np.isfinite(times).all() and np.all(times == np.round(times))
    if not (are_whole and np.all(times >= 0) and times.sum() > 0):
        raise EstimationError("counts", times, "give whole numbers from 0, not all 0")
    return numbers, times, least, most


def checked_matrix(argument: str, values: ArrayLike, n: int | None = None) -> FloatArray:
    """Finite numbers of at least 0, shape (rows, n), at least one row. Raises WeightsError."""
    matrix = checked_floats(argument, values, WeightsError)
    if matrix.ndim != 2 or matrix.size == 0 or (n is not None and matrix.shape[1] != n):
        raise WeightsError(argument, matrix.shape, "give a table with one column per respondent")
    if not (np.isfinite(matrix) & (matrix >= 0)).all():
        raise WeightsError(
            argument, matrix.shape, "every entry must be a finite number of 0 or more"
        )
    return matrix


def checked_joint(values: ArrayLike, n: int) -> FloatArray:
    """Joint inclusion probabilities, shape (n, n). Raises WeightsError."""
    name = "joint_probabilities"
    joint = checked_matrix(name, values, n)
    # Tables are computed in floats: rounding may leave them a little uneven, and pi_ij above pi_i.
    if joint.shape != (n, n) or not np.allclose(joint, joint.T, rtol=1e-9, atol=0.0):
        raise WeightsError(name, joint.shape, "give a symmetric table, n by n")
    pi = np.diag(joint)
    if (joint < SMALLEST_INCLUSION).any() or (joint > np.minimum.outer(pi, pi) * (1 + 1e-9)).any():
        remedy = "pi_ij must be above 0 and at most pi_i and pi_j, with pi_i on the diagonal"
        raise WeightsError(name, joint.tolist(), remedy)
    checked_inclusion_probabilities(pi, n)
    return joint
