"""Evidence of one group: bets on its scores that gain nothing on average at the truth."""

import numpy as np
import pytest

from tests.randomized_response.intervals.bets import Bets
from tests.randomized_response.intervals.evidence import GroupEvidence, Mean, Proportion
from tests.randomized_response.intervals.martingales import ConfidenceSequence

SIZES = np.array([-40.0, -2.0, -0.01, 0.0, 0.3, 5.0, 60.0])
SCORES = np.array([-0.5, 0.2, 1.5])
CHANCES = np.array([0.5, 0.3, 0.2])


def proportion(ones: int, n: int) -> GroupEvidence:
    """Two coins, one in four says yes without a reason."""
    return Proportion(ones, n, -0.5, 2.0, ConfidenceSequence(100))


def mean(counts) -> GroupEvidence:
    return Mean(SCORES, np.asarray(counts, dtype=float), Bets.of(100, 3.0))


def gains(group: GroupEvidence, share: float) -> np.ndarray:
    return group.log_bets(np.array([share]), SIZES[None])[0]


@pytest.mark.parametrize(("ones", "n", "share"), [(0, 1, 0.1), (3, 10, -0.4), (40, 41, 1.5)])
def test_bets_on_a_proportion_gain_nothing_on_average_whatever_came_before(ones, n, share) -> None:
    chance = (share + 0.5) / 2
    now = gains(proportion(ones, n), share) if chance < 1 else np.zeros(len(SIZES))
    before = (ones, n) if chance < 1 else (0, 0)
    one, zero = (
        np.exp(gains(proportion(before[0] + more, before[1] + 1), share) - now) for more in (1, 0)
    )
    gain = chance * one + ((1 - chance) * zero if chance < 1 else 0)
    assert gain == pytest.approx(np.ones(len(SIZES)), rel=1e-9)


@pytest.mark.parametrize("counts", [(0, 0, 1), (5, 3, 2), (400, 0, 90)])
def test_nor_do_bets_on_scores_however_large_they_are(counts) -> None:
    share = float(SCORES @ CHANCES)
    now = gains(mean(counts), share)
    gain = sum(
        chance * np.exp(gains(mean(np.add(counts, more)), share) - now)
        for chance, more in zip(CHANCES, np.eye(3), strict=True)
    )
    assert gain == pytest.approx(np.ones(len(SIZES)), rel=1e-9)


def test_a_share_of_none_or_of_all_scatters_as_two_answers_of_the_plan_do() -> None:
    """Else a bet would have no size there."""
    found = proportion(3, 10).variance(np.array([-0.5, 1.5, 0.5]), 200)
    assert found == pytest.approx(4 * np.array([2 / 200, 2 / 200, 1 / 4 + 2 / 200]))


def test_what_was_observed_is_within_the_ends_of_any_bound() -> None:
    for group in (proportion(30, 40), proportion(0, 7), mean((5, 3, 2))):
        assert group.ends(-1000.0) == pytest.approx((group.observed, group.observed))
        low, high = group.ends(3.0)
        assert low <= group.observed <= high
