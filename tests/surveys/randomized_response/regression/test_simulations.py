"""Simulated surveys with a known truth. Every bound is five standard errors of the simulation."""

import numpy as np
import pytest

from tests.randomized_response.designs import (
    AnchoredCrosswise,
    ForcedResponse,
    Kuk,
    StochasticLieDetector,
    Warner,
)
from tests.randomized_response.regression import (
    fit_anchored_outcome_model,
    fit_linear_predictor_model,
    fit_logistic_predictor_model,
    fit_mixed_model,
    fit_no_sayer_model,
    fit_outcome_model,
    fit_random_intercept_model,
    fit_random_slope_model,
)
from tests.randomized_response.regression.links import LINKS
from tests.surveys.randomized_response.regression.surveys_to_fit import draw_reported, draw_survey

pytestmark = pytest.mark.audit
RUNS = 200
TRUTH = np.array([-0.4, 0.8, -0.5])


def assert_recovered(name: str, found: np.ndarray, errors: np.ndarray, truth: np.ndarray) -> None:
    """Means near the truth, standard errors near the spread, Wald intervals near 95 per cent."""
    runs = len(found)
    mean, spread = found.mean(axis=0), found.std(axis=0)
    covered = (np.abs(found - truth) < 1.959964 * errors).mean(axis=0)
    ratio = np.sqrt((errors**2).mean(axis=0)) / spread
    print(f"\n{name}: mean {mean.round(3)}, se/sd {ratio.round(3)}, coverage {covered.round(3)}")
    # Maximum likelihood is biased by the order of 1/n: a tenth of a standard error is allowed.
    assert (np.abs(mean - truth) < (5 / np.sqrt(runs) + 0.1) * spread).all()
    assert ratio == pytest.approx(1, abs=5 / np.sqrt(2 * runs) + 0.03)
    assert (np.abs(covered - 0.95) < 5 * np.sqrt(0.95 * 0.05 / runs) + 0.01).all()


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize(
    "design", [Warner(0.8), ForcedResponse(0.1, 0.2), Kuk(0.8, 0.2, 2)], ids=lambda d: d.name
)
def test_coefficients_errors_and_intervals(design, link) -> None:
    rng, found, errors = np.random.default_rng(1), [], []
    for _ in range(RUNS):
        reports, covariates = draw_survey(design, list(TRUTH), 3000, rng, link)
        model = fit_outcome_model(design, reports, covariates, link=link)
        found.append(model.coefficients)
        errors.append(model.standard_errors)
    assert_recovered(f"{design.name}, {link}", np.array(found), np.array(errors), TRUTH)


def test_likelihood_ratio_tests_reject_a_true_null_as_often_as_stated() -> None:
    rng, runs, rejected = np.random.default_rng(2), 1000, 0
    for _ in range(runs):
        reports, covariates = draw_survey(Warner(0.8), [-0.4, 0.8, 0.0], 1000, rng)
        model = fit_outcome_model(Warner(0.8), reports, covariates)
        rejected += model.likelihood_ratio_tests()[2].p_value < 0.05
    print(f"\nrejected at 5 per cent: {rejected / runs:.4f}")
    assert abs(rejected / runs - 0.05) < 5 * np.sqrt(0.05 * 0.95 / runs) + 0.005


def test_the_lie_detector_recovers_slopes_and_the_truthful_share() -> None:
    rng, found, errors = np.random.default_rng(3), [], []
    for _ in range(RUNS):
        groups = np.repeat([1, 2], 2000)
        x = rng.normal(size=4000)
        carrier = rng.random(4000) < 1 / (1 + np.exp(0.1 - 0.8 * x))
        honest = rng.random(4000) < 0.8
        says_no = rng.random(4000) < np.where(groups == 1, 1 / 6, 5 / 6)
        reports = np.where(carrier, honest, ~says_no).astype(int)
        design = StochasticLieDetector(1 / 6, 5 / 6)
        model = fit_outcome_model(design, reports, x, groups=groups)
        found.append([*model.coefficients, model.auxiliary.estimate])
        errors.append([*model.standard_errors, model.auxiliary.standard_error])
    truth = np.array([-0.1, 0.8, 0.8])
    assert_recovered("lie detector", np.array(found), np.array(errors), truth)


