"""Power to find a slope behind a randomized question."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from tests.randomized_response.designs import Direct, ForcedResponse, Kuk, TwoCoins
from tests.randomized_response.errors import PlanError, StatisticsError
from tests.randomized_response.planning.slope_power import (
    expected_slope_power,
    simulate_slope_power,
)

GROUPS = [[0.0], [1.0]]
COINS = TwoCoins(2)


def simulated(design, slope, n, surveys=200, **settings):
    return simulate_slope_power(
        design,
        GROUPS,
        [-0.5, slope],
        tested=0,
        n=n,
        surveys=surveys,
        rng=np.random.default_rng(),
        **settings,
    )


def test_for_two_groups_asked_directly_the_information_is_that_of_two_proportions():
    """Var(log odds ratio) = sum of 1 / (n p (1 - p)) over both groups."""
    low, high = (1 / (1 + math.exp(0.5 - slope)) for slope in (0, 0.4))
    variance = sum(1 / (500 * p * (1 - p)) for p in (low, high))
    shift = 0.4 / math.sqrt(variance)
    threshold = norm.ppf(0.975)
    expected = norm.cdf(shift - threshold) + norm.cdf(-shift - threshold)
    power = expected_slope_power(Direct(2), GROUPS, [-0.5, 0.4], tested=0, n=1000)
    assert power == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "design",
    [
        COINS,
        pytest.param(ForcedResponse(1 / 6, 1 / 6), marks=pytest.mark.audit),
        pytest.param(Kuk(0.7, 0.3, draws=3), marks=pytest.mark.audit),
    ],
)
def test_simulation_and_information_agree_in_large_surveys(design):
    """Five standard errors of 200 surveys, and two points for what is left at n = 3,000."""
    expected = expected_slope_power(design, GROUPS, [-0.5, 0.45], tested=0, n=3000)
    found = simulated(design, 0.45, 3000)
    error = math.sqrt(expected * (1 - expected) / 200)
    assert abs(found.power - expected) < 5 * error + 0.02


def test_without_a_slope_the_power_is_the_significance():
    assert expected_slope_power(COINS, GROUPS, [-0.5, 0.0], tested=0, n=400) == pytest.approx(0.05)
    found = simulated(COINS, 0.0, 2000, significance=0.2)
    assert abs(found.power - 0.2) < 5 * math.sqrt(0.2 * 0.8 / 200) + 0.02


def test_randomizing_costs_power_and_people_buy_it_back():
    def at(design, n):
        return expected_slope_power(design, GROUPS, [-0.5, 0.5], tested=0, n=n)

    assert at(COINS, 500) < at(Direct(2), 500)
    assert at(COINS, 500) < at(COINS, 2000)


def test_surveys_without_an_estimate_have_found_nothing_and_are_counted():
    found = simulated(COINS, 3.0, 4, surveys=30)
    assert found.unfitted > 0
    assert found.power <= 1 - found.unfitted / 30


def test_the_tested_covariate_is_named_and_the_error_of_the_simulation_told():
    found = simulated(Direct(2), 1.0, 300, surveys=50, names=["age"])
    assert (found.tested, found.n, found.surveys) == ("age", 300, 50)
    assert found.standard_error == pytest.approx(math.sqrt(found.power * (1 - found.power) / 50))


def test_a_seed_makes_a_simulation_repeatable():
    one, other = (
        simulate_slope_power(
            COINS, GROUPS, [0, 1], tested=0, n=200, surveys=20, rng=np.random.default_rng(4)
        )
        for _ in range(2)
    )
    assert one == other


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"coefficients": [0.1]}, "the intercept, then one per covariate"),
        ({"coefficients": [0.1, math.nan]}, "finite"),
        ({"tested": 1}, "tested"),
        ({"n": 0}, "at least 1"),
        ({"surveys": 10**6}, "simulate fewer surveys"),
        ({"significance": 0.0}, "such as 0.05"),
        ({"design": TwoCoins(3)}, "yes/no"),
        ({"covariates": [[1.0], [1.0]]}, "intercept"),
        ({"link": "log"}, "choose one of"),
    ],
)
def test_what_cannot_be_simulated_is_refused_with_a_remedy(changed, words):
    given = dict(design=COINS, covariates=GROUPS, coefficients=[0, 1], tested=0, n=200, surveys=20)
    given |= changed
    with pytest.raises(StatisticsError, match=words):
        simulate_slope_power(**given, rng=np.random.default_rng())


def test_refusals_of_a_plan_are_plan_errors():
    with pytest.raises(PlanError):
        simulated(COINS, 1.0, 10**7)
