"""Differences between two groups that may be looked at as often as one likes: a martingale each.

For one share ask an estimate: ``estimate.interval(0.95, method="confidence-sequence")``; for k
options together ``estimate.intervals(..., simultaneous=True)``. Every result here assumes that each
group's answers are independent draws from one unchanging population, that no one's group depends
on the answer, and that the groups do not overlap. Early and late respondents who differ break it.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..checks import checked_index, checked_level
from ..errors import EstimationError
from ..intervals.intervals import (
    Interval,
    grouped_scores,
    least_log_martingale,
    log_martingale,
    martingale_ends,
)
from ..roots import find_minimum
from .estimation import DistributionEstimate, PrevalenceEstimate

METHOD = "confidence-sequence"
JOINT = "Both groups' martingales together: valid however often one looks."
UNION = "Each group at half of the failure probability, combined: valid however often one looks."
# How much of one unit of evidence is bet on both groups, on the first and on the second.
_BOTH, _EACH = 0.5, 0.25


@dataclass(frozen=True)
class _Group:
    """A share that is ``intercept + slope * (proportion behind ones out of n)``."""

    ones: int
    n: int
    intercept: float
    slope: float

    @property
    def least(self) -> float:
        """ln of the smallest value of the group's martingale."""
        return least_log_martingale(self.ones, self.n)

    def ends(self, log_bound: float) -> tuple[float, float]:
        """The proportions whose martingale is within the bound; the observed one at least."""
        share = self.ones / self.n
        return martingale_ends(self.ones, self.n, log_bound) or (share, share)


def confidence_sequence_for_difference(
    first: PrevalenceEstimate | DistributionEstimate,
    second: PrevalenceEstimate | DistributionEstimate,
    *,
    option: int = 1,
    level: float = 0.95,
) -> Interval:
    """Interval for share(first) - share(second) of one option that covers at every look at once.

    The groups may have different designs and sizes. With M1, M2 the groups' martingales,
    E = M1 M2 / 2 + M1 / 4 + M2 / 4 starts at 1 and is a martingale for every order in which
    answers of the two groups arrive, so {E < 1/c} holds both proportions at all times except with
    probability c (Ville 1939). E is convex, hence the differences in that set are an interval,
    found exactly. Its width stays within a few percent of the better of the two usual
    constructions: the product M1 M2 alone (better for groups of similar size) and the union of two
    intervals at c/2 (better when one group is far smaller). For a channel that treats options
    unevenly it is that union. Ends may lie beyond -1 and 1. Raises EstimationError.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.estimates import confidence_sequence_for_difference
    >>> from randomized_response.estimates import estimate_prevalence
    >>> groups = [estimate_prevalence(Warner(0.75), counts) for counts in ([550, 450], [680, 320])]
    >>> print(confidence_sequence_for_difference(*groups))
    interval             level        low      high
    confidence-sequence   0.95  0.0653304  0.451392
    Both groups' martingales together: valid however often one looks.
    """
    confidence = checked_level(level)
    pair = tuple(_distribution(name, e) for name, e in (("first", first), ("second", second)))
    groups = [_group(estimate, option) for estimate in pair]
    if groups[0] is None or groups[1] is None:
        return _union(pair[0], pair[1], option, confidence)
    high = _highest_difference(groups[0], groups[1], confidence)
    low = -_highest_difference(groups[1], groups[0], confidence)
    return Interval(low, high, confidence, METHOD, JOINT)


def _distribution(argument: str, estimate: object) -> DistributionEstimate:
    if isinstance(estimate, PrevalenceEstimate):
        return estimate.distribution
    if isinstance(estimate, DistributionEstimate):
        return estimate
    remedy = "give a result of estimate_prevalence or estimate_distribution"
    raise EstimationError(argument, estimate, remedy)


def _group(estimate: DistributionEstimate, option: int) -> _Group | None:
    """None where the share is no affine image of one proportion."""
    index = checked_index("option", option, len(estimate.shares))
    values, totals = grouped_scores(estimate.scores[index], estimate.counts)
    if len(values) != 2:
        return None
    return _Group(totals[1], sum(totals), values[0], values[1] - values[0])


def _union(
    first: DistributionEstimate, second: DistributionEstimate, option: int, level: float
) -> Interval:
    each = 1 - (1 - level) / 2
    one, other = (estimate.interval(option, each, METHOD) for estimate in (first, second))
    return Interval(one.low - other.high, one.high - other.low, level, METHOD, UNION)


def _highest_difference(first: _Group, second: _Group, level: float) -> float:
    """Maximum of share(first) - share(second) over {E <= 1/c}.

    For a given proportion of the first group, E <= 1/c bounds the second martingale alone, so the
    best second proportion is an end of its interval; what remains is concave in the first.
    """
    bound = 1 / (1 - level)
    low, high = first.ends(_other_bound(second.least, bound))

    def loss(part: float) -> float:
        proportion = low + part * (high - low)
        log_first = log_martingale(first.ones, first.n, proportion)
        ends = second.ends(_other_bound(log_first, bound))
        return min(second.slope * end for end in ends) - first.slope * proportion

    inner = find_minimum(loss, 0.0, 1.0, xtol=1e-9)
    best = min(loss(0.0), loss(1.0), loss(inner))
    return first.intercept - second.intercept - best


def _other_bound(log_one: float, bound: float) -> float:
    """ln of the largest M2 with M1 M2 / 2 + M1 / 4 + M2 / 4 <= ``bound``; -inf if none is."""
    one = float(np.exp(log_one))
    room = bound - _EACH * one
    return math.log(room / (_BOTH * one + _EACH)) if room > 0 else -math.inf
