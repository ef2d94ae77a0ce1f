"""A release says what it estimates, how far off it may be, and how all numbers vary together."""

import json
import math
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from analytics.kinds.documents import DocumentError
from analytics.kinds.tables.asked import AskedTables, Variable
from analytics.kinds.tables.planned import DEVIATIONS, PlannedTables
from analytics.kinds.tables.released import TableRelease, release_tables
from analytics.privacy.accounting import Adjacency, Budget, Cost
from analytics.privacy.mechanisms import SeededNoise, VettedNoise
from analytics.privacy.records import RecordedNoise
from analytics.workloads.asks import Ask
from tests.fake_noise import FakeNoise

ASKED = AskedTables(
    (
        Variable("Mood", ("bad", "fair", "good", "No answer"), Ask.CDF, has_no_answer=True),
        Variable("Town", ("North", "South", "East")),
        Variable("Age", ("young", "old"), Ask.RANGES),
        Variable("Country", ("here",)),
    ),
    ((0,), (0, 1), (1, 2), (3,)),
)
RUNS = 150
TERMS = Budget(4, 1e-6, 500)
PLANNED = PlannedTables.of(ASKED, Cost(Decimal("0.5")), Adjacency.ADD_OR_REMOVE)
SIZES = [len(one.levels) for one in ASKED.variables]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261122)


@pytest.fixture
def rows(rng):
    return np.column_stack([rng.integers(0, size, 500) for size in SIZES])


def drawn(rows, noise=None) -> TableRelease:
    return release_tables(PLANNED, rows, noise or FakeNoise(), TERMS)


def test_without_noise_every_number_is_the_count(rows):
    release = drawn(rows, FakeNoise(np.zeros))
    town = [cell.people for cell in release.cells((1, 2))]
    assert town[0] == pytest.approx(((rows[:, 1] == 0) & (rows[:, 2] == 0)).sum(), abs=1e-6)
    mood = release.cells((0,))
    assert mood[1].people == pytest.approx((rows[:, 0] <= 1).sum(), abs=1e-6)
    assert mood[-1].labels == ("all",)
    assert mood[-1].people == pytest.approx(500, abs=1e-6)
    assert release.people[0] == 500
    assert mood[1].share == pytest.approx(100 * (rows[:, 0] <= 1).mean(), abs=1e-6)
    assert release.cells((3,))[0].share == pytest.approx(100)


def test_totals_of_all_tables_agree(rows):
    release = drawn(rows)
    mood, both = release.cells((0,)), release.cells((0, 1))
    for place, cell in enumerate(mood):
        assert cell.people == pytest.approx(sum(one.people for one in both[3 * place :][:3]))
    assert mood[-1].people == pytest.approx(release.people[0])


def test_margins_are_the_predicted_ones_and_on_the_diagonal_of_the_covariance(rows):
    release = drawn(rows)
    for table, forecast in zip(ASKED.tables, PLANNED.forecasts, strict=True):
        margins = np.array([cell.margin for cell in release.cells(table)])
        assert np.sqrt((margins**2).mean()) == pytest.approx(forecast.typical)
        assert margins.max() == pytest.approx(forecast.largest)
        spread = DEVIATIONS * np.sqrt(release.covariance(table).diagonal())
        np.testing.assert_allclose(spread, margins)


def test_the_covariance_and_the_margins_of_shares_are_those_of_many_draws(rows, rng):
    releases = [drawn(rows, SeededNoise(rng)) for _ in range(RUNS)]
    table, first = (0, 1), releases[0]
    people = np.array([[cell.people for cell in one.cells(table)] for one in releases])
    observed, stated = np.cov(people.T), first.covariance(table)
    scale = np.sqrt(np.outer(stated.diagonal(), stated.diagonal()))
    # 66 pairs and 12 variances, each within five standard errors of a variance, sqrt(2 / runs).
    assert np.abs((observed - stated) / scale).max() < 5 * np.sqrt(2 / RUNS)
    shares = np.array([[cell.share for cell in one.cells(table)] for one in releases])
    margins = np.array([cell.share_margin for cell in first.cells(table)])
    np.testing.assert_allclose(DEVIATIONS * shares.std(axis=0), margins, rtol=0.3)


