"""Schedules as documents: what was frozen at a launch stays, however charges are worked out now."""

import json
from decimal import Decimal

import numpy as np
import pytest

from analytics.kinds.tables.asked import AskedTables, Variable
from analytics.kinds.tables.schedules import TableSchedule
from analytics.privacy.accounting import Adjacency, Budget, Cost
from tests.fake_noise import FakeNoise

ASKED = AskedTables(
    (Variable("Town", ("North", "South", "East")), Variable("Smokes", ("yes", "no"))),
    ((0,), (1,), (0, 1)),
)
TERMS = Budget(1, 1e-6, 1, Adjacency.REPLACE)
HALF = Cost(Decimal("0.02"))


def frozen_before() -> dict[str, object]:
    """As it was when replacing a respondent cost twice what one more or fewer did."""
    document = TableSchedule.of(ASKED, 3, HALF, TERMS).to_document()
    charged = {"mu_squared": "0.019999999999", "epsilon": 0.65}
    noise = [{**entry, "lattice_sd": 1.4 * entry["lattice_sd"]} for entry in document["noise"]]
    return document | charged | {"noise": noise}


def test_a_new_schedule_is_charged_at_most_its_part_and_hardly_less():
    cost = TableSchedule.of(ASKED, 3, HALF, TERMS).cost
    assert cost <= HALF
    assert float(cost.mu_squared) == pytest.approx(0.02, rel=1e-6)


def test_a_schedule_that_was_frozen_before_keeps_its_charge_its_noise_and_its_bytes():
    document = json.loads(json.dumps(frozen_before()))
    read = TableSchedule.from_document(document)
    assert read.to_document() == document
    assert read.cost == Cost(Decimal("0.019999999999"))
    noise = {tuple(entry["questions"]): entry["lattice_sd"] for entry in document["noise"]}
    assert read.schedule.tables.noise == noise


def test_what_it_releases_says_the_charge_of_then():
    read = TableSchedule.from_document(frozen_before())
    rows = np.array([[0, 1], [2, 0], [2, 1]])
    release = read.release({0: read.drawn(0, {0: rows}, FakeNoise())})
    assert release.mu_squared == Decimal("0.019999999999")
    assert release.epsilon == 0.65
    assert release.people == (3, 0)
