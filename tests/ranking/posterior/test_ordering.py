"""The order of items: ties, caution, ranks and how sure they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from ranking.posterior.dirichlet import Posterior
from ranking.posterior.errors import RatingsError
from ranking.posterior.ordering import (
    mean_scores,
    rank,
    rank_intervals,
    top,
    weighted_ratings,
    wilson_scores,
)
from surveys.randomized_response.intervals.intervals import wilson


def posterior(scores: np.ndarray, deviations: np.ndarray) -> Posterior:
    return Posterior(scores, deviations**2, np.full(len(scores), np.nan), 0.0, 10.0)


def test_equal_scores_share_the_better_rank_and_leave_a_gap():
    ranking = rank(np.array([2.0, 5.0, 5.0, 1.0]))
    assert ranking.ranks.tolist() == [3, 1, 1, 4]
    assert ranking.order.tolist() == [1, 2, 0, 3]


def test_rounding_makes_no_difference_between_items():
    assert rank(np.array([0.1 + 0.2, 0.3, 0.0])).ranks.tolist() == [1, 1, 3]


def test_one_item_is_first_and_no_items_are_no_error():
    assert rank(np.array([4.0])).ranks.tolist() == [1]
    assert rank(np.array([])).ranks.tolist() == []


@given(st.lists(st.integers(0, 20), min_size=1, max_size=50), st.integers(1, 60))
def test_the_top_is_the_beginning_of_the_whole_order(values, number):
    scores = np.array(values, dtype=float)
    assert (scores[top(scores, number)] == np.sort(scores)[::-1][:number]).all()


def test_rank_intervals_agree_with_draws():
    rng = np.random.default_rng(2)
    known = posterior(rng.uniform(2, 8, 60), rng.uniform(0.1, 0.8, 60))
    drawn = known.scores + known.standard_deviations * rng.standard_normal((20_000, 60))
    ranks = 60 - np.argsort(np.argsort(drawn, axis=1), axis=1)
    low, high = rank_intervals(known, np.arange(60), 0.9)
    assert abs(np.quantile(ranks, 0.05, axis=0) - low).max() <= 2
    assert abs(np.quantile(ranks, 0.95, axis=0) - high).max() <= 2


def test_items_far_apart_have_certain_ranks():
    known = posterior(np.array([1.0, 9.0, 5.0]), np.array([0.01] * 3))
    low, high = rank_intervals(known, np.arange(3))
    assert low.tolist() == high.tolist() == [3, 1, 2]


def test_wilson_scores_of_thumbs_are_the_lower_ends_of_wilson_intervals():
    scores = wilson_scores([[3, 7], [0, 0]], [0, 1])
    assert scores.tolist() == [pytest.approx(wilson(7, 10).low), 0.0]


def test_mean_and_weighted_scores_are_what_their_names_say():
    counts = [[0, 4], [2, 2], [0, 0]]
    assert mean_scores(counts, [1, 3]).tolist() == [3, 2, 1]
    assert weighted_ratings(counts, [1, 3], votes=4).tolist() == [2.75, 2.25, 2.5]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rank(np.array([1.0, np.nan])), "finite"),
        (lambda: weighted_ratings([[0, 0]], [0, 1]), "no ratings yet"),
    ],
)
def test_what_cannot_be_ordered_is_refused(call, words):
    with pytest.raises(RatingsError, match=words):
        call()


@pytest.mark.audit
def test_plausible_ranks_are_those_of_every_probability_added_up_one_by_one() -> None:
    """Items of very different precision, so that every way of tabulating is used."""
    rng = np.random.default_rng()
    mean, deviation = rng.normal(size=800), 10 ** rng.uniform(-4, 0, 800)
    found = np.stack(rank_intervals(posterior(mean, deviation), np.arange(800)), axis=1)
    for item in range(0, 800, 8):
        low, high = added_up_ranks(mean, deviation, item)
        # Both are rounded, which may put them one rank apart; one more for the steps of the table.
        assert np.abs(found[item] - (low, high)).max() <= 2 + 0.02 * (high - low)


def added_up_ranks(mean, deviation, item: int) -> tuple[float, float]:
    """2.5 % and 97.5 % of an item's rank: every other item's chance at 200 scores of its own."""
    scores = mean[item] + deviation[item] * ndtri((np.arange(200) + 0.5) / 200)
    others = np.delete(np.arange(len(mean)), item)
    above = ndtr((mean[others, None] - scores) / deviation[others, None])
    centre = 1 + above.sum(axis=0)
    width = np.sqrt((above * (1 - above)).sum(axis=0)) + 1e-9
    ranks = np.arange(0, len(mean) + 1, 0.1)
    law = ndtr((ranks[:, None] - centre) / width).mean(axis=1)
    low, high = np.searchsorted(law, [0.025, 0.975])
    return np.floor(ranks[low] + 0.5), np.ceil(ranks[high] - 0.5)
