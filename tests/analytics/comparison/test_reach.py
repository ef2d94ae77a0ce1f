"""How far a distance may be off: enough draws, their quantile, and ends on the scale."""

import numpy as np
import pytest

from analytics.comparison.reach import enough_for_quantile, interval_of, reach_of


def test_so_many_draws_are_made_that_two_lie_beyond_a_quantile():
    assert enough_for_quantile(300, 0.95) == 300
    assert enough_for_quantile(300, 1 - 0.05 / 21) == 840
    assert enough_for_quantile(19, 0.95) == 40


def test_one_draw_more_exceeds_a_quantile_as_often_as_it_says():
    draws = np.random.default_rng(3).random((5_000, 40))
    reaches = np.array([reach_of(row[:39], 0.95) for row in draws])
    assert (draws[:, 39] > reaches).mean() == pytest.approx(0.05, abs=3 * 0.0031)


def test_an_interval_stays_on_the_scale_and_never_shrinks_to_a_point():
    assert interval_of(1.0, 0.25, 2.0, differ=True) == (0.75, 1.25)
    assert interval_of(0.1, 0.25, 2.0, differ=True) == (0, 0.35)
    assert interval_of(1.9, 0.25, 2.0, differ=True) == (1.65, 2)
    # An estimate far above the scale: no true distance is so far, the largest one is the nearest.
    assert interval_of(2.5, 0.25, 2.0, differ=True) == (1.75, 2)


def test_an_interval_holds_no_difference_unless_the_test_rejects_it():
    assert interval_of(1.0, 0.25, 2.0, differ=False) == (0, 1.25)
