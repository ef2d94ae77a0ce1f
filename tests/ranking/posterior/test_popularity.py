"""A prior by how often items are rated: a line through the others, tilted shares, held-out fit."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from ranking.posterior.components import variance_components
from ranking.posterior.errors import RatingsError
from ranking.posterior.popularity import (
    CLEARLY,
    INDISTINGUISHABLE_OTHERWISE,
    held_out_gain,
    log_sizes,
    popularity_prior,
    prefers_popularity,
    tilted,
)
from ranking.posterior.priors import linear_empirical_bayes, posterior_under

STARS = np.arange(1.0, 6)
BASE = np.array([0.1, 0.1, 0.2, 0.35, 0.25])


def catalogue(items: int, slope: float, rng: np.random.Generator, alike: float = 15.0):
    """Counts of 3 to 60 ratings and true scores; better items are rated exp(slope) times as often
    for each standard deviation of the score."""
    shares = rng.dirichlet(alike * BASE, items)
    scores = shares @ STARS
    fame = slope * (scores - scores.mean()) / scores.std() + rng.standard_normal(items)
    sizes = np.clip(np.exp(2.6 + 0.7 * fame), 3, 60).astype(int)
    return rng.multinomial(sizes, shares).astype(float), scores


def line(x: np.ndarray, y: np.ndarray, weights: np.ndarray, at: float) -> tuple[float, float]:
    """The weighted line's value at a point, and the variance of that, by matrices."""
    design = np.stack([np.ones_like(x), x], axis=1)
    inverse = np.linalg.inv(design.T @ (weights[:, None] * design))
    row = np.array([1.0, at])
    return float(row @ inverse @ design.T @ (weights * y)), float(row @ inverse @ row)


def test_the_prior_mean_of_an_item_is_the_line_through_the_others():
    counts, _ = catalogue(12, 1.0, np.random.default_rng(1))
    x, prior = log_sizes(counts), popularity_prior(counts, STARS)
    parts = variance_components(counts, STARS, x)
    weights = 1 / (parts.between_upper + parts.within / parts.sizes)
    for item in range(12):
        others = np.arange(12) != item
        mean, variance = line(x[others], parts.means[others], weights[others], x[item])
        assert prior.shares[item] @ STARS == pytest.approx(mean)
        assert np.asarray(prior.centre_variance)[item] == pytest.approx(variance)
    assert prior.pseudocounts.sum(axis=1) == pytest.approx([prior.strength] * 12)
    assert prior.strength == pytest.approx(parts.within / parts.between_upper)


def test_the_variance_around_a_line_is_that_of_the_sum_of_squares():
    """E Q = sum of the variances times what the projection leaves of each item, by matrices."""
    counts, _ = catalogue(9, 1.0, np.random.default_rng(2))
    x = log_sizes(counts)
    parts = variance_components(counts, STARS, x)
    root = np.sqrt(parts.sizes)
    design = root[:, None] * np.stack([np.ones(9), x], axis=1)
    left = np.eye(9) - design @ np.linalg.pinv(design)
    squares = float((left @ (root * parts.means)) @ (root * parts.means))
    moment = (squares - np.trace(left) * parts.within) / (np.diag(left) @ parts.sizes)
    assert parts.between == pytest.approx(max(0.0, moment))
    error = parts.within * math.sqrt(2 * np.trace(left)) / (np.diag(left) @ parts.sizes)
    assert parts.between_upper == pytest.approx(parts.between + error)


def test_the_held_out_gain_foretells_each_item_from_all_others():
    counts, _ = catalogue(15, 1.0, np.random.default_rng(3))
    x, gain = log_sizes(counts), 0.0
    for sign, regressor in ((1, x), (-1, None)):
        parts = variance_components(counts, STARS, regressor)
        own = parts.between_upper + parts.within / parts.sizes
        for item in range(15):
            others = np.arange(15) != item
            if regressor is not None:
                mean, doubt = line(x[others], parts.means[others], 1 / own[others], x[item])
            else:
                doubt = 1 / (1 / own[others]).sum()
                mean = doubt * (parts.means[others] / own[others]).sum()
            deviation = math.sqrt(own[item] + doubt)
            gain += sign * norm.logpdf(parts.means[item], mean, deviation)
    assert held_out_gain(counts, STARS) == pytest.approx(gain)


def test_tilted_shares_have_the_mean_and_differ_by_an_exponential_of_the_utility():
    shares = np.array([BASE, BASE, [0.5, 0, 0, 0, 0.5]])
    utilities = np.array([-10.0, -5, -3, -2, 1])
    means = np.array([-8.0, 0.5, -4.5])
    found = tilted(shares, utilities, means)
    assert found.sum(axis=1) == pytest.approx([1, 1, 1])
    assert found @ utilities == pytest.approx(means)
    slopes = np.diff(np.log(found[:2] / BASE), axis=1) / np.diff(utilities)
    assert slopes == pytest.approx(np.repeat(slopes[:, :1], 4, axis=1))
    assert found[2, 1:4].tolist() == [0, 0, 0]


