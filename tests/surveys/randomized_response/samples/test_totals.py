"""Horvitz-Thompson totals and means: enumerated, and in the cases where a closed form is known."""

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.randomized_response.designs import (
    DianaPerri1,
    Direct,
    EichhornHayre,
    Saha,
    TransformedReports,
    TwoCoins,
    Warner,
    transform_reports,
)
from tests.randomized_response.drawing import draw_reports
from tests.randomized_response.errors import EstimationError, WeightsError
from tests.randomized_response.samples import (
    estimate_mean,
    estimate_simple_mean,
    estimate_total,
    estimate_total_with_joint_probabilities,
    estimate_weighted_distribution,
)
from tests.surveys.randomized_response.samples.populations import (
    TRUTH,
    N,
    joint_probabilities,
    moments,
    simple_samples,
    unequal_samples,
)

EXACT = {"rel": 1e-9, "abs": 1e-9}


@pytest.mark.parametrize("size", [2, 3, 4])
def test_with_equal_probabilities_total_and_variance_are_unbiased(size) -> None:
    pi = [size / N] * size
    mean, variance, estimated = moments(
        simple_samples(size), lambda _, reports: estimate_total(reports, pi)
    )
    assert mean == pytest.approx(TRUTH.sum(), **EXACT)
    assert estimated == pytest.approx(variance, **EXACT)


def test_with_unequal_probabilities_the_total_and_the_sen_yates_grundy_variance_are_unbiased() -> (
    None
):
    plan = unequal_samples()
    joint = joint_probabilities(plan)
    mean, variance, estimated = moments(
        plan,
        lambda sample, reports: estimate_total_with_joint_probabilities(
            reports, joint[np.ix_(sample, sample)]
        ),
    )
    assert mean == pytest.approx(TRUTH.sum(), **EXACT)
    assert estimated == pytest.approx(variance, **EXACT)


def test_without_joint_probabilities_the_total_is_the_same_and_the_variance_close() -> None:
    plan = unequal_samples()
    pi = np.diag(joint_probabilities(plan))
    mean, variance, estimated = moments(
        plan, lambda sample, reports: estimate_total(reports, pi[list(sample)])
    )
    assert mean == pytest.approx(TRUTH.sum(), **EXACT)
    assert estimated == pytest.approx(variance, rel=0.1)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_a_simple_mean_without_replacement_is_unbiased_and_so_is_its_variance(size) -> None:
    mean, variance, estimated = moments(
        simple_samples(size), lambda _, reports: estimate_simple_mean(reports, N)
    )
    assert mean == pytest.approx(TRUTH.mean(), **EXACT)
    assert estimated == pytest.approx(variance, **EXACT)


def test_leaving_out_what_the_device_adds_as_published_understates_the_variance() -> None:
    _, variance, _ = moments(simple_samples(4), lambda _, r: estimate_simple_mean(r, N))
    _, _, published = moments(
        simple_samples(4),
        lambda _, r: estimate_simple_mean(TransformedReports(r.values, r.variances * 0), N),
    )
    assert published < 0.5 * variance


def test_for_simple_random_samples_all_three_formulas_agree() -> None:
    reports = transform_reports(Warner(Fraction(3, 4)), [0, 1, 1, 0, 1, 1])
    n, size = 6, 50
    joint = np.full((n, n), n * (n - 1) / (size * (size - 1)))
    np.fill_diagonal(joint, n / size)
    total = estimate_total(reports, [n / size] * n)
    grundy = estimate_total_with_joint_probabilities(reports, joint)
    simple = estimate_simple_mean(reports, size).scaled(size)
    assert (grundy.value, simple.value) == pytest.approx((total.value, total.value))
    assert (grundy.variance, simple.variance) == pytest.approx((total.variance, total.variance))
    assert estimate_mean(reports, [n / size] * n).variance == pytest.approx(
        total.variance / size**2
    )


def test_with_replacement_the_spread_of_the_reports_holds_both_parts() -> None:
    reports = transform_reports(Warner(Fraction(3, 4)), [0, 1, 1, 0])
    estimate = estimate_simple_mean(reports)
    assert estimate.variance == pytest.approx(np.var(reports.values, ddof=1) / 4)


def test_without_knowledge_of_the_device_the_variance_is_an_upper_bound_and_says_so() -> None:
    z = [3.0, 8.0, 6.5, 12.0]
    unknown = estimate_simple_mean(DianaPerri1(0.6, 1, 5).transform(z), 10)
    with_replacement = estimate_simple_mean(DianaPerri1(0.6, 1, 5).transform(z))
    assert unknown.variance == pytest.approx(with_replacement.variance)
    assert "upper bound" in unknown.note
    assert unknown.note in unknown.interval().note


def test_with_unequal_probabilities_an_unknown_device_leaves_no_standard_error() -> None:
    total = estimate_total(Saha(1, 5).transform([3.0, 8.0]), [0.2, 0.3])
    assert total.value == pytest.approx(-2 / 0.2 + 3 / 0.3)
    assert total.sampling_variance > 0
    assert total.variance is None
    with pytest.raises(EstimationError, match="no standard error"):
        total.interval()


def test_a_census_has_only_the_variance_of_the_device() -> None:
    reports = transform_reports(Warner(Fraction(3, 4)), [0, 1, 1])
    total = estimate_total(reports, [1, 1, 1])
    assert total.sampling_variance == 0
    assert total.variance == pytest.approx(3 * 0.75)


