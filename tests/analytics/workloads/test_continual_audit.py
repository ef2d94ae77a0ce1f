"""Tables at openings keep their word: margins cover at each of them, no person is found."""

import numpy as np
import pytest

from analytics.privacy.accounting import Adjacency
from analytics.privacy.mechanisms import SeededNoise
from analytics.privacy.membership import audit_membership
from analytics.workloads.asks import Ask, Tables
from analytics.workloads.continual import Schedule, totals
from analytics.workloads.residuals import plan_tables
from tests.analytics.workloads.test_continual import TABLES as CROSSED
from tests.analytics.workloads.test_continual import moved, people, released
from tests.analytics.workloads.test_releases_audit import Narrower, Z

RUNS, STATED, OPENINGS = 10_000, 1.0, 4
# The third opening did not take place.
TOOK_PLACE = (0, 1, 3)


@pytest.mark.audit
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("ask", [Ask.COUNTS, Ask.CDF, Ask.RANGES])
def test_margins_cover_after_each_opening(ask, adjacency, rng):
    tables = Tables.of([4, 3], [(0,), (1,), (0, 1)], [ask, Ask.COUNTS])
    schedule = Schedule.of(plan_tables(tables), OPENINGS, 0.5, adjacency)
    blocks = {opening: people(rng, 30) for opening in TOOK_PLACE}
    noise, misses = SeededNoise(rng), np.zeros((RUNS, 3))
    truths = [
        exact_of(tables, np.vstack([blocks[one] for one in TOOK_PLACE[:count]]))
        for count in (1, 2, 3)
    ]
    plans = [schedule.after(TOOK_PLACE[:count]) for count in (1, 2, 3)]
    errors = [[np.sqrt(plan.variances(table)) for table in tables.tables] for plan in plans]
    for run in range(RUNS):
        drawn = released(schedule, blocks, noise)
        for place, plan in enumerate(plans):
            values = totals(schedule, {one: drawn[one] for one in TOOK_PLACE[: place + 1]})
            for table, truth, error in zip(
                tables.tables, truths[place], errors[place], strict=True
            ):
                apart = np.abs(plan.estimate(table, values) - truth)
                # Numbers that are exact, such as "all" of a CDF, err by rounding alone.
                misses[run, place] += (apart > Z * error + 1e-6).sum()
    noisy = [sum((error > 1e-6).sum() for error in one) for one in errors]
    misses /= noisy
    assert np.abs(misses.mean(axis=0) - 0.05).max() < 0.01


def exact_of(tables, rows):
    counts = np.zeros(tables.sizes)
    np.add.at(counts, tuple(rows.T), 1)
    return [part.matrix() @ counts.ravel() for part in tables.parts]


def scores(noise, adjacency):
    """Likelihoods of all openings together, with a person at the first one, or another there."""
    rng, runs = np.random.default_rng(8), 1500
    schedule = Schedule.of(plan_tables(CROSSED), OPENINGS, STATED, adjacency)
    assert schedule.mu <= STATED
    crowd = {opening: people(rng, 20) for opening in range(OPENINGS)}
    person, other = [0, 0], [3, 2]
    change = moved(schedule, 0, person)
    without = crowd
    if adjacency is Adjacency.REPLACE:
        there = moved(schedule, 0, other)
        change = {chosen: change[chosen] - there[chosen] for chosen in change}
        without = {**crowd, 0: np.vstack([crowd[0], [other]])}
    within = {**crowd, 0: np.vstack([crowd[0], [person]])}
    noisy = {chosen: sd for chosen, sd in schedule.tables.noise.items() if sd}
    found = []
    for blocks in (within, without):
        made = (released(schedule, blocks, noise) for _ in range(runs))
        found.append([
            sum(
                float(one[opening][chosen] @ change[chosen][opening].astype(float)) / sd**2
                for chosen, sd in noisy.items()
                for opening in range(OPENINGS)
            )
            for one in made
        ])  # fmt: skip
    return found


@pytest.mark.audit
@pytest.mark.parametrize("adjacency", Adjacency)
def test_a_person_is_not_found_from_all_openings_better_than_is_stated(adjacency, rng):
    honest = audit_membership(*scores(Narrower(rng, 1.0), adjacency))
    halved = audit_membership(*scores(Narrower(rng, 2.0), adjacency))
    assert 0.3 * STATED < honest.mu <= STATED
    assert halved.contradicts(STATED)
