"""Groups as clouds of people: an interval that holds at 0 too, and a test by random splits."""

import numpy as np
import pytest

from analytics.comparison import clouds as cloud_sizes
from analytics.comparison.checks import ComparisonError
from analytics.comparison.clouds import Metric
from analytics.comparison.people import compare_people


def people(n: int, shift: float = 0.0, seed: int = 1, questions: int = 2) -> np.ndarray:
    return np.random.default_rng(seed).normal(shift, 1, (n, questions))


def compared(**clouds):
    return compare_people(clouds, Metric.EUCLIDEAN, 3)


def test_the_interval_holds_the_shift_of_a_cloud():
    (pair,) = compared(a=people(30), b=people(30, 3, 2))
    assert 0 < pair.low < 3 * 2**0.5 < pair.high
    assert pair.low < pair.distance < pair.high
    assert pair.p_value == 0.01
    assert pair.test == "99 random splits of the people"


def test_groups_that_do_not_differ_have_0_in_their_interval():
    (pair,) = compared(a=people(25), b=people(25, seed=5))
    assert pair.low == 0 < pair.distance < pair.high
    assert pair.p_value > 0.05


def test_identical_groups_have_distance_0_inside_an_interval():
    (pair,) = compared(a=people(20), b=people(20))
    assert (pair.distance, pair.low, pair.p_value) == (0, 0, 1)
    assert pair.high > 0.2


def test_a_group_that_answered_all_alike_is_not_known_exactly():
    alike = np.ones((10, 2))
    (pair,) = compared(a=alike, b=alike + np.array([2, 0]))
    assert pair.low < 2 < pair.high


def test_a_group_of_one_could_not_have_seen_any_difference():
    (pair,) = compared(a=np.zeros((1, 2)), b=np.ones((1, 2)))
    assert pair.p_value == 1
    assert pair.low == 0


def test_the_same_answers_from_all_people_and_one_group_alone_are_refused():
    with pytest.raises(ComparisonError, match="same answers"):
        compared(a=np.ones((10, 2)), b=np.ones((12, 2)))
    with pytest.raises(ComparisonError, match="at least two groups"):
        compared(a=people(10))


def test_many_pairs_widen_their_intervals_and_correct_their_p_values():
    groups = {"a": people(20), "b": people(20, 1, 2)}
    (alone,) = compared(**groups)
    several = compared(**groups, c=people(20, 2, 3), d=people(20, 3, 4))
    assert len(several) == 6
    assert several[0].distance == alone.distance
    assert all(pair.corrected >= pair.p_value for pair in several)


@pytest.fixture
def sliced_early(monkeypatch):
    """Clouds of 13 by 14 people are sliced; halves of 12, and equal clouds, are exact."""
    monkeypatch.setattr(cloud_sizes, "MOST_PAIRS", 150)
    monkeypatch.setattr(cloud_sizes, "DIRECTIONS", 30)


def test_halves_of_odd_groups_are_measured_as_the_groups_are(sliced_early):
    groups = {"a": people(25, questions=5), "b": people(25, seed=5, questions=5)}
    (pair,) = compared(**groups)
    assert (pair.method, pair.low) == ("exact, by assignment", 0)
    (taxi,) = compare_people(groups, Metric.MANHATTAN, 3)
    assert (taxi.method, taxi.low) == ("exact, by assignment", 0)


def test_halves_of_a_sliced_pair_are_sliced(sliced_early):
    (pair,) = compared(a=people(18), b=people(20, 2, 2))
    assert pair.method == "sliced distance"
    # The shift, times the mean of |cos| over all directions.
    assert 0 < pair.low < 2 * 2**0.5 * 2 / np.pi < pair.high


def test_a_group_that_stands_in_an_exact_and_a_sliced_pair_has_halves_for_each(sliced_early):
    alone = compared(a=people(16), b=people(16, 2, 2))[0]
    several = compared(a=people(16), b=people(16, 2, 2), c=people(20, 2, 3))
    assert [pair.method for pair in several] == ["exact, by assignment", *["sliced distance"] * 2]
    assert several[0].high > alone.distance > several[1].high - several[1].distance


def test_so_many_splits_are_drawn_that_many_pairs_can_be_told_apart():
    clouds = {name: people(12, 9 * place, place) for place, name in enumerate("abcd")}
    assert all(pair.corrected <= 0.05 for pair in compared(**clouds))


def test_the_watch_may_stop_it():
    def stop(fraction: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare_people({"a": people(10), "b": people(10)}, Metric.EUCLIDEAN, 3, stop)
