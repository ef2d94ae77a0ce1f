"""The Dirichlet-multinomial likelihood, and at which end it is largest."""

import itertools
import math

import numpy as np
import pytest

from ranking.posterior.likelihood import Likelihood, maximize

BASE = np.array([0.1, 0.1, 0.2, 0.35, 0.25])
LARGEST = 1e4
# Two levels: every item with up to three ratings, and every catalogue of three of them.
HISTOGRAMS = [(n - up, up) for n in range(1, 4) for up in range(n + 1)]
CATALOGUES = [
    np.array(table, dtype=float)
    for table in itertools.combinations_with_replacement(HISTOGRAMS, 3)
    if np.array(table).sum(axis=0).min() > 0
]


def overdispersion_score(counts: np.ndarray) -> float:
    """The slope in 1/strength at an infinite strength."""
    sizes, pooled = counts.sum(axis=1), counts.sum(axis=0) / counts.sum()
    return float(((counts * (counts - 1) / pooled).sum() - (sizes * (sizes - 1)).sum()) / 2)


def rising(a: np.ndarray, count: int) -> np.ndarray:
    """ln of a (a + 1) ... (a + count - 1), factor by factor."""
    return sum((np.log(a + j) for j in range(count)), np.zeros_like(a))


def on_a_grid(counts: np.ndarray) -> float:
    """The largest log likelihood over shares and strengths, from its definition."""
    share, strength = np.meshgrid(np.linspace(0.02, 0.98, 49), np.geomspace(1e-3, LARGEST, 57))
    fit = np.zeros_like(share)
    for down, up in counts.astype(int):
        fit += rising(strength * (1 - share), down) + rising(strength * share, up)
        fit -= rising(strength, down + up)
    return float(fit.max())


def sparse(rng: np.random.Generator) -> np.ndarray:
    """100 books with one to four ratings each, from very different to all alike."""
    shares = rng.dirichlet(rng.choice([3.0, 15.0, 60.0, 1e4]) * BASE, 100)
    counts = rng.multinomial(rng.integers(1, 5, 100), shares)
    return counts[:, counts.sum(axis=0) > 0].astype(float)


@pytest.mark.parametrize("alpha", [(0.5, 2.0, 40.0), (29.9, 30.1, 1e7), (1e-6, 1.0, 1.0)])
def test_all_histograms_of_an_item_together_have_probability_one(alpha):
    total = 0.0
    for counts in itertools.product(range(5), repeat=3):
        if sum(counts) == 4:
            ways = math.factorial(4) / math.prod(map(math.factorial, counts))
            likelihood = Likelihood.of(np.array([counts], dtype=float))
            total += ways * math.exp(likelihood.value(np.array(alpha)))
    assert total == pytest.approx(1, abs=1e-12)


def test_near_the_limit_the_slope_is_the_score_for_overdispersion():
    counts = sparse(np.random.default_rng(4))
    likelihood, strength = Likelihood.of(counts), 1e8
    rise = likelihood.value(strength * counts.sum(axis=0) / counts.sum()) - likelihood.limit
    assert strength * rise == pytest.approx(overdispersion_score(counts), rel=1e-3)


@pytest.mark.parametrize("part", range(4))
def test_of_every_small_catalogue_the_score_says_at_which_end_the_likelihood_is_largest(part):
    for counts in CATALOGUES[part::4]:
        best = maximize(counts, LARGEST)
        agrees = bool((counts > 0).sum(axis=1).max() == 1)
        is_over = overdispersion_score(counts) > 1e-9
        assert math.isinf(best.strength) is not is_over, counts
        assert (best.strength == 0) is (agrees and is_over), counts
        value = Likelihood.of(counts).limit
        if not math.isinf(best.strength):
            strength = max(best.strength, 1e-9)
            value = Likelihood.of(counts).value(strength * best.shares)
        assert value >= on_a_grid(counts) - 1e-9, counts


def test_where_all_ratings_of_each_item_agree_the_shares_are_those_of_items():
    best = maximize(np.array([[9.0, 0], [0, 1], [0, 2]]), LARGEST)
    assert best.strength == 0
    assert best.shares == pytest.approx([1 / 3, 2 / 3])


def settle(draws: int) -> None:
    rng = np.random.default_rng()
    for _ in range(draws):
        counts = sparse(rng)
        best = maximize(counts, LARGEST)
        score = overdispersion_score(counts)
        # With a score just above 0 the strength would be larger than the largest.
        assert math.isinf(best.strength) or score > 0
        assert not math.isinf(best.strength) or score < 1


def test_no_sparse_table_is_refused():
    settle(40)


@pytest.mark.audit
def test_none_of_a_thousand_sparse_tables_is_refused():
    settle(1000)
