"""Whole releases keep their word: margins cover, no person is found, no neighbour is further."""

import numpy as np
import pytest

from analytics.privacy.accounting import Adjacency
from analytics.privacy.mechanisms import SeededNoise
from analytics.privacy.membership import audit_membership
from analytics.workloads.asks import Ask, OneWay, Tables
from analytics.workloads.crosstabs import TablePlan, publish_tables, residual_sums
from analytics.workloads.integers import predicted, publish, publish_pure, rounded
from analytics.workloads.plans import NoiseLaw, mu_of_epsilon, plan
from analytics.workloads.residuals import plan_tables
from analytics.workloads.strategies import haar, hierarchy, identity

ASKS = [OneWay(ask, 8) for ask in Ask]
CROSSED = Tables.of([4, 3], [(0,), (1,), (0, 1)], [Ask.CDF, Ask.COUNTS])
COUNTS = np.array([9, 4, 0, 0, 7, 30, 2, 1, 5, 0, 12, 3])
TABLES = Tables.of([5, 3, 4], [(0,), (0, 1), (1, 2), ()], [Ask.CDF, Ask.COUNTS, Ask.RANGES])
RUNS = 10_000
Z = 1.959963984540054
STATED = 1.0


def counts(workload):
    return COUNTS[: workload.cells]


def people(rng, number):
    return np.column_stack([rng.integers(0, size, number) for size in TABLES.sizes])


def exact_tables(rows):
    whole = np.zeros(TABLES.sizes)
    np.add.at(whole, tuple(rows.T), 1)
    return [part.matrix() @ whole.ravel() for part in TABLES.parts]


@pytest.mark.audit
@pytest.mark.parametrize("workload", [*ASKS, CROSSED], ids=str)
def test_gaussian_margins_cover(workload, rng):
    strategy, exact = plan(workload).integers(), workload.matrix() @ counts(workload)
    margins, noise = Z * predicted(workload, strategy, 0.5), SeededNoise(rng)
    misses = np.zeros(workload.rows)
    for _ in range(RUNS):
        published = publish(workload, strategy, counts(workload), mu=0.5, noise=noise)
        misses += np.abs(published.answers.values - exact) > margins
    assert np.abs(misses / RUNS - 0.05).max() < 0.01


@pytest.mark.audit
@pytest.mark.parametrize("workload", [*ASKS, CROSSED], ids=str)
def test_laplace_margins_cover(workload, rng):
    strategy = plan(workload, NoiseLaw.LAPLACE, rng=rng).integers()
    exact, noise = workload.matrix() @ counts(workload), SeededNoise(rng)
    misses = np.zeros(workload.rows)
    for _ in range(RUNS):
        published = publish_pure(workload, strategy, counts(workload), epsilon=0.5, noise=noise)
        misses += np.abs(published.answers.values - exact) > published.margins
    assert np.abs(misses / RUNS - 0.05).max() < 0.01


@pytest.mark.audit
def test_margins_of_tables_cover(rng):
    rows, noise = people(rng, 300), SeededNoise(rng)
    exact, released = exact_tables(rows), TablePlan.of(plan_tables(TABLES), 0.5)
    misses = [np.zeros(len(table)) for table in exact]
    for _ in range(RUNS):
        for place, table in enumerate(publish_tables(released, rows, noise).tables):
            misses[place] += np.abs(table.values - exact[place]) > Z * table.standard_errors
    assert max(np.abs(table / RUNS - 0.05).max() for table in misses) < 0.01


class Narrower:
    """Noise with a part of the deviation that was asked for."""

    is_private = False

    def __init__(self, rng, factor):
        self._noise, self._factor = SeededNoise(rng), factor

    def added_to(self, values, lattice_sd):
        return self._noise.added_to(values, lattice_sd / self._factor)

    def laplace_added_to(self, values, scale):
        return self._noise.laplace_added_to(values, scale / self._factor)


