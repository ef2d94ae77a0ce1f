"""Square-and-add: intervals of poststratified shares, group by group."""

import math

import numpy as np
import pytest

from tests.randomized_response.designs import Channel, ChannelMatrix, Direct, TwoCoins, Warner
from tests.randomized_response.intervals.intervals import clopper_pearson
from tests.randomized_response.samples import (
    estimate_weighted_distribution,
    poststratification_weights,
)

UNEVEN = ChannelMatrix(
    Channel.from_matrix([[0.6, 0.1, 0.2], [0.3, 0.7, 0.2], [0.1, 0.2, 0.6]]),
)
SIZES = {"few": 600, "many": 400}


def poststratified(design, few: list[int], many: list[int], base=None):
    """From the reports of both groups."""
    groups = np.repeat(["few", "many"], [len(few), len(many)])
    weights = poststratification_weights(groups, SIZES, base)
    return estimate_weighted_distribution(design, [*few, *many], weights, poststrata=groups)


@pytest.mark.parametrize(("design", "slope"), [(Direct(2), 1.0), (Warner(0.75), 2.0)])
def test_the_ends_are_those_of_the_groups_squared_and_added(design, slope) -> None:
    interval = poststratified(design, [1] * 3 + [0] * 9, [1] * 30 + [0] * 50).interval(1)
    parts = (0.6, 0.25, clopper_pearson(3, 12)), (0.4, 0.375, clopper_pearson(30, 80))
    below = math.hypot(*(size * (share - part.low) for size, share, part in parts))
    above = math.hypot(*(size * (part.high - share) for size, share, part in parts))
    centre = slope * (0.6 * 0.25 + 0.4 * 0.375 - 0.5) + 0.5
    assert interval.low == pytest.approx(centre - slope * below)
    assert interval.high == pytest.approx(centre + slope * above)
    assert interval.method == "square-and-add"


def test_a_small_group_whose_answers_agree_is_not_taken_for_certain() -> None:
    found = poststratified(Direct(2), [0] * 10, [1] * 18 + [0] * 72)
    ours, linear = found.interval(1), found.interval(1, method="korn-graubard")
    # 10 answers do not exclude 20 % in the group that is 60 % of all.
    assert ours.high > 0.2
    assert linear.high < 0.13


def test_base_weights_within_a_group_cost_what_they_cost() -> None:
    few, many = [1] * 3 + [0] * 9, [1] * 30 + [0] * 50
    even = poststratified(Direct(2), few, many)
    uneven = poststratified(Direct(2), few, many, base=np.tile([1.0, 5.0], 46))
    assert uneven.interval(1).width > even.interval(1).width
    scaled = poststratified(Direct(2), few, many, base=np.full(92, 3.0))
    assert scaled.interval(1).low == pytest.approx(even.interval(1).low)


def test_scores_of_more_than_two_values_take_the_profile_likelihood_of_each_group() -> None:
    found = poststratified(UNEVEN, [0, 1, 2, 1, 1, 0] * 10, [2, 2, 0, 1, 2] * 20)
    for option in range(3):
        ours, wald = found.interval(option), found.interval(option, method="wald")
        assert ours.contains(found.shares[option])
        assert 0.95 < ours.width / wald.width < 1.05


@pytest.mark.parametrize("design", [Direct(3), TwoCoins(3), UNEVEN], ids=lambda d: d.label)
def test_answers_that_all_agree_leave_width_for_every_option(design) -> None:
    found = poststratified(design, [1] * 12, [1] * 30)
    for method in found.methods:
        assert all(i.width > 0.05 for i in found.intervals(method=method))


def test_with_strata_or_clusters_the_linearised_variance_takes_its_place() -> None:
    groups, reports = ["few", "many"] * 20, [0, 1, 1, 0] * 10
    weights = poststratification_weights(groups, SIZES)
    found = estimate_weighted_distribution(
        Direct(2), reports, weights, poststrata=groups, clusters=np.repeat(np.arange(10), 4)
    )
    assert found.cells == ()
    assert found.interval(1).method == "korn-graubard"
