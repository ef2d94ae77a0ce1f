"""A long scale through the best channel for its purpose: private in integers, few reports."""

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.oracles.scale_channels import best_scale_channel
from tests.randomized_response.designs import KAry, OptimisedScale, Purpose
from tests.randomized_response.designs.local.scales import asked_of_scale, scale_variances
from tests.randomized_response.drawing import recipe_for
from tests.randomized_response.errors import DesignError
from tests.randomized_response.estimates import estimate_distribution

LN3 = math.log(3)


def variance(channel, purpose, levels):
    return scale_variances(channel, asked_of_scale(purpose, levels)).mean()


@pytest.mark.parametrize("purpose", list(Purpose))
@pytest.mark.parametrize(
    ("levels", "epsilon"),
    [
        *((3, 0.05), (3, 8.0), (4, 9.5), (7, LN3)),
        *(pytest.param(*one, marks=pytest.mark.audit) for one in ((7, 3.0), (9, 1.0))),
    ],
)
def test_epsilon_worked_out_from_the_integers_is_never_above_what_was_asked(
    purpose, levels, epsilon
):
    design = OptimisedScale(levels, purpose, epsilon)
    weights = design.integer_channel.weights
    ratios = [Fraction(max(row), min(row)) for row in zip(*weights, strict=True)]
    assert all(sum(column) == 2**32 for column in weights)
    assert math.log(max(ratios)) <= epsilon
    assert design.epsilon > epsilon * (1 - 1e-6)


@pytest.mark.parametrize("purpose", [Purpose.HISTOGRAM, Purpose.CDF])
@pytest.mark.parametrize("levels", [5, 8])
def test_rounding_and_few_reports_cost_nothing(purpose, levels):
    channel = OptimisedScale(levels, purpose, LN3).channel.matrix
    assert len(channel) <= levels * (levels + 1) // 2 + 1
    best = best_scale_channel(levels, LN3, purpose)
    assert variance(channel, purpose, levels) == pytest.approx(best.average_variance, rel=1e-5)


@pytest.mark.parametrize(
    ("levels", "purpose", "gain"),
    [
        (7, Purpose.CDF, 1.5),
        (7, Purpose.MEAN, 2.6),
        pytest.param(10, Purpose.CDF, 2.09, marks=pytest.mark.audit),
    ],
)
def test_long_scales_need_fewer_people_than_with_k_ary_response(levels, purpose, gain):
    ours = variance(OptimisedScale(levels, purpose, LN3).channel.matrix, purpose, levels)
    k_ary = variance(KAry.from_epsilon(levels, LN3).channel.matrix, purpose, levels)
    assert k_ary / ours == pytest.approx(gain, abs=0.05)


@pytest.mark.parametrize(
    ("purpose", "epsilon", "gain"),
    [
        ("histogram", LN3, 1.0),
        ("cdf", LN3, 1.15),
        ("mean", LN3, 1.74),
        ("histogram", 0.5, 1.21),
        ("mean", 0.5, 2.34),
        ("histogram", 3.0, 1.0),
        ("cdf", 3.0, 1.0),
        ("mean", 3.0, 1.08),
    ],
)
def test_five_levels_gain_nothing_for_a_histogram_at_ln_3_but_for_a_mean(purpose, epsilon, gain):
    ours = variance(OptimisedScale(5, purpose, epsilon).channel.matrix, Purpose(purpose), 5)
    k_ary = variance(KAry.from_epsilon(5, epsilon).channel.matrix, Purpose(purpose), 5)
    assert k_ary / ours == pytest.approx(gain, abs=0.006)


def test_a_scale_for_a_mean_still_tells_all_levels_apart():
    design = OptimisedScale(7, Purpose.MEAN, LN3)
    np.testing.assert_allclose(design.scores @ design.channel.matrix, np.eye(7), atol=1e-9)


def test_the_shares_come_back_from_simulated_reports():
    design, rng = OptimisedScale(7, Purpose.CDF, LN3), np.random.default_rng(20261122)
    shares = np.array([5, 10, 20, 30, 20, 10, 5]) / 100
    counts = rng.multinomial(200_000, design.channel.matrix @ shares)
    found = estimate_distribution(design, counts)
    apart = np.abs(found.shares - shares) / found.standard_errors
    assert apart.max() < 4.5


def test_a_coin_does_not_give_these_odds():
    """Dozens of reports in 2^32 parts: the page draws, or the question is left out."""
    channel = OptimisedScale(7, Purpose.CDF, LN3).integer_channel
    assert recipe_for(channel, tuple(range(channel.channel.reported_levels))) is None


REFUSED = {
    "two levels": lambda: OptimisedScale(2, Purpose.CDF, 1.0),
    "thirteen levels": lambda: OptimisedScale(13, Purpose.CDF, 1.0),
    "another purpose": lambda: OptimisedScale(7, "median", 1.0),
    "no loss": lambda: OptimisedScale(7, Purpose.CDF, 0.0),
    "every loss": lambda: OptimisedScale(7, Purpose.CDF, math.inf),
    "no number": lambda: OptimisedScale(7, Purpose.CDF, math.nan),
}


@pytest.mark.parametrize("ask", REFUSED.values(), ids=REFUSED)
def test_what_is_no_scale_is_refused(ask):
    with pytest.raises(DesignError, match="cannot be used"):
        ask()