def test_weights_undo_a_selection_that_depends_on_the_answer() -> None:
    """People are kept with a chance that depends on the covariate's square and the truth."""
    rng, found, errors = np.random.default_rng(4), [], []
    for _ in range(RUNS):
        x = rng.normal(size=6000)
        true = rng.random(6000) < 1 / (1 + np.exp(0.4 - 0.8 * x))
        chance = np.where(true, 0.8, 0.4)
        kept = rng.random(6000) < chance
        reports = draw_reported(Warner(0.8), true[kept].astype(int), rng)
        model = fit_outcome_model(Warner(0.8), reports, x[kept], weights=1 / chance[kept])
        found.append(model.coefficients)
        errors.append(model.standard_errors)
    assert_recovered("weighted", np.array(found), np.array(errors), np.array([-0.4, 0.8]))


def test_linear_predictors() -> None:
    rng, found, errors = np.random.default_rng(5), [], []
    for _ in range(RUNS):
        w = rng.normal(size=1500)
        true = (rng.random(1500) < 0.4).astype(int)
        outcome = 2 + 0.7 * w + 1.2 * true + rng.normal(size=1500)
        reports = draw_reported(Warner(0.8), true, rng)
        model = fit_linear_predictor_model(Warner(0.8), reports, outcome, w)
        found.append(model.coefficients)
        errors.append(model.standard_errors)
    truth = np.array([2, 0.7, 1.2])
    assert_recovered("linear predictor", np.array(found), np.array(errors), truth)


def test_logistic_predictors() -> None:
    rng, found, errors = np.random.default_rng(6), [], []
    for _ in range(100):
        x = rng.normal(size=6000)
        true = (rng.random(6000) < 1 / (1 + np.exp(0.3 - 0.5 * x))).astype(int)
        outcome = (rng.random(6000) < 1 / (1 + np.exp(0.5 - 0.4 * x - true))).astype(int)
        reports = draw_reported(ForcedResponse(0.1, 0.1), true, rng)
        model = fit_logistic_predictor_model(ForcedResponse(0.1, 0.1), reports, outcome, x)
        found.append([*model.trait.coefficients, *model.coefficients])
        errors.append([*model.trait.standard_errors, *model.standard_errors])
    truth = np.array([-0.3, 0.5, -0.5, 0.4, 1.0])
    assert_recovered("logistic predictor", np.array(found), np.array(errors), truth)


def test_a_random_intercept() -> None:
    """Between clusters: the spread's estimate is biased downward, as maximum likelihood's is."""
    rng, found, errors = np.random.default_rng(7), [], []
    for _ in range(60):
        cluster = np.repeat(np.arange(60), 20)
        x = rng.normal(size=1200)
        u = rng.normal(0, 0.8, 60)[cluster]
        true = (rng.random(1200) < 1 / (1 + np.exp(0.4 - 0.8 * x - u))).astype(int)
        reports = draw_reported(ForcedResponse(0.1, 0.1), true, rng)
        model = fit_random_intercept_model(ForcedResponse(0.1, 0.1), reports, cluster, x, nodes=9)
        found.append([*model.coefficients, model.random_intercept_sd])
        errors.append([*model.standard_errors, model.random_intercept_sd_error])
    truth = np.array([-0.4, 0.8, 0.8])
    assert_recovered("random intercept", np.array(found), np.array(errors), truth)


def test_random_slopes() -> None:
    """Between clusters: the spreads' estimates are biased downward, as maximum likelihood's are."""
    rng, found, errors = np.random.default_rng(9), [], []
    for _ in range(60):
        cluster = np.repeat(np.arange(80), 25)
        x = rng.normal(size=2000)
        u, v = rng.multivariate_normal([0, 0], [[0.64, 0.2], [0.2, 0.49]], 80).T
        eta = -0.4 + u[cluster] + (0.8 + v[cluster]) * x
        true = (rng.random(2000) < 1 / (1 + np.exp(-eta))).astype(int)
        reports = draw_reported(ForcedResponse(0.1, 0.1), true, rng)
        model = fit_random_slope_model(ForcedResponse(0.1, 0.1), reports, cluster, x, ["x1"])
        found.append([*model.coefficients, *model.effects.sds])
        errors.append([*model.standard_errors, *model.effects.sd_errors])
    truth = np.array([-0.4, 0.8, 0.8, 0.7])
    assert_recovered("random slopes", np.array(found), np.array(errors), truth)


