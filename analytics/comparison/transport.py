"""Earthmover distance (Wasserstein-1) on a line: distances, plans and the average pattern.

On a line W1 is the area between two cumulative laws, sum of |F_A - F_B| times the gap (Vallender
1974). The laws may be signed estimates from randomized answers: only their difference counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analytics.comparison.checks import (
    ComparisonError,
    FloatArray,
    checked_counts,
    checked_positions,
    checked_sample,
    checked_weights,
)

# Shares below this are rounding: no person stands behind them.
ROUNDING = 1e-12


def line_distance(
    x: ArrayLike, y: ArrayLike, wx: ArrayLike | None = None, wy: ArrayLike | None = None
) -> float:
    """Return W1 of two samples of numbers, in the numbers' own unit; O(n log n).

    ``wx`` and ``wy`` are weights of at least 0, normalised here. Raises ComparisonError.
    """
    first, second = checked_sample("x", x), checked_sample("y", y)
    if wx is None and wy is None and len(first) == len(second):
        # Of equally many the sorted values are matched one by one.
        return float(np.abs(np.sort(first) - np.sort(second)).mean())
    values = np.concatenate([first, second])
    order = np.argsort(values)
    gaps = np.diff(values[order])
    if wx is None and wy is None:
        # Whole numbers, so that no rounding adds up over a million answers.
        n, m = len(first), len(second)
        steps = np.where(order < n, m, -n)
        return float(np.abs(np.cumsum(steps)[:-1]) @ gaps / (n * m))
    masses = np.concatenate(
        [checked_weights("wx", wx, len(first)), -checked_weights("wy", wy, len(second))]
    )
    return float(np.abs(np.cumsum(masses[order])[:-1]) @ gaps)


def ordinal_distance(a: ArrayLike, b: ArrayLike, positions: ArrayLike | None = None) -> float:
    """Return W1 of two lists of counts over the same levels.

    ``positions`` are ascending; by default 0, 1, ..., so that the unit is one step of the scale.
    Raises ComparisonError.
    """
    first = checked_counts("a", a)
    second = checked_counts("b", b, len(first))
    places = positions_of(positions, len(first))
    return float(signed_distance(first / first.sum() - second / second.sum(), places))


def signed_distance(differences: ArrayLike, positions: FloatArray) -> FloatArray:
    """Return W1 for differences of two laws, shape (..., levels), each summing to 0.

    The answer has the shape without the last axis. ``positions`` are taken as checked.
    """
    moved = np.cumsum(np.asarray(differences, dtype=np.float64), axis=-1)[..., :-1]
    distances: FloatArray = np.abs(moved) @ np.diff(positions)
    return distances


def positions_of(positions: ArrayLike | None, levels: int) -> FloatArray:
    """Return checked positions; 0, 1, ... where none are named."""
    return checked_positions(np.arange(levels) if positions is None else positions, levels)


def transport_plan(first: ArrayLike, second: ArrayLike) -> FloatArray:
    """Return who moves where: masses, shape (levels, levels), row = from, column = to.

    Both laws are over the same ascending levels, at least 0 and normalised here. On a line the
    optimal plan keeps the order of people, so that it is the same for any positions.
    Raises ComparisonError.
    """
    rows = checked_weights("first", first, np.size(first))
    columns = checked_weights("second", second, len(rows))
    ends = np.minimum.outer(np.cumsum(rows), np.cumsum(columns))
    padded = np.pad(ends, ((1, 0), (1, 0)))
    plan: FloatArray = np.diff(np.diff(padded, axis=0), axis=1)
    return np.where(plan > ROUNDING, plan, 0.0)


@dataclass(frozen=True, eq=False)
class AveragePattern:
    """A law on a line: ascending ``points`` with ``masses`` that sum to 1."""

    points: FloatArray
    masses: FloatArray

    @property
    def mean(self) -> float:
        """The mean of the law."""
        return float(self.points @ self.masses)


def average_pattern(
    laws: Sequence[ArrayLike], positions: ArrayLike | None = None, weights: ArrayLike | None = None
) -> AveragePattern:
    """Return the Wasserstein barycenter of laws on one scale: the average of their quantiles.

    Each law has a mass of at least 0 a level, normalised here. ``weights`` of the laws are equal by
    default. The points lie between the levels where groups differ. Raises ComparisonError.
    Source: Agueh and Carlier (2011), section 6.1.
    """
    if not len(laws):
        raise ComparisonError("laws", "none", "an average needs at least one group")
    levels = np.size(laws[0])
    places = positions_of(positions, levels)
    masses = np.stack([checked_weights(f"laws[{i}]", law, levels) for i, law in enumerate(laws)])
    shares = checked_weights("weights", weights, len(masses))
    ends = np.cumsum(masses, axis=1)
    ends[:, -1] = 1.0
    cuts = np.unique(np.concatenate([[0.0], np.clip(ends.ravel(), 0.0, 1.0)]))
    middles = (cuts[1:] + cuts[:-1]) / 2
    located = np.stack([places[np.searchsorted(end, middles)] for end in ends])
    return _merged(shares @ located, np.diff(cuts))


def distance_to_pattern(law: ArrayLike, positions: FloatArray, pattern: AveragePattern) -> float:
    """Return W1 from a law on the positions to a pattern. Raises ComparisonError."""
    return line_distance(positions, pattern.points, law, pattern.masses)


def _merged(points: FloatArray, masses: FloatArray) -> AveragePattern:
    """Equal neighbours as one point; quantile averages ascend, so equal ones are neighbours."""
    real = masses > ROUNDING
    kept, shares = points[real], masses[real]
    starts = np.concatenate([[True], np.diff(kept) > 0])
    together = np.add.reduceat(shares, np.flatnonzero(starts))
    return AveragePattern(kept[starts], together / together.sum())
