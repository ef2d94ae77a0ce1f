"""Plans with design effects, invitations and arms, against 2,000 simulated surveys of each.

People of a cluster share a chance p of the trait that is drawn from Beta(a, b), a + b = 1/rho - 1:
its variance is rho pi (1 - pi), so that rho is the intraclass correlation of the true answers, and
reports of the cluster are Binomial(its people, slope p + base). All bounds are 5 sigma of what
2,000 surveys tell.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtri

from surveys.randomized_response.designs import Direct, ForcedResponse, TwoCoins, Warner
from surveys.randomized_response.planning import (
    DesignEffects,
    Meaning,
    cluster_effect,
    invitations_needed,
    plan_sample_size,
    sample_size_two_samples,
    weight_effect,
)
from surveys.randomized_response.planning.power import variance_times_n

pytestmark = pytest.mark.audit

SURVEYS = 2000
SIGMAS = 5
PEOPLE, RHO = 20, 0.1
# Two weights of equal frequency and mean 1: their coefficient of variation is exactly this.
VARIATION = 0.5
DESIGNS = [Direct(2), TwoCoins(2), Warner(0.8), ForcedResponse(Fraction(1, 6), Fraction(1, 6))]


def line_of(design) -> tuple[float, float]:
    matrix = design.channel.matrix
    return matrix[1, 1] - matrix[1, 0], matrix[1, 0]


def shares_of_clusters(rng, share: float, clusters: int, rho: float = RHO) -> np.ndarray:
    """Shape (surveys, clusters)."""
    total = 1 / rho - 1
    return rng.beta(share * total, (1 - share) * total, size=(SURVEYS, clusters))


def estimates_of(rng, design, share: float, sizes: np.ndarray, weights=None) -> np.ndarray:
    """One weighted estimate per survey, from the reports of each cluster."""
    slope, base = line_of(design)
    chances = shares_of_clusters(rng, share, len(sizes)) * slope + base
    reports = rng.binomial(sizes, chances)
    w = np.ones(len(sizes)) if weights is None else weights
    return (reports @ w / (sizes @ w) - base) / slope


def require_variance(estimates: np.ndarray, expected: float) -> None:
    """The variance of the estimates is this, to 5 standard errors from their fourth moment."""
    squares = (estimates - estimates.mean()) ** 2
    error = squares.std() / math.sqrt(len(squares))
    assert abs(squares.mean() - expected) < SIGMAS * error
    assert SIGMAS * error < 0.25 * expected


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("share", [0.1, 0.5])
def test_clusters_inflate_the_sampling_part_alone(design, share) -> None:
    clusters = 40
    estimates = estimates_of(np.random.default_rng(1), design, share, np.full(clusters, PEOPLE))
    effects = DesignEffects(clusters=cluster_effect(PEOPLE, RHO))
    independent = variance_times_n(design, share)
    n = clusters * PEOPLE
    require_variance(estimates, effects.on_share(independent, share) / n)
    if isinstance(design, TwoCoins):
        # The textbook's effect on all of the variance is refuted: noise is each person's own.
        with pytest.raises(AssertionError):
            require_variance(estimates, float(effects.clusters) * independent / n)


@pytest.mark.parametrize("design", DESIGNS)
def test_clusters_of_unequal_size_inflate_it_more(design) -> None:
    sizes = np.tile([5, 15, 40], 14)
    variation = float(np.std(sizes) / np.mean(sizes))
    estimates = estimates_of(np.random.default_rng(2), design, 0.3, sizes)
    effects = DesignEffects(clusters=cluster_effect(sizes.mean(), RHO, variation=variation))
    variance = effects.on_share(variance_times_n(design, 0.3), 0.3)
    require_variance(estimates, variance / sizes.sum())


@pytest.mark.parametrize("design", DESIGNS)
def test_weights_of_whole_clusters_inflate_both_parts(design) -> None:
    weights = np.tile([1 - VARIATION, 1 + VARIATION], 20)
    sizes = np.full(40, PEOPLE)
    estimates = estimates_of(np.random.default_rng(3), design, 0.3, sizes, weights)
    effects = DesignEffects(weight_effect(VARIATION), cluster_effect(PEOPLE, RHO))
    variance = effects.on_share(variance_times_n(design, 0.3), 0.3)
    require_variance(estimates, variance / sizes.sum())


@pytest.mark.parametrize("design", DESIGNS)
def test_weights_within_clusters_lose_less_than_the_product(design) -> None:
    """Half of each cluster has either weight: the clusters' excess stays as it is."""
    rng = np.random.default_rng(4)
    slope, base = line_of(design)
    chances = shares_of_clusters(rng, 0.3, 40) * slope + base
    light, heavy = (rng.binomial(PEOPLE // 2, chances).sum(axis=1) for _ in range(2))
    n = 40 * PEOPLE
    mean = ((1 - VARIATION) * light + (1 + VARIATION) * heavy) / n
    independent, sampling = variance_times_n(design, 0.3), 0.3 * 0.7
    clusters = float(cluster_effect(PEOPLE, RHO))
    # Balanced halves: the pairs of a cluster weigh as those of equal weights, less (cv^2) rho.
    left = (1 + VARIATION**2) * independent + sampling * (clusters - 1 - RHO * VARIATION**2)
    require_variance((mean - base) / slope, left / n)
    effects = DesignEffects(weight_effect(VARIATION), cluster_effect(PEOPLE, RHO))
    assert left < effects.on_share(independent, 0.3)


@pytest.mark.parametrize("design", DESIGNS)
def test_where_a_part_of_each_cluster_answers_the_excess_is_that_part_of_it(design) -> None:
    rng = np.random.default_rng(5)
    slope, base = line_of(design)
    answering = rng.binomial(PEOPLE, 0.3, size=(SURVEYS, 60))
    reports = rng.binomial(answering, shares_of_clusters(rng, 0.3, 60) * slope + base)
    n = answering.sum(axis=1)
    estimates = (reports.sum(axis=1) / n - base) / slope
    effects = DesignEffects(clusters=cluster_effect(PEOPLE, RHO, answering=0.3))
    variance = effects.on_share(variance_times_n(design, 0.3), 0.3)
    require_variance(estimates, variance / (60 * PEOPLE * 0.3))


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("method", ["chebyshev", "normal", "exact"])
def test_as_few_surveys_are_further_off_than_the_plan_allows(design, method) -> None:
    """At the share where the variance is largest; the weights are those of whole clusters."""
    effects = DesignEffects(weight_effect(VARIATION), cluster_effect(PEOPLE, 0.05))
    plan = plan_sample_size(
        design,
        error=0.06,
        failure_probability=0.05,
        method=method,
        meaning=Meaning.POPULATION,
        effects=effects,
    )
    clusters = 2 * math.ceil(plan.n / PEOPLE / 2)
    rng = np.random.default_rng(6)
    slope, base = line_of(design)
    chances = shares_of_clusters(rng, 0.5, clusters, 0.05) * slope + base
    weights = np.tile([1 - VARIATION, 1 + VARIATION], clusters // 2)
    reports = rng.binomial(PEOPLE, chances) @ weights / (PEOPLE * clusters)
    off = np.mean(np.abs((reports - base) / slope - 0.5) > 0.06)
    assert off < 0.05 + SIGMAS * math.sqrt(0.05 * 0.95 / SURVEYS)
    if method == "normal":  # and the plan asks for no more than that takes
        assert off > 0.05 - SIGMAS * math.sqrt(0.05 * 0.95 / SURVEYS)


def rejected(first, second, sizes, test, design) -> float:
    """How often the normal test of the difference rejects, by the planned standard error."""
    slope, _ = line_of(design)
    difference = (first / sizes[0] - second / sizes[1]) / slope
    return float(np.mean(np.abs(difference) > -ndtri(0.025) * test.null_standard_error))


def require_power(power: float, planned: float) -> None:
    """A hundredth is left to the normal approximation."""
    sigma = math.sqrt(planned * (1 - planned) / SURVEYS)
    assert abs(power - planned) < SIGMAS * sigma + 0.01


@pytest.mark.parametrize("design", DESIGNS)
def test_groups_of_different_clusters_have_the_power_that_was_planned(design) -> None:
    effects = DesignEffects(clusters=cluster_effect(PEOPLE, RHO))
    plan = sample_size_two_samples(design, share=0.35, other_share=0.2, effects=effects)
    rng = np.random.default_rng(7)
    slope, base = line_of(design)
    clusters = math.ceil(plan.n / PEOPLE)
    n = clusters * PEOPLE
    first, second = (
        rng.binomial(PEOPLE, shares_of_clusters(rng, share, clusters) * slope + base).sum(axis=1)
        for share in (0.35, 0.2)
    )
    require_power(rejected(first, second, (n, n), plan, design), 0.8)
    alike = rng.binomial(PEOPLE, shares_of_clusters(rng, 0.2, clusters) * slope + base)
    require_power(rejected(alike.sum(axis=1), second, (n, n), plan, design), 0.05)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("arms", [(1, 1), (2, 1)])
def test_arms_drawn_within_clusters_have_the_power_that_was_planned(design, arms) -> None:
    """Each person's arm is drawn; the trait is more frequent by the same odds in all clusters."""
    part = arms[0] / sum(arms)
    effects = DesignEffects(clusters=cluster_effect(PEOPLE, RHO, answering=part))
    plan = sample_size_two_samples(
        design,
        share=0.35,
        other_share=0.2,
        ratio=arms[1] / arms[0],
        effects=effects,
        in_same_clusters=True,
    )
    rng = np.random.default_rng(8)
    slope, base = line_of(design)
    clusters = math.ceil(plan.n / part / PEOPLE)
    # p' = 1 - (1 - p)(1 - .35)/(1 - .2): the clusters' sd is scaled by .8125, near the model's.
    shares = shares_of_clusters(rng, 0.2, clusters)
    in_first = rng.binomial(PEOPLE, part, size=shares.shape)
    raised = 1 - (1 - shares) * 0.65 / 0.8
    first = rng.binomial(in_first, raised * slope + base).sum(axis=1)
    second = rng.binomial(PEOPLE - in_first, shares * slope + base).sum(axis=1)
    sizes = in_first.sum(axis=1), (PEOPLE - in_first).sum(axis=1)
    # Clusters are rounded up, which can only add power.
    assert 0.8 - SIGMAS * math.sqrt(0.16 / SURVEYS) < rejected(first, second, sizes, plan, design)
    same = rng.binomial(in_first, shares * slope + base).sum(axis=1)
    require_power(rejected(same, second, sizes, plan, design), 0.05)
    apart = sample_size_two_samples(design, share=0.35, other_share=0.2, effects=effects)
    assert plan.n < apart.n or arms != (1, 1)


@pytest.mark.parametrize("arms", [(1,), (1, 1), (2, 1, 1), (6, 1)])
@pytest.mark.parametrize("rate", [0.15, 0.6, 1.0])
@pytest.mark.parametrize("assurance", [0.9, 0.99])
def test_invitations_bring_the_answers_as_often_as_they_say(arms, rate, assurance) -> None:
    invited = invitations_needed(400, response_rate=rate, assurance=assurance, arms=arms)
    rng = np.random.default_rng(9)
    answers = rng.binomial(invited, rate, size=SURVEYS)
    in_arms = rng.multinomial(answers, np.array(arms) / sum(arms))
    enough = np.mean((in_arms >= 400).all(axis=1))
    assert enough > assurance - SIGMAS * math.sqrt(assurance * (1 - assurance) / SURVEYS)
    if arms == (1,) and rate < 1:
        # And no more are invited than that takes: with n / rate it would be half of the surveys.
        assert enough < assurance + SIGMAS * math.sqrt(assurance * (1 - assurance) / SURVEYS)
        few = rng.binomial(round(400 / rate), rate, size=SURVEYS)
        assert np.mean(few >= 400) < 0.6
