"""W1 of randomized answers: fact 1, it only shrinks; each group is undone by its own channel."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.comparison.checks import ComparisonError
from analytics.comparison.clouds import metric_distance
from analytics.comparison.groups import KnownGroup, Scale, group_distance
from analytics.comparison.transport import ordinal_distance
from surveys.randomized_response.designs import Channel, Direct, ForcedResponseOptions, KAry

counts = st.lists(st.integers(0, 40), min_size=4, max_size=4).filter(any)
STEPS = Scale(np.arange(4.0))


def design(epsilon: float) -> KAry:
    return KAry.from_epsilon(4, epsilon)


@given(counts, counts, st.floats(0.2, 5))
def test_k_ary_response_shrinks_the_distance_by_p_less_q(a, b, epsilon):
    channel = design(epsilon).channel.matrix
    shrunk = channel[0, 0] - channel[0, 1]
    groups = [KnownGroup(name, c, design(epsilon)) for name, c in (("a", a), ("b", b))]
    expected = ordinal_distance(a, b) / shrunk
    assert group_distance(*groups, STEPS) == pytest.approx(expected, abs=1e-9)


@given(counts, counts, st.floats(0.2, 5), st.integers(0, 5))
def test_it_does_so_under_any_ground_metric(a, b, epsilon, seed):
    points = np.random.default_rng(seed).normal(size=(4, 3))
    metric = np.linalg.norm(points[:, None] - points, axis=2)
    channel = design(epsilon).channel.matrix
    true = np.array(a) / sum(a) - np.array(b) / sum(b)
    reported = metric_distance(channel @ true, metric)
    shrunk = channel[0, 0] - channel[0, 1]
    assert reported / shrunk == pytest.approx(metric_distance(true, metric), abs=1e-7)


@given(counts, counts)
def test_expected_reports_of_any_two_channels_give_the_true_distance(a, b):
    first = ForcedResponseOptions((0.1, 0.05, 0.2, 0.05))
    second = Channel.mixture([0.25, 0.125, 0.0, 0.125])
    scaled = 10**12
    groups = [
        KnownGroup("a", np.rint(scaled * (first.channel.matrix @ a) / sum(a)), first),
        KnownGroup("b", np.rint(scaled * (second.matrix @ b) / sum(b)), second),
    ]
    assert group_distance(*groups, STEPS) == pytest.approx(ordinal_distance(a, b), abs=1e-9)


def test_prefer_not_to_say_has_no_place_on_the_scale():
    scale = Scale(np.arange(3.0), declined=3)
    first = KnownGroup("a", [10, 10, 0, 80], Direct(4))
    second = KnownGroup("b", [0, 50, 50, 0], Direct(4))
    assert group_distance(first, second, scale) == pytest.approx(1)


def test_a_group_that_declined_has_no_answers_to_compare():
    scale = Scale(np.arange(3.0), declined=3)
    groups = KnownGroup("a", [0, 0, 0, 80], Direct(4)), KnownGroup("b", [1, 1, 1, 1], Direct(4))
    with pytest.raises(
        ComparisonError, match="almost all people in this group preferred not to say"
    ):
        group_distance(*groups, scale)


def test_surveys_with_different_scales_are_refused():
    groups = KnownGroup("a", [1, 2, 3], Direct(3)), KnownGroup("b", [1, 2, 3, 4], Direct(4))
    with pytest.raises(ComparisonError, match="another scale than 4 levels"):
        group_distance(*groups, STEPS)


def test_an_empty_group_is_refused_and_a_group_of_one_is_compared():
    with pytest.raises(ComparisonError, match="an empty group"):
        KnownGroup("a", [0, 0, 0, 0], Direct(4))
    alone = KnownGroup("a", [0, 0, 0, 1], Direct(4))
    assert group_distance(alone, KnownGroup("b", [1, 0, 0, 0], Direct(4)), STEPS) == 3


def test_people_who_rate_several_items_count_once():
    shares = np.array([[1, 0, 0, 0], [0, 0, 0.5, 0.5]])
    group = KnownGroup("a", [3, 1], Direct(4), shares)
    assert (group.n, group.levels) == (4, 4)
    assert group.frequencies == pytest.approx([0.75, 0, 0.125, 0.125])


@pytest.mark.parametrize("patterns", [[[0.5, 0.4], [1, 0]], [[2, -1], [1, 0]], [1, 0]])
def test_shares_of_a_persons_ratings_that_are_none_are_refused(patterns):
    with pytest.raises(ComparisonError, match="patterns"):
        KnownGroup("a", [3, 1], Direct(2), patterns)


def test_ratings_on_another_scale_than_their_design_are_refused():
    with pytest.raises(ComparisonError, match="reports 4 levels"):
        KnownGroup("a", [3, 1], Direct(4), np.eye(2))
