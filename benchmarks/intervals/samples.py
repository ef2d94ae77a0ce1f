"""Families of weighted, poststratified and clustered people."""

from collections.abc import Callable, Iterator

import numpy as np
import scipy

from benchmarks.intervals.family import Family
from benchmarks.intervals.shares import LEVEL
from benchmarks.intervals.situations import Counts, Situation, Statistic, mean_of, ratio_of
from surveys.randomized_response.checks import FloatArray
from surveys.randomized_response.designs import Design, Direct, TwoCoins, transform_reports
from surveys.randomized_response.intervals import Interval
from surveys.randomized_response.samples import (
    estimate_mean,
    estimate_poststratified_total,
    estimate_total_by_jackknife,
    estimate_weighted_distribution,
    poststratification_weights,
)

# Of a population so large that a sample is a small part of it.
INCLUSION = 1e-6
At = Callable[[float], Situation]
CLUSTER, CORRELATION = 4, 0.1
# Kinds of people: who reports no and yes in the small group, and in the large one.
REPORTS, GROUPS = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])


def samples() -> Iterator[Family]:
    """Pages weight; clusters are of the package alone."""
    yield from _weighted()
    yield from _poststratified()
    yield from _clustered()


def _in_two_groups(design: Design, small: float, is_related: bool) -> At:
    """A group of this part of the sample is half of the population, and says yes more often."""
    spread = 0.8 if is_related else 0.0

    def at(share: float) -> Situation:
        shares = share * (1 + spread), share * (1 - spread)
        parts = [
            size * (design.channel.matrix @ [1 - one, one])
            for size, one in zip((small, 1 - small), shares, strict=True)
        ]
        return Situation((np.concatenate(parts),), share)

    return at


def _weights(small: float) -> FloatArray:
    """Of one person of each kind."""
    return np.array([0.5 / small, 0.5 / (1 - small)])[GROUPS]


def _weighted() -> Iterator[Family]:
    for design, small, is_related in (
        *((Direct(2), small, related) for small in (0.1, 0.2, 0.3) for related in (True, False)),
        (TwoCoins(2), 0.1, True),
    ):
        weights, scores = _weights(small), design.channel.scores[1][REPORTS]

        def shown(
            counts: Counts, design: Design = design, weights: FloatArray = weights
        ) -> Interval:
            reports, each = np.repeat(REPORTS, counts), np.repeat(weights, counts)
            return estimate_weighted_distribution(design, reports, each).interval(1, LEVEL)

        related = "related" if is_related else "unrelated"
        yield Family(
            f"weighted: {design.name}, {small:.0%}, {related}",
            "weighted",
            _in_two_groups(design, small, is_related),
            ratio_of(weights * scores, weights),
            shown,
        )
    yield _weighted_mean()


def _weighted_mean() -> Family:
    design, weights = Direct(2), _weights(0.1)

    def shown(counts: Counts) -> Interval:
        reports = transform_reports(design, np.repeat(REPORTS, counts))
        return estimate_mean(reports, np.repeat(INCLUSION / weights, counts)).interval()

    return Family(
        "weighted: mean, 10%, related (package)",
        "weighted",
        _in_two_groups(design, 0.1, True),
        ratio_of(weights * REPORTS, weights),
        shown,
    )


def _within_groups(scores: FloatArray) -> Statistic:
    """Half the mean of either group: how many people each has in the sample does not matter."""

    def statistic(shares: FloatArray) -> tuple[FloatArray, FloatArray]:
        found = [ratio_of(scores * (group == GROUPS), group == GROUPS)(shares) for group in (0, 1)]
        return sum(value for value, _ in found) / 2, sum(moved for _, moved in found) / 2

    return statistic


def _poststratified() -> Iterator[Family]:
    for design in (Direct(2), TwoCoins(2)):

        def page(counts: Counts, design: Design = design) -> Interval:
            reports, groups = np.repeat(REPORTS, counts), np.repeat(GROUPS, counts)
            weights = poststratification_weights(groups, {0: 0.5, 1: 0.5})
            found = estimate_weighted_distribution(design, reports, weights, poststrata=groups)
            return found.interval(1, LEVEL)

        def total(counts: Counts, design: Design = design) -> Interval:
            reports = transform_reports(design, np.repeat(REPORTS, counts))
            inclusion = np.full(sum(counts), INCLUSION)
            sizes = {0: 0.5, 1: 0.5}
            groups = np.repeat(GROUPS, counts)
            return estimate_poststratified_total(reports, inclusion, groups, sizes).interval()

        for name, shown in (("share (page)", page), ("total (package)", total)):
            yield Family(
                f"poststratified: {design.name}, 10%, {name}",
                "poststratified",
                _in_two_groups(design, 0.1, True),
                _within_groups(design.channel.scores[1][REPORTS]),
                shown,
            )


def _clustered() -> Iterator[Family]:
    """Clusters of four people whose truths are correlated; drawn is how many of them report yes."""
    for design in (Direct(2), TwoCoins(2)):

        def at(share: float, design: Design = design) -> Situation:
            return Situation((_reports_of_cluster(design) @ _cluster(share),), share)

        def share_shown(counts: Counts, design: Design = design) -> Interval:
            levels, clusters = _people_of(counts)
            alike = np.ones(len(levels))
            found = estimate_weighted_distribution(design, levels, alike, clusters=clusters)
            return found.interval(1, LEVEL)

        def total_shown(counts: Counts, design: Design = design) -> Interval:
            levels, clusters = _people_of(counts)
            inclusion = np.full(len(levels), INCLUSION)
            total = estimate_total_by_jackknife(
                transform_reports(design, levels), inclusion, clusters=clusters
            )
            return total.scaled(INCLUSION / len(levels)).interval()

        no, yes = design.channel.scores[1]
        means = no + (yes - no) * np.arange(CLUSTER + 1) / CLUSTER
        for name, shown in (("share", share_shown), ("total", total_shown)):
            yield Family(
                f"clustered: {design.name}, {name} (package)",
                "clustered",
                at,
                mean_of(means),
                shown,
                people=CLUSTER,
            )


def _people_of(counts: Counts) -> tuple[FloatArray, FloatArray]:
    """Level and cluster of each person, from how many clusters have how many yes."""
    yes = np.repeat(np.arange(CLUSTER + 1), counts)
    levels = (np.arange(CLUSTER) < yes[:, None]).astype(int).ravel()
    return levels, np.repeat(np.arange(len(yes)), CLUSTER)


def _cluster(share: float) -> FloatArray:
    """How often a cluster has 0 to 4 true yes: beta-binomial."""
    if not share:
        return np.eye(CLUSTER + 1)[0]
    strength = 1 / CORRELATION - 1
    law = scipy.stats.betabinom(CLUSTER, share * strength, (1 - share) * strength)
    return np.asarray(law.pmf(np.arange(CLUSTER + 1)))


def _reports_of_cluster(design: Design) -> FloatArray:
    """P[reported yes, true yes] in a cluster."""
    (_, false), (_, _) = design.channel.matrix.T[0], design.channel.matrix.T[1]
    true = float(design.channel.matrix[1, 1])
    number = np.arange(CLUSTER + 1)
    columns = [
        np.convolve(
            scipy.stats.binom.pmf(number[: yes + 1], yes, true),
            scipy.stats.binom.pmf(number[: CLUSTER - yes + 1], CLUSTER - yes, float(false)),
        )
        for yes in number
    ]
    return np.array(columns).T
