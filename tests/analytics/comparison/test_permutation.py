"""The test of no difference: exact where small, and fact 2, independence survives the channel."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.comparison import permutation
from analytics.comparison.groups import KnownGroup, Scale, group_distance
from analytics.comparison.permutation import (
    drawn_p_value,
    exact_p_value,
    holm,
    null_draws,
    parametric_null_draws,
)
from analytics.comparison.transport import ordinal_distance
from surveys.randomized_response.designs import KAry

small = st.lists(st.integers(0, 2), min_size=3, max_size=3).filter(any)
SCALE = Scale(np.arange(3.0))


def by_enumeration(a, b, positions):
    people = np.repeat(np.arange(3), np.add(a, b))
    observed = ordinal_distance(a, b, positions)
    larger = total = 0
    for chosen in combinations(range(len(people)), sum(a)):
        split = np.bincount(people[list(chosen)], minlength=3)
        distance = ordinal_distance(split, np.add(a, b) - split, positions)
        larger += distance >= observed - 1e-12
        total += 1
    return larger / total


@settings(max_examples=25)
@given(small, small, st.sampled_from([(0, 1, 2), (0, 1, 10), (0.0, 0.3, 1.7)]))
def test_the_exact_p_value_is_that_of_all_splits(a, b, positions):
    found = exact_p_value(a, b, positions)
    assert found == pytest.approx(by_enumeration(a, b, positions), abs=1e-12)


def test_groups_too_large_for_an_exact_law_get_none(monkeypatch):
    monkeypatch.setattr(permutation, "MOST_STATES", 50)
    assert exact_p_value([20, 30, 40], [30, 20, 10]) is None


def test_draws_agree_with_the_exact_law():
    design = KAry.from_epsilon(3, 1.0)
    first, second = KnownGroup("a", [14, 9, 7], design), KnownGroup("b", [8, 9, 13], design)
    null = null_draws(first, second, SCALE, 20_000, np.random.default_rng(1))
    drawn = drawn_p_value(null, group_distance(first, second, SCALE))
    exact = exact_p_value(first.counts, second.counts)
    assert drawn == pytest.approx(exact, abs=4 * (0.25 / 20_000) ** 0.5)


def test_a_group_independent_of_the_truth_is_independent_of_the_report():
    """Fact 2 on exact laws: the joint law of reports is a product if that of the truth is."""
    channel = KAry.from_epsilon(3, 0.7).channel.matrix
    joint = np.outer([0.3, 0.7], [0.2, 0.5, 0.3])
    reported = joint @ channel.T
    assert reported == pytest.approx(np.outer(reported.sum(axis=1), reported.sum(axis=0)))
    dependent = joint + np.array([[0.05, -0.05, 0], [-0.05, 0.05, 0]])
    reported = dependent @ channel.T
    gap = reported - np.outer(reported.sum(axis=1), reported.sum(axis=0))
    assert np.abs(gap).max() > 0.001


def test_groups_with_own_channels_are_drawn_from_one_true_law():
    counts = 10**6 * np.array([0.5, 0.3, 0.2])
    groups = [
        KnownGroup(name, np.rint(d.channel.matrix @ counts), d)
        for name, d in (("a", KAry.from_epsilon(3, 0.5)), ("b", KAry.from_epsilon(3, 3)))
    ]
    null = parametric_null_draws(*groups, SCALE, 200, np.random.default_rng(2))
    assert null.max() < 0.05
    assert drawn_p_value(null, group_distance(*groups, SCALE)) > 0.9


def test_a_drawn_p_value_is_never_0_and_counts_ties():
    assert drawn_p_value(np.zeros(99), 1.0) == 0.01
    assert drawn_p_value(np.ones(99), 1.0) == 1.0


def test_many_comparisons_are_corrected_by_holm():
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]).tolist() == [1.0, 1.0]
