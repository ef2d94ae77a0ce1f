"""Tables of ranked items: order, ties, intervals, chances, and "not rated" through a channel."""

import itertools
import math

import numpy as np
import pytest

from ranking.methods.registry import (
    AveragePrior,
    EmpiricalPrior,
    FixedPrior,
    MaximumLikelihoodPrior,
    Method,
    PopularityPrior,
)
from ranking.methods.tables import MOST_SAMPLED, rank_by_gibbs, rank_table
from ranking.posterior.dirichlet import beats_binary, score_items
from ranking.posterior.errors import PriorError, RatingsError, UtilityError
from ranking.posterior.linear_bayes import linear_bayes
from ranking.posterior.priors import linear_empirical_bayes, posterior_under
from surveys.randomized_response.designs import KAry

COUNTS = np.array([[1, 2, 9], [0, 0, 3], [8, 4, 1], [0, 0, 3]])
U = (1.0, 2.0, 3.0)
ONES = FixedPrior((1.0, 1.0, 1.0))


def test_a_fixed_prior_gives_the_dirichlet_scores():
    table = rank_table(COUNTS, Method(U, ONES))
    expected = score_items(COUNTS, [1, 1, 1], U)
    assert np.array_equal(table.posterior.scores, expected.scores)
    assert np.array_equal(table.posterior.variances, expected.variances)


def test_the_default_is_linear_empirical_bayes_with_its_centres_uncertainty():
    table = rank_table(COUNTS, Method(U))
    prior = linear_empirical_bayes(COUNTS, U)
    assert np.array_equal(table.posterior.scores, posterior_under(prior, COUNTS, U).scores)
    assert (table.posterior.variances > score_items(COUNTS, prior.pseudocounts, U).variances).all()


def test_by_how_often_items_are_rated_each_has_its_own_prior_mean():
    counts = np.array([[1, 2, 9], [0, 0, 3], [8, 4, 1], [2, 3, 40], [1, 0, 0]])
    table = rank_table(counts, Method(U, PopularityPrior()))
    assert len(set(table.prior_means.tolist())) == 5
    for item in range(5):
        mean = table.ghosts(item) @ np.array(U) / table.prior.strength
        assert table.prior_means[item] == pytest.approx(mean)
    fewest = np.array([4])
    low, high = table.intervals(fewest)[0]
    assert table.sampled[4]
    assert U[0] <= low < table.posterior.scores[4] < high <= U[2]


def test_indistinguishable_items_tie_at_the_pooled_mean_with_one_interval_for_all():
    counts = np.array([[5, 6, 4], [6, 5, 4], [0, 0, 0], [1, 1, 0]])
    for order in ("score", "cautious"):
        table = rank_table(counts, Method(U, MaximumLikelihoodPrior(), order=order))
        assert table.ranking.ranks.tolist() == [1, 1, 1, 1]
        assert table.posterior.scores == pytest.approx(np.full(4, 60 / 32))
        assert np.ptp(table.intervals(np.arange(4)), axis=0).tolist() == [0, 0]
        assert table.beats(np.array([0]), np.array([1])).tolist() == [0.5]
        assert table.average_ghosts is None
    two = rank_table([[1, 0], [0, 1]], Method((0.0, 1.0), MaximumLikelihoodPrior()))
    assert two.beats(np.array([0]), np.array([1])).tolist() == [0.5]


def test_average_ghosts_never_put_an_item_behind_another_for_being_rated_better():
    """All catalogues of two or three items with up to three ratings of two levels, all halves."""
    u = (0.0, 1.0)
    histograms = [(n - up, up) for n in range(4) for up in range(n + 1)]
    for counts in itertools.chain.from_iterable(
        itertools.product(histograms, repeat=items) for items in (2, 3)
    ):
        table = np.array(counts)
        most = table.sum() - table.sum(axis=1).max()
        if table[0, 0] == 0 or most == 0:
            continue
        better = table + np.array([[-1, 1], *([[0, 0]] * (len(table) - 1))])
        for strength in np.arange(0.5, most + 0.1, 0.5):
            method = Method(u, AveragePrior(float(strength)))
            gains = (
                rank_table(better, method).posterior.scores
                - rank_table(table, method).posterior.scores
            )
            assert (gains[0] >= gains[1:] - 1e-12).all(), (counts, strength)


def test_more_average_ghosts_than_the_others_have_ratings_are_refused():
    counts = np.array([[0, 3], [3, 0], [1, 1]])
    rank_table(counts, Method((0.0, 1.0), AveragePrior(5)))
    with pytest.raises(
        PriorError, match=r"too few ratings for this number of ghost ratings\. Write at most 5"
    ):
        rank_table(counts, Method((0.0, 1.0), AveragePrior(5.1)))


