"""Tables released at openings: exact without noise, charged once, whatever openings take place."""

from itertools import product

import numpy as np
import pytest
from scipy.linalg import toeplitz

from analytics.privacy.accounting import Adjacency
from analytics.privacy.mechanisms import SeededNoise, VettedNoise
from analytics.workloads.asks import Ask, OneWay, Tables
from analytics.workloads.checks import StrategyError, WorkloadError
from analytics.workloads.continual import Schedule, draw_opening, openings_strategy, totals
from analytics.workloads.crosstabs import residual_sums
from analytics.workloads.neighbours import optimum_of
from analytics.workloads.residuals import plan_tables
from tests.fake_noise import FakeNoise

TABLES = Tables.of([4, 3], [(0,), (1,), (0, 1)], [Ask.CDF, Ask.COUNTS])
PLAN = plan_tables(TABLES)


def people(rng, number):
    return np.column_stack([rng.integers(0, size, number) for size in TABLES.sizes])


def exact(rows):
    counts = np.zeros(TABLES.sizes)
    np.add.at(counts, tuple(rows.T), 1)
    return [part.matrix() @ counts.ravel() for part in TABLES.parts]


def released(schedule, blocks, noise):
    """All openings that took place, one after the other."""
    drawn = {}
    for opening in sorted(blocks):
        so_far = {place: rows for place, rows in blocks.items() if place <= opening}
        drawn[opening] = draw_opening(schedule, opening, so_far, noise)
    return drawn


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("openings", [(0,), (0, 1, 2, 3, 4), (0, 2, 4), (1, 4), (4,)])
def test_without_noise_the_tables_of_all_people_so_far_are_exact(rng, openings, adjacency):
    schedule = Schedule.of(PLAN, 5, 1.0, adjacency)
    blocks = {opening: people(rng, 30 + opening) for opening in openings}
    drawn = released(schedule, blocks, FakeNoise(np.zeros))
    for count in range(1, len(openings) + 1):
        known = {opening: drawn[opening] for opening in openings[:count]}
        values = totals(schedule, known)
        plan = schedule.after(openings[:count])
        everybody = np.vstack([blocks[opening] for opening in openings[:count]])
        for table, counted in zip(TABLES.tables, exact(everybody), strict=True):
            np.testing.assert_allclose(plan.estimate(table, values), counted, atol=1e-5)


def test_an_opening_reads_nothing_that_comes_after_it():
    assert (np.triu(openings_strategy(9), 1) == 0).all()


@pytest.mark.parametrize("openings", [1, 2, 3, 10, 60])
def test_the_error_of_all_prefixes_is_the_certified_optimum(openings):
    strategy = openings_strategy(openings).astype(float)
    error = error_of(strategy)
    best = optimum_of(OneWay(Ask.CDF, openings)).lower
    assert best * (1 - 1e-9) <= error <= best * 1.001  # integers of 12 bits


def error_of(strategy):
    """Of all prefix sums, for noise whose deviation is the longest column."""
    answers = np.tri(len(strategy)) @ np.linalg.inv(strategy)
    return (strategy**2).sum(axis=0).max() * (answers**2).sum()


def test_the_error_of_two_prefixes_is_the_square_of_the_golden_ratio():
    """X = [[1, c], [c, 1]] has the error (3 - 2c) / (1 - c^2), least at c = (3 - sqrt 5) / 2."""
    strategy = openings_strategy(2).astype(float)
    gram = strategy.T @ strategy
    best = ((1 + 5**0.5) / 2) ** 2
    assert best * (1 - 1e-12) <= error_of(strategy) <= best * (1 + 2**-12)  # integers of 12 bits
    assert gram[0, 1] / gram[0, 0] == pytest.approx((3 - 5**0.5) / 2, abs=1e-3)


@pytest.mark.parametrize("openings", [2, 10, 60])
def test_the_error_of_all_prefixes_lies_between_bounds_that_are_known(openings):
    """The SVD bound (Li and Miklau 2013), and the square root with coefficients C(2k, k) / 4^k.

    The singular values of prefix sums are 1 / (2 sin((2k - 1) pi / (4n + 2))), k = 1..n.
    """
    angles = (2 * np.arange(1, openings + 1) - 1) * np.pi / (4 * openings + 2)
    least = (1 / (2 * np.sin(angles))).sum() ** 2 / openings
    coefficients = np.cumprod([1, *(1 - 1 / (2 * np.arange(1, openings)))])
    error = error_of(openings_strategy(openings).astype(float))
    assert least * (1 - 1e-9) <= error <= error_of(toeplitz(coefficients, np.zeros(openings)))


@pytest.mark.parametrize("adjacency", Adjacency)
def test_the_whole_schedule_is_charged_at_most_what_was_asked_and_close_to_it(adjacency):
    schedule = Schedule.of(PLAN, 7, 0.7, adjacency)
    assert 0.7 * (1 - 1e-6) <= schedule.mu <= 0.7


def moved(schedule, opening, row):
    """How all integers of all openings move, set by set, if one person joins at an opening."""
    rows = np.array([row])
    return {
        chosen: np.outer(
            schedule.strategy[:, opening], residual_sums(rows, chosen, schedule.tables)
        )
        for chosen in schedule.tables.noise
    }


