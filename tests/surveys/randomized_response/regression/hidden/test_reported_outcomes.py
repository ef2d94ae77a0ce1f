"""A trait and the outcome that it explains, both reported at random."""

import numpy as np
import pytest

from tests.randomized_response.designs import Direct, ForcedResponse, KAry, Warner, channel_of
from tests.randomized_response.errors import DesignError, RegressionError
from tests.randomized_response.regression import (
    fit_logistic_predictor_model,
    fit_several_predictors_model,
)
from tests.randomized_response.regression.devices import device_of
from tests.randomized_response.regression.hidden.latent_trait import TraitData, TraitOutcome
from tests.randomized_response.regression.hidden.outcome_families import reported_outcome
from tests.randomized_response.relations import estimate_cross_table
from tests.surveys.randomized_response.regression.surveys_to_fit import (
    draw_reported,
    numeric_gradient,
)

N = 3000
RNG = np.random.default_rng(21)
AGE = RNG.normal(size=N)
CHEATS = (RNG.random(N) < 0.4).astype(int)
STEALS = (RNG.random(N) < 1 / (1 + np.exp(1 - 1.5 * CHEATS - 0.4 * AGE))).astype(int)
BY_COIN, BY_CARD = Warner(0.85), ForcedResponse(0.15, 0.1)
CHEATING, STEALING = draw_reported(BY_COIN, CHEATS, RNG), draw_reported(BY_CARD, STEALS, RNG)


def test_a_direct_outcome_is_one_that_its_design_always_reports_as_it_is() -> None:
    plain = fit_logistic_predictor_model(BY_COIN, CHEATING, STEALS, AGE)
    named = fit_logistic_predictor_model(
        BY_COIN, CHEATING, STEALS, AGE, outcome_design=[Direct(2)] * N
    )
    assert named.coefficients == pytest.approx(plain.coefficients, abs=1e-6)
    assert named.covariance == pytest.approx(plain.covariance, rel=1e-5)
    assert named.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-6)


def test_without_covariates_it_is_the_odds_ratio_of_the_estimated_table() -> None:
    """As many parameters as cells: at the maximum the table has the shares that invert it."""
    model = fit_logistic_predictor_model(BY_COIN, CHEATING, STEALING, outcome_design=BY_CARD)
    counts = np.bincount(2 * STEALING + CHEATING, minlength=4).reshape(2, 2)
    shares = estimate_cross_table(BY_CARD, BY_COIN, counts).shares
    odds = np.log(shares[1] / shares[0])
    assert model.coefficients == pytest.approx([odds[0], odds[1] - odds[0]], abs=1e-5)
    assert model.shares == pytest.approx(shares.sum(axis=0), abs=1e-6)


def test_score_and_information_are_the_derivatives() -> None:
    family = reported_outcome(device_of(BY_CARD, STEALING).reported)
    rows = np.vstack([np.ones(N), AGE])
    outcome = TraitOutcome(STEALING.astype(float), family, rows)
    data = TraitData(channel_of(BY_COIN).matrix[CHEATING].T, rows, outcome)
    at = np.random.default_rng(9).normal(0, 0.5, data.size)
    score = numeric_gradient(lambda p: data.at(p).log_likelihood, at)
    assert data.at(at).score == pytest.approx(score, abs=1e-4)
    observed = -numeric_gradient(lambda p: data.at(p).score, at)
    assert data.at(at).observed == pytest.approx(observed, abs=1e-5 * np.abs(observed).max())


def test_reports_of_the_outcome_are_not_plugged_in() -> None:
    model = fit_logistic_predictor_model(BY_COIN, CHEATING, STEALING, AGE, outcome_design=BY_CARD)
    truth = np.array([-1, 0.4, 1.5])
    assert np.abs((model.coefficients - truth) / model.standard_errors).max() < 4
    plugged = fit_logistic_predictor_model(BY_COIN, CHEATING, STEALING, AGE)
    assert np.abs(plugged.coefficients[2] - 1.5) / plugged.standard_errors[2] > 2


def test_several_traits_too() -> None:
    predictors = {"cheats": (BY_COIN, CHEATING), "old": (Direct(2), (AGE > 0).astype(int))}
    model = fit_several_predictors_model(
        predictors, STEALING, family="logistic", outcome_design=BY_CARD
    )
    single = fit_logistic_predictor_model(
        BY_COIN, CHEATING, STEALING, (AGE > 0).astype(int), outcome_design=BY_CARD
    )
    assert model.coefficients[[0, 2, 1]] == pytest.approx(single.coefficients, abs=1e-5)


@pytest.mark.audit
def test_simulated_surveys_cover_the_truth() -> None:
    """Every bound is five standard errors of the simulation, as in test_simulations."""
    rng, runs, found, errors = np.random.default_rng(12), 60, [], []
    for _ in range(runs):
        trait = (rng.random(4000) < 0.4).astype(int)
        outcome = (rng.random(4000) < 1 / (1 + np.exp(0.5 - 1.2 * trait))).astype(int)
        reports = draw_reported(BY_COIN, trait, rng), draw_reported(BY_CARD, outcome, rng)
        model = fit_logistic_predictor_model(BY_COIN, *reports, outcome_design=BY_CARD)
        found.append(model.coefficients)
        errors.append(model.standard_errors)
    values, stated, truth = np.array(found), np.array(errors), np.array([-0.5, 1.2])
    spread = values.std(axis=0)
    assert (np.abs(values.mean(axis=0) - truth) < (5 / np.sqrt(runs) + 0.1) * spread).all()
    ratio = np.sqrt((stated**2).mean(axis=0)) / spread
    assert ratio == pytest.approx(1, abs=5 / np.sqrt(2 * runs) + 0.03)


def test_what_is_no_report_of_the_outcome_is_refused() -> None:
    wrong = STEALING.copy()
    wrong[3] = 2
    with pytest.raises(RegressionError, match=r"outcome\[3\]"):
        fit_logistic_predictor_model(BY_COIN, CHEATING, wrong, outcome_design=BY_CARD)
    with pytest.raises(DesignError, match="yes/no"):
        fit_logistic_predictor_model(BY_COIN, CHEATING, STEALING, outcome_design=KAry(3, 0.7))
    predictors = {"cheats": (BY_COIN, CHEATING), "steals": (BY_CARD, STEALING)}
    with pytest.raises(RegressionError, match="outcome_design"):
        fit_several_predictors_model(predictors, AGE, outcome_design=BY_CARD)
