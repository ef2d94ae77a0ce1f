"""The channel with the least average variance for a scale, and what no channel can go below."""

import math
from dataclasses import dataclass

import numpy as np

from tests.randomized_response.checks import checked_number
from tests.randomized_response.designs.local.scales import (
    Array,
    PatternProblem,
    Purpose,
    asked_of_scale,
)
from tests.randomized_response.errors import DesignError


@dataclass(frozen=True, eq=False)
class ScaleChannel:
    """Reports x levels; its average variance for a purpose, and what no channel can go below."""

    channel: Array
    average_variance: float
    lower: float


def best_scale_channel(levels: int, epsilon: float, purpose: Purpose) -> ScaleChannel:
    """The channel with the least average variance for a scale, certified to a relative 1e-7.

    ``levels`` from 2 to 12; ``epsilon`` above 0, at most 20. A channel for the mean cannot give a
    histogram: the purpose is chosen when the question is designed. Raises DesignError.
    """
    loss = float(checked_number("epsilon", epsilon, DesignError))
    if not 0 < loss <= 20:
        raise DesignError("epsilon", epsilon, "give a number above 0, at most 20")
    rows = asked_of_scale(Purpose(purpose), levels)
    problem = PatternProblem.of(levels, math.exp(loss), rows)
    theta, lower = problem.solved()
    kept = theta > 1e-9 * theta.max()
    channel = completed(theta[kept, None] * problem.patterns[kept], math.exp(loss))
    shift = float((rows**2).sum()) / levels
    value = problem.value(theta)
    return ScaleChannel(channel, value / levels - shift, lower / levels - shift)


def completed(rows: Array, odds: float) -> Array:
    """Rows with columns that sum to 1 but for rounding, and one more report that makes up for it.

    Dividing the columns by their sums would take the ratios above e^epsilon; the last row, of some
    1e-8, keeps within it, because its smallest entry is at least its spread / (odds - 1).
    """
    sums = rows.sum(axis=0)
    largest = sums.max()
    room = 2 * (largest - sums.min() + 1e-12) / min(odds - 1, 1.0)
    scaled = rows / (largest + room)
    return np.vstack([scaled, 1 - scaled.sum(axis=0)])
