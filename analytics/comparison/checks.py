"""ComparisonError, TreeError; validation of samples, counts, positions, weights and costs."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surveys.randomized_response.errors import StatisticsError
from surveys.randomized_response.messages import sentence

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Above 2^53 a float no longer holds every whole number.
LARGEST_TOTAL = 2**53
# Differences and products of larger numbers leave the range of a float.
LARGEST_NUMBER = 1e100


class ComparisonError(StatisticsError):
    """Groups, clouds or a ground metric that cannot be compared."""


class TreeError(StatisticsError):
    """Answers or settings from which no tree can grow."""


def checked_sample(argument: str, values: ArrayLike) -> FloatArray:
    """Finite numbers, shape (n,), n >= 1."""
    numbers = _numbers(argument, values)
    if numbers.ndim != 1:
        raise ComparisonError(argument, numbers.shape, "give one number for each person")
    if not numbers.size:
        raise ComparisonError(argument, "nothing", "an empty group has no answers to compare")
    return numbers


def checked_positions(values: ArrayLike, levels: int) -> FloatArray:
    """One finite position for each level, strictly ascending."""
    positions = _numbers("positions", values)
    if positions.shape != (levels,):
        remedy = f"give {levels} positions, one for each level: groups need one scale"
        raise ComparisonError("positions", positions.shape, remedy)
    if levels > 1 and (np.diff(positions) <= 0).any():
        remedy = "give positions in ascending order, each once"
        raise ComparisonError("positions", positions.tolist(), remedy)
    return positions


def checked_counts(argument: str, values: ArrayLike, levels: int | None = None) -> IntArray:
    """Whole counts of at least 0, one a level, at least one answer in all."""
    numbers = _numbers(argument, values)
    if numbers.ndim != 1 or (levels is not None and len(numbers) != levels):
        shape = "one count for each level" if levels is None else f"{levels} counts"
        raise ComparisonError(argument, numbers.shape, f"give {shape}: groups need one scale")
    if (numbers < 0).any() or (numbers != np.floor(numbers)).any():
        raise ComparisonError(argument, numbers.tolist(), "counts are whole numbers of at least 0")
    if not numbers.sum():
        raise ComparisonError(argument, sentence("no answers"), "an empty group cannot be compared")
    if numbers.sum() > LARGEST_TOTAL:
        raise ComparisonError(argument, numbers.sum(), "more than 2^53 answers cannot be counted")
    return numbers.astype(np.int64)


def checked_patterns(values: ArrayLike) -> FloatArray:
    """Shares of levels among the reports of a person: (patterns, levels), rows that sum to 1."""
    patterns = _numbers("patterns", values)
    if patterns.ndim != 2 or 0 in patterns.shape:
        raise ComparisonError("patterns", patterns.shape, "give a row of shares for each pattern")
    if (patterns < 0).any() or (np.abs(patterns.sum(axis=1) - 1) > 1e-9).any():
        raise ComparisonError("patterns", "no shares", "each row sums to 1")
    return patterns


def checked_weights(argument: str, values: ArrayLike | None, size: int) -> FloatArray:
    """Weights of at least 0 that sum to 1; None stands for equal ones."""
    if values is None:
        return np.full(size, 1.0 / size)
    weights = _numbers(argument, values)
    if weights.shape != (size,):
        raise ComparisonError(argument, weights.shape, f"give {size} weights, one for each point")
    total = weights.sum()
    if (weights < 0).any() or not total > 0 or not np.isfinite(total):
        remedy = "give weights of at least 0 with a positive, finite sum"
        raise ComparisonError(argument, total, remedy)
    normalised: FloatArray = weights / total
    return normalised


def checked_points(argument: str, values: ArrayLike) -> FloatArray:
    """A table of finite numbers, shape (points, dimensions), neither of them 0."""
    points = _numbers(argument, values)
    if points.ndim == 1:
        points = points[:, None]
    if points.ndim != 2 or 0 in points.shape:
        raise ComparisonError(
            argument, points.shape, sentence("give one row of numbers for each point")
        )
    return points


def checked_costs(values: ArrayLike) -> FloatArray:
    """A table of finite costs of at least 0."""
    costs = _numbers("costs", values)
    if costs.ndim != 2 or 0 in costs.shape:
        raise ComparisonError(
            "costs", costs.shape, sentence("give one row and one column for each answer")
        )
    if (costs < 0).any():
        raise ComparisonError("costs", float(costs.min()), sentence("give distances of at least 0"))
    return costs


def _numbers(argument: str, values: Any) -> FloatArray:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ComparisonError(
            argument, values, sentence("give rows of numbers that all have the same length")
        ) from None
    if not np.isfinite(numbers).all():
        raise ComparisonError(argument, "not finite", sentence("give finite numbers"))
    if numbers.size and np.abs(numbers).max() > LARGEST_NUMBER:
        raise ComparisonError(
            argument, float(np.abs(numbers).max()), sentence("give numbers up to 1e100")
        )
    return numbers