def one_way_scores(noise, adjacency):
    """Likelihoods of one release with a person in the worst cell, and without or in another."""
    workload = OneWay(Ask.RANGES, 8)
    strategy, runs = plan(workload, adjacency=adjacency).integers(), 1500
    there, others = COUNTS[:8].copy(), COUNTS[:8].copy()
    columns = strategy.rows.T
    if adjacency is Adjacency.REPLACE:
        apart = ((columns[:, None] - columns) ** 2).sum(axis=2)
        first, second = np.unravel_index(apart.argmax(), apart.shape)
        others[second] += 1
    else:
        first = int((columns**2).sum(axis=1).argmax())
    there[first] += 1
    moved = (strategy.answers(there) - strategy.answers(others)).astype(float)
    scores = []
    for cells in (there, others):
        made = [
            publish(workload, strategy, cells, mu=STATED, noise=noise, adjacency=adjacency)
            for _ in range(runs)
        ]
        assert all(one.mu <= STATED for one in made)
        scores.append([float(one.release.values @ moved) for one in made])
    return scores


def table_scores(noise, adjacency):
    rng, runs = np.random.default_rng(8), 1500
    released = TablePlan.of(plan_tables(TABLES), STATED, adjacency)
    assert released.mu <= STATED
    person, other, crowd = [[0, 0, 0]], [[4, 2, 3]], people(rng, 50)
    without = np.vstack([crowd, other]) if adjacency is Adjacency.REPLACE else crowd
    within, scores = np.vstack([crowd, person]), []
    moved = {
        chosen: residual_sums(within, chosen, released) - residual_sums(without, chosen, released)
        for chosen in released.noise
    }
    noisy = {chosen: sd for chosen, sd in released.noise.items() if sd}
    assert not any(moved[chosen].any() for chosen in released.noise if chosen not in noisy)
    for rows in (within, without):
        made = [publish_tables(released, rows, noise).released for _ in range(runs)]
        scores.append([
            sum(float(one[s] @ moved[s].astype(float)) / sd**2 for s, sd in noisy.items())
            for one in made
        ])  # fmt: skip
    return scores


@pytest.mark.audit
@pytest.mark.parametrize("scores", [one_way_scores, table_scores])
@pytest.mark.parametrize("adjacency", Adjacency)
def test_a_person_is_not_found_better_than_is_stated_and_is_when_the_noise_is_halved(
    scores, adjacency, rng
):
    honest = audit_membership(*scores(Narrower(rng, 1.0), adjacency))
    halved = audit_membership(*scores(Narrower(rng, 2.0), adjacency))
    assert 0.3 * STATED < honest.mu <= STATED
    assert halved.contradicts(STATED)


REPLACED = {
    "a question of ten": Tables.of([10], [(0,)]),
    "a CDF": Tables.of([6], [(0,)], [Ask.CDF]),
    "one and two at once": Tables.of([4, 3, 2], [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]),
    "mixed": TABLES,
}


def replaced_scores(plan, noise, runs):
    """Likelihoods of releases with a person in one cell of the worst pair, and in the other."""
    cells = np.array(list(np.ndindex(*plan.tables.sizes)))
    noisy = {chosen: sd for chosen, sd in plan.noise.items() if sd}
    sums = {s: np.array([residual_sums(cell[None], s, plan) for cell in cells]) for s in noisy}
    scaled = np.hstack([sums[s] / sd for s, sd in noisy.items()])
    apart = ((scaled[:, None] - scaled) ** 2).sum(axis=2)
    pair = np.unravel_index(apart.argmax(), apart.shape)
    scores = []
    for cell in pair:
        score = np.zeros(runs)
        for chosen, sd in noisy.items():
            drawn = noise.added_to(np.tile(sums[chosen][cell], (runs, 1)), sd)
            score += drawn @ (sums[chosen][pair[0]] - sums[chosen][pair[1]]) / sd**2
        scores.append(score)
    return scores


