"""Do groups answer differently, and by how much? Distances with intervals and p-values.

The estimate of W1 is biased upward near 0, so that the median under no difference stands beside it.
The interval is the estimate plus or minus a quantile of the W1 of the noise alone: by the triangle
inequality |W1(estimate) - W1(truth)| is at most that W1, also where the truth is 0. (A percentile
bootstrap covers 0 % there.)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import scipy

from analytics.comparison.checks import FloatArray
from analytics.comparison.clouds import transport
from analytics.comparison.errors import ComparisonError
from analytics.comparison.groups import (
    Group,
    Scale,
    are_exchangeable,
    distances_of,
    estimated_law,
    is_k_ary,
    laws_of,
)
from analytics.comparison.permutation import (
    batches,
    drawn_p_value,
    exact_p_value,
    holm,
    null_draws,
    parametric_null_draws,
)
from analytics.comparison.transport import (
    Pattern,
    average_pattern,
    distance_to_pattern,
    transport_plan,
)
from surveys.randomized_response.checks import checked_level
from surveys.randomized_response.estimates import project_to_simplex

DRAWS = 2_000
# A test at this level; a difference "could have been seen" if the test finds it so often.
ALPHA, POWER = 0.05, 0.8
# Exact laws of more people take longer than draws and tell no more.
MOST_EXACT = 400
# Under a metric each draw is a linear program of some milliseconds.
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
class PairComparison:
    """Two groups. ``distance`` is the estimated W1; ``low`` and ``high`` its interval at ``level``.

    ``shift`` is the second mean less the first (0 where answers have no order). ``null_median`` is
    the usual estimate if the groups did not differ. ``p_value`` is of no difference, ``corrected``
    by Holm for all pairs, ``test`` how it was found. ``detectable`` is the smallest shift in one
    direction that the test finds in 80 % of such surveys; None where it finds none that the scale
    allows. ``plan`` is who moves where, of ``laws`` made presentable.
    """

    first: str
    second: str
    distance: float
    low: float
    high: float
    level: float
    shift: float
    null_median: float
    p_value: float
    test: str
    detectable: float | None
    plan: FloatArray
    declined: Declined | None = None
    corrected: float = 1.0


@dataclass(frozen=True, eq=False)
class Comparison:
    """All pairs of groups, the average pattern and each group's distance to it.

    ``laws`` (groups, placed levels) are unbiased; ``shown`` the same made presentable. Answers
    without an order have no average pattern here: it is None, and ``to_average`` is empty.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    laws: FloatArray
    shown: FloatArray
    pairs: tuple[PairComparison, ...]
    average: Pattern | None
    to_average: FloatArray


def compare_groups(
    groups: Sequence[Group],
    scale: Scale,
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    watch: Watch = lambda fraction: None,
) -> Comparison:
    """Compare every pair of groups; intervals hold together at ``level`` (Bonferroni).

    ``watch`` is called with the fraction that is done before each pair; it may raise to stop.
    Raises ComparisonError.
    """
    if len(groups) < 2:
        raise ComparisonError("groups", len(groups), "a comparison needs at least two groups")
    names = [group.name for group in groups]
    if len(set(names)) < len(names):
        raise ComparisonError("groups", names, "give each group a name of its own")
    wanted = list(combinations(groups, 2))
    each = 1 - (1 - checked_level(level)) / len(wanted)
    pairs = []
    for place, (first, second) in enumerate(wanted):
        watch(place / len(wanted))
        pairs.append(compare_pair(first, second, scale, rng, level=each, draws=draws))
    corrected = holm([pair.p_value for pair in pairs])
    laws = np.stack([estimated_law(group, scale) for group in groups])
    shown = np.stack([project_to_simplex(law) for law in laws])
    average = None if scale.metric is not None else average_pattern(list(shown), scale.positions)
    apart = [distance_to_pattern(law, scale.positions, average) for law in shown] if average else []
    return Comparison(
        tuple(names),
        tuple(group.n for group in groups),
        laws,
        shown,
        tuple(replace(p, corrected=float(c)) for p, c in zip(pairs, corrected, strict=True)),
        average,
        np.array(apart),
    )