def test_two_crossed_groupings() -> None:
    rng, found, errors = np.random.default_rng(10), [], []
    for _ in range(60):
        village, asker = rng.integers(0, 60, 4000), rng.integers(0, 40, 4000)
        x = rng.normal(size=4000)
        eta = -0.4 + 0.8 * x + rng.normal(0, 0.8, 60)[village] + rng.normal(0, 0.6, 40)[asker]
        true = (rng.random(4000) < 1 / (1 + np.exp(-eta))).astype(int)
        reports = draw_reported(ForcedResponse(0.1, 0.1), true, rng)
        groups = {"village": village, "asker": asker}
        model = fit_mixed_model(ForcedResponse(0.1, 0.1), reports, groups, x)
        found.append([*model.coefficients, *(each.sds[0] for each in model.effects)])
        spread_errors = [each.sd_errors[0] for each in model.effects]
        errors.append([*model.standard_errors, *spread_errors])
    truth = np.array([-0.4, 0.8, 0.8, 0.6])
    assert_recovered("crossed groupings", np.array(found), np.array(errors), truth)


def test_a_crosswise_outcome_with_an_anchor() -> None:
    rng, found, errors = np.random.default_rng(8), [], []
    for _ in range(100):
        x = rng.normal(size=5000)
        carries = rng.random(5000) < 1 / (1 + np.exp(0.5 - 0.8 * x))
        attends = rng.random(5000) < 1 / (1 + np.exp(-1.2 - 0.5 * x))
        guesses = rng.random((2, 5000)) < 0.5
        reports = np.where(attends, carries == (rng.random(5000) < 0.15), guesses[0])
        anchors = np.where(attends, rng.random(5000) < 0.85, guesses[1])
        model = fit_anchored_outcome_model(
            AnchoredCrosswise(0.15, 0.15), reports, anchors, x, attention_covariates=x
        )
        found.append([*model.coefficients, *model.attention.coefficients])
        errors.append([*model.standard_errors, *model.attention.standard_errors])
    truth = np.array([-0.5, 0.8, 1.2, 0.5])
    assert_recovered("anchored outcome", np.array(found), np.array(errors), truth)


def test_no_sayers_are_counted_and_their_test_has_its_level() -> None:
    """Errors where there are some; where there are none, half of all estimates are 0."""
    rng, device = np.random.default_rng(9), ForcedResponse(0.1, 0.1)
    found, errors, runs = [], [], 300
    absent = []
    for share in (0.15, 0.0):
        for _ in range(runs):
            common = rng.random((2000, 1)) < 0.5
            true = rng.random((2000, 4)) < np.where(common, 0.4, 0.2)
            reports = np.column_stack([draw_reported(device, t.astype(int), rng) for t in true.T])
            reports[rng.random(2000) < share] = 0
            model = fit_no_sayer_model(device, reports)
            if share > 0:
                found.append([*model.prevalences, model.no_sayers.estimate])
                spread = np.sqrt(np.diag(model.prevalence_covariance))
                errors.append([*spread, model.no_sayers.standard_error])
            else:
                absent.append((model.no_sayers.estimate, model.no_sayer_test.p_value))
    truth = np.array([0.3, 0.3, 0.3, 0.3, 0.15])
    assert_recovered("no-sayers", np.array(found), np.array(errors), truth)
    estimates, p_values = np.array(absent).T
    print(f"none: {(estimates == 0).mean():.3f} are 0, {(p_values < 0.05).mean():.3f} rejected")
    assert abs((estimates == 0).mean() - 0.5) < 5 * np.sqrt(0.25 / runs) + 0.03
    assert abs((p_values < 0.05).mean() - 0.05) < 5 * np.sqrt(0.0475 / runs) + 0.01
