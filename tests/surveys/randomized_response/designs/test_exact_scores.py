"""Scores of a stored channel as fractions: its left inverse, without rounding."""

from fractions import Fraction

import numpy as np
import pytest

from tests.randomized_response.designs import (
    ForcedResponse,
    IntegerChannel,
    KAry,
    OptimisedScale,
    Purpose,
    TwoCoins,
    Warner,
)
from tests.randomized_response.errors import DesignError

CHANNELS = {
    "two coins": TwoCoins().channel,
    "warner": Warner(Fraction(2, 3)).channel,
    "forced": ForcedResponse(Fraction(1, 6), Fraction(1, 12)).channel,
    "k-ary": KAry.from_epsilon(20, 1.0986).channel,
    "two coins, 32 options": TwoCoins(32).channel,
    "scale": OptimisedScale(7, Purpose.CDF, 1.0986).channel,
}


@pytest.fixture(params=CHANNELS)
def stored(request) -> IntegerChannel:
    return CHANNELS[request.param].integer_weights()


def test_they_undo_the_channel_exactly(stored):
    for x, row in enumerate(stored.exact_scores):
        for t, column in enumerate(stored.weights):
            pairs = zip(row, column, strict=True)
            assert sum(score * weight for score, weight in pairs) == stored.denominator * (x == t)


def test_they_are_the_scores_of_the_channel_up_to_rounding(stored):
    found = np.array(stored.exact_scores, dtype=float)
    assert found == pytest.approx(stored.channel.scores, abs=1e-12)


def test_the_scores_of_one_report_sum_to_one(stored):
    assert {sum(column) for column in zip(*stored.exact_scores, strict=True)} == {1}


def test_a_report_that_never_comes_has_no_score():
    channel = IntegerChannel(((3, 1, 0), (1, 3, 0)), 4)
    assert [row[2] for row in channel.exact_scores] == [0, 0]
    assert channel.exact_scores[0][0] == Fraction(3, 2)


def test_a_pivot_of_zero_is_passed_over():
    channel = IntegerChannel(((0, 1, 0), (1, 0, 0), (0, 0, 1)), 1)
    assert channel.exact_scores == ((0, 1, 0), (1, 0, 0), (0, 0, 1))


def test_a_channel_that_cannot_be_undone_is_refused():
    with pytest.raises(DesignError, match="the same reports"):
        _ = IntegerChannel(((1, 1), (1, 1)), 2).exact_scores
