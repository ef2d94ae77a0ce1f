"""Clouds of points: exact by program or assignment, sliced under its own name; ground metrics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.comparison import clouds
from analytics.comparison.checks import ComparisonError
from analytics.comparison.clouds import (
    DistanceMethod,
    Metric,
    checked_metric,
    cloud_distance,
    ground_costs,
    metric_distance,
    sliced_distance,
    transport,
)
from analytics.comparison.transport import line_distance


def cloud(n: int, seed: int, dimensions: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dimensions))


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_program_and_assignment_find_the_same_distance(seed):
    x, y = cloud(12, seed), cloud(12, seed + 1)
    costs = ground_costs(x, y)
    by_assignment = transport(costs)
    by_program = transport(np.vstack([costs, costs]), np.ones(24), np.ones(12))
    assert by_assignment.method is DistanceMethod.ASSIGNMENT
    assert by_program.method is DistanceMethod.LINEAR_PROGRAM
    assert by_assignment.value == pytest.approx(by_program.value, abs=1e-9)


def test_a_plan_moves_the_first_cloud_onto_the_second():
    weights = np.arange(1.0, 8)
    found = cloud_distance(cloud(5, 1), cloud(7, 2), wy=weights)
    assert found.plan.sum(axis=1) == pytest.approx(np.full(5, 0.2))
    assert found.plan.sum(axis=0) == pytest.approx(weights / 28)


def test_a_cloud_moved_as_a_whole_is_as_far_as_it_moved():
    x = cloud(9, 3)
    assert cloud_distance(x, x + np.array([3, 0, 4])).value == pytest.approx(5)
    moved = cloud_distance(x, x + np.array([3, 0, 4]), metric=Metric.MANHATTAN)
    assert moved.value == pytest.approx(7)


def test_points_on_a_line_have_the_distance_of_the_line():
    x, y = cloud(2_000, 1, 1), cloud(1_500, 2, 1)
    found = cloud_distance(x, y)
    assert found.method is DistanceMethod.LINE
    assert found.value == line_distance(x[:, 0], y[:, 0])


def test_large_clouds_get_the_sliced_distance_under_its_own_name(monkeypatch):
    monkeypatch.setattr(clouds, "MOST_PAIRS", 100)
    x, y = cloud(30, 1), cloud(20, 2) + 1
    found = cloud_distance(x, y, rng=np.random.default_rng(1))
    monkeypatch.undo()
    assert found.method is DistanceMethod.SLICED
    assert found.plan is None
    assert 0 < found.standard_error < found.value <= cloud_distance(x, y).value


def test_a_sliced_distance_of_a_moved_cloud_is_the_mean_of_its_projections():
    x = cloud(40, 4)
    found = sliced_distance(
        x, x + np.array([2, 0, 0]), rng=np.random.default_rng(3), directions=4_000
    )
    # The mean of |cos| over the sphere in three dimensions is 1/2.
    assert abs(found.value - 1) < 4 * found.standard_error


def test_large_clouds_under_another_metric_are_refused(monkeypatch):
    monkeypatch.setattr(clouds, "MOST_PAIRS", 100)
    with pytest.raises(ComparisonError, match="can be compared only with the sliced distance"):
        cloud_distance(cloud(30, 1), cloud(20, 2), metric=Metric.MANHATTAN)
    with pytest.raises(ComparisonError, match="at most 100 pairs"):
        transport(np.ones((30, 20)))


@pytest.mark.parametrize(
    ("x", "y", "remedy"),
    [
        ([[1, 2]], [[1, 2, 3]], "same questions"),
        ([], [[1]], "one row of numbers"),
        ([[1, np.inf]], [[1, 2]], "finite"),
        ([[1, 2], [3]], [[1, 2]], "rows of numbers that all have the same length"),
    ],
)
def test_clouds_without_a_distance_are_refused(x, y, remedy):
    with pytest.raises(ComparisonError, match=remedy):
        cloud_distance(x, y)


@pytest.mark.parametrize(
    ("metric", "remedy"),
    [
        ([[0, 1], [2, 0]], "the distance must be equal in both directions"),
        ([[1, 1], [1, 1]], "the distance of an answer to itself must be 0"),
        ([[0, 0], [0, 0]], "two different answers must have a distance above 0"),
        (
            [[0, 1, 9], [1, 0, 1], [9, 1, 0]],
            "reduce this distance or increase other distances. In a metric, the direct distance is "
            "never longer than the way over answer 2",
        ),
        ([[0, -1], [-1, 0]], "at least 0"),
        ([[0, 1, 2], [1, 0, 1]], "square"),
    ],
)
def test_a_ground_metric_that_is_no_metric_is_refused(metric, remedy):
    with pytest.raises(ComparisonError, match=remedy):
        checked_metric(metric)


def test_a_signed_difference_is_moved_under_a_metric_of_ones_own():
    metric = [[0, 1, 4], [1, 0, 4], [4, 4, 0]]
    assert metric_distance([0.5, -0.25, -0.25], metric) == pytest.approx(0.25 + 1)
    assert metric_distance([0, 0, 0], metric) == 0
    with pytest.raises(ComparisonError, match="sum to 0"):
        metric_distance([0.5, 0, 0], metric)