def test_a_release_reads_back_from_its_document_with_every_number(rows):
    release = drawn(rows)
    again = TableRelease.from_document(json.loads(json.dumps(release.to_document())))
    assert again == release
    for table in ASKED.tables:
        assert again.cells(table) == release.cells(table)
    assert again.cost == PLANNED.cost


@pytest.mark.parametrize("change", [{"version": 2}, {"sets": 1}, {"adjacency": "none"}, None])
def test_a_document_of_another_version_or_a_damaged_one_is_refused(rows, change):
    document = None if change is None else drawn(rows).to_document() | change
    with pytest.raises(DocumentError):
        TableRelease.from_document(document)


@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_noise_of_a_test_is_marked(rows, rng):
    assert drawn(rows, VettedNoise()).is_private
    assert not drawn(rows, SeededNoise(rng)).is_private


def test_nobody_is_no_error_and_has_no_shares():
    release = drawn(np.zeros((0, 4), dtype=int))
    few = replace(release, sets=tuple(_nothing(one) for one in release.sets))
    assert {cell.share for cell in few.cells((0,))} == {None}
    assert all(np.isfinite(cell.margin) for cell in release.cells((0,)))


def _nothing(one):
    return replace(one, values=(0,) * len(one.values))


class Kept:
    def __init__(self):
        self.contents = {}

    def find(self, place):
        return self.contents.get(place)

    def keep(self, place, content):
        self.contents[place] = content


def test_a_repeat_takes_what_was_drawn_even_if_answers_came_meanwhile(rows):
    kept = Kept()
    first = drawn(rows, RecordedNoise(FakeNoise(seed=1), kept))
    again = drawn(rows[:100], RecordedNoise(FakeNoise(seed=2), kept))
    assert again == first
    assert len(kept.contents) == 1


REPLACED = PlannedTables.of(ASKED, Cost(Decimal("0.5")), Adjacency.REPLACE)


def test_where_replacing_one_is_hidden_the_number_of_people_is_exact(rows):
    release = release_tables(REPLACED, rows, FakeNoise(), TERMS)
    assert release.people == (500, 0)
    assert release.cost <= Cost(Decimal("0.5"))
    again = TableRelease.from_document(json.loads(json.dumps(release.to_document())))
    assert again.people == (500, 0)
    for table in ASKED.tables:
        for cell in release.cells(table):
            assert cell.share == pytest.approx(cell.people / 5)
            assert cell.share_margin == pytest.approx(cell.margin / 5, abs=1e-9)
    everyone = release.cells((0,))[-1]  # the last of a CDF
    assert everyone.people == pytest.approx(500)
    assert everyone.margin == pytest.approx(0, abs=1e-6)


def test_a_release_made_when_the_number_had_noise_says_what_it_said(rows):
    """By the plan of add-or-remove, as it was under replacement: n has noise and a price.

    The charge was twice that of add-or-remove then; what is written is what was paid.
    """
    document = drawn(rows).to_document()
    document |= {"adjacency": "replace_one", "mu_squared": "2"}
    read = TableRelease.from_document(document)
    assert read.to_document() == document
    assert read.people[1] > 0
    assert read.cost == Cost(Decimal(2))
    assert read.plan.mu < 2 * PLANNED.plan.mu == pytest.approx(math.sqrt(2), rel=1e-6)
    for table in ASKED.tables:
        before = TableRelease.from_document(document | {"adjacency": "add_or_remove_one"})
        assert before.cells(table) == read.cells(table)


def test_margins_in_points_come_out_near_the_planned_ones(rows):
    """The plan divides by the 500 there are, the release by its estimate of them."""
    planned = PlannedTables.of(ASKED, Cost(Decimal("0.5")), Adjacency.ADD_OR_REMOVE)
    release = release_tables(planned, rows, FakeNoise(), TERMS)
    of_counts = [cell.margin / 5 for cell in release.cells((1, 2))]
    of_shares = [cell.share_margin for cell in release.cells((1, 2))]
    assert of_shares != of_counts
    assert of_shares == pytest.approx(of_counts, rel=0.2)
