"""Thousands of ordered levels: the strategy without a matrix, its sensitivity and its margins."""

import numpy as np
import pytest

from analytics.privacy.accounting import Adjacency
from analytics.privacy.mechanisms import SeededNoise, VettedNoise
from analytics.workloads.asks import Ask, OneWay
from analytics.workloads.checks import StrategyError, WorkloadError
from analytics.workloads.multiscale import _BITS, multiscale, publish_ranges
from analytics.workloads.neighbours import optimum_of
from analytics.workloads.strategies import expected_error

SMALL = OneWay(Ask.RANGES, 60)


def written_out(strategy):
    """A, rows x levels, by the recursion on unit vectors."""
    columns = []
    for level in range(strategy.workload.cells):
        column = []
        for start, carry in zip(strategy.start, strategy.carry, strict=True):
            value = 0.0
            for place, (own, kept) in enumerate(zip(start, carry, strict=True)):
                value = own * (place == level) + kept * value
                column.append(value)
        columns.append(column)
    return np.array(columns).T


@pytest.mark.parametrize("ask", [Ask.CDF, Ask.RANGES])
def test_five_nodes_are_as_good_as_the_best(ask):
    workload = OneWay(ask, 60)
    matrix = written_out(multiscale(workload))
    np.testing.assert_allclose(np.linalg.norm(matrix, axis=0), 1, rtol=1e-9)
    assert expected_error(workload, matrix, 2) < optimum_of(workload).lower * 1.001


def test_norms_and_variances_are_those_of_the_matrix():
    strategy = multiscale(SMALL)
    matrix = written_out(strategy)
    for order in (1, 2):
        exact = np.linalg.norm(matrix, order, axis=0).max()
        assert exact <= strategy.norm(order) <= exact * (1 + 1e-8)
    first, last = np.array([0, 3, 59]), np.array([59, 20, 59])
    asked = np.array(
        [(np.arange(60) >= a) & (np.arange(60) <= b) for a, b in zip(first, last, strict=True)]
    )
    exact = (asked @ np.linalg.inv(matrix.T @ matrix) * asked).sum(axis=1) / 4.0**_BITS
    np.testing.assert_allclose(strategy.variances(first, last), exact, rtol=1e-8)


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("workload", [OneWay(Ask.CDF, 3), OneWay(Ask.CDF, 90), SMALL], ids=str)
def test_the_error_in_linear_time_is_that_of_the_matrix(workload, adjacency):
    strategy = multiscale(workload)
    factor = 2 if adjacency is Adjacency.REPLACE else 1
    exact = factor * expected_error(workload, written_out(strategy), 2)
    assert strategy.expected_error(adjacency) == pytest.approx(exact, rel=1e-7)


@pytest.mark.parametrize("adjacency", Adjacency)
def test_no_neighbour_moves_the_integers_further_than_the_sensitivity(adjacency):
    rng, strategy = np.random.default_rng(1), multiscale(SMALL)
    for _ in range(100):
        before = rng.integers(1, 10**6, 60)
        after = before.copy()
        after[rng.integers(60)] += 1
        if adjacency is Adjacency.REPLACE:
            after[rng.integers(60)] -= 1
        moved = (strategy.answers(after) - strategy.answers(before)).astype(object)
        assert int((moved**2).sum()) <= strategy.sensitivity(2, adjacency) ** 2
        assert int(np.abs(moved).sum()) <= strategy.sensitivity(1, adjacency)


def test_rounding_the_answers_costs_next_to_nothing():
    strategy = multiscale(OneWay(Ask.CDF, 3_000))
    assert strategy.sensitivity(2) <= 2**_BITS * 1.0003
    counts = np.random.default_rng(2).integers(0, 9, 3_000)
    np.testing.assert_allclose(strategy.counts(strategy.answers(counts)), counts, atol=1e-3)


@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_all_ranges_come_from_the_same_counts():
    found = publish_ranges(
        multiscale(SMALL), [3] * 60, [0, 0, 30], [59, 29, 59], mu=0.5, noise=VettedNoise()
    )
    whole, first, second = found.values
    assert whole == pytest.approx(found.counts.sum())
    assert whole == pytest.approx(first + second)


@pytest.mark.audit
def test_margins_cover():
    rng, strategy, runs = np.random.default_rng(3), multiscale(SMALL), 600
    counts = rng.integers(0, 30, 60)
    first, last = np.array([0, 5, 30, 0]), np.array([59, 9, 30, 29])
    upto = np.append(0, np.cumsum(counts))
    exact, misses = upto[last + 1] - upto[first], np.zeros(4)
    for _ in range(runs):
        found = publish_ranges(strategy, counts, first, last, mu=0.5, noise=SeededNoise(rng))
        assert found.release.mu <= 0.5
        misses += np.abs(found.values - exact) > 1.959964 * found.standard_errors
    assert np.abs(misses / runs - 0.05).max() < 5 * (0.05 * 0.95 / runs) ** 0.5


@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_only_vetted_noise_is_private():
    found = publish_ranges(multiscale(SMALL), [1] * 60, [0], [9], mu=1.0, noise=VettedNoise())
    assert found.release.is_private


REFUSED = {
    "too many levels": lambda: multiscale(OneWay(Ask.CDF, 20_000)),
    "another ask": lambda: multiscale(OneWay(Ask.COUNTS, 50)),
    "counts of other levels": lambda: multiscale(SMALL).answers([1, 2]),
    "a negative count": lambda: multiscale(SMALL).answers([-1] * 60),
    "a range upside down": lambda: multiscale(SMALL).variances([5], [4]),
    "a range outside": lambda: multiscale(SMALL).variances([5], [60]),
    "a first without a last": lambda: multiscale(SMALL).variances([5], [6, 7]),
}


@pytest.mark.parametrize("ask", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_released_is_refused(ask):
    with pytest.raises((StrategyError, WorkloadError), match="cannot be used"):
        ask()
