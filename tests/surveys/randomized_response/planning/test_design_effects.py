"""Design effects against covariances that are written out person by person."""

from fractions import Fraction

import numpy as np
import pytest

from tests.randomized_response.designs import (
    Direct,
    ForcedResponse,
    KAry,
    OptimisedScale,
    Purpose,
    RoundedNumber,
    TwoCoins,
    UnrelatedQuestion,
    Warner,
)
from tests.randomized_response.errors import PlanError
from tests.randomized_response.intervals.intervals import beta_ends
from tests.randomized_response.intervals.worst_case import largest_variances
from tests.randomized_response.planning import (
    INDEPENDENT,
    DesignEffects,
    Meaning,
    cluster_effect,
    compare_designs,
    error_for_sample_size,
    plan_sample_size,
    power_one_sample,
    power_two_samples,
    price_of_privacy,
    sample_size_one_sample,
    sample_size_two_samples,
    weight_effect,
)
from tests.randomized_response.planning.power import variance_times_n

CLUSTERED = DesignEffects(weights=Fraction(5, 4), clusters=Fraction(39, 20))
QUESTION = {"error": 0.05, "failure_probability": 0.05, "meaning": Meaning.POPULATION}
SIZES = [3, 8, 1, 5, 5, 2]


def written_out(sizes, share: float, rho: float, noise: float, weights=None) -> float:
    """n times the variance of a weighted mean report, from the covariance of every pair."""
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    alike = (cluster[:, None] == cluster[None, :]) * rho
    np.fill_diagonal(alike, 1.0)
    covariance = share * (1 - share) * alike + noise * np.eye(len(cluster))
    w = np.ones(len(cluster)) if weights is None else np.repeat(weights, sizes)
    return float(len(cluster) * (w @ covariance @ w) / w.sum() ** 2)


@pytest.mark.parametrize("sizes", [[4, 4, 4], SIZES, [1, 1, 1, 1]])
@pytest.mark.parametrize("share", [0.1, 0.5])
def test_clusters_multiply_the_sampling_part_and_leave_the_noise(sizes, share) -> None:
    variation = float(np.std(sizes) / np.mean(sizes))
    effects = DesignEffects(clusters=cluster_effect(np.mean(sizes), 0.2, variation=variation))
    design = Warner(0.75)
    independent = variance_times_n(design, share)
    noise = independent - share * (1 - share)
    assert effects.on_share(independent, share) == pytest.approx(
        written_out(sizes, share, 0.2, noise)
    )
    assert float(effects.clusters) >= 1


def test_a_weight_of_its_own_for_each_cluster_multiplies_both_parts() -> None:
    weights = np.array([1.0, 2.0, 1.5, 0.5])
    variation = float(np.std(weights) / np.mean(weights))
    effects = DesignEffects(weight_effect(variation), cluster_effect(6, 0.1))
    assert effects.on_share(0.75 + 0.21, 0.3) == pytest.approx(
        written_out([6] * 4, 0.3, 0.1, 0.75, weights)
    )


def test_where_chance_asks_each_person_the_excess_shrinks_by_as_much() -> None:
    """Of a cluster of m, Binomial(m, d) are asked: E[M (M - 1)] / E[M] = (m - 1) d."""
    m, d, rho = 12, Fraction(1, 4), Fraction(1, 10)
    counts = np.arange(m + 1)
    chances = np.array([float(d) ** k * float(1 - d) ** (m - k) for k in counts]) * np.array(
        [float(np.prod(np.arange(m - k + 1, m + 1) / np.arange(1, k + 1))) for k in counts]
    )
    excess = float(rho) * (chances @ (counts * (counts - 1))) / (chances @ counts)
    assert float(cluster_effect(m, rho, answering=d)) == pytest.approx(1 + excess)


def test_the_textbook_effects() -> None:
    assert weight_effect(0) == cluster_effect(1, 0.3) == cluster_effect(20, 0) == 1
    assert weight_effect(0.5) == Fraction(5, 4)
    assert cluster_effect(20, 0.05) == Fraction(39, 20)
    assert cluster_effect(20, 0.05, variation=0.5) == Fraction(11, 5)


def test_the_more_noise_the_less_clusters_matter() -> None:
    clusters = DesignEffects(clusters=2)
    shares = [largest_variances(design)[1] for design in (Direct(2), TwoCoins(2), Warner(0.6))]
    direct, coins, noisy = (float(clusters.of(share)) for share in shares)
    assert direct == 2
    assert coins == 1.25  # 3/4 of the variance is noise
    assert 1 < noisy < coins
    assert DesignEffects(weights=2).of(shares[2]) == 2  # noise counts for weights


