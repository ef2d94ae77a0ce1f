"""Weighted shares: what equal weights, zeros, giants and garbage do."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.randomized_response.designs import Channel, ChannelMatrix, KAry, TwoCoins, Warner
from tests.randomized_response.errors import CountsError, EstimationError, WeightsError
from tests.randomized_response.estimates import estimate_distribution
from tests.randomized_response.samples import (
    effective_sample_size,
    estimate_weighted_distribution,
)

UNEVEN = ChannelMatrix(
    Channel.from_matrix([[0.6, 0.1, 0.2], [0.3, 0.7, 0.2], [0.1, 0.2, 0.6]]),
)
DESIGNS = [Warner(Fraction(3, 4)), TwoCoins(3), KAry(4, Fraction(1, 2)), UNEVEN]


def spread(counts: list[int]) -> np.ndarray:
    return np.repeat(np.arange(len(counts)), counts)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: d.label)
def test_equal_weights_give_the_unweighted_estimate_and_one_answer_less(design) -> None:
    counts = [11, 7, 5, 3][: design.options]
    plain = estimate_distribution(design, counts)
    weighted = estimate_weighted_distribution(design, spread(counts), np.full(sum(counts), 0.3))
    assert weighted.shares == pytest.approx(plain.shares, abs=1e-12)
    assert weighted.covariance == pytest.approx(plain.covariance, abs=1e-12)
    assert weighted.effective_n == pytest.approx(sum(counts))
    for option in range(design.options):
        # The variance divides by n - 1, so R's survey has one answer less, and so have we.
        assert weighted.effective_number(option) == pytest.approx(sum(counts) - 1)
        ours, theirs = weighted.interval(option), plain.interval(option)
        assert 1 < ours.width / theirs.width < sum(counts) / (sum(counts) - 1)


@given(st.lists(st.integers(1, 6), min_size=3, max_size=12), st.floats(1e-200, 1e200))
def test_only_the_proportions_of_the_weights_matter(weights, scale) -> None:
    reports = np.arange(len(weights)) % 3
    one = estimate_weighted_distribution(TwoCoins(3), reports, weights)
    other = estimate_weighted_distribution(TwoCoins(3), reports, np.array(weights) * scale)
    assert other.shares == pytest.approx(one.shares, abs=1e-9)
    assert other.covariance == pytest.approx(one.covariance, abs=1e-9)
    assert other.effective_n == pytest.approx(one.effective_n)


@given(st.lists(st.integers(1, 5), min_size=2, max_size=8))
def test_a_whole_number_weight_moves_the_shares_like_as_many_answers(weights) -> None:
    reports = np.arange(len(weights)) % 2
    repeated = np.repeat(reports, weights)
    weighted = estimate_weighted_distribution(TwoCoins(2), reports, weights)
    plain = estimate_distribution(TwoCoins(2), np.bincount(repeated, minlength=2))
    assert weighted.shares == pytest.approx(plain.shares, abs=1e-12)
    # But not the certainty: three answers of one person are one answer.
    assert weighted.effective_n <= len(weights) + 1e-9


def test_shares_are_unbiased_over_all_draws_of_the_device_whatever_the_weights() -> None:
    design, weights, truth = Warner(Fraction(2, 3)), np.array([1.0, 2.5, 7.0]), (0, 1, 1)
    matrix, mean = design.channel.matrix, np.zeros(2)
    for reports in product(range(2), repeat=3):
        chance = math.prod(matrix[y, x] for y, x in zip(reports, truth, strict=True))
        mean += chance * estimate_weighted_distribution(design, reports, weights).shares
    assert mean[1] == pytest.approx((2.5 + 7.0) / 10.5)


def test_the_standard_error_is_the_linearised_one_worked_by_hand() -> None:
    # Direct report shares with weights 1, 1, 2: f = 1/2; sum w^2 (e - f)^2 = 6/4; W = 4.
    estimate = estimate_weighted_distribution(Warner(Fraction(1)), [0, 0, 1], [1, 1, 2])
    assert estimate.standard_errors == pytest.approx([math.sqrt(3 / 2 * 1.5 / 16)] * 2)


def test_the_covariance_is_the_sum_over_people_of_what_each_adds_to_the_shares() -> None:
    reports, weights = np.array([0, 2, 1, 1, 0, 2, 2]), np.array([1.0, 3, 2, 0.5, 4, 1, 2])
    estimate = estimate_weighted_distribution(UNEVEN, reports, weights)
    added = weights[:, None] * (UNEVEN.scores[:, reports].T - estimate.shares) / weights.sum()
    assert estimate.covariance == pytest.approx(7 / 6 * added.T @ added)


def test_an_answer_of_weight_zero_is_left_out_and_the_reader_is_told() -> None:
    with_zero = estimate_weighted_distribution(TwoCoins(2), [0, 1, 1, 1], [1, 2, 0, 3])
    without = estimate_weighted_distribution(TwoCoins(2), [0, 1, 1], [1, 2, 3])
    assert with_zero.shares == pytest.approx(without.shares)
    assert with_zero.standard_errors == pytest.approx(without.standard_errors)
    assert with_zero.n == without.n == 3
    assert "1 of 4 answers have a weight of 0" in with_zero.notes[0]
    assert without.notes == ()


def test_one_giant_weight_is_named_and_leaves_an_interval_that_admits_ignorance() -> None:
    weights = np.ones(500)
    weights[7] = 1e9
    estimate = estimate_weighted_distribution(TwoCoins(2), np.arange(500) % 2, weights)
    assert "One answer has 100% of all weight" in estimate.notes[0]
    assert estimate.effective_n == pytest.approx(1.0, abs=1e-5)
    interval = estimate.interval(1).clipped()
    assert (interval.low, interval.high) == (0.0, 1.0)


def test_one_answer_has_no_standard_error_but_an_interval() -> None:
    estimate = estimate_weighted_distribution(TwoCoins(2), [1], [4.0])
    assert estimate.standard_errors is None
    assert estimate.interval(1, method="wald").width > 0
    assert "normal" in estimate.interval(1, method="wald").note


def test_reports_that_all_agree_never_give_an_interval_without_width() -> None:
    estimate = estimate_weighted_distribution(TwoCoins(3), [2, 2, 2], [1, 5, 2])
    for method in estimate.methods:
        assert all(i.width > 0 for i in estimate.intervals(method=method))


@pytest.mark.parametrize(
    ("weights", "argument"),
    [
        ([1, math.nan, 1], "weights[1]"),
        ([1, 1, math.inf], "weights[2]"),
        ([1, -0.1, 1], "weights[1]"),
        ([0, 0, 0], "weights"),
        ([1, 1], "weights"),
        ([], "weights"),
        (["1", "2", "3"], "weights"),
        ([1, None, 1], "weights[1]"),
        ([[1, 1, 1]], "weights"),
        ([[1], [1, 2], []], "weights"),
        (3, "weights"),
        ([1, 2j, 3], "weights"),
    ],
)
def test_impossible_weights_are_refused_by_name_and_with_a_remedy(weights, argument) -> None:
    with pytest.raises(WeightsError) as refusal:
        estimate_weighted_distribution(TwoCoins(2), [0, 1, 1], weights)
    assert refusal.value.argument == argument
    assert refusal.value.remedy


@pytest.mark.parametrize("report", [-1, 2, 0.5, math.nan, None, "yes"])
def test_a_report_that_the_design_does_not_have_is_refused(report) -> None:
    with pytest.raises(CountsError, match="reports"):
        estimate_weighted_distribution(TwoCoins(2), [0, report], [1, 1])


@pytest.mark.parametrize(
    "method",
    ["clopper-pearson", "chebyshev", "confidence-sequence", "", 3, "Wald", "square-and-add"],
)
def test_methods_that_need_whole_equal_answers_are_refused_with_those_that_do_not(method) -> None:
    estimate = estimate_weighted_distribution(TwoCoins(2), [0, 1], [1, 2])
    with pytest.raises(EstimationError, match="korn-graubard, wilson, score, wald"):
        estimate.interval(0, method=method)


def test_options_of_any_matrix_take_no_box_and_are_about_as_wide_as_students() -> None:
    rng = np.random.default_rng(36)
    reports, weights = rng.integers(0, 3, 400), rng.choice([1.0, 4.0], 400)
    found = estimate_weighted_distribution(UNEVEN, reports, weights)
    for option in range(3):
        wald = found.interval(option, method="wald")
        for method in (None, "korn-graubard", "wilson", "score"):
            interval = found.interval(option, method=method)
            assert interval.method == "score"
            assert 0.95 < interval.width / wald.width < 1.05


def test_wilsons_ends_solve_their_equation_at_the_number_of_the_variance() -> None:
    reports, weights = spread([30, 20]), np.tile([1.0, 3.0], 25)
    found = estimate_weighted_distribution(Warner(Fraction(1)), reports, weights)
    n, interval = found.effective_number(1), found.interval(1, method="wilson")
    for end in (interval.low, interval.high):
        squared = (found.shares[1] - end) ** 2 / (end * (1 - end) / n)
        assert squared == pytest.approx(1.959963984540054**2)
    score = found.interval(1, method="score")
    assert (score.low, score.high, score.method) == (interval.low, interval.high, "score")


def test_walds_interval_is_students_at_the_standard_error() -> None:
    found = estimate_weighted_distribution(Warner(0.75), spread([7, 4]), np.tile([1.0], 11))
    half = 2.228138852 * found.standard_errors[1]  # t with 10 degrees of freedom
    interval = found.interval(1, method="wald")
    ends = found.shares[1] - half, found.shares[1] + half
    assert (interval.low, interval.high) == pytest.approx(ends)


def test_the_effective_number_is_kishs_and_lies_between_one_and_n() -> None:
    assert effective_sample_size([1, 1, 2]) == pytest.approx(16 / 6)
    assert effective_sample_size([5] * 7) == pytest.approx(7)
    assert effective_sample_size([1e300, 1e-300]) == pytest.approx(1)
    with pytest.raises(WeightsError):
        effective_sample_size([1, math.nan])
