"""Margins and costs of tables are known before anything is spent, and so is what is possible."""

import math
from decimal import Decimal
from itertools import combinations

import numpy as np
import pytest

from analytics.kinds.tables.asked import AskedTables, Variable
from analytics.kinds.tables.planned import DEVIATIONS, PlannedTables
from analytics.privacy.accounting import Adjacency, Cost
from analytics.workloads.asks import Ask
from analytics.workloads.checks import WorkloadError
from analytics.workloads.duals import optimum, replaced_optimum

COST = Cost(Decimal("0.1"))
ADD, REPLACE = Adjacency.ADD_OR_REMOVE, Adjacency.REPLACE


def of_size(name: str, levels: int, ask: Ask = Ask.COUNTS) -> Variable:
    return Variable(name, tuple(map(str, range(levels))), ask)


MIXED = AskedTables((of_size("A", 4, Ask.CDF), of_size("B", 3)), ((0,), (0, 1)))
COUNTS = AskedTables((of_size("A", 5), of_size("B", 3)), ((0,), (0, 1)))


@pytest.mark.parametrize("adjacency", [ADD, REPLACE])
def test_a_plan_costs_at_most_what_it_may_and_hardly_less(adjacency):
    cost = PlannedTables.of(MIXED, COST, adjacency).cost
    assert cost <= COST
    assert float(cost.mu_squared) == pytest.approx(0.1, rel=1e-6)
    assert cost.threshold_delta == 0


def test_margins_are_those_of_the_design_page():
    """releases.md, section 6: all pairs of six questions at rho 0.1: 12.6 people of 500."""
    variables = tuple(of_size(f"Q{n}", size) for n, size in enumerate((5, 5, 7, 2, 3, 10)))
    planned = PlannedTables.of(
        AskedTables(variables, tuple(combinations(range(6), 2))), Cost(Decimal("0.2")), ADD
    )
    assert planned.typical == pytest.approx(12.6, abs=0.1)


def test_twice_the_cost_is_half_the_variance():
    half, whole = (PlannedTables.of(MIXED, Cost(Decimal(text)), ADD) for text in ("0.1", "0.2"))
    assert half.typical / whole.typical == pytest.approx(math.sqrt(2), rel=1e-3)
    assert half.forecasts[1].numbers == 12
    assert half.forecasts[1].typical <= half.forecasts[1].largest


def test_counts_alone_are_as_good_as_any_strategy():
    planned = PlannedTables.of(COUNTS, COST, ADD)
    assert planned.least_typical == pytest.approx(planned.typical, rel=1e-3)
    certified = optimum(COUNTS.workload)
    bound = DEVIATIONS * math.sqrt(certified.lower / COUNTS.numbers) / planned.plan.mu
    assert planned.least_typical == pytest.approx(bound, rel=1e-5)


def test_the_bound_of_mixed_tables_is_that_of_the_dual():
    planned = PlannedTables.of(MIXED, COST, ADD)
    certified = optimum(MIXED.workload)
    bound = DEVIATIONS * math.sqrt(certified.lower / MIXED.numbers) / planned.plan.mu
    assert bound * 0.999 < planned.least_typical <= bound * (1 + 1e-9)
    assert bound < planned.typical < 1.05 * bound
    assert planned.is_sharp


def test_the_bound_of_many_cells_is_below_the_plan_and_above_nothing():
    large = AskedTables(
        (of_size("A", 20, Ask.RANGES), of_size("B", 12, Ask.CDF), of_size("C", 2)),
        ((0,), (1,), (0, 1), (1, 2)),
    )
    planned = PlannedTables.of(large, COST, ADD)
    assert 0.5 * planned.typical < planned.least_typical < planned.typical


def test_a_bound_of_many_mixed_questions_is_not_called_sharp():
    variables = tuple(of_size(f"Q{n}", 6, Ask.CDF if n % 2 else Ask.COUNTS) for n in range(8))
    planned = PlannedTables.of(AskedTables(variables, tuple(combinations(range(8), 2))), COST, ADD)
    assert planned.least_typical < planned.typical
    assert not planned.is_sharp


def test_counts_are_as_good_as_any_strategy_where_replacing_one_is_hidden_too():
    planned = PlannedTables.of(COUNTS, COST, REPLACE)
    assert planned.least_typical == pytest.approx(planned.typical, rel=1e-3)
    certified = replaced_optimum(COUNTS.workload, 1e-4)
    bound = DEVIATIONS * math.sqrt(certified.lower / COUNTS.numbers) / planned.plan.mu
    assert planned.least_typical == pytest.approx(bound, rel=1e-3)


def test_the_bound_of_mixed_tables_is_that_of_pairs_where_replacing_one_is_hidden():
    planned = PlannedTables.of(MIXED, COST, REPLACE)
    certified = replaced_optimum(MIXED.workload, 1e-3)
    bound = DEVIATIONS * math.sqrt(certified.lower / MIXED.numbers) / planned.plan.mu
    assert 0.99 * bound < planned.least_typical <= bound * 1.001
    assert bound < planned.typical < 1.1 * bound
    assert planned.is_sharp


def test_nothing_is_said_of_the_best_for_many_mixed_cells_where_replacing_one_is_hidden():
    large = AskedTables((of_size("A", 20, Ask.CDF), of_size("B", 8)), ((0, 1),))
    assert PlannedTables.of(large, COST, REPLACE).least_typical is None


@pytest.mark.parametrize("cost", [Cost(), Cost(Decimal(0), Decimal("0.1"))])
def test_a_plan_for_nothing_is_refused(cost):
    with pytest.raises(WorkloadError, match="give more than 0"):
        PlannedTables.of(MIXED, cost, ADD)


def test_questions_in_no_table_change_no_margin():
    more = AskedTables((*COUNTS.variables, of_size("C", 200)), COUNTS.tables)
    assert PlannedTables.of(more, COST, ADD).typical == pytest.approx(
        PlannedTables.of(COUNTS, COST, ADD).typical, rel=1e-6
    )


def test_a_question_with_one_level_has_a_margin():
    planned = PlannedTables.of(AskedTables((of_size("A", 1),), ((0,),)), COST, ADD)
    assert np.isfinite(planned.typical)
