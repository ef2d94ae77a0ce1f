"""OptionVariance: the largest variance an option's estimated share can have, exactly.

With scores w (a row of the inverted channel) and v_x = Var(w(report) | true x), n times the
variance is sum(pi_x v_x) + g pi_j (1 - pi_j), where g in [0, 1] is the part of the sampling
variance that counts. For a fixed share t of option j the rest is best placed on the largest other
v; what remains is a parabola in t.

MeanVariance: the same of the mean of a number that is rounded by chance. With m(x) the mean of the
squared score of an answer x in [0, 1], n times the variance is
E[m(X) - (1 - g) X^2] - g E[X]^2. For a fixed mean the first part is at most the concave hull of
m(x) - (1 - g) x^2, which laws on two answers reach; what remains is a parabola on each edge.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from ..checks import FloatArray
from ..designs.channel import Channel, affine_row
from ..designs.design import DesignLike, channel_of, scores_of
from ..designs.rounded import RoundedNumber
from ..errors import DesignError, PlanError
from ..messages import sentence


@dataclass(frozen=True)
class OptionVariance:
    """One option: its conditional variance when true, the largest when not, its score range."""

    when_true: Fraction
    when_false: Fraction
    reach: Fraction
    binary: bool

    def largest(self, sampling_share: Fraction) -> Fraction:
        """max over t in [0, 1] of t v_true + (1 - t) v_false + g t (1 - t)."""
        g, gain = sampling_share, self.when_true - self.when_false
        if g <= abs(gain):
            return max(self.when_true, self.when_false)
        t = (gain + g) / (2 * g)
        return t * self.when_true + (1 - t) * self.when_false + g * t * (1 - t)

    @cached_property
    def exact_reach(self) -> Fraction:
        """1 / |a|. Raises PlanError where reports of the option are not a * share + b."""
        if not self.binary:
            remedy = "this design mixes options unevenly: plan by chebyshev, hoeffding or normal"
            raise PlanError("method", "exact", remedy)
        return self.reach


@dataclass(frozen=True)
class MeanVariance:
    """The mean of answers in [0, 1]: the mean squared score of each, and the range of scores."""

    squares: tuple[tuple[Fraction, Fraction], ...]
    reach: Fraction

    def largest(self, sampling_share: Fraction) -> Fraction:
        """The maximum over all laws of the true answers."""
        g = sampling_share
        hull = _concave_hull([(x, square - (1 - g) * x**2) for x, square in self.squares])
        return max(_highest(left, right, g) for left, right in pairwise(hull))

    @property
    def exact_reach(self) -> Fraction:
        """Raises PlanError: the reports are no counts of yes."""
        remedy = sentence(
            "a mean has no exact distribution with this method. Choose Chebyshev, Hoeffding or "
            "the normal approximation"
        )
        raise PlanError("method", "exact", remedy)


LargestVariance = OptionVariance | MeanVariance
_Point = tuple[Fraction, Fraction]


def largest_variances(design: DesignLike | RoundedNumber) -> tuple[LargestVariance, ...]:
    """One per option, or that of the mean of a number. Raises DesignError as option_variances."""
    return (
        (mean_variance(design),) if isinstance(design, RoundedNumber) else option_variances(design)
    )


def mean_variance(design: RoundedNumber) -> MeanVariance:
    """Exactly, for the grid of the design on a scale from 0 to 1. Raises DesignError.

    With special answers the mean is a ratio, whose variance depends on how many give a number.
    """
    if design.special:
        remedy = "plan for a number without special answers, for the people who give one"
        raise DesignError("special", design.special, remedy)
    rows, scores = design.channel.rows, design.scores
    squares = [
        sum((Fraction(row[x]) * s**2 for row, s in zip(rows, scores, strict=True)), Fraction(0))
        for x in range(design.points)
    ]
    answers = (Fraction(x, design.points - 1) for x in range(design.points))
    return MeanVariance(tuple(zip(answers, squares, strict=True)), scores[-1] - scores[0])


def _concave_hull(points: Sequence[_Point]) -> list[_Point]:
    """The corners of the upper hull of points that are sorted by x (Andrew 1979)."""
    hull: list[_Point] = []
    for x, y in points:
        while len(hull) > 1:
            (left, low), (middle, height) = hull[-2:]
            if (height - low) * (x - left) > (y - low) * (middle - left):
                break  # the last corner is above the line from the one before it
            hull.pop()
        hull.append((x, y))
    return hull


def _highest(left: _Point, right: _Point, g: Fraction) -> Fraction:
    """The largest y - g x^2 on the line between two points."""
    slope = (right[1] - left[1]) / (right[0] - left[0])
    top = left[0] if g == 0 and slope < 0 else right[0]
    if g > 0:
        top = min(max(slope / (2 * g), left[0]), right[0])
    return left[1] + slope * (top - left[0]) - g * top**2


def option_variances(design: DesignLike) -> tuple[OptionVariance, ...]:
    """One per option. Raises DesignError if the reports do not determine the shares."""
    channel, scores = channel_of(design), scores_of(design)
    square = channel.reported_levels == channel.true_levels
    return tuple(
        (_affine(channel, option) if square else None)
        or score_variance(scores[option], channel.matrix, slice(option, option + 1))
        for option in range(len(scores))
    )


def _affine(channel: Channel, option: int) -> OptionVariance | None:
    """Reports of the option are a * share + b: rational throughout."""
    line = affine_row(channel, option)
    if line is None:
        return None
    # 0.7 - 0.3 in binary is not 4/10; the simplest rational nearby is what was meant.
    slope, if_false = (
        p if isinstance(p, Fraction) else Fraction(p).limit_denominator(10**9) for p in line
    )
    if_true = slope + if_false
    when_true, when_false = (p * (1 - p) / slope**2 for p in (if_true, if_false))
    return OptionVariance(when_true, when_false, 1 / abs(slope), binary=True)


def score_variance(scores: FloatArray, matrix: FloatArray, counted: slice) -> OptionVariance:
    """That of a mean score which counts some true levels, each with mean 1, and the others with 0.

    ``scores`` has shape (reported levels,), ``matrix`` (reported levels, true levels). The same
    maximum as of affine rows, in double precision.
    """
    given_true = scores**2 @ matrix - (scores @ matrix) ** 2
    variances = [max(Fraction(0), Fraction(float(v))) for v in given_true]
    when_true = max(variances[counted])
    del variances[counted]
    reach = Fraction(float(np.ptp(scores)))
    return OptionVariance(when_true, max(variances), reach, binary=False)
