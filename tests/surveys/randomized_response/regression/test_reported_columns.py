"""Least squares on predictors that were reported at random: unbiased for those on true answers."""

from itertools import product

import numpy as np
import pytest

from tests.randomized_response.designs import (
    Channel,
    Direct,
    ForcedResponse,
    KAry,
    TransformedReports,
    Warner,
    channel_of,
)
from tests.randomized_response.errors import DesignError, RegressionError
from tests.randomized_response.regression import (
    fit_linear_predictor_model,
    fit_number_outcome_model,
)
from tests.randomized_response.samples import survey_sample
from tests.surveys.randomized_response.regression.surveys_to_fit import draw_reported

TENTHS = Channel.binary(yes_if_true=0.8, yes_if_false=0.3)
# No, maybe and yes, each kept by 6 of 10.
THREE = KAry(3, 0.6)
N = 500
RNG = np.random.default_rng(41)
AGE = RNG.normal(size=N)
DRINKS = RNG.integers(0, 3, N)
SMOKES = (RNG.random(N) < 0.3 + 0.2 * (DRINKS == 2)).astype(int)
# Skewed, so that no normal likelihood is right.
AMOUNTS = np.exp(RNG.normal(size=N)) + SMOKES - 0.5 * (DRINKS == 1) + 0.3 * AGE
INDICATORS = np.column_stack([np.ones(N), AGE, SMOKES, DRINKS == 1, DRINKS == 2]).astype(float)


def amounts(values: np.ndarray) -> TransformedReports:
    return TransformedReports(np.asarray(values, dtype=float), None)


def test_direct_answers_give_least_squares_on_their_indicators() -> None:
    predictors = {"smokes": (Direct(2), SMOKES), "drinks": (Direct(3), DRINKS)}
    model = fit_number_outcome_model(amounts(AMOUNTS), AGE, predictors=predictors, names=["age"])
    plain = fit_number_outcome_model(amounts(AMOUNTS), INDICATORS[:, 1:])
    assert model.names == ("intercept", "age", "smokes", "drinks[1]", "drinks[2]")
    assert model.coefficients == pytest.approx(plain.coefficients)
    assert model.covariance == pytest.approx(plain.covariance)
    at = model.get_prediction([[0.5, 1, 0, 1]]).predicted_mean
    assert at == pytest.approx([[1, 0.5, 1, 0, 1] @ model.coefficients])


def test_over_all_outcomes_of_the_devices_it_is_least_squares_on_the_truth() -> None:
    """Each person stands in every pair of reports, as often as the channels say, times 1,000."""
    people = [(1.0, 0, 0), (2.5, 0, 1), (0.5, 1, 0), (6.0, 1, 2), (3.0, 0, 2), (4.0, 1, 1)] * 2
    people += [(2.0, 1, 1), (9.0, 0, 0)]
    rows, counts = [], []
    for y, one, other in people:
        for z, w in product(range(2), range(3)):
            chance = channel_of(TENTHS).matrix[z, one] * channel_of(THREE).matrix[w, other]
            rows.append((y, z, w))
            counts.append(round(1000 * chance))
    y, one, other = (np.array(column) for column in zip(*rows, strict=True))
    predictors = {"one": (TENTHS, one.astype(int)), "other": (THREE, other.astype(int))}
    model = fit_number_outcome_model(amounts(y), predictors=predictors, counts=np.array(counts))
    truth = np.array([[1, a, b == 1, b == 2] for _, a, b in people], dtype=float)
    exact, *_ = np.linalg.lstsq(truth, np.array([each[0] for each in people]), rcond=None)
    assert model.coefficients == pytest.approx(exact, abs=1e-9)
    assert model.n == 1000 * len(people)


