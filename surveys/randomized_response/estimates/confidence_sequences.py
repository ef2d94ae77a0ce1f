"""Differences between two groups that may be looked at as often as one likes: a martingale each.

For one share ask an estimate: ``estimate.interval(0.95, method="confidence-sequence")``; for k
options together ``estimate.intervals(..., simultaneous=True)``. Every result here assumes that each
group's answers are independent draws from one unchanging population, that no one's group depends
on the answer, and that the groups do not overlap. Early and late respondents who differ break it.
"""

import math

import numpy as np

from ..checks import checked_index, checked_level
from ..errors import EstimationError
from ..intervals.bets import Bets
from ..intervals.evidence import GroupEvidence, Mean, Proportion
from ..intervals.intervals import SEQUENCE, Interval, grouped_scores
from ..intervals.martingales import ConfidenceSequence
from ..intervals.pairs import JOINT, Pair
from .estimation import DistributionEstimate, PrevalenceEstimate

# Bets are sized for .05 at every level, so that interval and evidence are of one martingale.
_SIZED_FOR = 20.0


def confidence_sequence_for_difference(
    first: PrevalenceEstimate | DistributionEstimate,
    second: PrevalenceEstimate | DistributionEstimate,
    *,
    option: int = 1,
    level: float = 0.95,
    planned: int | None = None,
) -> Interval:
    """Interval for share(first) - share(second) of one option that covers at every look at once.

    ``planned``: the number of answers of *each* group at which it is to be narrowest, chosen before
    the first. The groups may have different designs and sizes. It holds the shares of both groups
    against which E (see ``intervals.pairs``) is below 1/c: E starts at 1 and gains nothing on
    average at the truth, for every order in which answers of the two groups arrive, so that it
    holds them at all times except with probability c (Ville 1939). Their least and largest
    difference are the ends. With a plan most of E is bet on the difference alone, and the width at
    the plan is 1.6 times that of one look, for groups of similar size. Without one E is convex
    where shares are images of a proportion, and the width stays within a few percent of the better
    of the two usual constructions: the product of both martingales (better for groups of similar
    size) and the union of two intervals at c/2 (better when one group is far smaller). Ends may lie
    beyond -1 and 1. Raises EstimationError.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.estimates import confidence_sequence_for_difference
    >>> from randomized_response.estimates import estimate_prevalence
    >>> groups = [estimate_prevalence(Warner(0.75), counts) for counts in ([550, 450], [680, 320])]
    >>> print(confidence_sequence_for_difference(*groups))
    interval             level        low      high
    confidence-sequence   0.95  0.0653304  0.451392
    The interval combines the martingales of both groups, and is valid however often you look.
    """
    bound = 1 / (1 - checked_level(level))
    pair = _pair(first, second, option, planned)
    high = pair.highest_difference(bound)
    low = -Pair(pair.second, pair.first, planned).highest_difference(bound)
    return Interval(low, high, level, SEQUENCE, JOINT)


def evidence_of_difference(
    first: PrevalenceEstimate | DistributionEstimate,
    second: PrevalenceEstimate | DistributionEstimate,
    *,
    option: int = 1,
    planned: int | None = None,
) -> float:
    """E-value against "both groups have the same share": 20 or more happen to 5 % at most, ever.

    The least E of ``confidence_sequence_for_difference`` over a common share. Under no difference
    it exceeds 1/c at any look with probability at most c, and its mean is at most 1 at each. Those
    of several pairs are compared by ``e_benjamini_hochberg``. Raises EstimationError.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.estimates import estimate_prevalence, evidence_of_difference
    >>> groups = [estimate_prevalence(Warner(0.75), counts) for counts in ([550, 450], [680, 320])]
    >>> round(evidence_of_difference(*groups, planned=1000))
    2154657
    """
    return _pair(first, second, option, planned).least_evidence()


def distribution_of(argument: str, estimate: object) -> DistributionEstimate:
    """The estimated shares of all levels. Raises EstimationError for what is no estimate."""
    if isinstance(estimate, PrevalenceEstimate):
        return estimate.distribution
    if isinstance(estimate, DistributionEstimate):
        return estimate
    remedy = "give a result of estimate_prevalence or estimate_distribution"
    raise EstimationError(argument, estimate, remedy)


def _pair(
    first: PrevalenceEstimate | DistributionEstimate,
    second: PrevalenceEstimate | DistributionEstimate,
    option: int,
    planned: int | None,
) -> Pair:
    # Groups of similar size share what must be gained.
    sequence = ConfidenceSequence(planned)  # which refuses what is no number of answers
    bets = Bets.of(planned, math.log(_SIZED_FOR) / 2)
    groups = distribution_of("first", first), distribution_of("second", second)
    own, other = (_group(group, option, sequence, bets) for group in groups)
    return Pair(own, other, planned)


def _group(
    estimate: DistributionEstimate, option: int, sequence: ConfidenceSequence, bets: Bets
) -> GroupEvidence:
    index = checked_index("option", option, len(estimate.shares))
    values, totals = grouped_scores(estimate.scores[index], estimate.counts)
    if len(values) != 2:
        return Mean(np.array(values), np.array(totals, dtype=float), bets)
    return Proportion(totals[1], sum(totals), values[0], values[1] - values[0], sequence)
