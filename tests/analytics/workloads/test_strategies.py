"""Strategies by name, what one respondent moves them by, and what they are no answer to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.privacy.accounting import Adjacency
from analytics.workloads.asks import Ask, ListedWorkload, OneWay
from analytics.workloads.checks import StrategyError, WorkloadError
from analytics.workloads.strategies import (
    expected_error,
    haar,
    hierarchy,
    identity,
    sensitivity,
    total,
)


def test_a_hierarchy_sums_neighbours_up_to_the_total_and_its_last_group_may_be_short():
    rows = hierarchy(5, 2)
    np.testing.assert_array_equal(rows[:5], np.eye(5))
    np.testing.assert_array_equal(
        rows[5:],
        [
            [1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 0, 1],
            [1, 1, 1, 1, 0], [0, 0, 0, 0, 1], [1, 1, 1, 1, 1],
        ],
    )  # fmt: skip


def test_the_haar_wavelet_is_orthogonal_and_takes_powers_of_two_alone():
    rows = haar(8)
    np.testing.assert_array_equal(rows @ rows.T, np.diag([8, 8, 4, 4, 2, 2, 2, 2]))
    with pytest.raises(WorkloadError, match="power of 2"):
        haar(6)


@given(st.integers(0, 2**32), st.sampled_from([1, 2]), st.sampled_from(list(Adjacency)))
def test_no_neighbour_moves_the_answers_further_than_the_sensitivity(seed, norm, adjacency):
    rng = np.random.default_rng(seed)
    strategy = rng.integers(-3, 4, (5, 6)).astype(float)
    counts = rng.integers(1, 5, 6)
    moved = counts.copy()
    moved[rng.integers(6)] += 1
    if adjacency is Adjacency.REPLACE:
        moved[rng.integers(6)] -= 1
    distance = np.linalg.norm(strategy @ (moved - counts), norm)
    assert distance <= sensitivity(strategy, norm, adjacency) + 1e-12


def test_replacing_moves_a_total_by_nothing_and_a_hierarchy_by_more_than_adding():
    assert sensitivity(total(4), 2, Adjacency.REPLACE) == 0
    assert sensitivity(hierarchy(8, 2), 2) == 2
    assert sensitivity(hierarchy(8, 2), 2, Adjacency.REPLACE) == pytest.approx(6**0.5)


def test_a_strategy_that_does_not_see_what_is_asked_is_refused():
    # Its trace would be 1/4: next to no error for something that it cannot answer.
    with pytest.raises(StrategyError, match="does not follow from its answers"):
        expected_error(OneWay(Ask.COUNTS, 4), total(4), 2)


def test_a_strategy_needs_to_see_no_more_than_what_is_asked():
    assert expected_error(OneWay(Ask.TOTAL, 4), total(4), 2) == pytest.approx(1)
    assert expected_error(ListedWorkload([[1, 1, 0, 0]]), [[1, 1, 0, 0]], 1) == pytest.approx(1)


REFUSED = {
    "another number of cells": lambda: expected_error(OneWay(Ask.CDF, 3), identity(4), 2),
    "another norm": lambda: sensitivity(identity(3), 3),
    "letters": lambda: sensitivity([["x"]], 1),
    "no number": lambda: sensitivity([[float("nan")]], 1),
}


@pytest.mark.parametrize("ask", REFUSED.values(), ids=REFUSED)
def test_what_is_no_strategy_is_refused(ask):
    with pytest.raises(StrategyError, match="cannot be used"):
        ask()


def test_one_branch_is_no_hierarchy():
    with pytest.raises(WorkloadError, match="2 or more"):
        hierarchy(8, 1)
