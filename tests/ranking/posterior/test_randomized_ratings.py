"""Scores from randomized ratings: linear Bayes and Gibbs sampling."""

import math

import numpy as np
import pytest

from ranking.posterior.errors import RatingsError, UtilityError
from ranking.posterior.gibbs import MOST_ITEMS, sample_hidden_ratings
from ranking.posterior.linear_bayes import corrected_utilities, linear_bayes
from surveys.randomized_response.designs import Direct, KAry

STARS = np.arange(1.0, 6)
FIVE = KAry.from_epsilon(5, math.log(3))


def test_the_mean_corrected_utility_is_the_true_one_whatever_the_true_level():
    assert corrected_utilities(FIVE, STARS) @ FIVE.channel.matrix == pytest.approx(STARS)


def test_for_k_ary_designs_the_correction_has_its_closed_form():
    p, q = float(FIVE.channel.matrix[0, 0]), float(FIVE.channel.matrix[1, 0])
    assert corrected_utilities(FIVE, STARS) == pytest.approx((STARS - q * STARS.sum()) / (p - q))


def test_the_more_reports_the_less_an_item_is_drawn_to_the_others():
    shares = np.array([[0.1, 0.1, 0.1, 0.2, 0.5], [0.5, 0.2, 0.1, 0.1, 0.1]])
    reported = shares @ FIVE.channel.matrix.T
    true = shares @ STARS
    few, many = (linear_bayes(FIVE, n * reported, STARS).scores for n in (30, 30_000))
    assert abs(many - true).max() < 0.01
    assert abs(few - true).min() > 0.1


def test_utilities_far_from_zero_shift_the_scores_and_change_nothing_else():
    reports = [[9, 3, 2, 5, 20], [20, 3, 9, 2, 2], [4, 4, 1, 9, 2]]
    near, far = (linear_bayes(FIVE, reports, STARS + shift) for shift in (0, 1e9))
    assert far.variances == pytest.approx(near.variances, rel=1e-5)
    assert far.scores - 1e9 == pytest.approx(near.scores, abs=1e-5)


def test_items_without_ratings_get_the_common_mean_and_the_widest_interval():
    posterior = linear_bayes(FIVE, [[9, 3, 2, 5, 20], [20, 3, 9, 2, 2], [0] * 5], STARS)
    assert posterior.scores[:2].min() < posterior.scores[2] < posterior.scores[:2].max()
    assert posterior.variances.argmax() == 2


def test_intervals_stay_within_the_utilities():
    intervals = linear_bayes(FIVE, [[0, 0, 0, 0, 9], [9, 0, 0, 0, 0]], STARS).intervals()
    assert intervals.min() >= 1
    assert intervals.max() <= 5


def test_without_a_channel_gibbs_draws_from_the_plain_posterior():
    """Direct ratings hide nothing: draws agree with the hierarchical model's linear twin."""
    counts = np.array([[2, 3, 8, 20, 17], [20, 10, 9, 5, 6], [5, 9, 15, 11, 10]] * 5)
    # The prior moves the farthest by .231. With 2,000 sweeps the chain adds a standard deviation of
    # .0065 (99 chains), which is more than a fifth of what is left to the bound; with 8,000 half.
    drawn = sample_hidden_ratings(
        Direct(5), counts, STARS, rng=np.random.default_rng(), sweeps=8000
    )
    means = counts @ STARS / counts.sum(axis=1)
    assert abs(drawn.posterior.scores - means).max() < 0.25


def test_gibbs_agrees_with_the_exact_posterior_of_one_bit():
    """Many identical items fix the prior; the posterior mean then solves a known average.

    With true share 1/2 everywhere every score is near 1/2: 5 standard errors of 40 items' mean.
    """
    design = KAry(2, 0.75)
    rng = np.random.default_rng()
    reports = rng.binomial(200, 0.5, size=40)
    drawn = sample_hidden_ratings(
        design, np.stack([200 - reports, reports], axis=1), [0, 1], rng=rng
    )
    deviation = math.sqrt(0.25 / (200 * 40)) / 0.5
    assert abs(drawn.posterior.scores.mean() - 0.5) < 5 * deviation + 0.01


def test_a_seed_makes_the_chain_repeatable():
    counts = [[5, 1, 2], [2, 2, 8]]
    one, other = (
        sample_hidden_ratings(
            KAry(3, 0.6), counts, [0, 1, 2], rng=np.random.default_rng(9), sweeps=20, burn_in=5
        ).draws
        for _ in range(2)
    )
    assert (one == other).all()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: corrected_utilities(FIVE, [1, 2]), UtilityError, "give 5"),
        (lambda: linear_bayes(FIVE, [[1] * 5], STARS), RatingsError, "two items"),
        (
            lambda: sample_hidden_ratings(
                FIVE, np.ones((MOST_ITEMS + 1, 5)), STARS, rng=np.random.default_rng()
            ),
            RatingsError,
            "use linear Bayes",
        ),
        (
            lambda: sample_hidden_ratings(FIVE, [[0.5] * 5], STARS, rng=np.random.default_rng()),
            RatingsError,
            "whole numbers",
        ),
    ],
)
def test_what_cannot_be_scored_is_refused_with_a_remedy(call, error, words):
    with pytest.raises(error, match=words):
        call()
