"""Bets on scores: martingales, what they rule out at all looks, width with a plan and without."""

from functools import cache
from itertools import product
from math import log, sqrt

import numpy as np
import pytest

from tests.randomized_response.designs import Channel, ChannelMatrix
from tests.randomized_response.estimates import DistributionEstimate
from tests.randomized_response.intervals.bets import KNOWN, UNKNOWN, Bets
from tests.randomized_response.intervals.intervals import normal_quantile, score_interval
from tests.randomized_response.intervals.martingales import ConfidenceSequence

UNEVEN = ChannelMatrix(
    Channel.from_matrix([[0.6, 0.1, 0.2], [0.3, 0.7, 0.2], [0.1, 0.2, 0.6]]),
)


@pytest.mark.parametrize("planned", [None, 2, 500])
@pytest.mark.parametrize("width", [KNOWN, UNKNOWN])
def test_a_bet_on_answers_gains_nothing_on_average_if_the_mean_is_the_true_one(planned, width):
    """Exactly, over all orders of three answers: what Ville's inequality asks of a martingale."""
    chances = {-0.4: 0.5, 0.25: 0.4, 1.0: 0.1}
    scores, bets = np.array([*chances]), Bets.of(planned, log(40), width)
    assert scores @ [*chances.values()] == pytest.approx(0)
    expected = 0.0
    for drawn in product(range(3), repeat=3):
        chance = np.prod([[*chances.values()][level] for level in drawn])
        counts = np.bincount(drawn, minlength=3).astype(float)
        gain = bets.log_gain(scores[None], counts, np.array([0.5]))[0]
        expected += chance * np.exp(gain)
    assert expected == pytest.approx(1, abs=1e-12)


def test_scores_that_cannot_have_the_mean_are_ruled_out():
    gain = Bets.of(10, 1.0).log_gain(np.array([[0.1, 0.2]]), np.array([1.0, 0]), np.array([1.0]))
    assert gain[0] == np.inf


@pytest.mark.parametrize("planned", [None, 100])
def test_a_person_who_looks_again_and_again_is_misled_no_more_often_than_stated(planned):
    """400 people who look 13 times at a share of an uneven channel; 5 sigma above 10 %."""
    rng, method = np.random.default_rng(355), ConfidenceSequence(planned)
    truth = np.array([0.7, 0.1, 0.2])
    chances, misled = UNEVEN.channel.matrix @ truth, 0

    @cache  # after a few answers many people have counted the same
    def misleads(*counts: int) -> bool:
        estimate = DistributionEstimate(UNEVEN.channel, counts)
        return not estimate.interval(0, 0.9, method).contains(truth[0])

    for _ in range(400):
        counts = [0] * 3
        for look, answer in enumerate(rng.choice(3, size=400, p=chances), start=1):
            counts[answer] += 1
            # Looks lie apart as Fibonacci's numbers: those between add little to what these find.
            if look in {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 400} and misleads(*counts):
                misled += 1
                break
    assert misled <= 40 + 5 * sqrt(400 * 0.1 * 0.9)


@pytest.mark.parametrize("planned", [1000, 100_000])
@pytest.mark.parametrize("law", [[0.2] * 5, [0.5, 0.2, 0.1, 0.1, 0.1], [0.1, 0.2, 0.4, 0.2, 0.1]])
def test_it_is_narrow_at_the_plan_and_not_much_wider_around_it(planned, law):
    """Scores whose scatter is about that of equally likely reports, against Wald's width."""
    scores = np.array([-1.0, 0.2, 0.5, 1.2, 2.0])
    for part, most in ((0.2, 1.9), (0.5, 1.9), (1, 1.6), (4, 1.9)):
        counts = np.round(np.array(law) * planned * part)
        n, mean = counts.sum(), scores @ counts / counts.sum()
        once = normal_quantile(0.95) * sqrt((scores - mean) ** 2 @ counts / n / n)
        whole = tuple(int(count) for count in counts)
        found = score_interval(scores, whole, 0.95, ConfidenceSequence(planned))
        assert found.width / 2 <= most * once


def test_without_a_plan_it_is_less_than_twice_as_wide_at_every_size():
    scores = np.array([0.0, 0.3, 1.0])
    for n in (100, 10_000, 1_000_000):
        counts = (n // 2, 3 * n // 10, n // 5)
        mean = scores @ counts / n
        once = normal_quantile(0.95) * sqrt((scores - mean) ** 2 @ counts / n / n)
        assert (
            once < score_interval(scores, counts, 0.95, "confidence-sequence").width / 2 < 2 * once
        )
