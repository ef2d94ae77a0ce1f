"""Answers from noisy rows: unbiased, with the covariance that was known before."""

import numpy as np
import pytest

from analytics.workloads.asks import Ask, ListedWorkload, OneWay, Tables
from analytics.workloads.checks import StrategyError, WorkloadError
from analytics.workloads.least_squares import answered
from analytics.workloads.strategies import hierarchy, total


def test_without_noise_the_answers_are_exact():
    counts = np.array([3, 0, 5, 2])
    found = answered(OneWay(Ask.CDF, 4), hierarchy(4, 2), hierarchy(4, 2) @ counts, 1.0)
    np.testing.assert_allclose(found.values, [3, 3, 8, 10])


def test_totals_agree_with_each_other_whatever_the_noise(rng):
    tables = Tables.of([2, 3], [(0,), (1,), (0, 1), ()])
    strategy = np.vstack([np.eye(6), np.ones(6)])
    values = answered(tables, strategy, rng.normal(0, 100, 7), 1.0).values
    by_first, by_second, both, whole = np.split(values, [2, 5, 11])
    np.testing.assert_allclose(both.reshape(2, 3).sum(axis=1), by_first)
    np.testing.assert_allclose(both.reshape(2, 3).sum(axis=0), by_second)
    np.testing.assert_allclose(whole, both.sum())


def test_rows_with_more_noise_count_less():
    # The mean of a noisy and a good measurement, weighted by 1 / variance.
    found = answered(ListedWorkload([[1.0]]), [[1.0], [1.0]], [0.0, 10.0], [3.0, 1.0])
    assert found.values[0] == pytest.approx(7.5)
    assert found.standard_errors[0] == pytest.approx(0.75**0.5)


def test_the_covariance_is_that_of_simulated_noise(rng):
    strategy, workload = hierarchy(4, 2), OneWay(Ask.RANGES, 4)
    sd = rng.uniform(0.5, 2, len(strategy))
    runs = 1000
    noise = rng.normal(0, sd, (runs, len(strategy)))
    covariance = answered(workload, strategy, noise[0], sd**2).covariance
    values = np.array([answered(workload, strategy, one, sd**2).values for one in noise])
    ratio = values.var(axis=0) / covariance.diagonal()
    # The relative deviation of a variance of normals is sqrt(2 / runs): five of them.
    np.testing.assert_allclose(ratio, 1, atol=5 * (2 / runs) ** 0.5)


REFUSED = {
    "rows missing": (OneWay(Ask.COUNTS, 4), total(4), [0], 1, StrategyError),
    "other cells": (OneWay(Ask.COUNTS, 3), total(4), [0], 1, WorkloadError),
    "answers missing": (OneWay(Ask.TOTAL, 4), total(4), [0, 1], 1, WorkloadError),
    "answers that are no numbers": (OneWay(Ask.TOTAL, 4), total(4), ["x"], 1, WorkloadError),
    "no noise": (OneWay(Ask.TOTAL, 4), total(4), [0], 0, StrategyError),
    "noise without end": (OneWay(Ask.TOTAL, 4), total(4), [0], np.inf, StrategyError),
}


@pytest.mark.parametrize("given", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_answered_is_refused(given):
    *question, error = given
    with pytest.raises(error, match="cannot be used"):
        answered(*question)
