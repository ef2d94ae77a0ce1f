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


SIX = (5, 5, 7, 2, 3, 10)
# Best of many starts elsewhere, in the unit of the oracles.
REFERENCES = {
    "six one by one": (SIX, (1,), 772.6),
    "six by twos": (SIX, (2,), 35_279),
    "six, one and two at once": (SIX, (1, 2), 41_317),
    "eight of two levels": ((2,) * 8, (1,), 312.7),
    "eight of two levels by twos": ((2,) * 8, (2,), 5_749),
    "up to three at once, and the number": ((11, 5, 2, 7), (0, 1, 2, 3), 11_461),
}


@pytest.mark.audit
@pytest.mark.parametrize(("sizes", "ways", "error"), REFERENCES.values(), ids=REFERENCES)
def test_a_search_of_marginals_ends_at_the_reference_or_below(sizes, ways, error, rng):
    tables = [table for way in ways for table in combinations(range(len(sizes)), way)]
    assert plan_marginals(Tables.of(sizes, tables), rng).error <= error * (1 + 1e-4)


def test_a_cdf_and_too_many_questions_are_refused(rng):
    with pytest.raises(WorkloadError, match="counts alone"):
        plan_marginals(Tables.of([3], [(0,)], [Ask.CDF]), rng)
    with pytest.raises(WorkloadError, match="at most 12 questions"):
        plan_marginals(Tables.of([2] * 13, [(0,)]), rng)
