import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from tests.randomized_response.designs import (
    Channel,
    ChannelMatrix,
    Direct,
    ForcedResponse,
    ForcedResponseOptions,
    KAry,
    TwoCoins,
    Warner,
)
from tests.randomized_response.errors import CountsError, DesignError, EstimationError
from tests.randomized_response.estimates import (
    conditional_variance,
    estimate_distribution,
    estimate_prevalence,
)
from tests.surveys.randomized_response.strategies import (
    binary_designs,
    categorical_designs,
    counts_for,
)

UNEVEN = ChannelMatrix(
    Channel.from_matrix([[0.6, 0.1, 0.2], [0.3, 0.7, 0.2], [0.1, 0.2, 0.6]]),
)


@given(binary_designs(), counts_for(2))
def test_the_prevalence_is_yes_share_minus_b_over_a_and_never_clipped(design, counts) -> None:
    no, yes = design.channel.rows[1]
    share = Fraction(counts[1], sum(counts))
    expected = float((share - no) / (yes - no))
    assert estimate_prevalence(design, counts).prevalence == pytest.approx(expected, rel=1e-9)


def test_where_no_share_is_possible_the_print_asks_for_order_and_design() -> None:
    swapped = str(estimate_prevalence(Warner(0.75), [1900, 100]))
    assert "An interval has no share from 0 to 1" in swapped
    assert "An interval has no share" not in str(estimate_prevalence(Warner(0.75), [1000, 900]))


def test_an_estimate_below_zero_stays_below_zero() -> None:
    estimate = estimate_prevalence(TwoCoins(2), [90, 10])
    assert estimate.prevalence == pytest.approx(-0.3)
    assert estimate.n == 100
    assert estimate.counts == (90, 10)


# Shares as anybody could mean them: below 1e-300 it is SciPy's binomial that overflows.
SHARES = st.integers(0, 10**9).map(lambda part: part / 10**9)


@given(binary_designs(), st.integers(1, 40), SHARES)
def test_the_estimate_is_unbiased_by_exact_enumeration(design, n, share) -> None:
    no, yes = (float(p) for p in design.channel.rows[1])
    reported = binom.pmf(range(n + 1), n, min(1.0, max(0.0, no + (yes - no) * share)))
    estimates = [estimate_prevalence(design, [n - x, x]).prevalence for x in range(n + 1)]
    assert float(reported @ np.array(estimates)) == pytest.approx(share, abs=1e-6 / abs(yes - no))


@pytest.mark.parametrize("n", [2, 5, 20])
def test_the_squared_standard_error_is_unbiased_too(n) -> None:
    for share in (0.0, 0.2, 0.5, 1.0):
        report = 0.25 + share / 2
        chance = binom.pmf(range(n + 1), n, report)
        errors = [estimate_prevalence(TwoCoins(2), [n - x, x]).standard_error for x in range(n + 1)]
        expected = report * (1 - report) / (0.25 * n)
        assert float(chance @ np.square(errors)) == pytest.approx(expected, rel=1e-12)


def test_clipping_would_bias_a_survey_without_any_yes_by_plus_0_034() -> None:
    chance = binom.pmf(range(101), 100, 0.25)
    raw = np.array([estimate_prevalence(TwoCoins(2), [100 - x, x]).prevalence for x in range(101)])
    assert float(chance @ raw) == pytest.approx(0, abs=1e-12)
    assert float(chance @ np.maximum(raw, 0)) == pytest.approx(0.034, abs=5e-4)
    assert float(chance[raw < 0].sum()) == pytest.approx(0.46, abs=5e-3)


def test_one_answer_has_an_estimate_but_no_standard_error() -> None:
    one = estimate_prevalence(TwoCoins(2), [0, 1])
    assert one.prevalence == 1.5
    assert one.standard_error is None
    every = estimate_distribution(TwoCoins(3), [0, 1, 0])
    assert every.standard_errors is None
    assert every.covariance is None
    assert every.shares.sum() == pytest.approx(1)


@given(st.integers(1, 200), st.integers(1, 200))
def test_the_same_device_by_any_name_gives_the_same_estimate(no, yes) -> None:
    quarter = Fraction(1, 4)
    designs = [
        Warner(Fraction(3, 4)),
        ForcedResponse(quarter, quarter),
        ForcedResponseOptions((quarter, quarter)),
        KAry.from_epsilon(2, math.log(3)),
        TwoCoins(2),
    ]
    estimates = [estimate_prevalence(design, [no, yes]) for design in designs]
    first = estimates[0]
    for other in estimates[1:]:
        assert other.prevalence == pytest.approx(first.prevalence, abs=1e-12)
        assert other.standard_error == pytest.approx(first.standard_error, abs=1e-12)
        assert other.interval().low == pytest.approx(first.interval().low, abs=1e-12)