def compare_pair(
    first: Group,
    second: Group,
    scale: Scale,
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    draws: int = DRAWS,
) -> PairComparison:
    """Compare two groups on one scale. Raises ComparisonError."""
    laws = [estimated_law(group, scale) for group in (first, second)]
    distance = float(distances_of(laws[0] - laws[1], scale))
    if scale.metric is not None:
        draws = min(draws, METRIC_DRAWS)
    noise = noise_of(first, second, scale, draws, rng)
    reach = float(np.quantile(distances_of(noise.laws, scale), checked_level(level)))
    null, p_value, test = _tested(first, second, scale, distance, noise, rng)
    return PairComparison(
        first.name,
        second.name,
        distance,
        min(max(0.0, distance - reach), scale.width),
        min(distance + reach, scale.width),
        level,
        0.0 if scale.metric is not None else float((laws[1] - laws[0]) @ scale.positions),
        float(np.median(null)),
        p_value,
        test,
        detectable_shift(null, noise, scale),
        _plan(scale, *(project_to_simplex(law) for law in laws)),
        _declined(first, second, scale, noise, level),
    )


@dataclass(frozen=True, eq=False)
class Noise:
    """Draws of how far estimates are off: of the laws (draws, placed), and of the declined."""

    laws: FloatArray
    declined: FloatArray


def noise_of(
    first: Group, second: Group, scale: Scale, draws: int, rng: np.random.Generator
) -> Noise:
    """Draw the error of the difference of two laws by a parametric bootstrap of the reports.

    People are drawn, each with all their reports. From smoothed shares: a group that answered alike
    would have no noise otherwise.
    """
    laws, declined = [], []
    for size in batches(draws, max(len(first.counts), len(second.counts))):
        errors = [_errors(group, scale, size, rng) for group in (first, second)]
        laws.append(errors[0][0] - errors[1][0])
        declined.append(errors[1][1] - errors[0][1])
    return Noise(np.concatenate(laws), np.concatenate(declined))


def detectable_shift(null: FloatArray, noise: Noise, scale: Scale) -> float | None:
    """Return the smallest shift that the test finds in 80 % of surveys like this one, or None.

    W1 is at least the difference of the means, which is nearly normal with the noise's deviation:
    a shift of the critical value and 0.84 deviations is found that often, or more. None for answers
    without an order, which have no mean.
    """
    if scale.metric is not None:
        return None
    critical = float(np.quantile(null, 1 - ALPHA))
    deviation = float((noise.laws @ scale.positions).std())
    shift = critical + float(scipy.special.ndtri(POWER)) * deviation
    return shift if shift <= scale.width else None


def _errors(
    group: Group, scale: Scale, draws: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    frequencies, centre = group.redrawn(draws, rng)
    drawn, middle = group.shares(frequencies), group.shares(centre)
    off = laws_of(drawn, scale) - laws_of(middle, scale)
    if scale.declined is None:
        return off, np.zeros(draws)
    return off, drawn[:, scale.declined] - middle[scale.declined]


def _tested(
    first: Group,
    second: Group,
    scale: Scale,
    distance: float,
    noise: Noise,
    rng: np.random.Generator,
) -> tuple[FloatArray, float, str]:
    """Draws under no difference, the p-value, and how it was found."""
    draws = len(noise.laws)
    if not are_exchangeable(first, second):
        null = _null_apart(first, second, scale, noise, rng)
        words = f"{draws:,} simulated surveys without a difference (own channel for each group)"
        return null, drawn_p_value(null, distance), words
    null = null_draws(first, second, scale, draws, rng)
    if first.patterns is not None:
        words = f"{draws:,} random splits of the people, each with all their ratings"
        return null, drawn_p_value(null, distance), words
    is_line = scale.metric is None and scale.declined is None
    if is_line and is_k_ary(first) and first.n + second.n <= MOST_EXACT:
        exact = exact_p_value(first.counts, second.counts, scale.positions)
        if exact is not None:
            return null, exact, "all random splits of the reports"
    return null, drawn_p_value(null, distance), f"{draws:,} random splits of the reports"


def _null_apart(
    first: Group, second: Group, scale: Scale, noise: Noise, rng: np.random.Generator
) -> FloatArray:
    """Draws under no difference of groups that cannot be permuted: approximate.

    How several reports of a person depend on each other is not known from one law, so that then
    the noise of both groups stands for a difference of 0.
    """
    if first.patterns is None and second.patterns is None:
        return parametric_null_draws(first, second, scale, len(noise.laws), rng)
    return distances_of(noise.laws, scale)


def _plan(scale: Scale, first: FloatArray, second: FloatArray) -> FloatArray:
    if scale.metric is None:
        return transport_plan(first, second)
    found = transport(scale.metric, first, second).plan
    return transport_plan(first, second) if found is None else found


def _declined(
    first: Group, second: Group, scale: Scale, noise: Noise, level: float
) -> Declined | None:
    if scale.declined is None:
        return None
    one, other = (float(g.shares(g.frequencies)[scale.declined]) for g in (first, second))
    reach = float(np.quantile(np.abs(noise.declined), level))
    difference = other - one
    return Declined(one, other, difference, max(-1, difference - reach), min(1, difference + reach))