def test_ties_share_a_rank_and_are_marked():
    table = rank_table(COUNTS, Method(U, ONES))
    assert table.ranking.ranks.tolist() == [1, 2, 4, 2]
    assert table.is_tied.tolist() == [False, True, False, True]


def test_the_cautious_order_is_that_of_the_lower_ends_that_are_shown():
    counts = np.array([[0, 0, 3], [5, 15, 50], [8, 4, 1]])
    table = rank_table(counts, Method(U, FixedPrior((0.5, 0.5, 0.5)), order="cautious"))
    low = table.intervals(np.arange(3))[:, 0]
    assert table.sampled.tolist() == [True, False, False]
    assert table.ranking.order.tolist() == np.argsort(-low).tolist() == [1, 0, 2]
    assert rank_table(counts, Method(U, FixedPrior((0.5, 0.5, 0.5)))).ranking.order[0] == 0


def test_intervals_of_a_few_items_are_those_of_all_items():
    table = rank_table(COUNTS, Method(U, FixedPrior((0.1, 0.1, 0.1))))
    assert table.sampled.any()
    some = np.array([3, 1])
    assert np.array_equal(table.intervals(some), table.intervals(np.arange(4))[some])


def test_intervals_from_draws_are_quantiles_of_the_dirichlet_law():
    table = rank_table([[0, 0, 0], [30, 30, 30]], Method(U, ONES))
    low, high = table.intervals(np.array([0]))[0]
    # u.p for a flat Dirichlet law on 1, 2, 3 is triangular on [1, 3]: its quantiles are exact.
    exact = 1 + math.sqrt(2 * 0.025)
    assert low == pytest.approx(exact, abs=5 * _quantile_error(exact))
    assert high == pytest.approx(4 - exact, abs=5 * _quantile_error(exact))


def _quantile_error(exact: float) -> float:
    """Standard error of a 2.5 % quantile of 4,000 draws, with the triangle's density there."""
    return math.sqrt(0.025 * 0.975 / 4000) / (exact - 1)


def test_with_too_many_items_without_ratings_all_intervals_follow_one_rule():
    counts = np.zeros((MOST_SAMPLED + 1, 3))
    table = rank_table(counts, Method(U, ONES))
    assert not table.sampled.any()
    assert rank_table(counts[1:], Method(U, ONES)).sampled.all()


@pytest.mark.parametrize("utilities", [(0.0, 1.0), (1.0, 0.0)])
def test_the_chance_between_two_thumbs_is_exact_in_either_direction(utilities):
    counts = np.array([[3, 5], [2, 2]])
    table = rank_table(counts, Method(utilities, FixedPrior((1.0, 1.0))))
    step = 1 if utilities == (0.0, 1.0) else -1
    exact = beats_binary([4, 6][::step], [3, 3][::step])
    assert table.beats(np.array([0]), np.array([1]))[0] == exact
    assert table.beats(np.array([1]), np.array([0]))[0] == pytest.approx(1 - exact)


def test_randomized_ratings_have_linear_bayes_scores_and_a_corrected_mean_only():
    design = KAry.from_epsilon(3, 2.0)
    counts = np.array([[10, 20, 30], [30, 20, 10], [5, 5, 50]])
    table = rank_table(counts, Method(U, channel=design.channel))
    expected = linear_bayes(design, counts, U)
    assert np.array_equal(table.posterior.scores, expected.scores)
    assert list(table.comparison) == ["corrected mean"]
    truth = np.linalg.solve(design.channel.matrix, counts.T / counts.sum(axis=1))
    assert table.comparison["corrected mean"] == pytest.approx(np.array(U) @ truth)
    assert table.average_ghosts is None


def test_not_rated_is_left_out_of_the_scores():
    """Expected reports of items that everybody would rate the same, but few did: their score."""
    design = KAry.from_epsilon(4, 3.0)
    truths = np.array([[0.1, 0.2, 0.3, 0.4], [0.3, 0.2, 0.1, 0.4], [0.2, 0.2, 0.2, 0.4]])
    counts = 1e7 * (truths @ design.channel.matrix.T)
    table = rank_table(counts, Method(U, channel=design.channel, declines=True))
    expected = truths[:, :3] @ np.array(U) / 0.6
    assert table.posterior.scores == pytest.approx(expected, abs=1e-3)
    assert (table.posterior.low, table.posterior.high) == (1, 3)


