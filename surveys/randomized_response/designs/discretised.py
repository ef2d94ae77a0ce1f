"""Numbers on a grid with modular or geometric noise, a rational channel that a browser may draw.

Noise made of floating-point numbers leaks the answer through the low bits of its sum (Mironov
2012). Here an answer is one of k grid points, and the report is drawn from a k by k channel of
rationals with integer weights, like every other question. Epsilon is exact and finite.

``TruncatedGeometricNoise`` keeps reports near the answer: neighbours are protected most, the two
ends least. ``ModularNoise`` adds any noise modulo k and protects all answers alike; k-ary response
is one case of it.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import (
    FloatArray,
    Probability,
    checked_between,
    checked_number,
    checked_probabilities,
    checked_probability,
)
from ..columns import checked_column, refuse_where
from ..errors import CountsError, DesignError
from ..labels import in_order_of_levels
from .categorical import odds_within
from .channel import Channel
from .design import Design
from .transform import ChannelTransform, TransformedReports

# The channel has the square of this many rationals; a finer grid says no more through the noise.
MOST_GRID_POINTS = 101
# A denominator that keeps powers of a ratio readable and costs less than 10^-6 of epsilon.
_RATIO_DENOMINATOR = 10**6


class GridNoise(ABC):
    """What is added to a grid point, in steps of the grid."""

    @abstractmethod
    def channel(self, points: int) -> Channel:
        """The channel on a grid of that many points. Raises DesignError."""


@dataclass(frozen=True)
class TruncatedGeometricNoise(GridNoise):
    """P(report j | answer i) = c_j ``ratio``^|i - j|, sums beyond an end reported as the end.

    c is (1 - ratio)/(1 + ratio) inside and 1/(1 + ratio) at both ends: a two-sided geometric number
    of steps is added and the sum cut off. Epsilon is (k - 1) ln(1/ratio) between the two ends and
    ln(1/ratio) between neighbours. ``ratio`` lies strictly between 0 and 1. Raises DesignError.
    Source: Ghosh, Roughgarden and Sundararajan (2012), definition 2.3 (the truncated form).
    """

    ratio: Probability

    def __post_init__(self) -> None:
        ratio = Fraction(checked_probability("ratio", self.ratio))
        object.__setattr__(self, "ratio", ratio)
        if not 0 < ratio < 1:
            remedy = "give a value between 0 (no noise) and 1 (nothing but noise), both excluded"
            raise DesignError("ratio", self.ratio, remedy)

    def channel(self, points: int) -> Channel:
        ratio = Fraction(self.ratio)
        powers = [ratio**distance for distance in range(points)]
        ends = 1 / (1 + ratio)
        inside = (1 - ratio) * ends
        return Channel(
            tuple(
                tuple(
                    (ends if y in (0, points - 1) else inside) * powers[abs(x - y)]
                    for x in range(points)
                )
                for y in range(points)
            )
        )


@dataclass(frozen=True)
class ModularNoise(GridNoise):
    """Add d steps with probability ``probabilities[d]``, modulo the number of grid points.

    Epsilon is ln(largest / smallest probability). Raises DesignError if a probability is 0 (then
    some reports would rule answers out), or if the noise cannot be undone.
    """

    probabilities: tuple[Probability, ...]

    def __post_init__(self) -> None:
        remedy = "give one per number of steps"
        checked = checked_probabilities("probabilities", self.probabilities, remedy)
        noise = tuple(Fraction(p) for p in checked)
        object.__setattr__(self, "probabilities", noise)
        if sum(noise) != 1:
            raise DesignError("probabilities", float(sum(noise)), "give rationals that sum to 1")
        if min(noise) == 0:
            remedy = "every number of steps must be possible, or a report can be a proof"
            raise DesignError("probabilities", [str(p) for p in noise], remedy)

    def channel(self, points: int) -> Channel:
        if len(self.probabilities) != points:
            remedy = f"give {points} probabilities, one per grid point"
            raise DesignError("probabilities", len(self.probabilities), remedy)
        noise = self.probabilities
        return Channel(
            tuple(tuple(noise[(y - x) % points] for x in range(points)) for y in range(points))
        )


@dataclass(frozen=True)
class DiscretisedScrambling(Design):
    """A number between ``minimum`` and ``maximum`` in steps of ``step``, with noise on that grid.

    The true levels are the grid points in ascending order, at least 2 and at most 101. All three
    are rationals: decimals such as 0.1 are taken as they are written. Raises DesignError, also for
    noise that cannot be undone.
    """

    name: ClassVar[str] = "Discretised scrambling"
    minimum: Probability
    maximum: Probability
    step: Probability
    noise: GridNoise

    def __post_init__(self) -> None:
        for name in ("minimum", "maximum", "step"):
            object.__setattr__(self, name, _as_written(name, getattr(self, name)))
        _check_grid(Fraction(self.minimum), Fraction(self.maximum), Fraction(self.step))
        if not isinstance(self.noise, GridNoise):
            remedy = "give TruncatedGeometricNoise or ModularNoise"
            raise DesignError("noise", self.noise, remedy)
        _ = self.channel.inverse

    @classmethod
    def from_epsilon(
        cls, minimum: Probability, maximum: Probability, step: Probability, epsilon: float
    ) -> Self:
        """Truncated geometric noise whose epsilon between any two answers is at most ``epsilon``.

        ratio = e^(-epsilon / (k - 1)), rounded up to a multiple of 10^-6. Raises DesignError.
        """
        low, high = _as_written("minimum", minimum), _as_written("maximum", maximum)
        points = _check_grid(low, high, _as_written("step", step))
        odds = odds_within(float(checked_number("epsilon", epsilon)) / (points - 1))
        millionths = -(-_RATIO_DENOMINATOR * odds.denominator // odds.numerator)
        if millionths >= _RATIO_DENOMINATOR:
            raise DesignError("epsilon", epsilon, "too small for this grid: use a coarser step")
        noise = TruncatedGeometricNoise(Fraction(millionths, _RATIO_DENOMINATOR))
        return cls(low, high, step, noise)

    @cached_property
    def channel(self) -> Channel:
        return self.noise.channel(len(self.grid))

    @cached_property
    def grid(self) -> tuple[Fraction, ...]:
        """The possible answers, ascending."""
        low, high, step = Fraction(self.minimum), Fraction(self.maximum), Fraction(self.step)
        return tuple(low + i * step for i in range(int((high - low) / step) + 1))

    @cached_property
    def mean_scores(self) -> FloatArray:
        """Shape (k,): the unbiased value of each report, in the units of the answer."""
        return self._values @ self.scores

    @property
    def _values(self) -> FloatArray:
        return np.array([float(x) for x in self.grid])

    def levels_of(self, answers: ArrayLike) -> NDArray[np.int64]:
        """Grid points, numbered from 0, of answers on the grid. Raises CountsError for others."""
        values = checked_column("answers", answers, CountsError)
        low, step = float(self.minimum), float(self.step)
        levels = np.rint((values - low) / step)
        # 0.3 in floats is not three steps of 0.1: only more than their rounding is off the grid.
        off = np.abs(low + levels * step - values) > 1e-9 * (step + np.abs(values))
        remedy = f"give a number from {self.minimum} to {self.maximum} in steps of {self.step}"
        refuse_where(
            "answers", values, off | (levels < 0) | (levels >= len(self.grid)), remedy, CountsError
        )
        return levels.astype(np.int64)

    def transform(self, reports: ArrayLike) -> TransformedReports:
        """Reported grid points, numbered from 0, as unbiased values of the answers."""
        return ChannelTransform(self, tuple(self._values.tolist())).transform(reports)

    def mean_variance(self, shares: ArrayLike, n: int) -> tuple[float, float]:
        """Variance of the estimated mean of n people: (given their answers, with sampling).

        ``shares``: shares of the grid points, shape (k,), that sum to 1. Raises DesignError.
        """
        ordered = in_order_of_levels("shares", shares, len(self.grid), DesignError)
        true = checked_column("shares", ordered, DesignError, len(self.grid))
        size = checked_number("n", n)
        if abs(true.sum() - 1) > 1e-9 or (true < 0).any() or size < 1:
            raise DesignError("shares", true.tolist(), "give shares that sum to 1, and n >= 1")
        grid = self._values
        noise = (self.mean_scores**2 @ self.channel.matrix - grid**2) @ true
        spread = (grid - grid @ true) ** 2 @ true
        return float(noise / float(size)), float((noise + spread) / float(size))


def _as_written(name: str, value: object) -> Fraction:
    """0.1 as 1/10: the shortest decimal that gives this float is what was meant."""
    number = checked_number(name, value)
    return number if isinstance(number, Fraction) else Fraction(repr(number))


def _check_grid(low: Fraction, high: Fraction, step: Fraction) -> int:
    """Number of grid points. Raises DesignError."""
    if step <= 0:
        raise DesignError("step", step, "give a step above 0")
    steps = (high - low) / step
    if steps.denominator != 1:
        raise DesignError("step", step, f"it must divide the range from {low} to {high}")
    remedy = f"give a range and a step with 2 to {MOST_GRID_POINTS} grid points"
    return checked_between("grid points", int(steps) + 1, 2, MOST_GRID_POINTS, remedy)
