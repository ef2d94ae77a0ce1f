"""One report of the way through a family beside reports of their own: the design's figures."""

from itertools import product

import numpy as np
import pytest

from tests.randomized_response.designs import KAry, TwoCoins
from tests.randomized_response.drawing import draw_reports
from tests.randomized_response.estimates import DistributionEstimate
from tests.randomized_response.planning import gain_of_ways
from tests.randomized_response.planning.ways import most_different, ratio_variance, usual_shares

HIDDEN = "--"


def ways_of(follow_ups: int) -> list[tuple[str, ...]]:
    """A filter of two answers, and so many yes or no questions behind one of them."""
    asked = product(("yes", "no"), repeat=follow_ups)
    return [("no", *[HIDDEN] * follow_ups), *(("yes", *answers) for answers in asked)]


@pytest.mark.parametrize(
    ("follow_ups", "epsilon", "gain"), [(1, 2, 4.52), (2, 2, 6.13), (4, 2, 3.04), (5, 1, 0.525)]
)
def test_the_figures_of_the_design(follow_ups, epsilon, gain):
    ways = ways_of(follow_ups)
    channel = KAry.from_epsilon(len(ways), epsilon).channel
    assert gain_of_ways(channel, ways, HIDDEN) == pytest.approx(gain, rel=2e-3)
    assert most_different(ways) == follow_ups + 1


def test_behind_different_answers_two_people_differ_in_three_questions():
    """The filter and both follow-ups, of which each is asked one; a fourth branch adds none."""
    ways = [
        (answer, *(code if place == n else HIDDEN for n in range(3)))
        for place, answer in enumerate("abc")
        for code in ("yes", "no")
    ]
    assert most_different(ways) == 3
    assert usual_shares(ways, HIDDEN).sum() == pytest.approx(1)


def test_assumed_shares_are_three_in_ten_asked_and_four_in_ten_of_these():
    assert usual_shares(ways_of(1), HIDDEN) == pytest.approx([0.7, 0.12, 0.18])


@pytest.mark.audit
def test_the_linearised_variance_is_that_of_simulated_estimates():
    rng = np.random.default_rng(5)
    channel, shares = TwoCoins(3).channel, np.array([0.7, 0.12, 0.18])
    weights = channel.integer_weights()
    values = []
    for _ in range(2000):
        truths = rng.choice(3, size=4000, p=shares)
        counts = np.bincount(draw_reports(weights, truths, rng), minlength=3)
        estimate = DistributionEstimate(channel, tuple(counts.tolist()))
        values.append(estimate.ratio(1, (1, 2), 0.95, "wald").value)
    top, bottom = np.array([0, 1, 0]) > 0, np.array([0, 1, 1]) > 0
    stated = ratio_variance(channel, shares, top, bottom) / 4000
    assert np.var(values) == pytest.approx(stated, rel=0.15)