def test_not_rated_intervals_hold_the_truth_as_often_as_they_say():
    """200 catalogues of 30 items; the bound allows five standard errors of the simulation."""
    rng = np.random.default_rng()
    design = KAry.from_epsilon(4, 2.0)
    held = []
    for _ in range(200):
        shares = rng.dirichlet([2, 3, 5], size=30)
        truths = np.hstack([0.7 * shares, np.full((30, 1), 0.3)])
        reports = rng.multinomial(200, truths @ design.channel.matrix.T)
        table = rank_table(reports, Method(U, channel=design.channel, declines=True))
        ends, scores = table.intervals(np.arange(30)), shares @ np.array(U)
        held.append(((ends[:, 0] <= scores) & (scores <= ends[:, 1])).mean())
    error = np.std(held, ddof=1) / math.sqrt(len(held))
    assert np.mean(held) >= 0.92 - 5 * error
    assert error < 0.01


def test_gibbs_says_its_name_and_takes_its_intervals_and_chances_from_draws():
    channel = KAry.from_epsilon(3, 2.0).channel
    method = Method(U, channel=channel, hidden=True)
    counts = np.array([[10, 20, 30], [30, 20, 10], [5, 5, 50]])
    table = rank_by_gibbs(counts, method, rng=np.random.default_rng())
    items = np.arange(3)
    assert np.array_equal(table.intervals(items), table.draws.intervals(0.95))
    chances = table.beats(items[[0, 1]], items[[1, 0]])
    assert chances.sum() == pytest.approx(1)
    assert chances[0] > 0.9
    with pytest.raises(RatingsError):
        rank_by_gibbs(counts, Method(U), rng=np.random.default_rng())


def test_not_rated_is_left_out_of_gibbs_scores():
    """So many reports that nothing but the truth is plausible: each item's own share of raters."""
    design = KAry.from_epsilon(4, 3.0)
    truths = np.array([[0.1, 0.2, 0.3, 0.4], [0.6, 0.1, 0.2, 0.1], [0.2, 0.1, 0.1, 0.6]])
    counts = np.round(1e6 * (truths @ design.channel.matrix.T))
    method = Method(U, channel=design.channel, declines=True, hidden=True)
    table = rank_by_gibbs(counts, method, rng=np.random.default_rng())
    expected = truths[:, :3] @ np.array(U) / truths[:, :3].sum(axis=1)
    # Standard errors are below 0.004: that of 10^6 ratings, six times as wide through the channel.
    assert table.posterior.scores == pytest.approx(expected, abs=0.02)
    assert table.posterior.standard_deviations.max() < 0.02


def test_plausible_ranks_are_those_of_the_whole_table():
    table = rank_table(np.array([[0, 0, 900], [900, 0, 0], [0, 900, 0]]), Method(U, ONES))
    best, worst = table.plausible_ranks(np.array([0, 1, 2]))
    assert best.tolist() == worst.tolist() == [1, 3, 2]


@pytest.mark.parametrize(
    ("counts", "method", "error"),
    [
        ([[0, 0, 0], [1, 1, 1]], Method(U, FixedPrior((0.0, 0.0, 0.0))), PriorError),
        ([[1, 1, 1]], Method(U), RatingsError),
        ([[1, 1, 1]], Method(U, AveragePrior(3)), PriorError),
        ([[0, 0, 0], [0, 0, 0]], Method(U, EmpiricalPrior()), RatingsError),
        ([[0, 0, 3], [0, 0, 2]], Method(U, MaximumLikelihoodPrior()), RatingsError),
        ([[1, 1, 1]], Method(U, FixedPrior((1.0, 1.0))), PriorError),
        ([[1, 1]], Method(U, ONES), RatingsError),
        ([[1, -1, 1]], Method(U, ONES), RatingsError),
        ([[1, 1, math.nan]], Method(U, ONES), RatingsError),
        ([[1, 1, 1]], Method((2.0, 2.0, 2.0), ONES), UtilityError),
        ([[0, 0, 0, 0]], Method(U, channel=KAry.from_epsilon(4, 1.0).channel, declines=True),
         RatingsError),
        ([[0, 0, 0, 9]], Method(U, channel=KAry.from_epsilon(4, 1.0).channel, declines=True),
         RatingsError),
    ],
)  # fmt: skip
def test_what_cannot_be_ordered_is_refused(counts, method, error):
    with pytest.raises(error):
        rank_table(counts, method)


def test_one_item_alone_is_ranked_first_by_a_fixed_prior():
    table = rank_table([[1, 1, 1]], Method(U, ONES))
    assert table.ranking.ranks.tolist() == [1]
    best, worst = table.plausible_ranks(np.array([0]))
    assert (best.tolist(), worst.tolist()) == ([1], [1])
