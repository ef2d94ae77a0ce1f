"""Several numbers at once: groups as clouds of people, in spreads, with a test and its method."""

import json

import numpy as np
import pytest

from analytics.comparison import clouds
from analytics.kinds.clouds import CloudReport, CloudSettings, report_clouds
from analytics.kinds.documents import DocumentError
from analytics.kinds.settings import SettingsError, Unwatched

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
    assert found.method == "sliced"
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


def test_one_group_is_no_comparison():
    with pytest.raises(SettingsError, match="2 to 12 groups"):
        compared(a=people(12))
