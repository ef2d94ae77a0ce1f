"""Unions of Kronecker products: the exact slope, and within a quarter of a per cent of the best."""

import numpy as np
import pytest

from analytics.workloads.asks import Ask, OneWay, Tables
from analytics.workloads.duals import optimum, strategy_of
from analytics.workloads.errors import WorkloadError
from analytics.workloads.searches.kroneckers import _KroneckerProblem, plan_union
from analytics.workloads.strategies import expected_error, sensitivity

SIX = Tables.of([6, 6], [(0,), (1,)], [Ask.CDF, Ask.CDF])


def test_the_slope_is_that_of_the_logarithm_of_the_error(rng):
    problem = _KroneckerProblem((2, 3), Tables.of([2, 3], [(0,), (1,)]).gram(), 2)
    point = problem.start(rng)
    _, slope = problem._slope(point)
    for place in range(len(point)):
        step = np.zeros_like(point)
        step[place] = 1e-6
        numeric = (problem._slope(point + step)[0] - problem._slope(point - step)[0]) / 2e-6
        assert slope[place] == pytest.approx(numeric, rel=1e-4, abs=1e-7)


def test_two_products_come_close_to_the_certified_optimum(rng):
    found = plan_union(SIX, rng, starts=2)
    strategy = found.matrix()
    assert sensitivity(strategy, 2) == pytest.approx(1)
    assert expected_error(SIX, strategy, 2) == pytest.approx(found.error, rel=1e-3)
    assert found.error <= 1.0025 * optimum(SIX, 1e-5).lower


def test_large_domains_and_no_products_are_refused(rng):
    with pytest.raises(WorkloadError, match="at most 1,024 cells"):
        plan_union(Tables.of([40, 40], [(0,)]), rng)
    with pytest.raises(WorkloadError, match="at least one product"):
        plan_union(SIX, rng, products=0)


def test_the_published_union_of_products_is_some_per_cent_above_the_best(rng):
    """[B x T; T x B] with B best for one question: "near optimal" in McKenna's note."""
    one = OneWay(Ask.CDF, 6)
    best, every = strategy_of(one, optimum(one)), np.ones((1, 6))
    published = np.vstack([np.kron(best, every), np.kron(every, best)])
    error = expected_error(SIX, published, 2)
    least = plan_union(SIX, rng).error
    assert 1.02 * least < error < 1.04 * least
