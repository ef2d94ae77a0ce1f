"""Clouds of people: how far apart groups are on several numbers at once, each person a point.

The interval rests on halves. By the triangle inequality the distance of two samples differs from
that of the populations by at most the distance of each sample from its own population. That one is,
on average, at most the distance of two random halves of the sample: a half is farther from the
population than the whole, and farther still from another half than from the population. This
rule is ours; it bounds the mean, and simulations hold the quantile that is used (``make audit``). A
bootstrap would not do: people who are drawn twice stand exactly on each other.

An exact and a sliced distance are different distances. So a pair's distance, its halves and its
splits are all found the same way, which follows from the sizes of the two groups.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from analytics.comparison.checks import ComparisonError, FloatArray
from analytics.comparison.clouds import (
    CloudDistance,
    Metric,
    cloud_distance,
    has_exact_distance,
)
from analytics.comparison.permutation import drawn_p_value, enough_draws, holm
from analytics.comparison.reach import Apart, reach_of
from surveys.randomized_response.messages import sentence

# Each draw is a distance of its own, of up to a second for clouds of 250 people.
DRAWS = 99
LEVEL = 0.95
# So many people of each half are drawn from all groups: a group that answered alike is not known
# exactly.
STRANGERS = 2

Watch = Callable[[float], None]
Distance = Callable[[FloatArray, FloatArray], CloudDistance]


@dataclass(frozen=True)
class CloudComparison(Apart):
    """Two groups: their distance, its interval, how it was found, and the test of no difference.

    ``null_median`` is the usual distance if they did not differ, ``corrected`` the p-value by Holm
    over all pairs; the intervals of all pairs hold together. ``standard_error`` is that of a sliced
    distance, over its directions.
    """

    method: str
    standard_error: float
    null_median: float
    p_value: float
    test: str
    corrected: float = 1.0


def compare_people(
    clouds: Mapping[str, FloatArray],
    metric: Metric,
    seed: int,
    watch: Watch = lambda fraction: None,
) -> tuple[CloudComparison, ...]:
    """Compare all pairs of clouds, shape (people, dimensions) each, in the units that they have.

    ``watch`` is called with the fraction that is done and may raise to stop. Raises
    ComparisonError.
    """
    if len(clouds) < 2:
        raise ComparisonError(
            "groups", len(clouds), sentence("a comparison needs at least two groups")
        )
    everyone = np.concatenate(list(clouds.values()))
    if not np.ptp(everyone, axis=0).any():
        remedy = sentence("all people gave the same answers: there is nothing to compare")
        raise ComparisonError("questions", sentence("no differences"), remedy)
    rng = np.random.default_rng(seed)
    pairs = list(combinations(clouds, 2))
    ways = {(a, b): _is_sliced(clouds[a], clouds[b]) for a, b in pairs}
    wanted = dict.fromkeys((name, ways[pair]) for pair in pairs for name in pair)
    steps = len(wanted) + len(pairs)
    draws = enough_draws(DRAWS, len(pairs))
    halves = {}
    for number, (name, is_sliced) in enumerate(wanted):
        watch(number / steps)
        distance = _distance(metric, seed, is_sliced)
        halves[name, is_sliced] = _halves(clouds[name], everyone, distance, draws, rng)
    level = 1 - (1 - LEVEL) / len(pairs)
    compared = []
    for number, ((first, second), is_sliced) in enumerate(ways.items()):
        # Of the sum of both groups' halves, which are drawn apart: every two of them count.
        sums = np.add.outer(halves[first, is_sliced], halves[second, is_sliced])
        reach = reach_of(sums, level)

        def so_far(fraction: float, number: int = number) -> None:
            watch((len(wanted) + number + fraction) / steps)

        distance = _distance(metric, seed, is_sliced)
        null = _null(clouds[first], clouds[second], distance, draws, rng, so_far)
        apart = distance(clouds[first], clouds[second])
        compared.append(_compared(first, second, apart, reach, null))
    return corrected(compared)


def corrected(pairs: list[CloudComparison]) -> tuple[CloudComparison, ...]:
    """The same with their p-values corrected for all pairs (Holm)."""
    p_values = holm([pair.p_value for pair in pairs])
    return tuple(replace(pair, corrected=float(p)) for pair, p in zip(pairs, p_values, strict=True))


def _is_sliced(first: FloatArray, second: FloatArray) -> bool:
    """Whether two clouds, or the halves of one of them, have a sliced distance only."""
    sizes = len(first), len(second)
    halves = [size // 2 + STRANGERS for size in sizes]
    return not (has_exact_distance(*sizes) and all(has_exact_distance(n, n) for n in halves))


def _distance(metric: Metric, seed: int, is_sliced: bool) -> Distance:
    """Sliced distances all look along the same directions, so that draws can be compared."""

    def distance(x: FloatArray, y: FloatArray) -> CloudDistance:
        rng = np.random.default_rng(seed)
        return cloud_distance(x, y, metric=metric, rng=rng, is_sliced=is_sliced)

    return distance


def _halves(
    cloud: FloatArray,
    everyone: FloatArray,
    distance: Distance,
    draws: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Distances of random halves of a cloud, each with a few strangers.

    Of an odd number of people one is left out: halves of equal sizes have quick exact distances.
    """
    distances = np.empty(draws)
    middle = len(cloud) // 2
    for draw in range(draws):
        strangers = rng.choice(everyone, (2, STRANGERS))
        mixed = rng.permutation(cloud)
        half = np.concatenate([mixed[:middle], strangers[0]])
        rest = np.concatenate([mixed[middle : 2 * middle], strangers[1]])
        distances[draw] = distance(half, rest).value
    return distances


def _null(
    x: FloatArray,
    y: FloatArray,
    distance: Distance,
    draws: int,
    rng: np.random.Generator,
    watch: Watch,
) -> FloatArray:
    """Distances of random splits: people are exchangeable if groups do not differ."""
    people, size = np.concatenate([x, y]), len(x)
    distances = np.empty(draws)
    for draw in range(draws):
        watch(draw / draws)
        mixed = rng.permutation(people)
        distances[draw] = distance(mixed[:size], mixed[size:]).value
    return distances


def _compared(
    first: str, second: str, distance: CloudDistance, reach: float, null: FloatArray
) -> CloudComparison:
    return CloudComparison(
        first,
        second,
        distance.value,
        max(0.0, distance.value - reach),
        distance.value + reach,
        distance.method.value,
        distance.standard_error,
        float(np.median(null)),
        drawn_p_value(null, distance.value),
        sentence("{draws} random splits of the people", draws=len(null)),
    )
