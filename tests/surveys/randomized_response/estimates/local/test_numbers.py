import math

import numpy as np
import pytest

from tests.randomized_response.designs import (
    DiscretisedScrambling,
    Hybrid,
    Piecewise,
    TransformedReports,
    TwoPoint,
)
from tests.randomized_response.drawing import draw_reports
from tests.randomized_response.errors import DesignError, EstimationError
from tests.randomized_response.estimates import (
    estimate_number_mean,
    estimate_number_variance,
    number_mean_variance,
    worst_number_mean_variance,
)

EVERY = [each.from_epsilon(0, 50, 2.0) for each in (TwoPoint, Piecewise, Hybrid)]
AGES = np.array([3.0, 11.0, 12.0, 30.0, 50.0])
GRID = DiscretisedScrambling.from_epsilon(0, 50, 5, 4.0)


@pytest.mark.parametrize("protocol", EVERY, ids=lambda p: p.name)
def test_the_variance_of_a_mean_is_what_simulated_surveys_have(protocol) -> None:
    """Of 60 people: these same ones, and others of their population; within five errors."""
    rng = np.random.default_rng(8)
    these = protocol.draw(np.tile(AGES, 12 * 2000), rng).reshape(2000, 60).mean(axis=1)
    others = protocol.draw(rng.choice(AGES, 60 * 2000), rng).reshape(2000, 60).mean(axis=1)
    expected = number_mean_variance(protocol, AGES.mean(), AGES.std(), 60)
    for means, variance in zip((these, others), expected, strict=True):
        squares = (means - AGES.mean()) ** 2
        assert abs(squares.mean() - variance) <= 5 * squares.std() / math.sqrt(2000)


@pytest.mark.parametrize("protocol", EVERY, ids=lambda p: p.name)
def test_no_answers_have_a_larger_variance_than_the_worst(protocol) -> None:
    worst = worst_number_mean_variance(protocol, 10)
    seen = [
        number_mean_variance(protocol, mean, part * math.sqrt(mean * (50 - mean)), 10)
        for mean in np.linspace(0, 50, 21)
        for part in (0.0, 0.5, 1.0)
    ]
    assert np.max(seen, axis=0) == pytest.approx(worst, rel=1e-12)


@pytest.mark.parametrize("protocol", EVERY, ids=lambda p: p.name)
def test_the_mean_is_that_of_the_reports_and_its_error_their_spread(protocol) -> None:
    reports = protocol.draw(np.tile(AGES, 40), np.random.default_rng(9))
    estimate = estimate_number_mean(protocol, reports)
    assert estimate.mean == pytest.approx(reports.mean())
    assert estimate.standard_error == pytest.approx(reports.std(ddof=1) / math.sqrt(200))
    if protocol.moments[0] > -1:
        noise, total = number_mean_variance(protocol, AGES.mean(), AGES.std(), 200)
        assert estimate.conditional_variance == pytest.approx(noise, rel=0.3)
        assert estimate.standard_error**2 == pytest.approx(total, rel=0.3)


def test_guaranteed_intervals_are_those_of_their_inequalities() -> None:
    protocol = Piecewise.from_epsilon(0, 50, 2.0)
    estimate = estimate_number_mean(protocol, [20.0, 30.0, 10.0, 60.0])
    chebyshev, hoeffding = (estimate.interval(0.9, each) for each in ("chebyshev", "hoeffding"))
    worst = worst_number_mean_variance(protocol, 4)[1]
    assert chebyshev.width == pytest.approx(2 * math.sqrt(worst / 0.1))
    reach = 50 * float(protocol.reach)
    chance = 2 * math.exp(-2 * 4 * (hoeffding.width / 2 / reach) ** 2)
    assert chance == pytest.approx(0.1)


def test_reports_that_agree_have_no_interval_of_width_0() -> None:
    estimate = estimate_number_mean(TwoPoint(0, 10, 3), [11.25] * 3)
    assert estimate.interval().method == "hoeffding"
    assert estimate.interval().width > 10
    assert estimate_number_mean(TwoPoint(0, 10, 3), [0.0]).standard_error is None


@pytest.mark.parametrize("protocol", [*EVERY[1:], GRID], ids=lambda p: p.name)
def test_the_variance_of_the_true_numbers_is_estimated_without_bias(protocol) -> None:
    """120 samples of 40 people, within five errors; its standard error is right to a quarter."""
    rng = np.random.default_rng(10)
    values = np.array([5.0, 10.0, 10.0, 30.0, 50.0])
    true = rng.choice(values, 120 * 40)
    if protocol is GRID:
        reports = draw_reports(GRID, GRID.levels_of(true), rng)
    else:
        reports = protocol.draw(true, rng)
    surveys = map(protocol.transform, reports.reshape(120, 40))
    estimates = [estimate_number_variance(survey) for survey in surveys]
    variances = np.array([estimate.variance for estimate in estimates])
    assert abs(variances.mean() - values.var()) <= 5 * variances.std() / math.sqrt(120)
    errors = np.array([estimate.standard_error for estimate in estimates])
    assert errors.mean() == pytest.approx(variances.std(), rel=0.25)


def test_without_noise_the_variance_is_the_usual_one() -> None:
    numbers = TransformedReports(AGES, np.zeros(5))
    assert estimate_number_variance(numbers).variance == pytest.approx(AGES.var(ddof=1))


def test_a_variance_below_0_has_no_standard_deviation() -> None:
    estimate = estimate_number_variance(TransformedReports(AGES, np.full(5, 1e4)))
    assert estimate.variance < 0
    assert estimate.standard_deviation is None


@pytest.mark.parametrize(
    ("ask", "argument"),
    [
        (lambda: number_mean_variance(EVERY[0], 60, 1, 10), "mean"),
        (lambda: number_mean_variance(EVERY[0], 25, 26, 10), "standard_deviation"),
        (lambda: number_mean_variance(EVERY[0], 25, -1, 10), "standard_deviation"),
        (lambda: number_mean_variance(EVERY[0], 25, 1, 0), "n"),
        (lambda: worst_number_mean_variance(GRID, 10), "protocol"),
        (lambda: estimate_number_mean(GRID, [1.0]), "protocol"),
        (lambda: estimate_number_mean(EVERY[1], [1.0]).interval(0.9, "wilson"), "method"),
        (lambda: estimate_number_variance([1.0, 2.0]), "reports"),
        (lambda: estimate_number_variance(EVERY[1].transform([1.0])), "reports"),
        (lambda: estimate_number_variance(EVERY[0].transform([1.0, 1.0])), "reports.variances"),
    ],
)
def test_what_cannot_be_answered_is_refused_and_the_argument_named(ask, argument) -> None:
    with pytest.raises((DesignError, EstimationError)) as refused:
        ask()
    assert refused.value.argument == argument
