"""Integer strategies: exact sums, an exact sensitivity, and margins that cover."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.privacy.accounting import Adjacency
from analytics.privacy.mechanisms import SeededNoise, VettedNoise
from analytics.workloads.asks import Ask, OneWay
from analytics.workloads.checks import StrategyError
from analytics.workloads.duals import optimum, strategy_of
from analytics.workloads.integers import IntegerStrategy, predicted, publish, rounded
from analytics.workloads.strategies import hierarchy, total

CDF = OneWay(Ask.CDF, 11)
STRATEGY = strategy_of(CDF, optimum(CDF))


@given(st.integers(0, 2**32), st.sampled_from(list(Adjacency)))
def test_no_neighbour_moves_the_integers_further_than_the_sensitivity(seed, adjacency):
    rng = np.random.default_rng(seed)
    strategy = rounded(rng.normal(size=(6, 5)), 8)
    counts = rng.integers(1, 9, 5)
    moved = counts.copy()
    moved[rng.integers(5)] += 1
    if adjacency is Adjacency.REPLACE:
        moved[rng.integers(5)] -= 1
    distance = strategy.answers(moved) - strategy.answers(counts)
    assert int((distance**2).sum()) <= strategy.sensitivity_squared(adjacency)
    assert strategy.sensitivity_squared(adjacency) <= strategy.sensitivity(adjacency) ** 2


def test_rounding_to_twelve_bits_costs_next_to_nothing():
    exact = (optimum(CDF).upper / CDF.rows) ** 0.5
    rms = (predicted(CDF, rounded(STRATEGY), 1.0) ** 2).mean() ** 0.5
    assert exact <= rms <= exact * (1 + 4e-4)


def test_the_margin_is_known_before_and_covers_afterwards(rng):
    strategy, counts, runs = rounded(STRATEGY), np.array([9, 4, 0, 0, 7, 30, 2, 2, 1, 5, 0]), 400
    margins = 1.959964 * predicted(CDF, strategy, 0.5)
    noise = SeededNoise(rng)
    published = [publish(CDF, strategy, counts, mu=0.5, noise=noise) for _ in range(runs)]
    misses = np.abs([one.answers.values - np.cumsum(counts) for one in published]) > margins
    # Numbers of one release go together: the deviation of their mean is at most that of one.
    assert abs(misses.mean() - 0.05) < 5 * (0.05 * 0.95 / runs) ** 0.5
    assert all(one.mu <= 0.5 for one in published)


@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_a_release_is_private_only_with_vetted_noise(rng):
    counts = np.zeros(11, dtype=np.int64)
    strategy = rounded(STRATEGY)
    assert publish(CDF, strategy, counts, mu=1.0, noise=VettedNoise()).release.is_private
    assert not publish(CDF, strategy, counts, mu=1.0, noise=SeededNoise(rng)).release.is_private


def test_nothing_is_drawn_for_a_strategy_that_does_not_answer(rng):
    class Untouched(SeededNoise):
        def added_to(self, values, lattice_sd):
            raise AssertionError

    with pytest.raises(StrategyError, match="does not follow"):
        publish(CDF, rounded(total(11)), np.ones(11, int), mu=1.0, noise=Untouched(rng))


REFUSED = {
    "no bits": lambda: rounded(hierarchy(4, 2), 0),
    "too many bits": lambda: rounded(hierarchy(4, 2), 40),
    "nothing left": lambda: rounded(hierarchy(4, 2) * 1e-9),
    "entries out of scale": lambda: rounded(hierarchy(4, 2) * 1e9),
    "counts of other cells": lambda: rounded(hierarchy(4, 2)).answers([1, 2, 3]),
    "a negative count": lambda: rounded(hierarchy(4, 2)).answers([1, 2, 3, -1]),
    "half a count": lambda: rounded(hierarchy(4, 2)).answers([1.5, 2, 3, 1]),
    "more people than 64 bits hold": lambda: rounded(hierarchy(4, 2)).answers([2**55] * 4),
}


@pytest.mark.parametrize("ask", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_released_is_refused(ask):
    with pytest.raises(StrategyError, match="cannot be used"):
        ask()


def test_the_sensitivity_is_exact_where_floats_would_round():
    strategy = IntegerStrategy(np.array([[2**20], [1]]))
    assert strategy.sensitivity_squared() == 2**40 + 1
    assert strategy.sensitivity() == 2**20 + 1