@given(binary_designs(), counts_for(2))
def test_the_prevalence_is_the_second_share_of_the_distribution(design, counts) -> None:
    one, both = estimate_prevalence(design, counts), estimate_distribution(design, counts)
    assert both.shares[1] == pytest.approx(one.prevalence, rel=1e-7, abs=1e-7)
    if one.standard_error is not None:
        # A variance of exactly 0 is the difference of equal numbers: compare the squares.
        assert both.standard_errors[1] ** 2 == pytest.approx(
            one.standard_error**2, rel=1e-6, abs=1e-6
        )


@given(st.data())
def test_relabelling_the_options_relabels_the_result(data) -> None:
    design = data.draw(categorical_designs())
    counts = data.draw(counts_for(design.options))
    order = data.draw(st.permutations(range(design.options)))
    rows = [[design.channel.rows[y][x] for x in order] for y in order]
    before = estimate_distribution(design, counts)
    after = estimate_distribution(Channel.from_matrix(rows), [counts[y] for y in order])
    assert after.shares == pytest.approx(before.shares[list(order)], rel=1e-8, abs=1e-8)
    for new, old in enumerate(order):
        ends = (after.interval(new).low, after.interval(new).high)
        expected = (before.interval(old).low, before.interval(old).high)
        assert ends == pytest.approx(expected, rel=1e-7, abs=1e-7)


@given(st.data())
def test_shares_sum_to_one_and_reproduce_the_reports(data) -> None:
    design = data.draw(st.one_of(categorical_designs(), st.just(UNEVEN)))
    counts = data.draw(counts_for(design.options))
    shares = estimate_distribution(design, counts).shares
    assert shares.sum() == pytest.approx(1, abs=1e-8)
    assert design.channel.matrix @ shares == pytest.approx(np.array(counts) / sum(counts), abs=1e-9)


def test_the_covariance_is_the_one_of_the_moment_estimate_with_n_minus_1() -> None:
    estimate = estimate_distribution(UNEVEN, [30, 50, 20])
    f = np.array([0.3, 0.5, 0.2])
    inverse = np.linalg.inv(UNEVEN.channel.matrix)
    expected = inverse @ (np.diag(f) - np.outer(f, f)) @ inverse.T / 99
    assert estimate.covariance == pytest.approx(expected)
    assert estimate.covariance.sum() == pytest.approx(0, abs=1e-12)
    assert estimate.standard_errors == pytest.approx(np.sqrt(np.diag(expected)))


def test_a_result_cannot_be_changed_after_the_fact() -> None:
    estimate = estimate_distribution(TwoCoins(3), [3, 4, 5])
    with pytest.raises(ValueError, match="read-only"):
        estimate.shares[0] = 0
    with pytest.raises(AttributeError):
        estimate.counts = (1, 1, 1)


BAD_COUNTS = [
    [-1, 5],
    [1.5, 2],
    [math.nan, 2],
    [math.inf, 2],
    [True, 2],
    [None, 2],
    ["1", 2],
    [1, 2, 3],
    [1],
    [],
    [0, 0],
    [2**53, 1],
    "12",
    7,
]


@pytest.mark.parametrize("counts", BAD_COUNTS, ids=repr)
def test_counts_that_no_survey_can_have_are_refused(counts) -> None:
    for estimate in (estimate_prevalence, estimate_distribution):
        with pytest.raises(CountsError) as refusal:
            estimate(TwoCoins(2), counts)
        assert refusal.value.argument.startswith("counts")


def test_no_answers_yet_is_said_in_those_words() -> None:
    with pytest.raises(CountsError, match="no answers yet"):
        estimate_prevalence(TwoCoins(2), [0, 0])


@pytest.mark.parametrize(
    "counts", [[6, 4], (6, 4), np.array([6, 4]), np.array([6.0, 4.0]), [np.int8(6), 4.0]]
)
def test_whole_numbers_of_any_type_are_counts(counts) -> None:
    assert estimate_prevalence(TwoCoins(2), counts).counts == (6, 4)


