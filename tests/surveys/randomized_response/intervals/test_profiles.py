"""The profile likelihood of a mean score, against a general optimiser and closed forms."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from tests.randomized_response.designs import Channel, ChannelMatrix, Kuk
from tests.randomized_response.estimates import estimate_distribution, estimate_prevalence
from tests.randomized_response.intervals.intervals import normal_quantile
from tests.randomized_response.intervals.profiles import (
    accepted_ends,
    calibrated,
    mean_ends,
    mean_statistic,
)

LIMIT = normal_quantile(0.95) ** 2


def statistic_by_optimiser(scores: np.ndarray, counts: np.ndarray, mean: float) -> float:
    """Twice the loss of log likelihood under sum l = 1 and sum l s = mean."""
    n, seen = counts.sum(), counts > 0

    def loss(shares: np.ndarray) -> float:
        return float(-2 * counts[seen] @ np.log(np.maximum(shares[seen], 1e-300)))

    held = (
        {"type": "eq", "fun": lambda shares: shares.sum() - 1},
        {"type": "eq", "fun": lambda shares: shares @ scores - mean},
    )
    start = (counts + 1) / (n + len(counts))
    found = minimize(
        loss, start, bounds=[(1e-12, 1)] * len(counts), constraints=held, tol=1e-12
    ).fun
    return found - loss(counts / n)


@pytest.mark.parametrize("counts", [[30, 50, 20, 10], [5, 0, 3, 2], [40, 3, 0, 0]])
def test_the_statistic_is_the_loss_of_log_likelihood(counts) -> None:
    scores, reported = np.array([-1.2, 0.1, 0.9, 2.5]), np.array(counts, dtype=float)
    for mean in (-0.5, 0.2, 0.7):
        found = mean_statistic((scores - mean)[None], reported)[0]
        assert found == pytest.approx(statistic_by_optimiser(scores, reported, mean), abs=1e-4)


@pytest.mark.parametrize("n", [8, 100, 10**7])
def test_the_statistic_reaches_its_limit_at_the_ends(n) -> None:
    rng = np.random.default_rng(n)
    for _ in range(20):
        scores = rng.normal(size=5) * rng.choice([0.01, 1, 100])
        counts = rng.multinomial(n, rng.dirichlet(np.ones(5))).astype(float)
        for end in mean_ends(scores, counts, LIMIT):
            if scores.min() < end < scores.max():
                found = mean_statistic((scores - end)[None], counts)[0]
                assert found == pytest.approx(LIMIT, rel=1e-5)


def test_reports_that_all_agree_have_the_ends_of_the_binomial_likelihood() -> None:
    low, high = mean_ends(np.array([0.0, 1.0, 3.0]), np.array([100.0, 0, 0]), LIMIT)
    # Among levels that no one reported, the likelihood prefers the one that moves the mean most.
    assert low == 0
    assert high == pytest.approx(3 * (1 - math.exp(-LIMIT / 200)))


def test_the_limit_grows_in_small_samples_and_excludes_nothing_in_tiny_ones() -> None:
    assert calibrated(LIMIT, 10**9) == pytest.approx(LIMIT)
    assert calibrated(LIMIT, 100) == pytest.approx(LIMIT / (1 - LIMIT / 100))
    assert calibrated(LIMIT, 3) == math.inf
    tiny = estimate_prevalence(Kuk(0.8, 0.2, 2), [1, 1, 0]).interval()
    scores = Kuk(0.8, 0.2, 2).scores[1]
    assert (tiny.low, tiny.high) == (scores.min(), scores.max())


def test_accepted_values_are_found_to_six_digits_and_across_a_gap() -> None:
    def excess(values: np.ndarray) -> np.ndarray:
        return np.where(values < 0.5, np.abs(values - 0.3) - 0.1, np.abs(values - 0.8) - 1 / 30)

    assert accepted_ends(excess, 0, 1) == pytest.approx((0.2, 0.8 + 1 / 30), abs=1e-6)
    assert accepted_ends(lambda values: np.ones_like(values), 0, 1) is None


@pytest.mark.parametrize("n", [100, 1000])
def test_cards_and_uneven_channels_are_covered_as_often_as_stated(n) -> None:
    """The interval of Kuk's cards was a box: always right, and twice as wide as needed."""
    rng, runs = np.random.default_rng(n), 300
    cards = Kuk(0.8, 0.2, 3)
    uneven = ChannelMatrix(Channel.from_matrix([[0.7, 0.1, 0.2], [0.2, 0.8, 0.2], [0.1, 0.1, 0.6]]))
    for design, truth in ((cards, [0.95, 0.05]), (cards, [0.5, 0.5]), (uneven, [0.75, 0.2, 0.05])):
        drawn = rng.multinomial(n, design.channel.matrix @ truth, runs)
        found = [estimate_distribution(design, counts) for counts in drawn.tolist()]
        ours, walds = ([e.interval(1, method=m) for e in found] for m in (None, "wald"))
        covered = np.mean([interval.contains(truth[1]) for interval in ours])
        assert covered >= 0.945 - 3 * math.sqrt(0.95 * 0.05 / runs)
        widths = [np.mean([interval.width for interval in found]) for found in (ours, walds)]
        assert widths[0] <= 1.1 * widths[1]
