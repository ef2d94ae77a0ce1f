"""Power and sample size of a TwoGroupDesign, which splits people at random into two groups."""

import numpy as np

from ..checks import checked_index
from ..designs.two_group import AnchoredCrosswise, TwoGroupDesign
from ..errors import EstimationError, PlanError
from ..estimates.two_group_estimation import share_slopes
from .power import (
    Comparison,
    PowerAnalysis,
    checked_alternative,
    checked_pair,
    checked_ratio,
    checked_size,
    inside,
)

Pair = tuple[float, float]


def power_two_group_design(
    design: TwoGroupDesign,
    *,
    shares: tuple[float, float],
    null_shares: tuple[float, float],
    n: int,
    other_n: int | None = None,
    share: int = 0,
    significance: float = 0.05,
    alternative: str = "two-sided",
) -> PowerAnalysis:
    """Power of a design that splits people into two groups of ``n`` and ``other_n`` (default n).

    ``shares``: the design's first two shares under the alternative, ``null_shares`` under the
    hypothesis; ``share`` says which of the design's shares is tested. Delta method (exact where
    the share is linear in the reports). Raises PlanError, EstimationError.

    >>> from randomized_response.designs import StochasticLieDetector
    >>> from randomized_response.planning import power_two_group_design
    >>> design = StochasticLieDetector(0.8, 0.2)
    >>> found = power_two_group_design(design, shares=(0.4, 0.7), null_shares=(0.2, 0.7), n=300)
    >>> round(found.power, 4)
    0.9091
    """
    test = _two_group(design, shares, null_shares, share, significance, alternative)
    size = checked_size("n", n)
    return test.at(size, size if other_n is None else checked_size("other_n", other_n))


def sample_size_two_group_design(
    design: TwoGroupDesign,
    *,
    shares: tuple[float, float],
    null_shares: tuple[float, float],
    power: float = 0.8,
    ratio: float = 1.0,
    share: int = 0,
    significance: float = 0.05,
    alternative: str = "two-sided",
) -> PowerAnalysis:
    """The smallest first group with at least that power; the other has ceil(ratio n) people.

    Otherwise as ``power_two_group_design``. Raises PlanError, EstimationError.

    >>> from randomized_response.designs import StochasticLieDetector
    >>> from randomized_response.planning import sample_size_two_group_design
    >>> design = StochasticLieDetector(0.8, 0.2)
    >>> found = sample_size_two_group_design(design, shares=(0.4, 0.7), null_shares=(0.2, 0.7))
    >>> found.n, found.other_n
    (215, 215)
    """
    ratio = checked_ratio(ratio)
    test = _two_group(design, shares, null_shares, share, significance, alternative, ratio)
    return test.smallest(inside("power", power))


def _two_group(
    design: TwoGroupDesign,
    shares: tuple[float, float],
    null_shares: tuple[float, float],
    share: int,
    significance: float,
    alternative: str,
    ratio: float | None = None,
) -> Comparison:
    value, variances = two_group_variances(design, checked_pair("shares", shares), share)
    null_value, null_variances = two_group_variances(
        design, checked_pair("null_shares", null_shares), share
    )
    return Comparison(
        difference=value - null_value,
        null_variances=null_variances,
        variances=variances,
        significance=inside("significance", significance),
        alternative=checked_alternative(alternative),
        ratio=ratio,
    )


def two_group_variances(design: TwoGroupDesign, shares: Pair, share: int) -> tuple[float, Pair]:
    """The value of one of a two-group design's shares, and its variance parts per group.

    n_g times group g's part of Var is (d share / d P(yes | g))^2 P(yes | g)(1 - P(yes | g)), by
    the delta method. ``shares`` are the design's first two. Raises PlanError, EstimationError.
    """
    if not isinstance(design, TwoGroupDesign) or isinstance(design, AnchoredCrosswise):
        raise PlanError("design", design, "give a design that splits people into two groups")
    tested = design.shares[checked_index("share", share, len(design.shares))]
    chances = np.array(design.yes_probabilities(*shares))
    theta = design.theta(*shares)
    top, bottom = (float(part) for part in tested.parts(theta))
    if bottom <= 0:
        remedy = "this share has no value here: the part of people it is about is empty"
        raise EstimationError("shares", shares, remedy)
    parts = np.square(share_slopes(design, tested, theta)) * chances * (1 - chances)
    return top / bottom, (float(parts[0]), float(parts[1]))