def test_one_person_left_to_chance_has_no_sampling_variance() -> None:
    reports = transform_reports(Warner(Fraction(3, 4)), [0, 1])
    assert estimate_total(reports, [1, 0.5]).variance is None
    one = transform_reports(Warner(Fraction(3, 4)), [1])
    assert estimate_total(one, [0.1]).standard_error is None
    assert estimate_simple_mean(one).standard_error is None


def test_a_mean_over_the_estimated_population_does_not_depend_on_the_scale_of_the_answers() -> None:
    z, pi = np.array([3.0, 8.0, 6.5, 12.0]), [0.1, 0.2, 0.05, 0.3]
    design = EichhornHayre(1, 0.3)
    plain, moved = (estimate_mean(design.transform(x), pi) for x in (z, z * 1000))
    assert moved.value == pytest.approx(plain.value * 1000)
    assert moved.variance == pytest.approx(plain.variance * 1000**2)


def test_of_a_mean_people_count_as_many_as_their_weights_let_them() -> None:
    """All but one of those whose weights are alike; of unlike ones, fewer."""
    reports = transform_reports(Direct(2), [1, 0, 0, 1, 0, 0])
    assert estimate_mean(reports, [0.1] * 6).degrees == pytest.approx(5)
    # Weights 10 and 1: (3 x 100 + 3)^2 / (3 x 10^4 + 3) - 1.
    assert estimate_mean(reports, [0.1] * 3 + [1.0] * 3).degrees == pytest.approx(2.060, abs=1e-3)
    assert estimate_mean(reports, [0.1] * 6, 60).interval().method == "normal"


def test_where_all_answers_agree_the_mean_over_the_estimated_population_does_not_vary() -> None:
    constant = estimate_mean(transform_reports(Direct(2), [1, 1, 1]), [0.1, 0.2, 0.4])
    assert constant.value == pytest.approx(1.0)
    assert constant.variance == pytest.approx(0.0, abs=1e-12)
    assert "size of the population was estimated" in constant.note


def test_a_variance_of_zero_is_not_shown_as_certainty() -> None:
    constant = estimate_total(transform_reports(Direct(2), [1, 1]), [0.5, 0.5])
    assert constant.interval().width == 0
    assert "says nothing about how certain" in constant.interval().note


@pytest.mark.parametrize("pi", [0.0, -0.1, 1.1, math.nan, math.inf, None, "0.5", 1e-300])
def test_an_inclusion_probability_that_nobody_can_have_is_refused_by_its_number(pi) -> None:
    reports = transform_reports(TwoCoins(2), [0, 1])
    with pytest.raises(WeightsError, match="inclusion_probabilities") as refusal:
        estimate_total(reports, [0.5, pi])
    assert refusal.value.remedy


def test_other_impossible_inputs_are_refused() -> None:
    reports = transform_reports(TwoCoins(2), [0, 1])
    with pytest.raises(WeightsError, match="2 numbers"):
        estimate_total(reports, [0.5])
    for size in (1, math.nan, -5, "many"):
        with pytest.raises(EstimationError, match="population_size"):
            estimate_mean(reports, [0.5, 0.5], size)
    for joint in ([[0.5, 0.2], [0.3, 0.5]], [[0.5, 0.6], [0.6, 0.5]], [[0.5, 0], [0, 0.5]], [0.5]):
        with pytest.raises(WeightsError, match="joint_probabilities"):
            estimate_total_with_joint_probabilities(reports, joint)


@pytest.mark.audit
def test_normal_intervals_of_totals_cover_as_they_say() -> None:
    """Poisson-like unequal probabilities, N = 2000, about 300 people: 4000 repeats."""
    rng, repeats, design = np.random.default_rng(11), 4_000, TwoCoins(2)
    truth = rng.random(2000) < 0.3
    # Size-related drawing: carriers are likelier to be drawn, which weights must undo.
    size = np.where(truth, 2.0, 1.0) * rng.uniform(0.5, 1.5, 2000)
    pi = 300 * size / size.sum()
    stored, covered = design.channel.integer_weights(), 0
    for _ in range(repeats):
        # Systematic sampling from a random order: fixed size, high entropy.
        order = rng.permutation(2000)
        steps = np.floor(np.cumsum(pi[order]) + rng.random())
        sample = order[np.diff(steps, prepend=0) > 0]
        reports = transform_reports(design, draw_reports(stored, truth[sample] * 1, rng))
        covered += estimate_total(reports, pi[sample]).interval(0.95).contains(truth.sum())
    share = covered / repeats
    print(f"Horvitz-Thompson normal interval, 95 %: covered {share:.4f} of {repeats}")
    # 5 sigma of the simulation, and one point for the normal approximation at this size.
    assert abs(share - 0.95) < 0.01 + 5 * math.sqrt(0.95 * 0.05 / repeats)


@pytest.mark.audit
def test_intervals_at_the_effective_number_cover_the_weighted_share() -> None:
    rng, repeats, n, design = np.random.default_rng(12), 4_000, 150, TwoCoins(2)
    stored, covered = design.channel.integer_weights(), 0
    for _ in range(repeats):
        group = rng.random(n) < 0.2
        weights = np.where(group, 4.0, 1.0)
        truth = rng.random(n) < np.where(group, 0.1, 0.4)
        # Population share: people of the group count four times.
        target = (0.2 * 4 * 0.1 + 0.8 * 0.4) / (0.2 * 4 + 0.8)
        reports = draw_reports(stored, truth * 1, rng)
        interval = estimate_weighted_distribution(design, reports, weights).interval(1)
        covered += interval.contains(target)
    share = covered / repeats
    print(f"Korn and Graubard, 95 %: covered {share:.4f} of {repeats}")
    assert share > 0.95 - 5 * math.sqrt(0.95 * 0.05 / repeats)
