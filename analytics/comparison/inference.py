"""Do groups answer differently, and by how much? Distances with intervals and p-values.

The estimate of W1 is biased upward near 0, so that the median under no difference stands beside it.
The interval is the estimate plus or minus a quantile of the W1 of the noise alone: by the triangle
inequality |W1(estimate) - W1(truth)| is at most that W1, also where the truth is 0. (A percentile
bootstrap covers 0 % there.) It holds 0 unless the test rejects no difference.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import scipy

from analytics.comparison.checks import ComparisonError, FloatArray
from analytics.comparison.clouds import transport
from analytics.comparison.groups import (
    KnownGroup,
    Scale,
    are_exchangeable,
    distances_of,
    estimated_law,
    is_k_ary,
)
from analytics.comparison.noise import DistanceNoise, noise_of
from analytics.comparison.permutation import (
    drawn_p_value,
    enough_draws,
    exact_p_value,
    holm,
    null_draws,
    parametric_null_draws,
)
from analytics.comparison.reach import Apart, enough_for_quantile, interval_of, reach_of
from analytics.comparison.transport import (
    AveragePattern,
    average_pattern,
    distance_to_pattern,
    transport_plan,
)
from surveys.randomized_response.checks import checked_level
from surveys.randomized_response.estimates import project_to_simplex
from surveys.randomized_response.messages import figure, sentence

BY_REPORTS = sentence("{draws} random splits of the reported answers")
BY_PEOPLE = sentence(
    "{draws} random splits of the people, with all ratings of a person kept together"
)
DRAWS = 2_000
# A test at this level; a difference "could have been seen" if the test finds it so often.
ALPHA, POWER = 0.05, 0.8
# Exact laws of more people take longer than draws and tell no more.
MOST_EXACT = 400
# Under a metric each draw is a linear program of some milliseconds. Many pairs need more of them.
METRIC_DRAWS = 300

Watch = Callable[[float], None]


@dataclass(frozen=True)
class Declined:
    """Shares of "prefer not to say" in two groups, second less first, and an interval."""

    first: float
    second: float
    difference: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Tested:
    """W1 in draws without a difference, the p-value of no difference, and how it was found."""

    null: FloatArray
    p_value: float
    words: str


@dataclass(frozen=True, eq=False)
class TestedPair(Apart):
    """Two groups. ``distance`` is the estimated W1; ``low`` and ``high`` its interval at ``level``.

    ``shift`` is the second mean less the first (0 where answers have no order). ``null_median`` is
    the usual estimate if the groups did not differ, ``p_value`` is of no difference.
    """

    level: float
    shift: float
    null_median: float
    p_value: float


@dataclass(frozen=True, eq=False)
class PairComparison(TestedPair):
    """Two groups, how they were tested, and who moves where.

    ``test`` is how the p-value was found, ``corrected`` the same by Holm for all pairs.
    ``detectable`` is the smallest shift in one direction that the test finds in 80 % of such
    surveys; None where it finds none that the scale allows. ``plan`` is who moves where, of
    ``laws`` made presentable.
    """

    test: str
    detectable: float | None
    plan: FloatArray
    declined: Declined | None = None
    corrected: float = 1.0


@dataclass(frozen=True, eq=False)
class GroupComparison:
    """All pairs of groups, the average pattern and each group's distance to it.

    ``laws`` (groups, placed levels) are unbiased; ``shown`` the same made presentable. Answers
    without an order have no average pattern here: it is None, and ``to_average`` is empty.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    laws: FloatArray
    shown: FloatArray
    pairs: tuple[PairComparison, ...]
    average: AveragePattern | None
    to_average: FloatArray


def compare_groups(
    groups: Sequence[KnownGroup],
    scale: Scale,
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    watch: Watch = lambda fraction: None,
) -> GroupComparison:
    """Compare every pair of groups; intervals hold together at ``level`` (Bonferroni).

    ``watch`` is called with the fraction that is done before each pair; it may raise to stop.
    Raises ComparisonError.
    """
    if len(groups) < 2:
        raise ComparisonError(
            "groups", len(groups), sentence("a comparison needs at least two groups")
        )
    names = [group.name for group in groups]
    if len(set(names)) < len(names):
        raise ComparisonError("groups", names, "give each group a name of its own")
    wanted = list(combinations(groups, 2))
    each = 1 - (1 - checked_level(level)) / len(wanted)
    draws = draws_for(draws, scale, len(wanted), each)
    pairs = []
    for number, (first, second) in enumerate(wanted):
        watch(number / len(wanted))
        pairs.append(_compared(first, second, scale, rng, each, draws))
    laws = np.stack([estimated_law(group, scale) for group in groups])
    return assembled(tuple(names), tuple(group.n for group in groups), laws, pairs, scale)


def assembled(
    names: tuple[str, ...],
    sizes: tuple[int, ...],
    laws: FloatArray,
    pairs: Sequence[PairComparison],
    scale: Scale,
) -> GroupComparison:
    """The comparison of all pairs, corrected for their number, with the average pattern."""
    corrected = holm([pair.p_value for pair in pairs])
    shown = np.stack([project_to_simplex(law) for law in laws])
    average = None if scale.metric is not None else average_pattern(list(shown), scale.positions)
    apart = [distance_to_pattern(law, scale.positions, average) for law in shown] if average else []
    return GroupComparison(
        names,
        sizes,
        laws,
        shown,
        tuple(replace(p, corrected=float(c)) for p, c in zip(pairs, corrected, strict=True)),
        average,
        np.array(apart),
    )


