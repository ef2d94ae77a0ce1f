"""The difference of two means, of different people: Welch's interval, through a device or not."""

import numpy as np
import pytest
import scipy.stats

from tests.randomized_response.designs import KAry, channel_of, scores_of
from tests.randomized_response.errors import EstimationError
from tests.randomized_response.estimates import MeanEstimate
from tests.randomized_response.relations import difference_of_means


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_direct_answers_give_the_interval_of_scipy(level):
    counts = ((40, 90, 50, 20), (60, 100, 40))
    samples = [np.repeat(np.arange(len(one)), one) for one in counts]
    expected = scipy.stats.ttest_ind(*samples, equal_var=False).confidence_interval(level)
    estimates = [MeanEstimate(tuple(map(float, range(len(one)))), one) for one in counts]
    found = difference_of_means(*estimates, level=level)
    assert found.value == pytest.approx(0.35)
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (expected.low, expected.high), rel=1e-12
    )
    assert found.interval.method == "welch"


def test_agreement_on_one_side_is_no_certainty():
    all_alike = MeanEstimate((0.0, 1.0, 2.0), (0, 30, 0))
    spread = MeanEstimate((0.0, 1.0, 2.0, 3.0), (5, 10, 10, 5))
    found = difference_of_means(spread, all_alike)
    assert found.interval.contains(found.value)
    assert found.interval.method == "clopper-pearson"
    both = difference_of_means(all_alike, all_alike)
    assert both.interval.low < 0 < both.interval.high


def test_one_report_has_no_spread():
    with pytest.raises(EstimationError, match="two reports"):
        difference_of_means(MeanEstimate((0.0, 1.0), (0, 1)), MeanEstimate((0.0, 1.0), (3, 3)))


@pytest.mark.parametrize("epsilon", [None, 2.0])
@pytest.mark.parametrize("runs", [300, pytest.param(6000, marks=pytest.mark.audit)])
def test_a_list_experiment_finds_the_share_of_the_statement(epsilon, runs):
    """Three common statements against these and one of .2: the interval holds it in 95 %."""
    rng = np.random.default_rng(23)
    people, chances, share = 400, np.array([0.5, 0.3, 0.7]), 0.2
    covered, values = 0, []
    for _ in range(runs):
        short = (rng.random((people, 3)) < chances).sum(axis=1)
        long = (rng.random((people, 4)) < [*chances, share]).sum(axis=1)
        found = difference_of_means(_mean(rng, long, 5, epsilon), _mean(rng, short, 4, epsilon))
        covered += found.interval.contains(share)
        values.append(found.value)
    spread = np.std(values) / np.sqrt(runs)
    assert abs(np.mean(values) - share) < 4 * spread
    assert abs(covered / runs - 0.95) < 4 * np.sqrt(0.95 * 0.05 / runs) + 0.005


def _mean(rng, counts, levels: int, epsilon: float | None) -> MeanEstimate:
    if epsilon is None:
        return MeanEstimate(
            tuple(map(float, range(levels))), tuple(np.bincount(counts, minlength=levels))
        )
    design = KAry.from_epsilon(levels, epsilon)
    matrix = np.array([[float(cell) for cell in row] for row in channel_of(design).rows])
    reports = np.zeros(levels, dtype=int)
    for truth, n in enumerate(np.bincount(counts, minlength=levels)):
        reports += rng.multinomial(n, matrix[:, truth])
    scores = np.arange(levels) @ np.array(scores_of(design), dtype=float)
    return MeanEstimate(tuple(scores.tolist()), tuple(reports.tolist()))
