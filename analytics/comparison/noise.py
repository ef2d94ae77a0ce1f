"""DistanceNoise: draws of how far the estimated difference of two laws is off (bootstrap)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analytics.comparison.checks import FloatArray
from analytics.comparison.groups import KnownGroup, Scale, distances_of, laws_of
from analytics.comparison.permutation import batches


@dataclass(frozen=True, eq=False)
class DistanceNoise:
    """Draws of how far the estimates of two laws are off, each shape (draws,).

    ``distances`` are the W1 of the error of their difference, ``means`` its mean, ``declined`` the
    error of the difference of those who declined.
    """

    distances: FloatArray
    means: FloatArray
    declined: FloatArray

    @classmethod
    def of_errors(cls, laws: FloatArray, declined: FloatArray, scale: Scale) -> "DistanceNoise":
        """From errors of the laws' difference (draws, placed) and of the declined (draws,)."""
        return cls(distances_of(laws, scale), laws @ scale.positions, declined)

    @classmethod
    def joined(cls, parts: Sequence["DistanceNoise"]) -> "DistanceNoise":
        """Batches after each other: laws on many positions do not fit memory together."""
        rows = [(part.distances, part.means, part.declined) for part in parts]
        return cls(*(np.concatenate(column) for column in zip(*rows, strict=True)))


def noise_of(
    first: KnownGroup, second: KnownGroup, scale: Scale, draws: int, rng: np.random.Generator
) -> DistanceNoise:
    """Draw the error of the difference of two laws by a parametric bootstrap of the reports.

    People are drawn, each with all their reports. From smoothed shares: a group that answered alike
    would have no noise otherwise. The spread of n people drawn from their own answers is short by
    (n - 1)/n, which is given back.
    """
    parts = []
    for size in batches(draws, max(len(first.counts), len(second.counts))):
        errors, others = (_errors(group, scale, size, rng) for group in (first, second))
        parts.append(DistanceNoise.of_errors(errors[0] - others[0], others[1] - errors[1], scale))
    return DistanceNoise.joined(parts)


def _errors(
    group: KnownGroup, scale: Scale, draws: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    frequencies, centre = group.redrawn(draws, rng)
    drawn, middle = group.shares(frequencies), group.shares(centre)
    short = math.sqrt(group.n / max(group.n - 1, 1))
    off = short * (laws_of(drawn, scale) - laws_of(middle, scale))
    if scale.declined is None:
        return off, np.zeros(draws)
    return off, short * (drawn[:, scale.declined] - middle[scale.declined])