def test_a_mean_beyond_the_levels_that_are_used_ends_shortly_before_them():
    shares = np.array([[0.0, 0.25, 0.25, 0.5, 0], [0, 0, 1, 0, 0]])
    found = tilted(shares, STARS, np.array([7.0, 1.0])) @ STARS
    assert found == pytest.approx([4 - 0.01 * (4 - 3.25), 3])


def test_utilities_may_be_stretched_without_changing_the_prior():
    counts, _ = catalogue(40, 0.7, np.random.default_rng(4))
    first, second = (popularity_prior(counts, u) for u in (STARS, 7 - 3.5 * STARS))
    assert first.pseudocounts == pytest.approx(second.pseudocounts)
    assert held_out_gain(counts, STARS) == pytest.approx(held_out_gain(counts, 7 - 3.5 * STARS))


def test_an_item_without_ratings_starts_where_items_rated_once_do():
    counts, _ = catalogue(30, 1.0, np.random.default_rng(5))
    counts = np.vstack([counts, np.zeros(5)])
    prior = popularity_prior(counts, STARS)
    parts = variance_components(counts, STARS, log_sizes(counts))
    rated = slice(0, 30)
    weights = 1 / (parts.between_upper + parts.within / parts.sizes[rated])
    mean, _ = line(log_sizes(counts)[rated], parts.means[rated], weights, 0.0)
    assert posterior_under(prior, counts, STARS).scores[30] == pytest.approx(mean)


def test_where_popularity_tells_it_is_preferred_and_orders_better():
    """By simulation the gain is 42 nats, with a standard deviation of 7: ``CLEARLY`` is 3."""
    counts, scores = catalogue(400, 1.0, np.random.default_rng())
    assert held_out_gain(counts, STARS) > CLEARLY
    found = {
        fit: posterior_under(fit(counts, STARS), counts, STARS).scores
        for fit in (popularity_prior, linear_empirical_bayes)
    }
    errors = {fit: float(((found[fit] - scores) ** 2).mean()) for fit in found}
    assert errors[popularity_prior] < errors[linear_empirical_bayes]


def test_where_it_tells_nothing_it_is_hardly_ever_preferred():
    """One in 200 by theory: more than 5 of 60 have a probability of 10^-5."""
    rng = np.random.default_rng()
    preferred = sum(prefers_popularity(catalogue(60, 0.0, rng)[0], STARS) for _ in range(60))
    assert preferred <= 5


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([[1, 2], [2, 1], [0, 3]], "all items have the same number of ratings"),
        ([[1, 2], [2, 1], [0, 3], [4, 4]], "same number of ratings, except one at most"),
        ([[1, 2], [4, 4]], "same number of ratings, except one at most"),
        ([[1, 2], [0, 0]], "at least two items"),
        ([[1, 0], [0, 1], [1, 0]], "no item has more than one rating"),
    ],
)
def test_where_numbers_of_ratings_tell_nothing_it_is_refused_and_never_preferred(counts, words):
    with pytest.raises(RatingsError, match=words):
        popularity_prior(counts, [0, 1])
    assert not prefers_popularity(counts, [0, 1])


def test_items_that_differ_only_by_how_often_they_are_rated_are_called_so():
    counts = np.array([[5.0, 5], [6, 4], [28, 52], [29, 51], [96, 594], [98, 592]])
    note = popularity_prior(counts, [0, 1]).note
    assert note.startswith(
        "The average of the ghost ratings (prior mean) depends on how often an item is rated. The "
        "average is 0.441 for items with 10 rating(s) and 0.859 for items with "
    )
    assert note.endswith(INDISTINGUISHABLE_OTHERWISE)


def test_ratings_that_all_agree_prefer_nothing_and_still_have_scores():
    counts = np.array([[0.0, 3], [0, 5], [0, 9], [0, 2]])
    assert held_out_gain(counts, [0, 1]) == 0
    assert posterior_under(popularity_prior(counts, [0, 1]), counts, [0, 1]).scores.tolist() == [
        1, 1, 1, 1,
    ]  # fmt: skip


@pytest.mark.audit
@pytest.mark.parametrize("slope", [0.4, 1.0])
def test_intervals_hold_the_true_scores_where_popularity_tells(slope):
    """100 catalogues of 200 items; five standard errors of the simulation are allowed."""
    rng, shares = np.random.default_rng(), []
    for _ in range(100):
        counts, scores = catalogue(200, slope, rng)
        ends = posterior_under(popularity_prior(counts, STARS), counts, STARS).intervals()
        shares.append(float(((ends[:, 0] <= scores) & (scores <= ends[:, 1])).mean()))
    error = np.std(shares, ddof=1) / math.sqrt(len(shares))
    print(f"slope {slope}: {np.mean(shares):.1%} (standard error {error:.2%})")
    assert np.mean(shares) >= 0.92 - 5 * error
