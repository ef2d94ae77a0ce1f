"""The best channel for a long scale: certified, private, and a gain over randomizing a list."""

import numpy as np
import pytest

from tests.oracles.scale_channels import best_scale_channel
from tests.randomized_response.designs.local import scales
from tests.randomized_response.designs.local.scales import Purpose
from tests.randomized_response.errors import DesignError


def krr(levels, epsilon):
    odds = np.exp(epsilon)
    return (np.ones((levels, levels)) + np.eye(levels) * (odds - 1)) / (odds + levels - 1)


@pytest.mark.parametrize("purpose", list(Purpose))
@pytest.mark.parametrize("levels", [2, 3, 5])
def test_the_channel_keeps_epsilon_and_beats_a_randomized_list(purpose, levels):
    found = best_scale_channel(levels, 1.2, purpose)
    np.testing.assert_allclose(found.channel.sum(axis=0), 1)
    ratios = found.channel.max(axis=1) / found.channel.min(axis=1)
    assert ratios.max() <= np.exp(1.2) * (1 + 1e-9)
    asked = scales.asked_of_scale(purpose, levels)
    reached = scales.scale_variances(found.channel, asked).mean()
    assert reached == pytest.approx(found.average_variance, rel=1e-5)
    assert found.lower <= found.average_variance * (1 + 1e-6)
    assert reached <= scales.scale_variances(krr(levels, 1.2), asked).mean() * (1 + 1e-6)


def test_the_variance_is_that_of_the_estimate_enumerated():
    channel, asked = krr(3, 1.0), scales.asked_of_scale(Purpose.CDF, 3)
    # For a square channel the unbiased estimate is unique: the inverse.
    estimates = asked @ np.linalg.inv(channel)
    expected = [
        sum(channel[y, x] * ((estimates[:, y] - asked[:, x]) ** 2).sum() for y in range(3))
        for x in range(3)
    ]
    np.testing.assert_allclose(scales.scale_variances(channel, asked), expected)


def test_seven_levels_gain_a_third_for_a_cdf():
    asked = scales.asked_of_scale(Purpose.CDF, 7)
    found = best_scale_channel(7, np.log(3), Purpose.CDF).average_variance
    assert found == pytest.approx(14.66, abs=5e-3)
    assert found < 0.68 * scales.scale_variances(krr(7, np.log(3)), asked).mean()


REFUSED = {
    "one level": lambda: best_scale_channel(1, 1.0, Purpose.CDF),
    "a hundred levels": lambda: best_scale_channel(100, 1.0, Purpose.CDF),
    "no loss": lambda: best_scale_channel(5, 0.0, Purpose.CDF),
    "no number": lambda: best_scale_channel(5, float("nan"), Purpose.CDF),
    "every loss": lambda: best_scale_channel(5, float("inf"), Purpose.CDF),
    "reports that tell nothing": lambda: scales.scale_variances(np.full((2, 2), 0.5), np.eye(2)),
}


@pytest.mark.parametrize("ask", REFUSED.values(), ids=REFUSED)
def test_what_is_no_scale_is_refused(ask):
    with pytest.raises(DesignError, match="cannot be used"):
        ask()
