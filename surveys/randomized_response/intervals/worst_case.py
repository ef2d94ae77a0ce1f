"""OptionVariance: the largest variance an option's estimated share can have, exactly.

With scores w (a row of the inverted channel) and v_x = Var(w(report) | true x), n times the
variance is sum(pi_x v_x) + g pi_j (1 - pi_j), where g in [0, 1] is the part of the sampling
variance that counts. For a fixed share t of option j the rest is best placed on the largest other
v; what remains is a parabola in t.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from ..checks import FloatArray, Probability
from ..designs.channel import Channel
from ..designs.design import DesignLike, channel_of, scores_of
from ..errors import PlanError


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


def option_variances(design: DesignLike) -> tuple[OptionVariance, ...]:
    """One per option. Raises DesignError if the reports do not determine the shares."""
    channel, scores = channel_of(design), scores_of(design)
    square = channel.reported_levels == channel.true_levels
    return tuple(
        (_affine(channel, option) if square else None) or _general(channel, scores[option], option)
        for option in range(len(scores))
    )


def _affine(channel: Channel, option: int) -> OptionVariance | None:
    """Reports of the option are a * share + b: rational throughout."""
    line = channel.affine_row(option)
    if line is None:
        return None
    slope, if_false = (_as_written(p) for p in line)
    if_true = slope + if_false
    when_true, when_false = (p * (1 - p) / slope**2 for p in (if_true, if_false))
    return OptionVariance(when_true, when_false, 1 / abs(slope), binary=True)


def _general(channel: Channel, scores: FloatArray, option: int) -> OptionVariance:
    """Any other channel: the same maximum, in double precision."""
    given_true = scores**2 @ channel.matrix - (scores @ channel.matrix) ** 2
    variances = [max(Fraction(0), Fraction(float(v))) for v in given_true]
    others = [v for x, v in enumerate(variances) if x != option]
    reach = Fraction(float(np.ptp(scores)))
    return OptionVariance(variances[option], max(others), reach, binary=False)


def _as_written(p: Probability) -> Fraction:
    # 0.7 - 0.3 in binary is not 4/10; the simplest rational nearby is what was meant.
    return p if isinstance(p, Fraction) else Fraction(p).limit_denominator(10**9)