def test_a_stored_integer_channel_is_a_design_to_estimate_with() -> None:
    stored = TwoCoins(2).channel.integer_weights()
    assert estimate_prevalence(stored, [6, 4]) == estimate_prevalence(TwoCoins(2), [6, 4])


def test_a_prevalence_needs_a_binary_design_and_an_invertible_one() -> None:
    with pytest.raises(DesignError, match="estimate_distribution"):
        estimate_prevalence(TwoCoins(3), [1, 2, 3])
    with pytest.raises(DesignError, match="further apart"):
        estimate_prevalence(Channel.k_ary(2, Fraction(1, 2)), [1, 2])
    with pytest.raises(DesignError, match="as many reported as true"):
        estimate_distribution(Channel.from_matrix([[1, 0, 0.5], [0, 1, 0.5]]), [1, 2])


@given(st.data())
def test_changing_false_reports_moves_no_share_further_than_the_influence(data) -> None:
    design = data.draw(st.one_of(categorical_designs(), st.just(UNEVEN)))
    counts = data.draw(counts_for(design.options, largest=50))
    source = data.draw(st.sampled_from([y for y, c in enumerate(counts) if c > 0]))
    target = data.draw(st.integers(0, design.options - 1))
    moved = data.draw(st.integers(0, counts[source]))
    changed = list(counts)
    changed[source] -= moved
    changed[target] += moved
    before, after = (estimate_distribution(design, c) for c in (counts, changed))
    reach = before.influence(moved)
    assert (np.abs(after.shares - before.shares) <= reach * (1 + 1e-9) + 1e-9).all()


def test_the_influence_of_false_reports_is_reached_and_is_m_over_n_a_for_yes_and_no() -> None:
    before, after = (estimate_prevalence(TwoCoins(2), c) for c in ([60, 40], [57, 43]))
    assert before.influence(3) == pytest.approx(3 / (100 * 0.5))
    assert after.prevalence - before.prevalence == pytest.approx(before.influence(3))
    for wrong in (-1, 0.5, "3"):
        with pytest.raises(EstimationError):
            before.influence(wrong)


def test_the_variance_given_the_true_answers_of_two_coins_is_three_quarters_over_n() -> None:
    for share in (0, 0.3, 1):
        variance = conditional_variance(TwoCoins(2), [1 - share, share], 100)
        assert variance == pytest.approx([0.0075, 0.0075])


def test_the_conditional_variance_is_the_one_of_repeated_draws_for_the_same_people() -> None:
    shares, n = np.array([0.5, 0.3, 0.2]), 50
    rng = np.random.default_rng(11)
    people = (shares * n).astype(int)
    reports = sum(
        rng.multinomial(m, UNEVEN.channel.matrix[:, x], size=40_000) for x, m in enumerate(people)
    )
    estimates = reports / n @ UNEVEN.channel.inverse.T
    expected = conditional_variance(UNEVEN, shares, n)
    assert estimates.mean(axis=0) == pytest.approx(shares, abs=5e-3)
    assert estimates.var(axis=0) == pytest.approx(expected, rel=0.05)


def test_a_conditional_variance_needs_shares_from_0_to_1_and_a_number_of_people() -> None:
    assert conditional_variance(Direct(2), [0.5, 0.5], 10) == pytest.approx([0, 0])
    for shares in ([0.5], [math.nan, 1], [1.1, -0.1]):
        with pytest.raises(EstimationError):
            conditional_variance(TwoCoins(2), shares, 10)
    for n in (0, 1.5):
        with pytest.raises(EstimationError):
            conditional_variance(TwoCoins(2), [0.5, 0.5], n)


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(EstimationError, match="numbered 0 to 2"):
        estimate_distribution(TwoCoins(3), [1, 2, 3]).interval(3)


@pytest.mark.parametrize("counts", [(-1, 3, 4), (1.5, 3, 4), (1, 2), (0, 0, 0)])
def test_there_is_no_estimate_of_impossible_counts(counts):
    possible = estimate_distribution(KAry.from_epsilon(3, 1.0), (30, 40, 50))
    with pytest.raises(CountsError):
        replace(possible, counts=counts)


@pytest.mark.parametrize("counts", [(-1, 3), (1.5, 3), (1, 2, 3), (0, 0)])
def test_there_is_no_prevalence_of_impossible_counts(counts):
    possible = estimate_prevalence(Warner(0.75), (30, 40))
    with pytest.raises(CountsError):
        replace(possible, counts=counts)
