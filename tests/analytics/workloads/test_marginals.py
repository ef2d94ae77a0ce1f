"""Weighted marginals for Laplace noise: never worse than the full table."""

from itertools import combinations

import numpy as np
import pytest

from analytics.workloads.asks import Ask, Tables
from analytics.workloads.checks import WorkloadError
from analytics.workloads.strategies import expected_error
from tests.oracles.marginals import plan_marginals


def test_the_error_is_that_of_the_marginals_written_out(rng):
    tables = Tables.of([2, 3, 4], [(0,), (1,), (2,)], weights=[1, 2, 1])
    found = plan_marginals(tables, rng, starts=5)
    assert sum(found.weights.values()) == pytest.approx(1)
    strategy = np.vstack([
        weight * Tables.of(tables.sizes, [chosen]).matrix()
        for chosen, weight in found.weights.items()
    ])  # fmt: skip
    assert expected_error(tables, strategy, 1) == pytest.approx(found.error, rel=1e-6)


@pytest.mark.parametrize("way", [1, 2, 3])
def test_nothing_is_worse_than_the_full_table(way, rng):
    tables = Tables.of([5, 5, 2], list(combinations(range(3), way)))
    found = plan_marginals(tables, rng, starts=3)
    assert found.error <= tables.cells * len(tables.tables) * (1 + 1e-6)


def test_a_cdf_and_too_many_questions_are_refused(rng):
    with pytest.raises(WorkloadError, match="counts alone"):
        plan_marginals(Tables.of([3], [(0,)], [Ask.CDF]), rng)
    with pytest.raises(WorkloadError, match="at most 12 questions"):
        plan_marginals(Tables.of([2] * 13, [(0,)]), rng)
