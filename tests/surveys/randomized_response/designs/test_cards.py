"""Kuk's design: more reports than true levels, so moments and likelihood part ways."""

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.randomized_response.designs import Channel, Kuk, TwoCoins, Warner, permanent_epsilon
from tests.randomized_response.errors import CountsError, DesignError, EstimationError
from tests.randomized_response.estimates import (
    estimate_distribution,
    estimate_prevalence,
    information_standard_error,
    kuk_standard_error,
    maximum_likelihood,
)
from tests.randomized_response.planning import Meaning, plan_sample_size
from tests.surveys.randomized_response.designs.test_binary_contract import law

FIVE = Kuk(Fraction(7, 10), Fraction(1, 5), 5)
COUNTS = [30, 42, 31, 24, 18, 9]


def test_the_estimate_comes_from_the_mean_number_of_red_cards() -> None:
    red = sum(r * c for r, c in enumerate(COUNTS)) / (5 * sum(COUNTS))
    estimate = estimate_prevalence(FIVE, COUNTS)
    assert estimate.prevalence == pytest.approx((red - 0.2) / 0.5, abs=1e-14)
    people = np.repeat(np.arange(6) / 5, COUNTS)
    expected = people.std(ddof=1) / math.sqrt(len(people)) / 0.5
    assert estimate.standard_error == pytest.approx(expected, rel=1e-12)


def test_the_channel_is_binomial_and_exact() -> None:
    assert FIVE.channel.is_exact
    assert FIVE.channel.rows[5] == (Fraction(1, 5) ** 5, Fraction(7, 10) ** 5)
    assert FIVE.channel.rows[0] == (Fraction(4, 5) ** 5, Fraction(3, 10) ** 5)


def test_more_cards_tell_more_and_protect_less() -> None:
    once, often = Kuk(Fraction(7, 10), Fraction(1, 5)), FIVE
    assert often.epsilon > once.epsilon
    assert often.epsilon == pytest.approx(5 * math.log(0.7 / 0.2))
    assert information_standard_error(often, 0.3, 100) < information_standard_error(once, 0.3, 100)


def test_the_likelihood_uses_the_whole_channel_and_is_never_less_precise() -> None:
    for share in (0.05, 0.3, 0.6):
        variance = sum(
            p * (estimate_prevalence(FIVE, counts).prevalence - share) ** 2
            for counts, p in law(FIVE, share, 4)
        )
        assert information_standard_error(FIVE, share, 4) < math.sqrt(variance)
    moment = estimate_prevalence(FIVE, COUNTS).prevalence
    assert maximum_likelihood(FIVE, COUNTS).shares[1] != pytest.approx(moment, abs=1e-3)


def test_both_standard_errors_agree_for_one_card_and_in_a_large_sample() -> None:
    once = Kuk(Fraction(7, 10), Fraction(1, 5))
    spread = estimate_prevalence(once, [258, 142]).standard_error
    assert kuk_standard_error(once, [258, 142]) == pytest.approx(spread, rel=1e-12)
    chance = FIVE.channel.matrix @ [0.7, 0.3]
    large = np.round(1e7 * chance).astype(int)
    model = kuk_standard_error(FIVE, large)
    assert model == pytest.approx(estimate_prevalence(FIVE, large).standard_error, rel=1e-4)


def test_the_model_has_no_standard_error_for_one_person_or_far_outside_the_range() -> None:
    assert kuk_standard_error(FIVE, [0, 1, 0, 0, 0, 0]) is None
    assert kuk_standard_error(FIVE, [40, 0, 0, 0, 0, 0]) is None
    assert estimate_prevalence(FIVE, [40, 0, 0, 0, 0, 0]).interval().width > 0


def test_false_reports_move_the_estimate_by_at_most_their_influence() -> None:
    estimate = estimate_prevalence(FIVE, COUNTS)
    worst = estimate_prevalence(FIVE, [COUNTS[0] - 3, *COUNTS[1:5], COUNTS[5] + 3])
    assert worst.prevalence - estimate.prevalence == pytest.approx(estimate.influence(3))


def test_shares_of_both_levels_sum_to_one_and_there_are_two_intervals() -> None:
    estimate = estimate_distribution(FIVE, COUNTS)
    assert estimate.shares.sum() == pytest.approx(1)
    assert estimate.covariance.sum() == pytest.approx(0, abs=1e-15)
    assert len(estimate.intervals()) == 2
    with pytest.raises(EstimationError, match="option"):
        estimate.interval(2)


@pytest.mark.parametrize("counts", [[1, 2], [1] * 7, [-1, 1, 1, 1, 1, 1], [0] * 6, [0.5] * 6])
def test_counts_that_no_six_piles_can_hold_are_refused(counts) -> None:
    with pytest.raises(CountsError, match="counts"):
        estimate_prevalence(FIVE, counts)
    with pytest.raises(CountsError, match="counts"):
        kuk_standard_error(FIVE, counts)


def test_a_hundred_draws_are_still_computed() -> None:
    many = Kuk(0.7, 0.2, 100)
    counts = np.zeros(101, dtype=int)
    counts[[20, 70]] = 60, 40
    assert estimate_prevalence(many, counts).prevalence == pytest.approx(0.4)
    assert math.isfinite(many.epsilon)


def test_the_information_of_two_reports_has_a_closed_form() -> None:
    assert information_standard_error(Warner(0.75), 0.2, 40) == pytest.approx(
        math.sqrt(0.35 * 0.65 / 40) / 0.5
    )


@pytest.mark.parametrize(
    ("prevalence", "n", "error"),
    [
        (-0.1, 10, EstimationError),
        (1.1, 10, EstimationError),
        (math.nan, 10, EstimationError),
        (0.5, 0, CountsError),
        (0.5, 2.5, CountsError),
    ],
)
def test_information_is_refused_outside_its_range(prevalence, n, error) -> None:
    with pytest.raises(error):
        information_standard_error(FIVE, prevalence, n)


def test_information_needs_reports_that_say_something() -> None:
    with pytest.raises(DesignError, match="nothing"):
        information_standard_error(Channel.k_ary(2, Fraction(1, 2)), 0.5, 10)
    with pytest.raises(DesignError, match="two true levels"):
        information_standard_error(TwoCoins(3), 0.5, 10)


def test_any_number_of_rappor_reports_cost_at_most_the_permanent_epsilon() -> None:
    assert permanent_epsilon(Fraction(1, 2)) == pytest.approx(2 * math.log(3))
    assert permanent_epsilon(Fraction(1, 10), 3) == pytest.approx(6 * math.log(19))
    assert permanent_epsilon(0) == math.inf
    assert permanent_epsilon(1) == 0


@pytest.mark.parametrize("meaning", list(Meaning))
def test_a_plan_for_cards_uses_the_largest_variance_of_the_mean_number_of_red_ones(meaning) -> None:
    plan = plan_sample_size(
        FIVE, error=0.05, failure_probability=0.1, method="chebyshev", meaning=meaning
    )
    shares = np.linspace(0, 1, 10_001)
    cards = (shares * 0.7 * 0.3 + (1 - shares) * 0.2 * 0.8) / 5 / 0.5**2
    people = shares * (1 - shares) if meaning is Meaning.POPULATION else 0
    needed = math.ceil((cards + people).max() / 0.1 / 0.05**2 - 1e-6)
    # The variances are in double precision: rounding may ask for one person more.
    assert needed <= plan.n <= needed + 1
