"""Several numbers at once: groups as clouds of people, in spreads, with a test and its method."""

import json

import numpy as np
import pytest

from analytics.comparison import clouds
from analytics.comparison.grids import Axis, Grid, GridClouds
from analytics.comparison.groups import Scale
from analytics.kinds import clouds as kinds
from analytics.kinds.clouds import CloudReport, CloudSettings, report_clouds
from analytics.kinds.documents import DocumentError
from analytics.kinds.settings import SettingsError, Unwatched
from surveys.randomized_response.designs import TwoCoins

SETTINGS = CloudSettings((1, 2), by=3)


def people(n: int, shift: float = 0.0, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(shift, 1, (n, 2)) * [1, 1000]


def compared(**groups) -> CloudReport:
    return report_clouds(groups, ("Age?", "Income?"), SETTINGS, (), Unwatched())


def test_units_do_not_matter_because_answers_are_divided_by_their_spread():
    found = compared(a=people(12), b=people(14, 3, 2)).pairs[0]
    assert found.method == "exact, by linear program"
    assert 2 < found.distance < 3
    assert found.null_median < found.distance / 2
    assert found.p_value == 0.01


def test_groups_that_do_not_differ_are_not_told_apart():
    found = compared(a=people(15), b=people(15, seed=5)).pairs[0]
    assert found.method == "exact, by assignment"
    assert found.p_value > 0.05


def test_large_clouds_say_that_their_distance_is_sliced(monkeypatch):
    monkeypatch.setattr(clouds, "MOST_PAIRS", 50)
    monkeypatch.setattr(clouds, "DIRECTIONS", 20)
    found = compared(a=people(12), b=people(14, 3, 2)).pairs[0]
    assert found.method == "sliced distance"
    assert 0 < found.standard_error < found.distance


def test_a_question_that_all_answered_alike_tells_nothing():
    cloud = people(12)
    cloud[:, 1] = 7
    moved = cloud + np.array([0.5, 0])
    assert np.isfinite(compared(a=cloud, b=moved).pairs[0].distance)


def test_it_is_read_back_from_json_as_it_was():
    made = compared(a=people(12), b=people(12, 1, 2), c=people(12, 2, 3))
    document = json.loads(json.dumps(made.to_document(), allow_nan=False))
    assert CloudReport.from_document(document).to_document() == made.to_document()
    assert all(pair.corrected >= pair.p_value for pair in made.pairs)
    with pytest.raises(DocumentError):
        CloudReport.from_document({"version": 1})


@pytest.mark.parametrize(
    "wrong", [{"questions": (1,)}, {"by": 2}, {"metric": "taxi"}, {"seed": -1}]
)
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(SettingsError):
        CloudSettings(**{"questions": (1, 2), "by": 3, **wrong})


def test_randomized_answers_are_compared_on_a_grid():
    grid = Grid((Axis(Scale(np.arange(2.0)), TwoCoins(2)), Axis(Scale(np.arange(2.0)))))
    tables = {"a": [[40, 10], [10, 20]], "b": [[10, 20], [10, 40]]}
    made = report_clouds(GridClouds(grid, tables), ("Cheated?", "Age?"), SETTINGS, (), Unwatched())
    assert made.are_randomized
    assert made.sizes == (80, 80)
    assert made.pairs[0].method == "exact, on a grid of 4 combinations of answers"
    document = json.loads(json.dumps(made.to_document(), allow_nan=False))
    assert CloudReport.from_document(document).to_document() == made.to_document()


def test_of_very_large_groups_some_people_are_drawn_and_the_report_says_so(monkeypatch):
    monkeypatch.setattr(kinds, "MOST_PEOPLE", 15)
    made = compared(a=people(40), b=people(12, 3, 2))
    assert made.sizes == (40, 12)
    assert made.notes == (
        "For these large groups, the distances are computed from 15 randomly drawn people of each "
        "group: a.",
    )


def test_one_group_is_no_comparison():
    with pytest.raises(SettingsError, match="2 to 12 groups"):
        compared(a=people(12))
