"""Laplace noise for ordered levels: the exact slope, the bounds, and results that peers reach."""

import numpy as np
import pytest

from analytics.workloads.asks import Ask, OneWay
from analytics.workloads.checks import WorkloadError
from analytics.workloads.strategies import expected_error, sensitivity
from analytics.workloads.windows import _WindowProblem, _windows, plan_windows


@pytest.mark.parametrize("ask", [Ask.CDF, Ask.RANGES])
def test_the_slope_is_that_of_the_error_without_a_matrix_of_all_levels(ask, rng):
    problem = _WindowProblem.on(OneWay(ask, 70), _windows(70, 16, 2, 2))
    values = rng.random(problem.size)
    error, slope = problem.slope(values)
    for place in rng.integers(0, len(values), 10):
        step = np.zeros_like(values)
        step[place] = 1e-5
        numeric = (problem.slope(values + step)[0] - problem.slope(values - step)[0]) / 2e-5
        assert slope[place] == pytest.approx(numeric, rel=1e-3, abs=1e-5 * error)


@pytest.mark.parametrize("ask", [Ask.CDF, Ask.RANGES])
def test_the_error_is_that_of_the_strategy_written_out(ask, rng):
    found = plan_windows(OneWay(ask, 20), rng)
    strategy = found.matrix()
    assert sensitivity(strategy, 1) == pytest.approx(1)
    assert (strategy >= 0).all()
    assert expected_error(OneWay(ask, 20), strategy, 1) == pytest.approx(found.error)


def test_few_levels_are_answered_best_one_by_one(rng):
    assert plan_windows(OneWay(Ask.RANGES, 8), rng).error == pytest.approx(120)


@pytest.mark.parametrize("ask", [Ask.CDF, Ask.RANGES])
@pytest.mark.parametrize("levels", [40, 61])
def test_the_error_on_windows_is_that_of_the_strategy_written_out(ask, levels, rng):
    problem = _WindowProblem.on(OneWay(ask, levels), _windows(levels, 8, 2, 1))
    found = problem.strategy(rng.random(problem.size))
    assert found.rows.shape[0] > 10
    assert expected_error(OneWay(ask, levels), found.matrix(), 1) == pytest.approx(found.error)


@pytest.mark.parametrize("levels", [65, 300])
def test_windows_of_every_width_stand_on_every_level(levels):
    for one in _windows(levels, 32, 2, 2):
        assert set(one.columns.ravel()) == set(range(levels))
        assert one.columns.max() < levels


@pytest.mark.parametrize("levels", [300])
def test_many_levels_stand_on_windows(levels, rng):
    workload = OneWay(Ask.CDF, levels)
    found = plan_windows(workload, rng, steps=20)
    assert found.rows.nnz < 12 * levels
    assert found.error < levels * (levels + 1) / 2 / 3


@pytest.mark.parametrize("ask", [Ask.COUNTS, Ask.TOTAL])
def test_other_asks_are_refused(ask, rng):
    with pytest.raises(WorkloadError, match="a CDF or ranges"):
        plan_windows(OneWay(ask, 5), rng)
