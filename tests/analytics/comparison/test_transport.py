"""Distances on a line agree with their definition; plans and averages are what they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from analytics.comparison.checks import ComparisonError
from analytics.comparison.transport import (
    average_pattern,
    distance_to_pattern,
    line_distance,
    ordinal_distance,
    transport_plan,
)

numbers = st.lists(st.integers(-50, 50), min_size=1, max_size=30)
laws = st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any)
PLACES = np.array([0.0, 1.0, 2.5, 7.0])


@given(numbers, numbers)
def test_the_distance_of_two_samples_is_the_area_between_their_cumulative_laws(x, y):
    assert line_distance(x, y) == pytest.approx(wasserstein_distance(x, y), abs=1e-12)


@given(numbers, numbers)
def test_weights_count_like_repeated_answers(x, y):
    repeated = [value for value in x for _ in range(3)]
    assert line_distance(x, y, [3.0] * len(x)) == pytest.approx(line_distance(repeated, y))


@given(laws, laws)
def test_counts_on_a_scale_have_the_distance_of_their_people(a, b):
    people = [np.repeat(PLACES, counts) for counts in (a, b)]
    expected = wasserstein_distance(*people)
    assert ordinal_distance(a, b, PLACES) == pytest.approx(expected, abs=1e-12)


@given(laws, laws)
def test_the_plan_moves_one_law_onto_the_other_at_the_cost_of_the_distance(a, b):
    plan = transport_plan(a, b)
    assert plan.sum(axis=1) == pytest.approx(np.array(a) / sum(a), abs=1e-12)
    assert plan.sum(axis=0) == pytest.approx(np.array(b) / sum(b), abs=1e-12)
    cost = (plan * np.abs(PLACES[:, None] - PLACES)).sum()
    assert cost == pytest.approx(ordinal_distance(a, b, PLACES), abs=1e-11)


@given(st.lists(laws, min_size=1, max_size=4))
def test_the_average_pattern_is_the_average_of_quantiles(groups):
    pattern = average_pattern(groups, PLACES)
    people = int(np.lcm.reduce([sum(counts) for counts in groups]))
    quantiles = [np.repeat(PLACES, np.array(c) * (people // sum(c))) for c in groups]
    average = np.sort(np.mean(quantiles, axis=0))
    assert pattern.masses.sum() == pytest.approx(1, abs=1e-12)
    found = pattern.points[
        np.searchsorted(np.cumsum(pattern.masses), (np.arange(people) + 0.5) / people)
    ]
    assert np.abs(found - average).max() <= 1e-12


def test_of_two_groups_the_average_lies_halfway():
    first, second = [4, 0, 0, 0], [0, 0, 0, 4]
    pattern = average_pattern([first, second], PLACES)
    assert (pattern.points.tolist(), pattern.masses.tolist()) == ([3.5], [1.0])
    assert distance_to_pattern(first, PLACES, pattern) == 3.5
    assert average_pattern([first, second], PLACES, [3, 1]).mean == 1.75


def test_a_million_answers_on_each_side_are_compared():
    x = np.arange(10**6) % 11
    assert line_distance(x, np.append(x + 1, [6])) == pytest.approx(1, abs=1e-6)


def test_people_who_answer_alike_are_0_apart():
    assert line_distance([3.0], [3.0]) == 0
    assert ordinal_distance([5, 5], [1, 1]) == 0


@pytest.mark.parametrize(
    ("x", "y", "remedy"),
    [
        ([], [1], "empty group"),
        ([1.0, float("nan")], [1], "finite"),
        ([[1, 2]], [1], "one number for each person"),
        (["a"], [1], "give rows of numbers"),
        ([-1.7e308], [1.7e308], "up to 1e100"),
    ],
)
def test_samples_without_a_distance_are_refused(x, y, remedy):
    with pytest.raises(ComparisonError, match=remedy):
        line_distance(x, y)


@pytest.mark.parametrize(
    ("a", "b", "positions", "remedy"),
    [
        ([1, 2], [1, 2, 3], None, "one scale"),
        ([0, 0], [1, 2], None, "empty group"),
        ([1, 2], [1, -2], None, "at least 0"),
        ([1, 2], [1, 0.5], None, "whole numbers"),
        ([1, 2], [1, 2], [1, 1], "ascending"),
        ([1, 2], [1, 2], [0, 1, 2], "2 positions"),
    ],
)
def test_counts_that_share_no_scale_are_refused(a, b, positions, remedy):
    with pytest.raises(ComparisonError, match=remedy):
        ordinal_distance(a, b, positions)


def test_weights_that_weigh_nothing_are_refused():
    with pytest.raises(ComparisonError, match="positive, finite sum"):
        line_distance([1, 2], [3], [0, 0])
    with pytest.raises(ComparisonError, match="at least one group"):
        average_pattern([])
