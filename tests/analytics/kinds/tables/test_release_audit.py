"""A whole release, by its document alone: margins cover as stated, and no person is found in it."""

from decimal import Decimal
from functools import partial

import numpy as np
import pytest

from analytics.kinds.tables.asked import AskedTables, Variable
from analytics.kinds.tables.planned import PlannedTables
from analytics.kinds.tables.released import TableRelease, release_tables
from analytics.privacy.accounting import Adjacency, Budget, Cost
from analytics.privacy.mechanisms import SeededNoise
from analytics.privacy.membership import audit_membership
from analytics.workloads.asks import Ask

ADD, REPLACE = Adjacency.ADD_OR_REMOVE, Adjacency.REPLACE
OTHERS = 60
SIZES = (3, 4, 2)
ASKED = AskedTables(
    (
        Variable("Town", ("North", "South", "East")),
        Variable("Mood", ("bad", "fair", "good", "No answer"), Ask.CDF, has_no_answer=True),
        Variable("Age", ("young", "old"), Ask.RANGES),
    ),
    ((0,), (1,), (0, 1), (1, 2), (0, 1, 2)),
)
CANARY, OTHER = np.array([2, 3, 1]), np.array([0, 0, 0])


class Narrower(SeededNoise):
    """Noise of a part of the standard deviation that is charged."""

    def __init__(self, rng: np.random.Generator, part: float) -> None:
        super().__init__(rng)
        self._part = part

    def added_to(self, values, lattice_sd):
        return super().added_to(values, lattice_sd * self._part)


def planned(adjacency: Adjacency, mu_squared: str = "1") -> PlannedTables:
    return PlannedTables.of(ASKED, Cost(Decimal(mu_squared)), adjacency)


def released(
    plan: PlannedTables, rows, rng: np.random.Generator, part: float = 1.0
) -> TableRelease:
    return release_tables(plan, rows, Narrower(rng, part), Budget(8, 1e-6, len(rows)))


def people(rng: np.random.Generator, number: int):
    return np.column_stack([rng.integers(0, size, number) for size in SIZES])


def sums(release: TableRelease, person) -> list[np.ndarray]:
    """What one person adds to each set, by the matrices in the document."""
    found = []
    for one in release.sets:
        row = np.ones(1)
        for place in one.questions:
            matrix = np.array(release.residuals[place]).reshape(-1, SIZES[place])
            row = np.kron(row, matrix[:, person[place]])
        found.append(row)
    return found


def score(release: TableRelease, other) -> float:
    """The log likelihood ratio of the canary against ``other``: the best attack there is."""
    moved = sums(release, CANARY)
    if other is not None:
        moved = [own - their for own, their in zip(moved, sums(release, other), strict=True)]
    pairs = list(zip(release.sets, moved, strict=True))
    assert not any(direction.any() for one, direction in pairs if one.lattice_sd == 0)
    parts = (
        np.dot(one.values, direction) / one.lattice_sd**2
        for one, direction in pairs
        if one.lattice_sd
    )
    return float(sum(parts))


def audit(adjacency: Adjacency, part: float, runs: int):
    """What the attack proves from released documents, with and without the canary."""
    rng = np.random.default_rng(7)
    plan, others = planned(adjacency), people(rng, OTHERS)
    other = OTHER if adjacency is REPLACE else None
    present = np.vstack([others, CANARY])
    absent = others if other is None else np.vstack([others, other])
    make = partial(released, plan, rng=rng, part=part)
    scores = [[score(make(rows), other) for _ in range(runs)] for rows in (present, absent)]
    return audit_membership(*scores), plan.plan.mu


@pytest.mark.audit
@pytest.mark.parametrize("adjacency", [ADD, REPLACE])
def test_nobody_is_found_in_a_release_better_than_it_says(adjacency):
    found, stated = audit(adjacency, 1.0, 2_000)
    assert not found.contradicts(stated)


@pytest.mark.audit
@pytest.mark.parametrize("adjacency", [ADD, REPLACE])
def test_halved_noise_is_noticed(adjacency):
    """So that the test above can fail."""
    found, stated = audit(adjacency, 0.5, 300)
    assert found.contradicts(stated)


def exact(rows) -> dict[tuple[int, ...], np.ndarray]:
    counts = np.zeros(SIZES)
    np.add.at(counts, tuple(rows.T), 1)
    parts = ASKED.workload.parts
    return {
        table: part.matrix() @ counts.ravel()
        for table, part in zip(ASKED.tables, parts, strict=True)
    }


@pytest.mark.audit
def test_margins_cover_in_95_of_100_releases_for_every_ask():
    rng, runs = np.random.default_rng(11), 10_000
    plan, rows = planned(ADD), people(rng, 200)
    counted = exact(rows)
    first = released(plan, rows, rng)
    margins = {t: np.array([cell.margin for cell in first.cells(t)]) for t in ASKED.tables}
    hits = dict.fromkeys(ASKED.tables, 0.0)
    for _ in range(runs):
        release = released(plan, rows, rng)
        values = {one.questions: np.array(one.values, dtype=float) for one in release.sets}
        for table in ASKED.tables:
            apart = np.abs(first.plan.estimate(table, values) - counted[table])
            hits[table] += float((apart <= margins[table]).mean())
    for table, hit in hits.items():
        assert hit / runs == pytest.approx(0.95, abs=0.01), table