@pytest.mark.parametrize("method", ["chebyshev", "normal", "exact"])
@pytest.mark.parametrize(
    "design", [TwoCoins(2), KAry.from_epsilon(4, 1.0), ForcedResponse(0.5, 0.1), Direct(2)]
)
def test_the_number_of_people_grows_by_the_design_effect(design, method) -> None:
    plain = plan_sample_size(design, method=method, **QUESTION)
    sampled = plan_sample_size(design, method=method, effects=CLUSTERED, **QUESTION)
    effect = float(CLUSTERED.of(largest_variances(design)[plain.option]))
    assert effect * (plain.n - 1) - 1 <= sampled.n <= effect * plain.n + 1
    assert sampled.variance_times_n_total == pytest.approx(effect * plain.variance_times_n_total)
    bought = error_for_sample_size(
        design,
        n=sampled.n,
        failure_probability=0.05,
        method=method,
        meaning=Meaning.POPULATION,
        effects=CLUSTERED,
    )
    assert 0.0495 < bought <= 0.05
    assert "design effects" in sampled.assumption
    assert (
        "independent answers of equal weight: n divided by the design effect" in sampled.assumption
    ) == (method == "exact")


@pytest.mark.parametrize(
    "design",
    [
        TwoCoins(2),
        ForcedResponse(Fraction(1, 2), Fraction(1, 10)),
        UnrelatedQuestion(Fraction(2, 3), Fraction(1, 10)),
        Direct(2),
    ],
)
def test_no_interval_at_the_effective_number_is_wider_than_planned(design) -> None:
    """Korn and Graubard's: Clopper and Pearson's ends at n over the effect on the reports.

    To the first order: where that effect differs between shares, a thousandth more.
    """
    n = plan_sample_size(design, method="exact", effects=CLUSTERED, **QUESTION).n
    channel = design.channel.matrix
    slope, base = channel[1, 1] - channel[1, 0], channel[1, 0]
    for share in np.linspace(0.0, 1.0, 41):
        independent = variance_times_n(design, share)
        if not independent:
            continue
        chance = slope * share + base
        effective = n * independent / CLUSTERED.on_share(independent, share)
        low, high = beta_ends(chance * effective, effective, 0.95)
        assert (high - low) / 2 / abs(slope) <= 0.05 * 1.001


def test_for_these_people_alone_clusters_add_nothing_and_weights_do() -> None:
    people = {**QUESTION, "meaning": Meaning.RESPONDENTS, "method": "chebyshev"}
    plain, clusters, weights = (
        plan_sample_size(TwoCoins(2), effects=effects, **people).n
        for effects in (INDEPENDENT, DesignEffects(clusters=3), DesignEffects(weights=2))
    )
    assert plain == clusters
    assert weights == 2 * plain


def test_hoeffdings_bound_takes_weights_and_no_clusters() -> None:
    plain = plan_sample_size(Warner(0.75), method="hoeffding", **QUESTION)
    weights = DesignEffects(weights=2)
    twice = plan_sample_size(Warner(0.75), method="hoeffding", effects=weights, **QUESTION)
    assert 2 * (plain.n - 1) < twice.n <= 2 * plain.n
    with pytest.raises(PlanError, match="independently of each other"):
        plan_sample_size(Warner(0.75), method="hoeffding", effects=CLUSTERED, **QUESTION)


def test_a_population_that_is_asked_as_a_whole_has_no_sampling_part_left() -> None:
    for effects in (INDEPENDENT, CLUSTERED):
        error = error_for_sample_size(
            Direct(2),
            n=500,
            population=500,
            failure_probability=0.05,
            method="normal",
            meaning=Meaning.POPULATION,
            effects=effects,
        )
        assert error == 0


def test_means_and_scales_have_their_design_effect_too() -> None:
    number = largest_variances(RoundedNumber.from_epsilon(11, 2.0))[0]
    scale = largest_variances(OptimisedScale(3, Purpose.HISTOGRAM, 2.0))
    clusters = DesignEffects(clusters=2)
    assert 1 < clusters.of(number) < 2
    assert all(1 < clusters.of(share) < 2 for share in scale)
    # Of a mean: half of the people at each end have the largest variance, 1/4 of it sampling.
    assert clusters.of(number) == 1 + Fraction(1, 4) / number.largest(Fraction(1))


def test_power_is_that_of_larger_variances() -> None:
    test = {"share": 0.3, "null_share": 0.2}
    sampled = power_one_sample(Warner(0.75), n=900, effects=CLUSTERED, **test)
    variance = CLUSTERED.on_share(variance_times_n(Warner(0.75), 0.3), 0.3)
    assert sampled.standard_error == pytest.approx((variance / 900) ** 0.5)
    assert sampled.power < power_one_sample(Warner(0.75), n=900, **test).power
    plan = sample_size_one_sample(Warner(0.75), power=0.8, effects=CLUSTERED, **test)
    assert not plan.is_exact  # counts of people in clusters are not binomial
    assert power_one_sample(Warner(0.75), n=plan.n, effects=CLUSTERED, **test) == plan
    assert power_one_sample(Warner(0.75), n=plan.n - 1, effects=CLUSTERED, **test).power < 0.8


