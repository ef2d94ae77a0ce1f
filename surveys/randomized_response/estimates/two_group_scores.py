"""Hybrid score intervals for a share of a two-group design, from Wilson's interval of each group.

A linear share is c + g_1 F_1 + g_2 F_2 in the shares of yes F. With d_i the distance from g_i F_i
to the end of Wilson's interval for it, and r the correlation of the two terms, its interval ends
sqrt(d_1^2 + d_2^2 + 2 r d_1 d_2) away. A share of a part, top / bottom, keeps every t at which the
linear top - t bottom may be 0. Source: Newcombe (1998), method 10; Zou (2007), correlated terms.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..checks import FloatArray
from ..designs.two_group import PairCovariance, Share, TwoGroupDesign
from ..intervals.intervals import Interval, wilson
from ..intervals.profiles import accepted_around, accepted_ends
from ..messages import sentence

HYBRID = sentence("The hybrid score interval of both groups is approximate.")


@dataclass(frozen=True)
class HybridScore:
    """Both groups' shares of yes with Wilson's intervals, and how their errors are correlated."""

    design: TwoGroupDesign
    yes: tuple[float, float]
    intervals: tuple[Interval, Interval]
    correlation: float

    @classmethod
    def of(
        cls,
        design: TwoGroupDesign,
        counts: tuple[tuple[int, ...], tuple[int, ...]],
        covariance: PairCovariance | None,
        level: float,
    ) -> "HybridScore":
        """From ``[no, yes]`` of both groups; ``covariance`` is that of the shares of yes."""
        intervals = [wilson(count[1], sum(count), level) for count in counts]
        yes = [count[1] / sum(count) for count in counts]
        correlation = 0.0  # where a group has no spread or one report
        if covariance is not None and covariance[0][0] * covariance[1][1] > 0:
            scale = math.sqrt(covariance[0][0] * covariance[1][1])
            correlation = covariance[0][1] / scale
        return cls(design, (yes[0], yes[1]), (intervals[0], intervals[1]), correlation)

    def linear(self, share: Share) -> tuple[float, float]:
        """Ends of the interval for a share with bottom 1."""
        value, below, above = self._parts(np.array([share.top], dtype=float))
        return float(value[0] - below[0]), float(value[0] + above[0])

    def part(self, share: Share, value: float | None) -> tuple[float, float] | None:
        """Ends for top / bottom within [0, 1] and its estimate; None where none is accepted.

        ``value`` None: the part may be empty, so nothing is known of the share beforehand.
        """

        def excess(values: FloatArray) -> FloatArray:
            top, bottom = np.array(share.top), np.array(share.bottom)
            at, below, above = self._parts(top - values[:, None] * bottom)
            return np.maximum(at - below, -(at + above))

        if value is None:
            return accepted_ends(excess, 0.0, 1.0)
        return accepted_around(excess, value, min(0.0, value), max(1.0, value))

    def _parts(self, terms: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Value and both distances of ``terms`` (rows, 3): constant, of theta_1, of theta_2."""
        slopes = terms[:, 1:] @ self._theta_slopes
        lower, upper = self._distances
        below = np.where(slopes > 0, slopes * lower, -slopes * upper)
        above = np.where(slopes > 0, slopes * upper, -slopes * lower)
        mixed = 2 * self.correlation * np.sign(slopes.prod(axis=1))
        return (
            terms[:, 0] + terms[:, 1:] @ self._theta,
            _length(below, mixed),
            _length(above, mixed),
        )

    @cached_property
    def _theta(self) -> FloatArray:
        return np.array(self.design.solve(self.yes), dtype=float)

    @cached_property
    def _distances(self) -> tuple[FloatArray, FloatArray]:
        """From both shares of yes down and up to the ends of their intervals: (2,) each."""
        yes = np.array(self.yes)
        lows, highs = ([getattr(i, end) for i in self.intervals] for end in ("low", "high"))
        return yes - lows, highs - yes

    @cached_property
    def _theta_slopes(self) -> FloatArray:
        """Derivatives of theta (rows) by the shares of yes (columns)."""
        lines = [[float(line.first), float(line.second)] for line in self.design.lines]
        return np.asarray(np.linalg.inv(np.array(lines)), dtype=np.float64)


def _length(parts: FloatArray, mixed: FloatArray) -> FloatArray:
    squares = (parts**2).sum(axis=1) + mixed * parts.prod(axis=1)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))