def test_no_person_moves_a_set_further_than_its_sensitivity():
    schedule = Schedule.of(PLAN, 5, 1.0)
    cells = [range(size) for size in TABLES.sizes]
    for opening, *row in product(range(5), *cells):
        for chosen, change in moved(schedule, opening, row).items():
            assert (change**2).sum() <= schedule.sensitivity(chosen) ** 2


def spent(schedule, change):
    """The exact rho of a change of all integers: sum |change|^2 / 2 sd^2 over noisy sets."""
    noisy = {chosen: sd for chosen, sd in schedule.tables.noise.items() if sd}
    return sum(
        (change[chosen].astype(float) ** 2).sum() / (2 * sd**2) for chosen, sd in noisy.items()
    )


@pytest.mark.parametrize("adjacency", Adjacency)
def test_no_neighbour_of_any_opening_costs_more_than_the_charge(adjacency):
    schedule = Schedule.of(PLAN, 4, 0.5, adjacency)
    cells = [*product(*(range(size) for size in TABLES.sizes))]
    for opening in range(4):
        changes = [moved(schedule, opening, row) for row in cells]
        if adjacency is Adjacency.REPLACE:
            pairs = product(changes, changes)
            changes = [{one: a[one] - b[one] for one in a} for a, b in pairs]
        worst = max(spent(schedule, change) for change in changes)
        assert worst <= schedule.mu**2 / 2


def test_replacing_a_person_of_one_opening_by_one_of_another_costs_no_more_than_the_charge():
    schedule = Schedule.of(PLAN, 4, 0.5, Adjacency.REPLACE)
    cells = [*product(*(range(size) for size in TABLES.sizes))]
    changes = [moved(schedule, opening, row) for opening in range(4) for row in cells]
    apart = ({one: a[one] - b[one] for one in a} for a, b in product(changes, changes))
    assert max(spent(schedule, change) for change in apart) <= schedule.mu**2 / 2


def test_where_replacing_is_hidden_the_number_of_people_is_exact(rng):
    schedule = Schedule.of(PLAN, 3, 0.2, Adjacency.REPLACE)
    blocks = {0: people(rng, 25), 2: people(rng, 17)}
    values = totals(schedule, released(schedule, blocks, SeededNoise(rng)))
    assert values[()] == [42]


def test_the_predicted_margins_cover_at_every_opening(rng):
    schedule, runs = Schedule.of(PLAN, 3, 0.5), 300
    blocks = {opening: people(rng, 40) for opening in range(3)}
    misses = np.zeros((3, len(TABLES.tables)))
    plans = [schedule.after(range(last + 1)) for last in range(3)]
    counted = [exact(np.vstack([blocks[one] for one in range(last + 1)])) for last in range(3)]
    reach = [[1.959964 * np.sqrt(plan.variances(t)) for t in TABLES.tables] for plan in plans]
    for _ in range(runs):
        drawn = released(schedule, blocks, SeededNoise(rng))
        for last, plan in enumerate(plans):
            values = totals(schedule, {one: drawn[one] for one in range(last + 1)})
            for place, table in enumerate(TABLES.tables):
                apart = np.abs(plan.estimate(table, values) - counted[last][place])
                misses[last, place] += (apart > reach[last][place]).mean() / runs
    assert (np.abs(misses - 0.05) < 5 * (0.05 * 0.95 / runs) ** 0.5).all()


@pytest.mark.noise(fails=1e-60, law="All of twelve entries equal: 1 / (2 sqrt(pi) sd) each.")
def test_the_noise_of_releases_is_drawn_by_the_secure_source(rng):
    schedule = Schedule.of(PLAN, 2, 0.5)
    rows = {0: people(rng, 20)}
    first, second = (draw_opening(schedule, 0, rows, VettedNoise()) for _ in range(2))
    assert any((first[chosen] != second[chosen]).any() for chosen in first)


@pytest.mark.parametrize("openings", [0, -1, 401])
def test_a_schedule_without_openings_or_of_too_many_is_refused(openings):
    with pytest.raises(WorkloadError, match="plan 1 to 400 openings"):
        openings_strategy(openings)


def test_tables_of_three_questions_are_refused():
    three = plan_tables(Tables.of([2, 2, 2], [(0, 1, 2)]))
    with pytest.raises(WorkloadError, match="put up to 2 questions into one table"):
        Schedule.of(three, 3, 1.0)


@pytest.mark.parametrize("openings", [(), (1, 1), (2, 1), (-1,), (3,)])
def test_openings_that_cannot_have_taken_place_are_refused(openings):
    with pytest.raises(WorkloadError, match="name openings from 0 to 2"):
        Schedule.of(PLAN, 3, 1.0).after(openings)


def test_more_people_than_fit_are_refused_by_their_number_alone(rng):
    schedule = Schedule.of(PLAN, 2, 1.0)

    class Many:
        def __len__(self):
            return 2**60

    with pytest.raises(StrategyError, match=r"can count at most [\d,]+ respondents"):
        draw_opening(schedule, 0, {0: Many()}, SeededNoise(rng))
