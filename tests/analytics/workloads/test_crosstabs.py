"""Cross-tables from integer residuals: unbiased, consistent, charged as planned, attacked."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.privacy.accounting import Adjacency
from analytics.privacy.errors import AccountingError, NoiseError
from analytics.privacy.mechanisms import SeededNoise, VettedNoise
from analytics.workloads.asks import Ask, Tables
from analytics.workloads.checks import StrategyError, WorkloadError
from analytics.workloads.crosstabs import TablePlan, publish_tables, residual_sums
from analytics.workloads.residuals import plan_tables
from tests.fake_noise import FakeNoise

TABLES = Tables.of([5, 3, 4], [(0,), (0, 1), (1, 2), ()], [Ask.CDF, Ask.COUNTS, Ask.RANGES])
PLAN = plan_tables(TABLES)


def people(rng, number, sizes=TABLES.sizes):
    return np.column_stack([rng.integers(0, size, number) for size in sizes])


def exact(rows, tables=TABLES):
    counts = np.zeros(tables.sizes)
    np.add.at(counts, tuple(rows.T), 1)
    return [part.matrix() @ counts.ravel() for part in tables.parts]


def test_without_noise_every_table_is_exact(rng):
    rows = people(rng, 200)
    published = publish_tables(TablePlan.of(PLAN, 1.0), rows, FakeNoise(np.zeros))
    for table, counted in zip(published.tables, exact(rows), strict=True):
        np.testing.assert_allclose(table.values, counted, atol=1e-6)


def test_the_predicted_variances_are_those_of_the_plan():
    plan = TablePlan.of(PLAN, 0.5)
    whole = sum(plan.variances(table).sum() for table in TABLES.tables)
    # Integers of 12 bits, and sensitivities rounded up.
    assert PLAN.error / 0.25 <= whole <= PLAN.error / 0.25 * 1.002


def test_margins_cover_in_every_table(rng):
    rows, plan, runs = people(rng, 300), TablePlan.of(PLAN, 0.5), 300
    counted, noise = exact(rows), SeededNoise(rng)
    misses = np.zeros(len(counted))
    for _ in range(runs):
        for place, table in enumerate(publish_tables(plan, rows, noise).tables):
            apart = np.abs(table.values - counted[place])
            misses[place] += (apart > 1.959964 * table.standard_errors).mean() / runs
    assert (np.abs(misses - 0.05) < 5 * (0.05 * 0.95 / runs) ** 0.5).all()


def test_totals_of_all_tables_agree(rng):
    tables = Tables.of([3, 4, 2], [(0, 1), (1, 2), (1,), (0, 1, 2), ()])
    plan = TablePlan.of(plan_tables(tables), 0.3)
    found = publish_tables(plan, people(rng, 50, tables.sizes), SeededNoise(rng)).tables
    first, second, alone, whole, number = (table.values for table in found)
    np.testing.assert_allclose(first.reshape(3, 4).sum(axis=0), alone)
    np.testing.assert_allclose(second.reshape(4, 2).sum(axis=1), alone)
    np.testing.assert_allclose(whole.reshape(3, 4, 2).sum(axis=2).ravel(), first)
    np.testing.assert_allclose(number, alone.sum())


@pytest.mark.parametrize("adjacency", Adjacency)
def test_the_charge_is_at_most_what_was_asked_and_close_to_it(adjacency):
    plan = TablePlan.of(PLAN, 0.7, adjacency)
    assert 0.7 * (1 - 1e-6) <= plan.mu <= 0.7


@given(st.integers(0, 2**32), st.sampled_from(list(Adjacency)))
def test_no_neighbour_is_further_away_than_the_charge(seed, adjacency):
    rng = np.random.default_rng(seed)
    rows, plan = people(rng, 6), TablePlan.of(PLAN, 0.7, adjacency)
    neighbour = np.vstack([rows, people(rng, 1)])
    if adjacency is Adjacency.REPLACE:
        neighbour = neighbour[1:]
    squared = 0.0
    for chosen, sd in plan.noise.items():
        moved = residual_sums(neighbour, chosen, plan) - residual_sums(rows, chosen, plan)
        if sd == 0:  # what has no noise must be the same for both
            assert not moved.any()
            continue
        squared += float((moved / sd) @ (moved / sd))
    assert squared**0.5 <= plan.mu


def test_under_replacement_the_number_of_respondents_is_exact_and_free(rng):
    plain, replaced = (TablePlan.of(PLAN, 0.7, one) for one in Adjacency)
    assert replaced.noise[()] == 0 < plain.noise[()]
    assert replaced.variances(()) == 0
    assert all(sd > 0 for chosen, sd in replaced.noise.items() if chosen)
    published = publish_tables(replaced, people(rng, 200), SeededNoise(rng))
    assert published.tables[-1].values == 200
    assert published.released[()] == 200
    variances = sum(replaced.variances(table).sum() for table in TABLES.tables)
    assert variances == pytest.approx(PLAN.replacing.error / 0.49, rel=3e-3)
    # Twice the distance, with the number among the rest, would be four times the variance.
    assert variances < 0.8 * 4 * sum(plain.variances(table).sum() for table in TABLES.tables)


def test_under_replacement_the_number_of_respondents_alone_is_nothing_to_plan():
    number = plan_tables(Tables.of([3, 2], [()]))
    assert TablePlan.of(number, 1.0).mu <= 1
    with pytest.raises(WorkloadError, match="publish the exact number at no cost"):
        TablePlan.of(number, 1.0, Adjacency.REPLACE)


def test_nobody_at_all_is_an_answer(rng):
    published = publish_tables(TablePlan.of(PLAN, 1.0), np.zeros((0, 3), int), SeededNoise(rng))
    assert [len(table.values) for table in published.tables] == [5, 15, 30, 1]


def test_twenty_questions_are_planned_without_their_domain():
    tables = Tables.of([4] * 20, list(combinations(range(20), 2)))
    plan = TablePlan.of(plan_tables(tables), 1.0)
    assert plan.variances((3, 17)).shape == (16,)


def together(*sizes, ask=Ask.COUNTS):
    return plan_tables(Tables.of(sizes, [tuple(range(len(sizes)))], [ask] * len(sizes)))


WIDE = {"four": [2] * 4, "seven": [2] * 7, "many levels": [11] * 4, "nine": [3] * 9}


@pytest.mark.parametrize("sizes", WIDE.values(), ids=WIDE)
@pytest.mark.parametrize("mu", [2.0, 0.1, 1e-5])
def test_wide_tables_are_planned_with_noise_within_reach_and_room_for_people(sizes, mu):
    plan = TablePlan.of(together(*sizes), mu)
    assert max(plan.noise.values()) <= 1e15
    assert plan.mu <= mu
    assert plan.most_people >= 2**25


def test_identical_answers_are_released_like_any_others(rng):
    plan = TablePlan.of(together(2, 2, 2, 2), 0.3)
    alike, mixed = np.ones((40_000, 4), int), people(rng, 40_000, [2] * 4)
    for rows in (alike, mixed):
        (table,) = publish_tables(plan, rows, FakeNoise(np.zeros)).tables
        counted = np.bincount(np.ravel_multi_index(rows.T, [2] * 4), minlength=16)
        np.testing.assert_allclose(table.values, counted, atol=1e-3)
        publish_tables(plan, rows, SeededNoise(rng))


@pytest.mark.parametrize("sizes", [[2] * 4, [3] * 5, [5, 4, 3]], ids=str)
def test_the_worst_answers_of_the_most_people_fit_and_noise_finds_room(sizes, rng):
    plan = TablePlan.of(together(*sizes), 0.3)
    number, cells = plan.most_people, [np.array([cell]) for cell in np.ndindex(*sizes)]
    reached = 0
    for chosen, sd in plan.noise.items():
        per_person = [residual_sums(cell, chosen, plan) for cell in cells]
        worst = max(per_person, key=lambda sums: np.abs(sums).max())
        largest = number * worst.astype(object)  # all of them in one cell, in Python's integers
        reached = max(reached, *map(abs, largest))
        SeededNoise(rng).added_to(largest.astype(np.int64), sd)
    assert 2**60 < reached <= 2**61


def test_too_many_people_are_refused_by_their_number_alone():
    plan = TablePlan.of(together(2, 2, 2, 2), 0.3)
    plan.require_people(plan.most_people)
    with pytest.raises(StrategyError, match="put fewer questions into one table"):
        plan.require_people(plan.most_people + 1)


LOST = {(3, 3, 3, 3): 0.0005, (11, 11, 11, 11): 0.006, (5,) * 6: 0.021, (4,) * 7: 0.045}


@pytest.mark.parametrize("sizes", LOST, ids=str)
def test_fewer_bits_widen_margins_by_little(sizes):
    residual = together(*sizes)
    plan = TablePlan.of(residual, 0.3)
    variance = plan.variances(tuple(range(len(sizes)))).sum()
    assert 1 <= (variance * 0.3**2 / residual.error) ** 0.5 <= 1 + LOST[sizes]


@pytest.mark.parametrize("sizes", [[4] * 8, [5] * 3], ids=str)
@pytest.mark.parametrize("mu", [1e-14, 1e-15, 1e-50])
def test_what_so_little_cannot_pay_for_is_refused_with_a_remedy(sizes, mu):
    assert TablePlan.of(together(*sizes), 1e-9).mu <= 1e-9
    with pytest.raises(
        StrategyError, match="put fewer questions into one table, or give the release"
    ):
        TablePlan.of(together(*sizes), mu)


@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_only_vetted_noise_makes_a_private_release(rng):
    rows, plan = people(rng, 5), TablePlan.of(PLAN, 1.0)
    assert publish_tables(plan, rows, VettedNoise()).is_private
    assert not publish_tables(plan, rows, SeededNoise(rng)).is_private


BAD_ROWS = {
    "a question missing": [[0, 0]],
    "a level too high": [[0, 3, 0]],
    "a level below 0": [[0, -1, 0]],
    "half a level": [[0, 0.5, 0]],
    "letters": [["a", "b", "c"]],
}


@pytest.mark.parametrize("rows", BAD_ROWS.values(), ids=BAD_ROWS)
def test_rows_outside_the_questions_are_refused(rows, rng):
    with pytest.raises(WorkloadError, match="cannot be used"):
        publish_tables(TablePlan.of(PLAN, 1.0), rows, SeededNoise(rng))


@pytest.mark.parametrize("mu", [0, -1, float("nan"), float("inf"), 1e400])
def test_a_budget_that_is_no_budget_is_refused(mu):
    with pytest.raises((NoiseError, AccountingError), match="cannot be used"):
        TablePlan.of(PLAN, mu)
