"""Priors fitted to the items themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.posterior.components import variance_components
from ranking.posterior.dirichlet import score_items
from ranking.posterior.errors import PriorError, RatingsError
from ranking.posterior.priors import (
    INDISTINGUISHABLE,
    ITEMS_AGREE,
    LARGEST_STRENGTH,
    average_prior,
    linear_empirical_bayes,
    log_likelihood,
    maximum_likelihood_prior,
    posterior_under,
)

STARS = np.arange(1, 6)
BASE = np.array([0.1, 0.1, 0.2, 0.35, 0.25])


def rated(strength: float, items: int, ratings: int, rng: np.random.Generator) -> np.ndarray:
    return rng.multinomial(ratings, rng.dirichlet(strength * BASE, size=items))


def test_the_average_prior_is_the_pooled_distribution_of_the_other_items():
    prior = average_prior([[1, 0], [2, 2], [0, 4]], 10)
    assert prior.pseudocounts.tolist() == [[2.5, 7.5], [2, 8], [6, 4]]


def test_an_item_is_not_its_own_prior():
    one = average_prior([[5, 5], [3, 1]], 8).pseudocounts[1]
    other = average_prior([[5, 5], [100, 0]], 8).pseudocounts[1]
    assert one.tolist() == other.tolist()


@given(st.lists(st.tuples(*[st.integers(0, 30)] * 3), min_size=2, max_size=8))
def test_every_item_gets_the_same_number_of_ghost_ratings(table):
    if np.count_nonzero(np.array(table).sum(axis=1)) < 2:
        return
    strengths = average_prior(table, 7).pseudocounts.sum(axis=1)
    assert strengths == pytest.approx([7] * len(table))


def test_the_variance_components_are_those_of_an_analysis_of_variance():
    """Balanced groups: between = (mean square between - mean square within) / n."""
    counts = np.array([[3.0, 1, 2], [0, 4, 2], [5, 1, 0]])
    values = [np.repeat([0.0, 1.0, 5.0], row.astype(int)) for row in counts]
    within = np.mean([v.var(ddof=1) for v in values])
    between = np.var([v.mean() for v in values], ddof=1) - within / 6
    parts = variance_components(counts, np.array([0.0, 1.0, 5.0]))
    assert parts.within == pytest.approx(within)
    assert parts.between == pytest.approx(max(0.0, between))


def test_the_fitted_strength_finds_the_true_one_when_there_are_many_items():
    """One standard error is near 0.15 at this size (100 repetitions); five of them are allowed."""
    strength = linear_empirical_bayes(
        rated(8.0, 20_000, 30, np.random.default_rng()), STARS
    ).strength
    assert strength == pytest.approx(8, abs=0.75)


def test_alike_items_are_called_indistinguishable():
    alike = [[50, 50]] * 20
    for prior in (linear_empirical_bayes(alike, [0, 1]), maximum_likelihood_prior(alike)):
        assert prior.note == INDISTINGUISHABLE
        assert prior.pseudocounts.max() <= LARGEST_STRENGTH


def test_without_a_difference_maximum_likelihood_gives_all_items_the_posterior_of_all_ratings():
    counts = [[5, 6, 4], [6, 5, 4], [0, 0, 0], [1, 1, 0]]
    prior = maximum_likelihood_prior(counts)
    posterior = posterior_under(prior, counts, [1, 2, 3])
    together = score_items([np.sum(counts, axis=0)], [0, 0, 0], [1, 2, 3])
    assert (prior.strength, prior.is_limit) == (np.inf, True)
    assert prior.shares == pytest.approx(np.sum(counts, axis=0) / 32)
    assert posterior.scores.tolist() == [together.scores[0]] * 4
    assert posterior.variances.tolist() == [together.variances[0]] * 4
    assert posterior.intervals()[0].tolist() == together.intervals()[0].tolist()


def test_one_rating_for_each_item_shows_no_difference():
    assert maximum_likelihood_prior([[1, 0], [0, 1], [0, 1]]).note == INDISTINGUISHABLE
    assert maximum_likelihood_prior([[4, 7]]).note == INDISTINGUISHABLE


def test_where_each_item_agrees_with_itself_maximum_likelihood_leaves_it_its_own_mean():
    counts = [[4, 0], [0, 2], [0, 1], [0, 0]]
    prior = maximum_likelihood_prior(counts)
    assert prior.note == ITEMS_AGREE
    assert prior.shares == pytest.approx([1 / 3, 2 / 3])
    scores = posterior_under(prior, counts, [0, 1]).scores
    assert scores == pytest.approx([0, 1, 1, 2 / 3], abs=1e-6)


def test_utilities_may_be_stretched_without_changing_the_prior():
    counts = rated(5.0, 40, 12, np.random.default_rng(3))
    one, other = (linear_empirical_bayes(counts, u) for u in (STARS, 7 - 3.5 * STARS))
    assert one.pseudocounts == pytest.approx(other.pseudocounts)


def test_the_uncertainty_of_the_centre_widens_scores_that_lean_on_it():
    counts = np.vstack([rated(5.0, 10, 12, np.random.default_rng(3)), np.zeros((1, 5))])
    prior = linear_empirical_bayes(counts, STARS)
    plain = score_items(counts, prior.pseudocounts, STARS)
    widened = posterior_under(prior, counts, STARS).variances - plain.variances
    assert widened[-1] == pytest.approx(prior.centre_variance)
    assert (widened[:-1] < prior.centre_variance).all()


def test_maximum_likelihood_has_no_slope_left_and_no_better_neighbour():
    counts = rated(6.0, 300, 15, np.random.default_rng(5))
    alpha = maximum_likelihood_prior(counts).pseudocounts
    best = log_likelihood(counts, alpha)
    for level in range(5):
        for factor in (0.999, 1.001):
            other = alpha.copy()
            other[level] *= factor
            assert log_likelihood(counts, other) < best


def test_maximum_likelihood_agrees_with_minkas_fixed_point():
    """Minka (2000), equation 55: it climbs slowly but surely."""
    from scipy.special import psi

    counts = rated(6.0, 200, 15, np.random.default_rng(6)).astype(float)
    alpha = np.ones(5)
    for _ in range(3000):
        share = (psi(counts + alpha) - psi(alpha)).sum(axis=0)
        total = (psi(counts.sum(axis=1) + alpha.sum()) - psi(alpha.sum())).sum()
        alpha = alpha * share / total
    assert maximum_likelihood_prior(counts).pseudocounts == pytest.approx(alpha, rel=1e-6)


def test_levels_that_nobody_chose_get_no_ghost_ratings():
    prior = maximum_likelihood_prior([[3, 0, 5], [9, 0, 1], [1, 0, 6]])
    assert prior.pseudocounts[1] == 0
    assert (prior.pseudocounts[[0, 2]] > 0).all()


@pytest.mark.parametrize(
    ("fit", "error", "words"),
    [
        (lambda: average_prior([[1, 2]], 3), PriorError, "no other item"),
        (lambda: average_prior([[1, 2], [0, 0]], 3), PriorError, "no other item"),
        (lambda: average_prior([[1, 2], [1, 0]], -1), PriorError, "0 or more"),
        (lambda: linear_empirical_bayes([[1, 2]], [0, 1]), RatingsError, "two items"),
        (
            lambda: linear_empirical_bayes([[1, 0], [0, 1]], [0, 1]),
            RatingsError,
            "no item has more than one rating",
        ),
        (lambda: maximum_likelihood_prior([[4, 0], [2, 0]]), RatingsError, "all ratings are equal"),
        (lambda: maximum_likelihood_prior([1, 2]), RatingsError, "give a table"),
    ],
)
def test_a_prior_that_cannot_be_learned_is_refused_with_a_remedy(fit, error, words):
    with pytest.raises(error, match=words):
        fit()


def test_items_whose_raters_all_agree_still_get_scores():
    counts = [[0, 4], [4, 0], [0, 7]]
    scores = posterior_under(linear_empirical_bayes(counts, [0, 1]), counts, [0, 1]).scores
    assert scores == pytest.approx([1, 0, 1], abs=1e-6)