def difference_written_out(m: int, shares, rho: float, noise: float) -> float:
    """Variance of the difference of two groups, person by person; each cluster has m of each."""
    clusters = 5
    group = np.tile(np.repeat([0, 1], m), clusters)
    cluster = np.repeat(np.arange(clusters), 2 * m)
    deviation = np.sqrt(np.array(shares) * (1 - np.array(shares)))[group]
    alike = (cluster[:, None] == cluster[None, :]) * rho
    np.fill_diagonal(alike, 1.0)
    covariance = alike * np.outer(deviation, deviation) + noise * np.eye(len(group))
    contrast = np.where(group == 0, 1.0, -1.0) / (m * clusters)
    return float(contrast @ covariance @ contrast)


def test_what_a_cluster_adds_to_both_groups_falls_out_of_their_difference() -> None:
    """Half of a cluster in each group: of Binomial groups (2 m - 1)/2 others, here m and m - 1."""
    m, rho, design = 6, 0.2, Direct(2)
    for shares in ((0.3, 0.3), (0.5, 0.1)):
        excess = Fraction(rho).limit_denominator() * m
        drawn = power_two_samples(
            design,
            share=shares[0],
            other_share=shares[1],
            n=5 * m,
            effects=DesignEffects(clusters=1 + excess),
            in_same_clusters=True,
        )
        # Fixed halves have rho / n less of each group's variance than halves that chance draws.
        less = rho * sum(share * (1 - share) for share in shares) / (5 * m)
        expected = difference_written_out(m, shares, rho, 0.0) + less
        assert drawn.standard_error**2 == pytest.approx(expected)


def test_groups_of_different_clusters_need_more_people_than_arms() -> None:
    test = {"share": 0.3, "other_share": 0.2, "effects": CLUSTERED}
    apart = sample_size_two_samples(Warner(0.75), **test)
    together = sample_size_two_samples(Warner(0.75), in_same_clusters=True, **test)
    alone = sample_size_two_samples(
        Warner(0.75), share=0.3, other_share=0.2, effects=DesignEffects(weights=Fraction(5, 4))
    )
    assert alone.n <= together.n < apart.n
    assert not together.is_exact


def test_prices_and_comparisons_have_the_design_effect() -> None:
    points, plain = (
        price_of_privacy([0.5, 2.0], method="normal", effects=effects, **QUESTION)
        for effects in (CLUSTERED, INDEPENDENT)
    )
    assert [point.n for point in points] == [
        plan_sample_size(
            KAry.from_epsilon(2, epsilon), method="normal", effects=CLUSTERED, **QUESTION
        ).n
        for epsilon in (0.5, 2.0)
    ]
    # Privacy costs fewer times as many people: direct answers suffer most from clusters.
    assert points[0].times_direct < plain[0].times_direct
    rows = compare_designs(1.0, share=0.3, null_share=0.1, n=500, effects=CLUSTERED)
    for row in rows:
        assert row.exact_power is None
        assert row.standard_error == pytest.approx((row.variance_times_n / 500) ** 0.5)


@pytest.mark.parametrize(
    ("refused", "argument"),
    [
        (lambda: weight_effect(-0.1), "variation"),
        (lambda: weight_effect(11), "variation"),
        (lambda: weight_effect(float("nan")), "variation"),
        (lambda: weight_effect("0.5"), "variation"),
        (lambda: cluster_effect(0.5, 0.1), "size"),
        (lambda: cluster_effect(float("inf"), 0.1), "size"),
        (lambda: cluster_effect(1e300, 0.1), "size"),
        (lambda: cluster_effect(0.05, 20), "size"),  # swapped
        (lambda: cluster_effect(20, 1), "correlation"),
        (lambda: cluster_effect(20, -0.01), "correlation"),
        (lambda: cluster_effect(20, None), "correlation"),
        (lambda: cluster_effect(20, 0.1, variation=-1), "variation"),
        (lambda: cluster_effect(20, 0.1, answering=0), "answering"),
        (lambda: DesignEffects(weights=0.5), "weights"),
        (lambda: DesignEffects(clusters=True), "clusters"),
        (lambda: DesignEffects(clusters=10**10), "clusters"),
        (lambda: plan_sample_size(Warner(0.75), method="normal", effects=2, **QUESTION), "effects"),
        (
            lambda: power_one_sample(Warner(0.75), share=0.3, null_share=0.1, n=9, effects=1.2),
            "effects",
        ),
    ],
)
def test_effects_that_no_sample_has_are_refused_by_name(refused, argument) -> None:
    with pytest.raises(PlanError) as problem:
        refused()
    assert problem.value.argument == argument
