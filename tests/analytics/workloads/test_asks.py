"""What is asked: its Gram matrix in closed form is that of the matrix written out."""

from itertools import combinations

import numpy as np
import pytest

from analytics.workloads.asks import Ask, ListedWorkload, OneWay, Product, Tables, Union
from analytics.workloads.checks import WorkloadError

MIXED = Tables.of(
    [2, 3, 4], [(), (1,), (0, 2), (0, 1, 2)], [Ask.COUNTS, Ask.CDF, Ask.RANGES], [1, 2, 0.5, 3]
)
WORKLOADS = {
    **{f"{ask}-{n}": OneWay(ask, n) for ask in Ask for n in (1, 2, 7)},
    "listed": ListedWorkload([[1, 2, -1.5], [0, 0, 4]]),
    "product": Product((OneWay(Ask.CDF, 3), OneWay(Ask.TOTAL, 2), OneWay(Ask.RANGES, 3)), 1.5),
    "union": Union((OneWay(Ask.COUNTS, 4), OneWay(Ask.CDF, 4))),
    "tables": MIXED,
}


@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=WORKLOADS)
def test_the_gram_matrix_and_the_size_are_those_of_the_rows(workload):
    rows = workload.matrix()
    assert rows.shape == (workload.rows, workload.cells)
    np.testing.assert_allclose(workload.gram(), rows.T @ rows, atol=1e-12)


def test_a_table_counts_every_combination_of_its_questions_in_order():
    counts = np.arange(6).reshape(2, 3)
    asked = Tables.of([2, 3], [(0,), (1,), (0, 1), ()]).matrix() @ counts.ravel()
    expected = [3, 12, 3, 5, 7, 0, 1, 2, 3, 4, 5, 15]
    np.testing.assert_array_equal(asked, expected)


def test_a_cdf_and_ranges_are_sums_of_neighbours():
    counts = np.array([5, 1, 2])
    np.testing.assert_array_equal(OneWay(Ask.CDF, 3).matrix() @ counts, [5, 6, 8])
    np.testing.assert_array_equal(OneWay(Ask.RANGES, 3).matrix() @ counts, [5, 6, 8, 1, 3, 2])


def test_twenty_questions_in_all_tables_of_two_are_never_built():
    tables = Tables.of([10] * 20, list(combinations(range(20), 2)))
    assert tables.cells == 10**20
    assert tables.rows == 190 * 100
    with pytest.raises(WorkloadError, match="at most 4,096 cells"):
        tables.gram()


REFUSED = {
    "no cells": lambda: OneWay(Ask.COUNTS, 0),
    "a part of a cell": lambda: OneWay(Ask.COUNTS, 2.5),
    "too many cells": lambda: OneWay(Ask.COUNTS, 10**8),
    "no question": lambda: Tables.of([], [()]),
    "no table": lambda: Tables.of([2], []),
    "a question twice": lambda: Tables.of([2, 2], [(1, 1)]),
    "a question that is not there": lambda: Tables.of([2, 2], [(2,)]),
    "a question from behind": lambda: Tables.of([2, 2], [(-1,)]),
    "six questions of 15 levels together": lambda: Tables.of([15] * 6, [range(6)]),
    "asks for other questions": lambda: Tables.of([2, 2], [(0,)], [Ask.CDF]),
    "a weight of 0": lambda: Tables.of([2], [(0,)], weights=[0]),
    "a weight too many": lambda: Tables.of([2], [(0,)], weights=[1, 1]),
    "a weight that is no number": lambda: Tables.of([2], [(0,)], weights=[float("nan")]),
    "workloads on different cells": lambda: Union((OneWay(Ask.CDF, 2), OneWay(Ask.CDF, 3))),
    "letters": lambda: ListedWorkload([["a"]]).rows,
    "no rows": lambda: ListedWorkload([]).rows,
    "infinity": lambda: ListedWorkload([[np.inf]]).rows,
    "all ranges of 2,000 levels written out": lambda: OneWay(Ask.RANGES, 2000).matrix(),
}


@pytest.mark.parametrize("ask", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_asked_is_refused_with_a_remedy(ask):
    with pytest.raises(WorkloadError, match="cannot be used"):
        ask()


def test_a_table_that_is_too_large_says_how_large_one_may_be():
    with pytest.raises(WorkloadError, match=r"11,390,625 cells.*at most 10,000,000 cells"):
        Tables.of([15] * 6, [range(6)])