@pytest.mark.audit
@pytest.mark.parametrize("tables", REPLACED.values(), ids=REPLACED)
def test_an_attacker_proves_nearly_all_that_replacing_a_person_is_charged(tables, rng):
    """20,000 counted runs prove some 0.95 of the truth; a charge of twice would leave 0.8 of it."""
    plan = TablePlan.of(plan_tables(tables), 1.5, Adjacency.REPLACE)
    proved = audit_membership(*replaced_scores(plan, Narrower(rng, 1.0), 40_000))
    assert 0.9 * plan.mu <= proved.mu <= plan.mu
    assert audit_membership(*replaced_scores(plan, Narrower(rng, 2.0), 2_000)).contradicts(plan.mu)


@pytest.mark.audit
@pytest.mark.parametrize("tables", REPLACED.values(), ids=REPLACED)
def test_margins_of_tables_cover_where_replacing_one_is_hidden(tables, rng):
    rows = np.column_stack([rng.integers(0, size, 300) for size in tables.sizes])
    counts, noise = np.zeros(tables.sizes), SeededNoise(rng)
    np.add.at(counts, tuple(rows.T), 1)
    plan = TablePlan.of(plan_tables(tables), 0.5, Adjacency.REPLACE)
    released = {
        chosen: noise.added_to(np.tile(residual_sums(rows, chosen, plan), (RUNS, 1)), sd)
        for chosen, sd in plan.noise.items()
        if sd
    }
    released[()] = np.full((RUNS, 1), 300)
    for table, part in zip(tables.tables, tables.parts, strict=True):
        if not table:
            continue
        exact, margins = part.matrix() @ counts.ravel(), Z * np.sqrt(plan.variances(table))
        estimates = np.array(
            [
                plan.estimate(table, {chosen: drawn[run] for chosen, drawn in released.items()})
                for run in range(RUNS)
            ]
        )
        # The last number of a CDF is public: its error is rounding.
        missed = (np.abs(estimates - exact) > margins + 1e-6).mean(axis=0)[margins > 1e-6]
        assert np.abs(missed - 0.05).max() < 0.01


@pytest.mark.audit
def test_a_person_is_not_found_better_under_pure_epsilon(rng):
    workload, runs = OneWay(Ask.TOTAL, 4), 4000
    strategy = rounded(np.ones((1, 4)))

    def proved(factor):
        noise, scores = Narrower(rng, factor), []
        for cells in ([5, 3, 2, 2], [5, 3, 1, 2]):
            made = (
                publish_pure(workload, strategy, cells, epsilon=1.0, noise=noise)
                for _ in range(runs)
            )
            scores.append([float(one.release.values[0]) for one in made])
        return audit_membership(*scores)

    assert 0.5 < proved(1.0).mu <= mu_of_epsilon(1.0)
    assert proved(2.0).contradicts(mu_of_epsilon(1.0))


STRATEGIES = {
    **{str(one): lambda one=one: plan(one).integers() for one in [*ASKS, CROSSED]},
    "laplace": lambda: plan(OneWay(Ask.CDF, 16), NoiseLaw.LAPLACE).integers(),
    "identity": lambda: rounded(identity(8)),
    "hierarchy": lambda: rounded(hierarchy(8, 2) / 2),
    "haar": lambda: rounded(haar(8) / 2),
}


@pytest.mark.parametrize("name", STRATEGIES)
def test_no_neighbour_is_further_than_the_sensitivity_of_any_strategy(name, rng):
    strategy = STRATEGIES[name]()
    cells = strategy.rows.shape[1]
    for adjacency in Adjacency:
        furthest = [0, 0]
        for _ in range(300):
            before = rng.integers(1, 50, cells)
            after = before.copy()
            after[rng.integers(cells)] += 1
            if adjacency is Adjacency.REPLACE:
                after[rng.integers(cells)] -= 1
            moved = (strategy.answers(after) - strategy.answers(before)).astype(object)
            furthest[0] = max(furthest[0], int((moved**2).sum()))
            furthest[1] = max(furthest[1], int(np.abs(moved).sum()))
        # Few cells: among 300 neighbours is the worst.
        assert furthest[0] == strategy.sensitivity_squared(adjacency)
        assert furthest[1] == strategy.sensitivity_l1(adjacency)
