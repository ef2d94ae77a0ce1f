"""Releases under pure epsilon: an exact L1 sensitivity, discrete Laplace noise, its margins."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from analytics.privacy.accounting import Adjacency
from analytics.privacy.checks import LARGEST
from analytics.privacy.errors import NoiseError
from analytics.privacy.gaussian import delta_of
from analytics.privacy.mechanisms import (
    SeededNoise,
    VettedNoise,
    laplace_scale_for,
    laplace_sd,
    release_pure,
)
from analytics.workloads.asks import Ask, OneWay
from analytics.workloads.checks import StrategyError
from analytics.workloads.integers import IntegerStrategy, predicted_pure, publish_pure, rounded
from analytics.workloads.plans import NoiseLaw, mu_of_epsilon, plan
from analytics.workloads.strategies import total

CDF = OneWay(Ask.CDF, 9)
COUNTS = np.array([9, 4, 0, 0, 7, 30, 2, 2, 1])


@given(st.integers(0, 2**32), st.sampled_from(list(Adjacency)))
def test_no_neighbour_moves_the_integers_further_than_the_l1_sensitivity(seed, adjacency):
    rng = np.random.default_rng(seed)
    strategy = rounded(rng.normal(size=(6, 5)), 8)
    counts = rng.integers(1, 9, 5)
    moved = counts.copy()
    moved[rng.integers(5)] += 1
    if adjacency is Adjacency.REPLACE:
        moved[rng.integers(5)] -= 1
    distance = np.abs(strategy.answers(moved) - strategy.answers(counts)).sum()
    assert int(distance) <= strategy.sensitivity_l1(adjacency)


@given(st.integers(0, 2**32), st.sampled_from(list(Adjacency)))
def test_the_l1_sensitivity_is_reached_by_some_neighbour(seed, adjacency):
    columns = np.random.default_rng(seed).integers(-9, 9, (4, 3)).T.astype(object)
    others = [0 * columns[0]] if adjacency is Adjacency.ADD_OR_REMOVE else columns
    reached = max(np.abs(one - other).sum() for one in columns for other in others)
    assert IntegerStrategy(columns.T.astype(np.int64)).sensitivity_l1(adjacency) == reached


def test_a_sensitivity_beyond_64_bits_does_not_wrap_around():
    strategy = rounded(2.0**16 * np.eye(2), 20)
    assert strategy.sensitivity_squared() == 2**72
    assert strategy.sensitivity() == 2**36
    assert strategy.sensitivity_squared(Adjacency.REPLACE) == 2**73
    tall = IntegerStrategy(np.full((8, 1), 2**61))
    assert tall.sensitivity_l1() == 2**64


@given(st.integers(1, 2**40), st.floats(1e-6, 20))
def test_the_scale_costs_at_most_the_epsilon_exactly(sensitivity, epsilon):
    # Wider noise is refused.
    assume(sensitivity / epsilon < LARGEST / 2)
    scale = laplace_scale_for(sensitivity, epsilon)
    assert Fraction(sensitivity) / Fraction(scale) <= Fraction(epsilon)


@pytest.mark.parametrize("noise", ["vetted", "seeded"])
@pytest.mark.parametrize("scale", [1.0, 30.0])
@pytest.mark.noise(
    fails=1e-8,
    law="Binomial tails of three counts beyond 6 sd; 9 sd of the spread (kurtosis 6).",
)
def test_noise_has_the_law_of_the_discrete_laplace(noise, scale, rng):
    source = VettedNoise() if noise == "vetted" else SeededNoise(rng)
    runs = 40_000
    drawn = source.laplace_added_to(np.zeros(runs, dtype=np.int64), scale)
    ratio = np.exp(-1 / scale)
    for k in (0, 1, -3):
        chance = (1 - ratio) / (1 + ratio) * ratio ** abs(k)
        assert abs((drawn == k).mean() - chance) < 6 * (chance / runs) ** 0.5
    assert abs(drawn.std() / laplace_sd(scale) - 1) < 0.05


@pytest.mark.parametrize("adjacency", Adjacency)
def test_a_release_is_charged_what_was_asked_and_says_its_errors(adjacency, rng):
    found = plan(CDF, NoiseLaw.LAPLACE, adjacency, rng)
    strategy = found.integers()
    published = publish_pure(
        CDF, strategy, COUNTS, epsilon=0.7, noise=SeededNoise(rng), adjacency=adjacency
    )
    assert 0.7 * (1 - 1e-12) <= published.epsilon <= 0.7
    np.testing.assert_allclose(
        published.answers.standard_errors, found.pure_standard_errors(0.7), rtol=1e-9
    )
    assert not published.release.is_private


def test_pure_margins_cover(rng):
    """Of one row (5 levels counted) and of many: within 5 deviations of 95 %."""
    for workload in (OneWay(Ask.COUNTS, 5), CDF):
        strategy = rounded(np.eye(workload.cells))
        exact, runs = workload.matrix() @ COUNTS[: workload.cells], 1_000
        misses = 0.0
        for _ in range(runs):
            published = publish_pure(
                workload, strategy, COUNTS[: workload.cells], epsilon=1.0, noise=SeededNoise(rng)
            )
            apart = np.abs(published.answers.values - exact)
            misses += (apart > published.margins).mean() / runs
        assert abs(misses - 0.05) < 5 * (0.05 * 0.95 / runs) ** 0.5


def test_the_errors_of_a_total_are_those_of_one_laplace_draw():
    errors = predicted_pure(OneWay(Ask.TOTAL, 9), rounded(total(9)), 0.5)
    np.testing.assert_allclose(errors, 2**0.5 / 0.5, rtol=1e-3)


@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_only_vetted_noise_is_private():
    published = publish_pure(CDF, rounded(np.eye(9)), COUNTS, epsilon=1.0, noise=VettedNoise())
    assert published.release.is_private


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 3.0, 8.0])
def test_the_mu_charged_for_pure_epsilon_bounds_its_whole_curve(epsilon):
    """At every threshold: randomized response is the worst epsilon-DP release."""
    mu = mu_of_epsilon(epsilon)
    for below in np.linspace(0, epsilon, 9):
        worst = max(0.0, (np.exp(epsilon) - np.exp(below)) / (1 + np.exp(epsilon)))
        assert delta_of(mu, below) >= worst * (1 - 1e-9)


REFUSED = {
    "no epsilon": lambda: laplace_scale_for(1, 0.0),
    "an epsilon that is no number": lambda: laplace_scale_for(1, float("nan")),
    "an infinite epsilon": lambda: laplace_scale_for(1, 1e400),
    "noise beyond what is exact": lambda: laplace_scale_for(2**40, 1e-6),
    "half a unit": lambda: laplace_scale_for(0.5, 1.0),
    "numbers without room for noise": lambda: release_pure(
        np.array([2**62]), sensitivity=1, epsilon=1.0, noise=VettedNoise()
    ),
    "counts of other cells": lambda: publish_pure(
        CDF, rounded(np.eye(9)), [1], epsilon=1.0, noise=VettedNoise()
    ),
    "a strategy that does not answer": lambda: publish_pure(
        CDF, rounded(total(9)), COUNTS, epsilon=1.0, noise=VettedNoise()
    ),
    "errors of another noise": lambda: plan(CDF).pure_standard_errors(1.0),
}


@pytest.mark.parametrize("ask", REFUSED.values(), ids=REFUSED)
@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_what_cannot_be_released_is_refused(ask):
    with pytest.raises((StrategyError, NoiseError), match="cannot be used"):
        ask()
