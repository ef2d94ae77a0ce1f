"""Families of shares of yes, of one of several options, and of an option of a long list."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.intervals.family import Family
from benchmarks.intervals.pages import ONCE, watched
from benchmarks.intervals.situations import Counts, Situation, mean_of
from surveys.randomized_response.checks import FloatArray
from surveys.randomized_response.designs import (
    BLH,
    OLH,
    OUE,
    SUE,
    Channel,
    Crosswise,
    Design,
    Direct,
    ForcedResponse,
    FrequencyProtocol,
    KAry,
    Kuk,
    Mangat,
    SubsetSelection,
    Support,
    Triangular,
    TwoCoins,
    UnrelatedQuestion,
    Warner,
    scores_of,
)
from surveys.randomized_response.estimates import (
    DistributionEstimate,
    FrequencyEstimate,
    estimate_prevalence,
)
from surveys.randomized_response.intervals import Interval

LEVEL = 0.95
BINARY: tuple[Design, ...] = (
    Direct(2),
    TwoCoins(2),
    Warner(0.7),
    ForcedResponse(1 / 6, 1 / 6),
    UnrelatedQuestion(0.7, 0.3),
    Crosswise(0.25),
    Triangular(0.25),
    Mangat(0.7),
    KAry(2, 0.9),
)
OPTIONS: tuple[Design, ...] = (Direct(4), KAry(4, 0.5), TwoCoins(3))
LISTS: tuple[FrequencyProtocol, ...] = (
    SUE(10, 0.75),
    OUE.from_epsilon(10, 2.0),
    SubsetSelection.from_epsilon(10, 2.0),
    OLH.from_epsilon(10, 2.0),
    BLH.from_epsilon(10, 2.0),
)


def shares() -> Iterator[Family]:
    """Pages and the package take the same interval of each."""
    for design in BINARY:
        channel = design.channel
        if_no, if_yes = (float(chance) for chance in channel.rows[1])
        shown = partial(_share_of_yes, channel)
        yield _counted(f"share: {design.name}", "share", if_yes, if_no, shown)
    yield _cards()
    for design in OPTIONS:
        channel, last = design.channel, design.channel.true_levels - 1
        if_other, if_last = (float(channel.rows[last][true]) for true in (0, last))
        name = f"option: {design.name}, {last + 1} options"
        yield _counted(name, "option", if_last, if_other, partial(_share_of_last, channel))
    for protocol in LISTS:
        p, q = (float(one) for one in (protocol.support.if_true, protocol.support.if_other))
        name = f"option: long list, {type(protocol).__name__}"
        yield _counted(name, "option", p, q, partial(_share_of_marked, protocol.support))


def others_and(share: float, options: int) -> FloatArray:
    """The last option has this share, and each other as much as the next."""
    return np.append(np.full(options - 1, (1 - share) / (options - 1)), share)


def _counted(
    name: str, kind: str, if_true: float, if_other: float, shown: Callable[..., Interval]
) -> Family:
    """One report is counted; it comes with these chances from those meant and from others."""

    def at(share: float) -> Situation:
        reported = share * if_true + (1 - share) * if_other
        return Situation((np.array([1 - reported, reported]),), share)

    scores = np.array([-if_other, 1 - if_other]) / (if_true - if_other)
    once = partial(shown, method=ONCE)
    return Family(name, kind, at, mean_of(scores), once, watched(shown), is_guaranteed=True)


def _share_of_yes(channel: Channel, counts: Counts, method: Any) -> Interval:
    return DistributionEstimate(channel, counts).interval(1, LEVEL, method)


def _share_of_last(channel: Channel, counts: Counts, method: Any) -> Interval:
    """How the reports of other options are spread over them decides nothing."""
    others = (counts[0], *(0,) * (channel.reported_levels - 2))
    estimate = DistributionEstimate(channel, (*others, counts[1]))
    return estimate.interval(channel.true_levels - 1, LEVEL, method)


def _share_of_marked(support: Support, counts: Counts, method: Any) -> Interval:
    return FrequencyEstimate(support, counts[1:], sum(counts)).interval(0, LEVEL, method)


def _cards() -> Family:
    design = Kuk(0.8, 0.2, 3)

    def at(share: float) -> Situation:
        return Situation((design.channel.matrix @ [1 - share, share],), share)

    def shown(counts: Counts, method: Any) -> Interval:
        return estimate_prevalence(design, counts).interval(LEVEL, method)

    estimate, once = mean_of(scores_of(design)[1]), partial(shown, method=None)
    name = "share: Kuk, three cards (package)"
    return Family(name, "share", at, estimate, once, watched(shown))
