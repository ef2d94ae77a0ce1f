"""Cross-tables in closed form: optimal for unordered levels, near it for ordered ones."""

from itertools import combinations

import numpy as np
import pytest

from analytics.workloads.asks import Ask, Tables
from analytics.workloads.checks import WorkloadError
from analytics.workloads.duals import optimum, singular_value_bound
from analytics.workloads.residuals import Base, plan_tables, plan_worst
from analytics.workloads.strategies import expected_error, identity


def ways(questions, *numbers):
    return [table for number in numbers for table in combinations(range(questions), number)]


SIX = (5, 5, 7, 2, 3, 10)
PUBLISHED = {(1,): 138.49, (2,): 3341.4, (3,): 23629, (1, 2): 3894.8, (0, 1, 2, 3): 33511}


@pytest.mark.parametrize(("numbers", "error"), PUBLISHED.items(), ids=str)
def test_six_unordered_questions_have_the_error_of_peers(numbers, error):
    assert plan_tables(Tables.of(SIX, ways(6, *numbers))).error == pytest.approx(error, rel=1e-4)


ORDERED = {(1,): 193.7, (2,): 6834, (3,): 75242, (1, 2): 7276}


@pytest.mark.parametrize(("numbers", "error"), ORDERED.items(), ids=str)
def test_cdfs_of_ordered_questions_gain_by_their_own_bases(numbers, error):
    asks = [Ask.CDF, Ask.CDF, Ask.CDF, Ask.COUNTS, Ask.COUNTS, Ask.CDF]
    tables = Tables.of(SIX, ways(6, *numbers), asks)
    found = plan_tables(tables).error
    assert found == pytest.approx(error, rel=3e-4)
    assert found < plan_tables(tables, ordered=False).error


def test_unordered_questions_are_at_the_singular_value_bound():
    tables = Tables.of([2, 3, 4], ways(3, 1, 2), weights=[1, 2, 3, 1, 2, 3])
    plan = plan_tables(tables)
    assert plan.error == pytest.approx(singular_value_bound(tables))
    assert plan.error < expected_error(tables, identity(24), 2)


@pytest.mark.parametrize("ask", [Ask.CDF, Ask.RANGES])
def test_ordered_questions_are_close_to_the_certified_optimum(ask):
    tables = Tables.of([5, 4, 2], ways(3, 2), [ask, ask, Ask.COUNTS])
    error, certified = plan_tables(tables).error, optimum(tables, 1e-4)
    assert certified.lower <= error <= 1.014 * certified.upper


def test_the_variances_of_the_tables_sum_to_the_error():
    tables = Tables.of([3, 4], [(), (0,), (0, 1)], [Ask.CDF, Ask.COUNTS])
    plan = plan_tables(tables)
    rows = [part.rows for part in tables.parts]
    assert np.dot(rows, plan.row_variances()) == pytest.approx(plan.error)


def test_the_largest_variance_is_bracketed_and_smaller_than_that_of_the_least_sum():
    tables = Tables.of([5, 5, 2], ways(3, 1, 2))
    plan, lower, upper = plan_worst(tables)
    assert lower <= upper <= lower * (1 + 2e-6)
    assert max(plan.row_variances()) == pytest.approx(upper, rel=1e-5)
    assert upper < max(plan_tables(tables).row_variances())


def test_a_question_with_one_level_changes_nothing():
    alone = plan_tables(Tables.of([3], [(0,)])).error
    assert plan_tables(Tables.of([3, 1], [(0,), (0, 1)], weights=[0.8, 0.6])).error == (
        pytest.approx(alone)
    )


def test_a_base_has_a_unit_diagonal_and_room_for_the_total():
    base = Base.for_ask(Ask.CDF, 6)
    np.testing.assert_allclose(base.gram.diagonal(), 1)
    assert np.linalg.eigvalsh(base.gram - 1 / base.tau).min() > -1e-9


def test_more_sets_than_a_plan_can_hold_are_refused():
    with pytest.raises(WorkloadError, match="choose fewer or smaller tables"):
        plan_tables(Tables.of([2] * 20, [range(20)]))
