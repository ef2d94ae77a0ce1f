"""Variance of an estimated share, times n, at a given true share: what power rests on.

People are a random sample of an unlimited population, so sampling is included.
"""

import numpy as np

from ..checks import checked_index
from ..designs.channel import affine_row
from ..designs.design import DesignLike, channel_of, scores_of
from ..designs.local.protocol import FrequencyProtocol
from ..errors import PlanError

Pair = tuple[float, float]


def report_line(design: DesignLike | FrequencyProtocol, option: int = 1) -> Pair | None:
    """(a, b) with P(report of the option) = a share + b; None where no report has that form."""
    if isinstance(design, FrequencyProtocol):
        checked_index("option", option, design.options)
        support = design.support
        return float(support.slope), float(support.if_other)
    channel = channel_of(design)
    checked_index("option", option, channel.true_levels)
    if channel.reported_levels != channel.true_levels:
        return None
    line = affine_row(channel, option)
    return None if line is None else (float(line[0]), float(line[1]))


def variance_times_n(
    design: DesignLike | FrequencyProtocol, share: float, option: int = 1
) -> float:
    """n Var of the unbiased estimate: l (1 - l) / a^2 with l = a share + b.

    For other designs with two true levels: the variance of the report's score. Raises PlanError
    where the variance depends on how the rest is spread over more than one other option.
    """
    line = report_line(design, option)
    if line is not None:
        slope, intercept = line
        chance = min(max(slope * share + intercept, 0.0), 1.0)
        return chance * (1 - chance) / slope**2
    return _score_variance(design, share, option)


def _score_variance(design: DesignLike | FrequencyProtocol, share: float, option: int) -> float:
    if isinstance(design, FrequencyProtocol) or channel_of(design).true_levels != 2:
        remedy = "the variance of this option depends on all other shares: use another design"
        raise PlanError("design", getattr(design, "label", design), remedy)
    shares = np.where(np.arange(2) == option, share, 1 - share)
    chances = channel_of(design).matrix @ shares
    scores = scores_of(design)[option]
    mean = float(scores @ chances)
    return float((scores - mean) ** 2 @ chances)
