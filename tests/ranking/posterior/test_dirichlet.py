"""Scores, intervals and comparisons from a Dirichlet posterior."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaln
from scipy.stats import beta, dirichlet

from ranking.methods.registry import FixedPrior, Method
from ranking.methods.tables import rank_table
from ranking.posterior.dirichlet import beats, beats_binary, sample_scores, score_items
from ranking.posterior.errors import PriorError, RatingsError, UtilityError

STARS = [1, 2, 3, 4, 5]
counts = st.lists(st.integers(0, 10**6), min_size=5, max_size=5)


@given(counts, st.floats(0.01, 1e3))
def test_score_and_variance_are_the_moments_of_the_dirichlet_law(ratings, ghost):
    law = dirichlet(np.array(ratings) + ghost)
    posterior = score_items([ratings], [ghost] * 5, STARS)
    u = np.array(STARS)
    assert posterior.scores[0] == pytest.approx(u @ law.mean(), rel=1e-9)
    assert posterior.variances[0] == pytest.approx(u @ law.cov() @ u, rel=1e-5, abs=1e-12)


def test_for_two_levels_the_interval_is_that_of_the_beta_posterior():
    posterior = score_items([[3, 9]], [0.5, 0.5], [0, 1])
    assert posterior.intervals(0.9)[0] == pytest.approx(beta(9.5, 3.5).ppf([0.05, 0.95]))


@given(counts, st.floats(-50, 50), st.floats(0.1, 50))
def test_stretching_and_shifting_the_utilities_stretches_and_shifts_everything(ratings, shift, by):
    plain = score_items([ratings], [1] * 5, STARS)
    moved = score_items([ratings], [1] * 5, [shift + by * u for u in STARS])
    assert moved.scores == pytest.approx(shift + by * plain.scores, abs=1e-6)
    assert moved.intervals() == pytest.approx(shift + by * plain.intervals(), abs=1e-5)


@pytest.mark.parametrize("shift", [-1e9, 1e8, 1e9])
def test_utilities_far_from_zero_lose_no_variance(shift):
    near = score_items([[3, 5, 1]], [1, 1, 1], [0, 1, 2])
    far = score_items([[3, 5, 1]], [1, 1, 1], [shift, shift + 1, shift + 2])
    assert far.variances == pytest.approx(near.variances)
    assert far.scores - shift == pytest.approx(near.scores, abs=1e-6)


def test_the_order_of_levels_does_not_matter():
    one = score_items([[5, 1, 7]], [1, 2, 3], [-10, 0, 4])
    other = score_items([[7, 5, 1]], [3, 1, 2], [4, -10, 0])
    assert (one.scores, one.variances) == (
        pytest.approx(other.scores),
        pytest.approx(other.variances),
    )


def test_a_prior_may_differ_from_item_to_item():
    posterior = score_items([[0, 0], [0, 0]], [[1, 3], [3, 1]], [0, 1])
    assert posterior.scores.tolist() == [0.75, 0.25]


def test_pseudocounts_need_not_be_whole():
    assert score_items([[0.5, 1.5]], [0.25, 0.75], [0, 1]).scores[0] == pytest.approx(0.75)


def intervals(counts, pseudocounts, utilities):
    """Those of the table that ranks the items."""
    method = Method(utilities, FixedPrior(pseudocounts), "score", 0.95)
    return rank_table(counts, method).intervals(np.arange(len(counts)))


def test_with_few_pseudocounts_the_interval_is_that_of_draws():
    rng = np.random.default_rng()
    few = intervals([[0, 0, 1]], (0.2,) * 3, (0.0, 1.0, 10.0))
    drawn = sample_scores([[0, 0, 1]], [0.2] * 3, [0, 1, 10], draws=100_000, rng=rng)[:, 0]
    for end, p in zip(few[0], (0.025, 0.975), strict=True):
        # Five standard errors of a quantile of 4,000 draws, in probability.
        assert abs((drawn <= end).mean() - p) < 5 * math.sqrt(
            p * (1 - p) * (1 / 4000 + 1 / 100_000)
        )


def test_an_item_with_many_ratings_needs_no_draws():
    interval = intervals([[10, 20, 30]], (1.0,) * 3, (0.0, 1.0, 2.0))
    assert interval == pytest.approx(score_items([[10, 20, 30]], [1] * 3, [0, 1, 2]).intervals())


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 40), st.integers(1, 40))
def test_beating_with_thumbs_is_exact(a_down, a_up, b_down, b_up):
    """For whole numbers the probability is a finite sum (Cook, 2005; Miller, 2015)."""
    terms = (
        betaln(b_up + i, a_down + b_down)
        - math.log(a_down + i)
        - betaln(1 + i, a_down)
        - betaln(b_up, b_down)
        for i in range(a_up)
    )
    total = math.fsum(math.exp(term) for term in terms)
    assert beats_binary([a_down, a_up], [b_down, b_up]) == pytest.approx(total, abs=1e-12)


@given(*[st.floats(0.02, 1e6)] * 4)
def test_either_the_one_or_the_other_is_better(a_down, a_up, b_down, b_up):
    first, second = [a_down, a_up], [b_down, b_up]
    assert beats_binary(first, second) + beats_binary(second, first) == pytest.approx(1, abs=1e-10)
    assert beats_binary(first, first) == pytest.approx(0.5, abs=1e-9)


def test_beating_with_stars_is_close_to_what_draws_say():
    rng = np.random.default_rng()
    table, prior = [[1, 0, 2, 5, 9], [0, 1, 4, 6, 2]], [1, 1, 2, 3, 3]
    first, second = (score_items([row], prior, STARS) for row in table)
    drawn = sample_scores(table, prior, STARS, draws=200_000, rng=rng)
    share = (drawn[:, 0] > drawn[:, 1]).mean()
    assert abs(beats(first, second)[0] - share) < 0.002 + 5 * math.sqrt(0.25 / 200_000)


def test_scores_without_uncertainty_are_compared_as_numbers():
    sure = score_items([[0, 5], [5, 0], [0, 9]], [0, 0], [0, 1])
    assert beats(sure[0:1], sure[1:2])[0] == 1
    assert beats(sure[1:2], sure[0:1])[0] == 0
    assert beats(sure[0:1], sure[2:3])[0] == 0.5


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (([[1, 2]], [1, 1], [1, 2, 3]), RatingsError, "give 3 counts per item"),
        (([[1, -2]], [1, 1], [0, 1]), RatingsError, r"counts\[0\]\[1\]"),
        (([[1, math.nan]], [1, 1], [0, 1]), RatingsError, r"counts\[0\]\[1\]"),
        (([[1, math.inf]], [1, 1], [0, 1]), RatingsError, "finite"),
        (([["a", "b"]], [1, 1], [0, 1]), RatingsError, "give numbers"),
        (([[1], [1, 2]], [1, 1], [0, 1]), RatingsError, "give numbers"),
        (([], [1, 1], [0, 1]), RatingsError, "give a table"),
        (([[1, 2]], [1, 1], [4, 4]), UtilityError, "equal utilities order nothing"),
        (([[1, 2]], [1, 1], [4]), UtilityError, "2 or more"),
        (([[1, 2]], [1, 1], [0, math.nan]), UtilityError, "finite"),
        (([[1, 2]], [1, -1], [0, 1]), PriorError, "0 or more"),
        (([[1, 2]], [1, 1, 1], [0, 1]), PriorError, "give 2 pseudocounts"),
        (([[1, 2], [0, 0]], [0, 0], [0, 1]), PriorError, "item 1 has no ratings"),
    ],
)
def test_what_cannot_be_scored_is_refused_with_a_remedy(arguments, error, words):
    with pytest.raises(error, match=words):
        score_items(*arguments)


def test_a_pair_to_compare_needs_pseudocounts_above_zero():
    with pytest.raises(RatingsError, match="above 0"):
        beats_binary([0, 3], [1, 1])


def test_a_wrong_inverse_of_the_beta_law_is_found_and_mended():
    """SciPy's inverse fails for some parameters of exactly 1000; every end is checked forward."""
    ends = score_items([[999, 12_000]], [1, 1], [0, 1]).intervals()[0]
    law = beta(12_001, 1000)
    assert law.cdf(ends) == pytest.approx([0.025, 0.975], abs=1e-7)
