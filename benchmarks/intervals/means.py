"""Families of means of scores with many values: scales, numbers and ranks."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.intervals import pages
from benchmarks.intervals.family import Family
from benchmarks.intervals.pages import ONCE, watched
from benchmarks.intervals.shares import LEVEL, others_and
from benchmarks.intervals.situations import Counts, Situation, mean_of, ratio_of, sum_of
from surveys.randomized_response.checks import FloatArray
from surveys.randomized_response.designs import (
    Channel,
    ChannelMatrix,
    DiscretisedScrambling,
    OptimisedScale,
    Purpose,
    RoundedNumber,
    TruncatedGeometricNoise,
    TwoCoins,
)
from surveys.randomized_response.estimates import MeanEstimate, estimate_grid_mean
from surveys.randomized_response.intervals import Interval
from surveys.randomized_response.intervals.intervals import score_interval

UNEVEN = ChannelMatrix(
    Channel.from_matrix([[0.6, 0.1, 0.2], [0.3, 0.7, 0.2], [0.1, 0.2, 0.6]]),
)
EPSILON = 1.0986
ANSWERS = 11
DAYS = pages.LARGEST
Law = Callable[[float], FloatArray]


def means() -> Iterator[Family]:
    """Shares that are means of scores with many values stand here too."""
    yield from _scales()
    yield _rounded()
    yield _noisy()
    for name, law in (("days ill", ill), ("some say 60", _outliers)):
        yield _direct(f"mean: direct number, {name} (page)", law)
    yield _order()
    yield _pairs()


def ill(share: float) -> FloatArray:
    """This share has days, few of them more than ten."""
    days = 0.85 ** np.arange(DAYS)
    return np.append(1 - share, share * days / days.sum())


def _outliers(share: float) -> FloatArray:
    """A tenth of this share says the most; the others say 0 to 4."""
    law = np.zeros(DAYS + 1)
    law[:5], law[-1] = (1 - share / 10) / 5, share / 10
    return law


def _scales() -> Iterator[Family]:
    uneven = UNEVEN.channel
    histogram, cdf, mean = (
        OptimisedScale(ANSWERS, purpose, EPSILON).channel
        for purpose in (Purpose.HISTOGRAM, Purpose.CDF, Purpose.MEAN)
    )
    positions = np.arange(ANSWERS) / (ANSWERS - 1)
    for name, kind, channel, weights, law in (
        ("option: uneven channel", "option", uneven, np.eye(3)[2], _last_of_three),
        ("option: scale of 11", "option", histogram, np.eye(ANSWERS)[-1], _last_of_scale),
        ("sum: scale of 11, up to 4", "sum", cdf, (np.arange(ANSWERS) < 4) + 0.0, _up_to_four),
        ("mean: scale of 11", "mean", mean, positions, _above_first),
    ):
        yield from _scored(name, kind, channel, weights, law)


def _scored(
    name: str, kind: str, channel: Channel, weights: FloatArray, law: Law
) -> Iterator[Family]:
    """As pages show it, and as the package does for one look."""
    scores = weights @ channel.scores

    def at(share: float) -> Situation:
        return Situation((channel.matrix @ law(share),), float(weights @ law(share)))

    def shown(counts: Counts, method: Any) -> Interval:
        return score_interval(scores, counts, LEVEL, method)

    estimate, once = mean_of(scores), partial(shown, method=ONCE)
    yield Family(f"{name} (page)", kind, at, estimate, once, watched(shown))
    yield Family(f"{name} (package)", kind, at, estimate, partial(shown, method=None))


def _last_of_three(share: float) -> FloatArray:
    return others_and(share, 3)


def _last_of_scale(share: float) -> FloatArray:
    return others_and(share, ANSWERS)


def _up_to_four(share: float) -> FloatArray:
    """This share has one of the first four answers."""
    return np.append(np.full(4, share / 4), np.full(ANSWERS - 4, (1 - share) / (ANSWERS - 4)))


def _above_first(share: float) -> FloatArray:
    """All others give the first answer."""
    return np.append(1 - share, np.full(ANSWERS - 1, share / (ANSWERS - 1)))


def _rounded() -> Family:
    design = RoundedNumber.from_epsilon(DAYS + 1, EPSILON)
    scores = tuple(DAYS * float(score) for score in design.scores)

    def at(share: float) -> Situation:
        truth = float(np.arange(DAYS + 1) @ ill(share))
        return Situation((design.channel.matrix @ ill(share),), truth)

    def shown(counts: Counts, method: Any) -> Interval:
        return MeanEstimate(scores, counts).interval(LEVEL, method)

    estimate, once = mean_of(np.array(scores)), partial(shown, method=ONCE)
    name = "mean: rounded number (page)"
    return Family(name, "mean", at, estimate, once, watched(shown))


def _noisy() -> Family:
    design = DiscretisedScrambling(0, ANSWERS - 1, 1, TruncatedGeometricNoise(0.25))

    def at(share: float) -> Situation:
        truth = float(np.arange(ANSWERS) @ _above_first(share))
        return Situation((design.channel.matrix @ _above_first(share),), truth)

    def shown(counts: Counts) -> Interval:
        return estimate_grid_mean(design, counts).interval()

    name = "mean: number with noise (package)"
    return Family(name, "mean", at, mean_of(design.mean_scores), shown, is_guaranteed=True)


def _direct(name: str, law: Law) -> Family:
    values = np.arange(DAYS + 1.0)

    def at(share: float) -> Situation:
        return Situation((law(share),), float(values @ law(share)))

    return Family(
        name,
        "mean",
        at,
        mean_of(values),
        lambda counts: pages.mean_of_numbers(counts, pages.once()),
        lambda counts, planned: pages.mean_of_numbers(counts, pages.live(planned)),
    )


def _order() -> Family:
    ranks = np.arange(1.0, 5)

    def at(share: float) -> Situation:
        law = np.append(share, np.full(3, (1 - share) / 3))
        return Situation((law,), float(law @ ranks))

    return Family(
        "mean rank: of four (page)",
        "rank",
        at,
        mean_of(ranks),
        lambda counts: pages.mean_rank(counts, pages.once()),
        lambda counts, planned: pages.mean_rank(counts, pages.live(planned)),
    )


def _pairs() -> Family:
    """Of three things, the first: either other stands before it for this share of people."""
    channel = TwoCoins(2).channel

    def at(share: float) -> Situation:
        reported = channel.matrix @ [share, 1 - share]
        pairs = np.concatenate([reported, reported, [0.5, 0.5]]) / 3
        return Situation((pairs,), 1 + 2 * share)

    def before(pair: int) -> tuple[float, Any]:
        places = np.arange(6) // 2 == pair
        return 1.0, ratio_of(np.tile(channel.scores[0], 3) * places, places + 0.0)

    def first(shares: FloatArray) -> tuple[FloatArray, FloatArray]:
        return np.ones(len(shares)), np.zeros_like(shares)

    return Family(
        "mean rank: of three, by pairs (page)",
        "rank",
        at,
        sum_of((1.0, first), before(0), before(1)),
        lambda counts: pages.mean_rank_of_pairs(counts, pages.once()),
        lambda counts, planned: pages.mean_rank_of_pairs(counts, pages.live(planned)),
    )