def compare_pair(
    first: KnownGroup,
    second: KnownGroup,
    scale: Scale,
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    draws: int = DRAWS,
) -> PairComparison:
    """Compare two groups on one scale. Raises ComparisonError."""
    draws = draws_for(draws, scale, 1, checked_level(level))
    return _compared(first, second, scale, rng, level, draws)


def draws_for(draws: int, scale: Scale, pairs: int, level: float) -> int:
    """So many draws, or as many as a ground metric allows; more where pairs or a level need them.

    ``level`` is that of one pair's interval.
    """
    allowed = draws if scale.metric is None else min(draws, METRIC_DRAWS)
    return enough_for_quantile(enough_draws(allowed, pairs), level)


def _compared(
    first: KnownGroup,
    second: KnownGroup,
    scale: Scale,
    rng: np.random.Generator,
    level: float,
    draws: int,
) -> PairComparison:
    laws = [estimated_law(group, scale) for group in (first, second)]
    distance = float(distances_of(laws[0] - laws[1], scale))
    noise = noise_of(first, second, scale, draws, rng)
    tested = _tested(first, second, scale, distance, noise, rng)
    shares = [group.shares(group.frequencies) for group in (first, second)]
    return pair_of((first.name, second.name), laws, shares, noise, tested, scale, level)


def pair_of(
    names: tuple[str, str],
    laws: Sequence[FloatArray],
    shares: Sequence[FloatArray],
    noise: DistanceNoise,
    tested: Tested,
    scale: Scale,
    level: float,
) -> PairComparison:
    """What is said of two groups, from their laws, the shares of all levels, noise and test."""
    distance = float(distances_of(laws[0] - laws[1], scale))
    reach = reach_of(noise.distances, checked_level(level))
    return PairComparison(
        *names,
        distance,
        *interval_of(distance, reach, scale.width, differ=tested.p_value <= 1 - level),
        level,
        0.0 if scale.metric is not None else float((laws[1] - laws[0]) @ scale.positions),
        float(np.median(tested.null)),
        tested.p_value,
        tested.words,
        detectable_shift(tested.null, noise, scale),
        _plan(scale, *(project_to_simplex(law) for law in laws)),
        _declined(shares, scale, noise, level),
    )


def detectable_shift(null: FloatArray, noise: DistanceNoise, scale: Scale) -> float | None:
    """Return the smallest shift that the test finds in 80 % of surveys like this one, or None.

    W1 is at least the difference of the means, which is nearly normal with the noise's deviation:
    a shift of the critical value and 0.84 deviations is found that often, or more. None for answers
    without an order, which have no mean.
    """
    if scale.metric is not None:
        return None
    critical = float(np.quantile(null, 1 - ALPHA))
    deviation = float(noise.means.std())
    shift = critical + float(scipy.special.ndtri(POWER)) * deviation
    return shift if shift <= scale.width else None


def _tested(
    first: KnownGroup,
    second: KnownGroup,
    scale: Scale,
    distance: float,
    noise: DistanceNoise,
    rng: np.random.Generator,
) -> Tested:
    draws = len(noise.distances)
    if not are_exchangeable(first, second):
        null = _null_apart(first, second, scale, noise, rng)
        words = sentence(
            "{draws} simulated surveys without a difference between the groups (with a separate "
            "channel for each group)",
            draws=figure(draws),
        )
        return Tested(null, drawn_p_value(null, distance), words)
    null = null_draws(first, second, scale, draws, rng)
    exact = _exact(first, second, scale)
    if exact is not None:
        return Tested(null, exact, sentence("all possible splits of the reported answers"))
    words = BY_REPORTS if first.patterns is None else BY_PEOPLE
    return Tested(null, drawn_p_value(null, distance), words.format(draws=figure(draws)))


def _exact(first: KnownGroup, second: KnownGroup, scale: Scale) -> float | None:
    """The exact p-value of two small groups on a line with one report each; else None."""
    is_line = scale.metric is None and scale.declined is None and first.patterns is None
    if not is_line or not is_k_ary(first) or first.n + second.n > MOST_EXACT:
        return None
    return exact_p_value(first.counts, second.counts, scale.positions)


def _null_apart(
    first: KnownGroup,
    second: KnownGroup,
    scale: Scale,
    noise: DistanceNoise,
    rng: np.random.Generator,
) -> FloatArray:
    """Draws under no difference of groups that cannot be permuted: approximate.

    How several reports of a person depend on each other is not known from one law, so that then
    the noise of both groups stands for a difference of 0.
    """
    if first.patterns is None and second.patterns is None:
        return parametric_null_draws(first, second, scale, len(noise.distances), rng)
    return noise.distances


def _plan(scale: Scale, first: FloatArray, second: FloatArray) -> FloatArray:
    if scale.metric is None:
        return transport_plan(first, second)
    plan = transport(scale.metric, first, second).plan
    return transport_plan(first, second) if plan is None else plan


def _declined(
    shares: Sequence[FloatArray], scale: Scale, noise: DistanceNoise, level: float
) -> Declined | None:
    if scale.declined is None:
        return None
    before, after = (float(share[scale.declined]) for share in shares)
    reach = reach_of(np.abs(noise.declined), level)
    difference = after - before
    return Declined(
        before, after, difference, max(-1, difference - reach), min(1, difference + reach)
    )
