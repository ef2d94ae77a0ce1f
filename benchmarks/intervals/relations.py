"""Families of ratios, differences, cross-tables and two-group designs."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.intervals.family import Family
from benchmarks.intervals.means import DAYS, ill
from benchmarks.intervals.pages import ONCE, watched
from benchmarks.intervals.shares import LEVEL
from benchmarks.intervals.situations import Counts, Situation, mean_of, ratio_of, sum_of
from surveys.randomized_response.checks import FloatArray
from surveys.randomized_response.designs import (
    CheaterDetection,
    Design,
    Direct,
    KAry,
    StochasticLieDetector,
    TwoCoins,
    TwoGroupDesign,
    UnrelatedQuestionTwoGroups,
)
from surveys.randomized_response.estimates import (
    DistributionEstimate,
    MeanEstimate,
    estimate_two_group_means,
    estimate_two_groups,
)
from surveys.randomized_response.intervals import Interval
from surveys.randomized_response.relations import (
    difference_of_means,
    difference_of_shares,
    estimate_cross_table,
)

COINS = TwoCoins(2)
SCORE = "score"
DECLINED, ASKED = 0.1, 0.3


def relations() -> Iterator[Family]:
    """What is made of several shares."""
    yield from _ratios()
    yield from _differences()
    yield _list_experiment()
    yield from _cross_tables()
    yield from _two_groups()
    yield _two_group_means()


def _ratios() -> Iterator[Family]:
    """Yes among those who answered, as the page has it and the package; and among those asked."""
    answered = _ratio(TwoCoins(3), 1, (0, 1), _answered, ONCE)
    yield Family("ratio: among those who answered (page)", *answered)
    *defaults, _ = _ratio(TwoCoins(3), 1, (0, 1), _answered, SCORE)
    yield Family("ratio: among those who answered (package)", *defaults)
    asked = _ratio(KAry.from_epsilon(3, 2.0), 2, (1, 2), _asked, ONCE)
    yield Family("ratio: among those asked (page)", *asked)


def _ratio(
    design: Design,
    top: int,
    among: tuple[int, ...],
    law: Callable[[float], FloatArray],
    method: str,
) -> tuple[Any, ...]:
    channel = design.channel

    def at(share: float) -> Situation:
        return Situation((channel.matrix @ law(share),), share)

    def shown(counts: Counts, method: Any) -> Interval:
        return DistributionEstimate(channel, counts).ratio(top, among, LEVEL, method).interval

    statistic = ratio_of(channel.scores[top], channel.scores[list(among)].sum(axis=0))
    return "ratio", at, statistic, partial(shown, method=method), watched(shown)


def _answered(share: float) -> FloatArray:
    return np.array([(1 - DECLINED) * (1 - share), (1 - DECLINED) * share, DECLINED])


def _asked(share: float) -> FloatArray:
    return np.array([1 - ASKED, ASKED * (1 - share), ASKED * share])


def _differences() -> Iterator[Family]:
    """Of groups or arms that do not differ, or of which the second says yes half as often."""
    direct = Direct(2)
    for name, designs, factor, method in (
        ("arms, two coins (page)", (COINS, COINS), 1.0, ONCE),
        ("arms, direct and two coins (page)", (direct, COINS), 0.5, ONCE),
        ("groups, direct", (direct, direct), 1.0, ONCE),
        ("groups, direct, apart", (direct, direct), 0.5, ONCE),
        ("groups, two coins", (COINS, COINS), 1.0, ONCE),
        ("groups, two coins, apart", (COINS, COINS), 0.5, ONCE),
    ):
        parts = _difference(designs, factor, method)
        yield Family(f"difference: {name}", "difference", *parts)


def _difference(designs: tuple[Design, Design], factor: float, method: Any) -> tuple[Any, ...]:
    channels = [design.channel for design in designs]

    def at(share: float) -> Situation:
        laws = [[1 - one, one] for one in (share, factor * share)]
        blocks = (channel.matrix @ law for channel, law in zip(channels, laws, strict=True))
        return Situation(tuple(blocks), share - factor * share)

    def shown(counts: Counts, method: Any) -> Interval:
        pairs = zip(channels, (counts[:2], counts[2:]), strict=True)
        groups = [DistributionEstimate(channel, count) for channel, count in pairs]
        return difference_of_shares(*groups, 1, LEVEL, method).interval

    first, second = (channel.scores[1] for channel in channels)
    statistic = sum_of((1.0, mean_of(first, slice(2))), (-1.0, mean_of(second, slice(2, 4))))
    return at, statistic, partial(shown, method=method), watched(shown)


def _list_experiment() -> Family:
    """How many of three statements hold, and how many of these and one more."""
    fewer = np.array([0.3, 0.4, 0.2, 0.1])

    def at(share: float) -> Situation:
        more = (1 - share) * np.append(fewer, 0) + share * np.append(0, fewer)
        return Situation((more, fewer), share)

    def shown(counts: Counts) -> Interval:
        first = MeanEstimate((0.0, 1.0, 2.0, 3.0, 4.0), counts[:5])
        return difference_of_means(first, MeanEstimate((0.0, 1.0, 2.0, 3.0), counts[5:])).interval

    first, second = mean_of(np.arange(5.0), slice(5)), mean_of(np.arange(4.0), slice(5, 9))
    statistic = sum_of((1.0, first), (-1.0, second))
    return Family("difference: list experiment", "difference", at, statistic, shown)


def _cross_tables() -> Iterator[Family]:
    """Answer and group of each person by two coins."""
    inverse = np.kron(COINS.channel.scores, COINS.channel.scores)
    first = ratio_of(inverse[2], inverse[0] + inverse[2])
    second = ratio_of(inverse[3], inverse[1] + inverse[3])
    kind, title = "cross-table", "cross-table: share in a hidden group"
    part = kind, _in_second, second, partial(_conditional, method=ONCE), watched(_conditional)
    yield Family(f"{title} (page)", *part)
    once = partial(_conditional, method=SCORE)
    yield Family(f"{title} (package)", kind, _in_second, second, once)
    yield Family(
        "cross-table: difference of hidden groups",
        kind,
        _between,
        sum_of((1.0, second), (-1.0, first)),
        partial(_hidden_difference, method=ONCE),
        watched(_hidden_difference),
    )


def _joint(share: float) -> FloatArray:
    """Two fifths are in the second group, and say yes twice as often as the others."""
    truth = [0.6 * (1 - share / 2), 0.4 * (1 - share), 0.6 * share / 2, 0.4 * share]
    return np.kron(COINS.channel.matrix, COINS.channel.matrix) @ truth


def _in_second(share: float) -> Situation:
    return Situation((_joint(share),), share)


def _between(share: float) -> Situation:
    return Situation((_joint(share),), share / 2)


def _conditional(counts: Counts, method: Any) -> Interval:
    table = estimate_cross_table(COINS, COINS, [counts[:2], counts[2:]])
    return table.conditional(1, 1, LEVEL, method).interval


def _hidden_difference(counts: Counts, method: Any) -> Interval:
    table = estimate_cross_table(COINS, COINS, [counts[:2], counts[2:]])
    return table.difference(1, 1, 0, LEVEL, method).interval


def _two_groups() -> Iterator[Family]:
    """The first share of each design; its second one depends on it or does not."""
    unrelated = UnrelatedQuestionTwoGroups(0.75, 0.25)
    title = f"two groups: {unrelated.name}"
    at, statistic, shown = _two_group(unrelated, lambda share: 0.3)
    once = partial(shown, method=ONCE)
    yield Family(f"{title} (page)", "two groups", at, statistic, once, watched(shown))
    for design, other in (
        (unrelated, lambda share: 0.3),
        (CheaterDetection(0.25, 0.75), lambda share: 0.8 * (1 - share)),
        (StochasticLieDetector(0.8, 0.2), lambda share: 0.8),
    ):
        at, statistic, shown = _two_group(design, other)
        name = f"two groups: {design.name} (package)"
        yield Family(name, "two groups", at, statistic, partial(shown, method=SCORE))


def _two_group(design: TwoGroupDesign, other: Callable[[float], float]) -> tuple[Any, ...]:
    name = design.shares[0].name
    start, one, two = (float(design.solve(yes)[0]) for yes in ((0, 0), (1, 0), (0, 1)))

    def at(share: float) -> Situation:
        yes = design.yes_probabilities(share, other(share))
        return Situation(tuple(np.array([1 - p, p]) for p in yes), share)

    def shown(counts: Counts, method: Any) -> Interval:
        return estimate_two_groups(design, counts[:2], counts[2:]).interval(name, LEVEL, method)

    # The share is linear in the two shares of yes.
    first = mean_of(np.array([start, one]), slice(2))
    second = mean_of(np.array([0.0, two - start]), slice(2, 4))
    return at, sum_of((1.0, first), (1.0, second)), shown


def _two_group_means() -> Family:
    design = UnrelatedQuestionTwoGroups(0.75, 0.25)
    days = np.arange(DAYS + 1.0)
    other = np.where(days < 5, 0.2, 0.0)

    def at(share: float) -> Situation:
        law = ill(share)
        blocks = tuple(p * law + (1 - p) * other for p in (0.75, 0.25))
        return Situation(blocks, float(days @ law))

    def shown(counts: Counts) -> Interval:
        groups = (np.repeat(days, count) for count in (counts[: len(days)], counts[len(days) :]))
        return estimate_two_group_means(design, *groups).interval()

    first, second = (mean_of(days, slice(k * len(days), (k + 1) * len(days))) for k in (0, 1))
    statistic = sum_of((1.5, first), (-0.5, second))
    return Family("two groups: means (package)", "two groups", at, statistic, shown)
