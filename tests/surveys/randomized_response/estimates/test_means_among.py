"""The mean of values among people who have one: a ratio of two estimates, as any other."""

import numpy as np
import pytest

from tests.randomized_response.designs import Direct, KAry
from tests.randomized_response.errors import EstimationError
from tests.randomized_response.estimates import estimate_distribution, estimate_mean_among

COUNTS = [310, 120, 260, 90, 40]
VALUES = [-2.0, 3.0, 8.0, None, None]


@pytest.fixture
def estimate():
    return estimate_distribution(KAry.from_epsilon(5, 2.0), COUNTS)


def test_it_is_the_ratio_of_two_means_of_scores_with_the_residuals_standard_error(estimate):
    """Linearised: the residuals (top - ratio bottom) / D of n people, over n - 1 (Cochran 1977)."""
    given = np.array([value is not None for value in VALUES], dtype=float)
    top = np.array([value or 0.0 for value in VALUES]) @ estimate.scores
    bottom, counts = given @ estimate.scores, np.array(COUNTS)
    n = counts.sum()
    means = top @ counts / n, bottom @ counts / n
    residuals = (top - means[0] / means[1] * bottom) / means[1]
    error = np.sqrt(residuals**2 @ counts / (n - 1) / n)
    found = estimate_mean_among(estimate, VALUES, 0.95, "score")
    assert found.value == pytest.approx(means[0] / means[1], rel=1e-12)
    assert found.standard_error == pytest.approx(error, rel=1e-9)
    assert found.interval.low < found.value < found.interval.high


@pytest.mark.parametrize("method", ["score", "wald", "chebyshev", "clopper-pearson"])
def test_with_values_of_0_and_1_it_is_the_share_among_these_options(estimate, method):
    among = estimate_mean_among(estimate, [0, 1, None, None, None], 0.9, method)
    share = estimate.ratio(1, (0, 1), 0.9, method)
    assert among.value == pytest.approx(share.value)
    assert among.interval == share.interval


def test_values_may_be_shifted_and_scaled(estimate):
    found = estimate_mean_among(estimate, VALUES, 0.95, "wald")
    scaled = estimate_mean_among(estimate, [v and 10 * v + 7 for v in VALUES], 0.95, "wald")
    assert scaled.value == pytest.approx(10 * found.value + 7)
    assert scaled.interval.low == pytest.approx(10 * found.interval.low + 7)
    assert scaled.standard_error == pytest.approx(10 * found.standard_error)


def test_where_nobody_seems_to_have_a_value_every_mean_is_possible():
    found = estimate_mean_among(
        estimate_distribution(Direct(3), [0, 0, 9]), [1, 5, None], 0.9, "wald"
    )
    assert found.value is None
    assert (found.interval.low, found.interval.high) == (1, 5)


@pytest.mark.parametrize("values", [[1, 2], [None] * 5, [3, 3, 3, None, None]])
def test_values_that_make_no_mean_are_refused(estimate, values):
    with pytest.raises(EstimationError):
        estimate_mean_among(estimate, values, 0.95, "score")


@pytest.mark.parametrize("share", [0.7, 0.95])
def test_the_interval_covers_the_mean_of_people_with_a_number_as_often_as_it_says(share):
    design, rng = KAry.from_epsilon(5, 2.0), np.random.default_rng(5)
    law = np.array([share * 0.5, share * 0.3, share * 0.2, (1 - share) / 2, (1 - share) / 2])
    true = -2 * 0.5 + 3 * 0.3 + 8 * 0.2
    reports = rng.multinomial(800, design.channel.matrix @ law, size=300)
    covered = 0
    for counts in reports:
        found = estimate_mean_among(
            estimate_distribution(design, counts.tolist()), VALUES, 0.9, "wald"
        )
        covered += found.interval.low <= true <= found.interval.high
    assert 0.85 < covered / 300 < 0.95