def test_simulated_surveys_are_unbiased_and_their_errors_as_stated() -> None:
    """Bounds are five standard errors of the simulation; the outcome is skewed."""
    rng, runs, models = np.random.default_rng(42), 60, []
    for _ in range(runs):
        one = (rng.random(1500) < 0.4).astype(int)
        other = (rng.random(1500) < 0.3 + 0.3 * one).astype(int)
        y = 2 * rng.exponential(size=1500) + 0.8 * one - 0.5 * other
        predictors = {
            "one": (ForcedResponse(0.1, 0.1), draw_reported(ForcedResponse(0.1, 0.1), one, rng)),
            "other": (Warner(0.85), draw_reported(Warner(0.85), other, rng)),
        }
        models.append(fit_number_outcome_model(amounts(y), predictors=predictors))
    values = np.array([model.coefficients for model in models])
    spread = values.std(axis=0, ddof=1)
    assert (np.abs(values.mean(axis=0) - [2, 0.8, -0.5]) < 5 * spread / np.sqrt(runs)).all()
    stated = np.sqrt(np.mean([model.standard_errors**2 for model in models], axis=0))
    assert stated / spread == pytest.approx(1, abs=5 / np.sqrt(2 * runs) + 0.03)


def test_it_agrees_with_the_mixture_where_errors_are_normal() -> None:
    outcome = SMOKES + RNG.normal(size=N)
    reports = draw_reported(Warner(0.9), SMOKES, RNG)
    ours = fit_number_outcome_model(amounts(outcome), predictors={"s": (Warner(0.9), reports)})
    theirs = fit_linear_predictor_model(Warner(0.9), reports, outcome)
    apart = np.abs(ours.coefficients - theirs.coefficients)
    assert (apart < 1.5 * theirs.standard_errors).all()
    assert (ours.standard_errors > 0.9 * theirs.standard_errors).all()


def test_one_design_for_each_person_and_people_who_were_drawn() -> None:
    reports = draw_reported(Warner(0.9), SMOKES, RNG)
    one = fit_number_outcome_model(amounts(AMOUNTS), predictors={"s": (Warner(0.9), reports)})
    each = fit_number_outcome_model(
        amounts(AMOUNTS), predictors={"s": ([Warner(0.9)] * N, reports)}
    )
    assert each.coefficients == pytest.approx(one.coefficients)
    sample = survey_sample(np.ones(N), clusters=np.arange(N))
    drawn = fit_number_outcome_model(
        amounts(AMOUNTS), predictors={"s": (Warner(0.9), reports)}, weights=sample
    )
    assert drawn.covariance == pytest.approx(one.covariance, rel=1e-6)


@pytest.mark.parametrize(
    ("predictors", "error", "words"),
    [
        ({"s": (Warner(0.9), [0, 1])}, RegressionError, "give 500 reports"),
        ({"s": (Warner(0.9), SMOKES + 1)}, RegressionError, "numbered 0 to 1"),
        ({"s": (Channel(((0.5, 0.5), (0.5, 0.5))), SMOKES)}, DesignError, "."),
        ({"s": (Warner(0.51), np.arange(N) % 2)}, RegressionError, "hides how people differ"),
        ({"x1": (Warner(0.9), SMOKES)}, RegressionError, "names of their own"),
        ({}, RegressionError, "mapping of names"),
        ({"": (Warner(0.9), SMOKES)}, RegressionError, "not empty"),
        ([(Warner(0.9), SMOKES)], RegressionError, "mapping of names"),
    ],
)
def test_what_are_no_predictors_is_refused(predictors, error, words) -> None:
    with pytest.raises(error, match=words):
        fit_number_outcome_model(amounts(AMOUNTS), AGE, predictors=predictors)


def test_a_finite_population_is_refused_since_the_noise_of_traits_is_not_known() -> None:
    sample = survey_sample(np.ones(N), population=10 * N)
    with pytest.raises(RegressionError, match="finite population"):
        fit_number_outcome_model(
            amounts(AMOUNTS), predictors={"s": (Warner(0.9), SMOKES)}, weights=sample
        )
