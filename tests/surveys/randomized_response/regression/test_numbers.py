import math

import numpy as np
import pandas as pd
import pytest

from tests.randomized_response.designs import Hybrid, Piecewise, TransformedReports, TwoPoint
from tests.randomized_response.errors import RegressionError
from tests.randomized_response.regression import (
    fit_number_outcome_model,
    fit_number_predictor_model,
)

PROTOCOLS = [each.from_epsilon(0, 10, 4.0) for each in (Piecewise, Hybrid)]
SURVEYS, PEOPLE = 40, 700


def plain(numbers: np.ndarray) -> TransformedReports:
    """Numbers that were reported without noise."""
    return TransformedReports(numbers, np.zeros(len(numbers)))


def population(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A covariate, and a number in [0, 10] that goes with it: 3 + 2 x on average."""
    x = rng.random(PEOPLE)
    return x, 3 + 2 * x + rng.uniform(-3, 3, PEOPLE)


def assert_unbiased(models: list, true: list[float], *, rel: float) -> None:
    """Means within five standard errors; stated errors near those that were seen."""
    coefficients = np.array([model.coefficients for model in models])
    spread = coefficients.std(axis=0, ddof=1)
    assert (np.abs(coefficients.mean(axis=0) - true) <= 5 * spread / math.sqrt(SURVEYS)).all()
    stated = np.mean([model.standard_errors for model in models], axis=0)
    assert stated == pytest.approx(spread, rel=rel)


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda p: p.name)
def test_least_squares_on_reports_of_the_outcome_are_unbiased(protocol) -> None:
    rng, models = np.random.default_rng(21), []
    for _ in range(SURVEYS):
        x, numbers = population(rng)
        models.append(fit_number_outcome_model(protocol.transform(protocol.draw(numbers, rng)), x))
    assert_unbiased(models, [3, 2], rel=0.35)


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda p: p.name)
def test_a_predictor_with_noise_is_corrected_where_plain_least_squares_shrink_it(protocol) -> None:
    rng, models, shrunk = np.random.default_rng(22), [], []
    for _ in range(SURVEYS):
        x, numbers = population(rng)
        outcome = 1 + x - 2 * numbers + rng.normal(size=PEOPLE)
        reports = protocol.transform(protocol.draw(numbers, rng))
        models.append(fit_number_predictor_model(reports, outcome, x))
        shrunk.append(fit_number_predictor_model(plain(reports.values), outcome, x))
    assert_unbiased(models, [1, 1, -2], rel=0.5)
    reliability = np.mean([model.reliability for model in models])
    assert np.mean([m.coefficients[-1] for m in shrunk]) == pytest.approx(-2 * reliability, rel=0.1)


def test_both_sides_may_have_noise_of_their_own() -> None:
    protocol, rng = PROTOCOLS[0], np.random.default_rng(23)
    numbers = rng.random(40_000) * 10
    predictor, outcome = (
        protocol.transform(protocol.draw(each, rng)) for each in (numbers, 2 + numbers / 2)
    )
    model = fit_number_predictor_model(predictor, outcome)
    assert (np.abs(model.coefficients - [2, 0.5]) <= 5 * model.standard_errors).all()


def test_without_noise_both_are_least_squares_with_a_robust_covariance() -> None:
    rng = np.random.default_rng(24)
    x, z = rng.random(50), rng.random(50)
    y = 1 + x * rng.random(50)
    rows = np.column_stack([np.ones(50), x, z])
    bread = np.linalg.inv(rows.T @ rows)
    expected = bread @ rows.T @ y
    scores = rows * (y - rows @ expected)[:, None]
    covariance = bread @ scores.T @ scores @ bread * 50 / 49
    for model in (
        fit_number_outcome_model(plain(y), rows[:, 1:]),
        fit_number_predictor_model(plain(z), y, x),
    ):
        assert model.coefficients == pytest.approx(expected)
        assert model.covariance == pytest.approx(covariance)


def test_a_weight_of_two_counts_a_person_twice() -> None:
    rng = np.random.default_rng(25)
    x, y = rng.random(30), rng.random(30)
    weights = np.repeat([1, 2], 15)
    twice = np.repeat(np.arange(30), weights)
    weighted = fit_number_outcome_model(plain(y), x, weights=weights)
    repeated = fit_number_outcome_model(plain(y[twice]), x[twice])
    assert weighted.coefficients == pytest.approx(repeated.coefficients)


def test_units_change_nothing_but_the_unit() -> None:
    rng = np.random.default_rng(26)
    numbers, x = rng.random(300) * 10, rng.random(300)
    reports = Piecewise(0, 10, 9).transform(Piecewise(0, 10, 9).draw(numbers, rng))
    large = TransformedReports(reports.values * 1e9, reports.variances * 1e18)
    small = fit_number_predictor_model(reports, numbers + x, x)
    scaled = fit_number_predictor_model(large, numbers + x, x * 1e-9)
    assert scaled.z == pytest.approx(small.z)
    assert scaled.coefficients == pytest.approx(small.coefficients * [1, 1e9, 1e-9])


def test_frames_give_names_and_predictions_take_them() -> None:
    frame = pd.DataFrame({"age": [1.0, 2, 3, 4, 5, 6], "sex": list("fmfmff")})
    model = fit_number_outcome_model(plain(np.array([2.0, 3, 5, 6, 7, 9])), frame)
    assert model.names == ("intercept", "age", "sex[m]")
    row = pd.DataFrame({"sex": ["m"], "age": [2.0]})
    expected = model.coefficients @ [1, 2, 1]
    assert model.get_prediction(row).predicted_mean[0] == pytest.approx(expected)
    number = fit_number_predictor_model(
        plain(np.arange(6.0) ** 2), [1, 2, 3, 5, 7, 9], frame[["age"]]
    )
    assert number.names == ("intercept", "age", "number")
    assert number.summary().as_text() == str(number)
    assert "reliability: 1" in str(number)
    assert number.to_frame().index.tolist() == list(number.names)


def test_noise_that_hides_the_predictor_is_refused() -> None:
    protocol, rng = Piecewise.from_epsilon(0, 10, 0.5), np.random.default_rng(27)
    reports = protocol.transform(protocol.draw(np.full(100, 5.0), rng))
    with pytest.raises(RegressionError, match="the noise hides"):
        fit_number_predictor_model(reports, rng.random(100))


@pytest.mark.parametrize(
    ("fit", "argument"),
    [
        (lambda: fit_number_outcome_model([1.0, 2.0]), "reports"),
        (lambda: fit_number_predictor_model([1.0, 2.0], [1, 2]), "reports"),
        (
            lambda: fit_number_predictor_model(TwoPoint(0, 1, 2).transform([1.0, 0.0]), [1, 2]),
            "reports.variances",
        ),
        (lambda: fit_number_predictor_model(plain(np.arange(3.0)), [1, 2]), "outcome"),
        (
            lambda: fit_number_predictor_model(
                plain(np.arange(3.0)), [1, 2, 4], number_name="intercept"
            ),
            "number_name",
        ),
    ],
)
def test_what_cannot_be_fitted_is_refused_and_the_argument_named(fit, argument) -> None:
    with pytest.raises(RegressionError) as refused:
        fit()
    assert refused.value.argument == argument


def test_classical_errors_are_those_of_one_variance():
    rng = np.random.default_rng(26)
    x, y = rng.normal(size=90), rng.normal(size=90)
    model = fit_number_outcome_model(plain(y), x, covariance="classical")
    rows = np.column_stack([np.ones(90), x])
    left = y - rows @ np.linalg.lstsq(rows, y, rcond=None)[0]
    exact = left @ left / 88 * np.linalg.inv(rows.T @ rows)
    assert model.covariance == pytest.approx(exact)
    assert "covariance classical" in str(model)
    counts = rng.integers(1, 4, 90)
    grouped = fit_number_outcome_model(plain(y), x, counts=counts, covariance="classical")
    alone = fit_number_outcome_model(
        plain(np.repeat(y, counts)), np.repeat(x, counts), covariance="classical"
    )
    assert grouped.covariance == pytest.approx(alone.covariance)
    for more in ({"covariance": "hc3"}, {"covariance": "classical", "weights": counts}):
        with pytest.raises(RegressionError, match="sandwich"):
            fit_number_outcome_model(plain(y), x, **more)


@pytest.mark.parametrize(
    ("values", "words"), [(np.full(40, 0.1), "same for all"), (np.arange(40) * 2.0, "exactly")]
)
def test_without_scatter_there_are_no_errors_of_rounding(values, words):
    with pytest.raises(RegressionError, match=words):
        fit_number_outcome_model(plain(values), np.arange(40), counts=np.full(40, 2))


def test_rows_with_counts_are_as_many_people():
    rng = np.random.default_rng(25)
    values, x, counts = rng.uniform(0, 10, 60), rng.integers(0, 3, 60), rng.integers(1, 9, 60)
    grouped = fit_number_outcome_model(plain(values), x, counts=counts)
    alone = fit_number_outcome_model(plain(np.repeat(values, counts)), np.repeat(x, counts))
    assert grouped.n == alone.n == counts.sum()
    assert grouped.coefficients == pytest.approx(alone.coefficients, rel=1e-10)
    assert grouped.covariance == pytest.approx(alone.covariance, rel=1e-9)
    with pytest.raises(RegressionError, match="one of them"):
        fit_number_outcome_model(plain(values), x, counts=counts, weights=counts)
