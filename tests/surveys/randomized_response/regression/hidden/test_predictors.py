import time

import numpy as np
import pytest
from scipy.stats import norm

from tests.randomized_response.designs import Direct, ForcedResponse, KAry, Warner
from tests.randomized_response.errors import (
    CollinearityError,
    CountsError,
    DesignError,
    RegressionError,
    SeparationError,
)
from tests.randomized_response.regression import (
    fit_linear_predictor_model,
    fit_logistic_predictor_model,
    fit_outcome_model,
)
from tests.randomized_response.regression.hidden.latent_trait import TraitData, TraitOutcome
from tests.randomized_response.regression.hidden.outcome_families import LOGISTIC, NORMAL
from tests.surveys.randomized_response.regression.surveys_to_fit import (
    draw_reported,
    numeric_gradient,
)

N = 500
RNG = np.random.default_rng(5)
W = RNG.normal(size=N)
TRUE = (RNG.random(N) < 0.4).astype(int)
LEVELS = RNG.integers(0, 3, N)
OUTCOME = 2 + 1.4 * TRUE + 0.7 * W + RNG.normal(size=N)
YES = (RNG.random(N) < 1 / (1 + np.exp(0.5 - TRUE - 0.4 * W))).astype(int)
REPORTS = draw_reported(Warner(0.85), TRUE, RNG)


def least_squares(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
    """Coefficients, residual sd (by n) and standard errors."""
    found = np.linalg.lstsq(x, y, rcond=None)[0]
    variance = float(((y - x @ found) ** 2).mean())
    return found, np.sqrt(variance), np.sqrt(np.diag(variance * np.linalg.inv(x.T @ x)))


def test_a_direct_predictor_gives_least_squares() -> None:
    model = fit_linear_predictor_model(
        Direct(2), TRUE, OUTCOME, W, names=["w"], trait_covariates=None
    )
    found, spread, errors = least_squares(np.column_stack([np.ones(N), W, TRUE]), OUTCOME)
    assert model.names == ("intercept", "w", "trait")
    assert model.coefficients == pytest.approx(found, abs=1e-7)
    assert model.residual_sd == pytest.approx(spread, rel=1e-7)
    assert model.standard_errors == pytest.approx(errors, rel=1e-6)
    assert model.shares == pytest.approx([1 - TRUE.mean(), TRUE.mean()], abs=1e-8)
    yes = TRUE.sum()
    both = yes * np.log(yes / N) + (N - yes) * np.log(1 - yes / N)
    normal = -N / 2 * (np.log(2 * np.pi * spread**2) + 1)
    assert model.log_likelihood == pytest.approx(normal + both, abs=1e-7)


def test_three_direct_levels_give_least_squares_with_two_indicators() -> None:
    model = fit_linear_predictor_model(Direct(3), LEVELS, OUTCOME, W, trait_name="party")
    x = np.column_stack([np.ones(N), W, LEVELS == 1, LEVELS == 2])
    found, _, errors = least_squares(x, OUTCOME)
    assert model.names == ("intercept", "x1", "party[1]", "party[2]")
    assert model.coefficients == pytest.approx(found, abs=1e-7)
    assert model.standard_errors == pytest.approx(errors, rel=1e-6)


def test_direct_answers_give_two_ordinary_logistic_regressions() -> None:
    model = fit_logistic_predictor_model(Direct(2), TRUE, YES, W)
    trait = fit_outcome_model(Direct(2), TRUE, W)
    outcome = fit_outcome_model(Direct(2), YES, np.column_stack([W, TRUE]))
    assert model.trait.coefficients == pytest.approx(trait.coefficients, abs=1e-6)
    assert model.coefficients == pytest.approx(outcome.coefficients, abs=1e-6)
    assert model.standard_errors == pytest.approx(outcome.standard_errors, rel=1e-6)
    both = trait.log_likelihood + outcome.log_likelihood
    assert model.log_likelihood == pytest.approx(both, abs=1e-8)


@pytest.mark.parametrize("family", [NORMAL, LOGISTIC, None], ids=["normal", "logistic", "none"])
@pytest.mark.parametrize("design", [Warner(0.8), KAry(3, 0.6)], ids=["two levels", "three levels"])
def test_score_and_information_are_the_derivatives(design, family) -> None:
    rng = np.random.default_rng(1)
    reports = rng.integers(0, design.options, 30)
    rows = np.vstack([np.ones(30), rng.normal(size=30)])
    values = rng.normal(size=30) if family is NORMAL else rng.integers(0, 2, 30).astype(float)
    outcome = None if family is None else TraitOutcome(values, family, rows)
    data = TraitData(design.channel.matrix[reports].T, rows, outcome)
    at = rng.normal(size=data.size) / 2
    point = data.at(at)
    slopes = numeric_gradient(lambda p: data.at(p).log_likelihood, at)
    curvature = -numeric_gradient(lambda p: data.at(p).score, at)
    assert point.score == pytest.approx(slopes, rel=1e-6, abs=1e-6)
    assert point.observed == pytest.approx(curvature, rel=1e-5, abs=1e-5)
    assert np.linalg.eigvalsh(point.expected)[0] > 0


def test_randomized_reports_are_not_plugged_in() -> None:
    """Plugging in the report shrinks the effect; the mixture likelihood does not."""
    model = fit_linear_predictor_model(Warner(0.85), REPORTS, OUTCOME, W)
    plugged, _, _ = least_squares(np.column_stack([np.ones(N), W, REPORTS]), OUTCOME)
    effect, error = model.coefficients[-1], model.standard_errors[-1]
    assert abs(effect - 1.4) < 5 * error
    assert plugged[-1] < 1.4 - 3 * error


def test_units_and_names_of_reports_do_not_matter() -> None:
    one = fit_linear_predictor_model(Warner(0.85), REPORTS, OUTCOME, W)
    other = fit_linear_predictor_model(Warner(0.15), 1 - REPORTS, 1e6 * OUTCOME + 1e7, 1e-3 * W)
    scale = np.array([1e6, 1e9, 1e6])
    shift = np.array([1e7, 0, 0])
    assert (other.coefficients - shift) / scale == pytest.approx(one.coefficients, abs=1e-6)
    assert other.standard_errors / scale == pytest.approx(one.standard_errors, rel=1e-5)
    assert other.residual_sd == pytest.approx(1e6 * one.residual_sd, rel=1e-6)
    assert other.log_likelihood == pytest.approx(one.log_likelihood - N * np.log(1e6), abs=1e-6)


def test_the_opposite_trait_has_the_opposite_effect() -> None:
    one = fit_logistic_predictor_model(ForcedResponse(0.1, 0.2), REPORTS, YES, W)
    other = fit_logistic_predictor_model(ForcedResponse(0.2, 0.1), 1 - REPORTS, YES, W)
    assert other.coefficients[-1] == pytest.approx(-one.coefficients[-1], abs=1e-5)
    assert other.coefficients[1] == pytest.approx(one.coefficients[1], abs=1e-5)
    assert other.trait.coefficients == pytest.approx(-one.trait.coefficients, abs=1e-5)
    assert other.shares == pytest.approx(one.shares[::-1], abs=1e-6)


def test_the_trait_depends_on_the_covariates_in_the_linear_model_too() -> None:
    """Unless one says that it does not, and then effects are biased where it does."""
    rng = np.random.default_rng(8)
    true = (rng.random(4000) < 1 / (1 + np.exp(-2 * (w := rng.normal(size=4000))))).astype(int)
    outcome = true + w + rng.normal(size=4000)
    reports = draw_reported(Warner(0.75), true, rng)
    with_it = fit_linear_predictor_model(Warner(0.75), reports, outcome, w, names=["w"])
    named = fit_linear_predictor_model(
        Warner(0.75), reports, outcome, w, trait_covariates=w, trait_covariate_names=["w"]
    )
    without = fit_linear_predictor_model(Warner(0.75), reports, outcome, w, trait_covariates=None)
    assert named.coefficients == pytest.approx(with_it.coefficients, abs=1e-8)
    assert with_it.trait.names == ("intercept", "w")
    assert abs(with_it.coefficients[-1] - 1) < 5 * with_it.standard_errors[-1]
    # Chi-squared on 1 degree of freedom if there were no dependence: 25 is 5 sigma.
    assert 2 * (with_it.log_likelihood - without.log_likelihood) > 25


def test_one_design_per_person_is_welcome() -> None:
    designs = [Warner(0.85) if i % 2 else Direct(2) for i in range(N)]
    reports = np.where(np.arange(N) % 2 == 1, REPORTS, TRUE)
    mixed = fit_linear_predictor_model(designs, reports, OUTCOME, W)
    randomized = fit_linear_predictor_model(Warner(0.85), REPORTS, OUTCOME, W)
    assert mixed.standard_errors[-1] < randomized.standard_errors[-1]


def test_what_cannot_be_fitted_is_refused() -> None:
    with pytest.raises(RegressionError, match="same for all people"):
        fit_linear_predictor_model(Warner(0.85), REPORTS, np.ones(N))
    with pytest.raises(RegressionError, match=r"outcome\[2\]"):
        fit_linear_predictor_model(Warner(0.85), REPORTS, np.where(np.arange(N) == 2, np.nan, W))
    with pytest.raises(RegressionError, match=r"outcome\[0\]"):
        fit_logistic_predictor_model(Warner(0.85), REPORTS, YES + 5)
    with pytest.raises(CollinearityError, match="column x2"):
        fit_linear_predictor_model(Warner(0.85), REPORTS, OUTCOME, np.column_stack([W, W]))
    with pytest.raises(RegressionError, match="trait_name"):
        fit_linear_predictor_model(Warner(0.85), REPORTS, OUTCOME, W, trait_name="x1")
    with pytest.raises(DesignError, match="same true levels"):
        fit_linear_predictor_model([Direct(2), Direct(3)] * 250, REPORTS, OUTCOME)
    with pytest.raises((RegressionError, CountsError), match=r"reports\[0\] = 9"):
        fit_linear_predictor_model(Warner(0.85), np.full(N, 9), OUTCOME)


def test_a_trait_that_nobody_has_is_refused() -> None:
    with pytest.raises(SeparationError, match="column"):
        fit_linear_predictor_model(Direct(2), np.zeros(N), OUTCOME, W)
    with pytest.raises(SeparationError, match="column"):
        fit_logistic_predictor_model(Direct(2), np.zeros(N), YES, W)


def test_an_outcome_that_the_trait_separates_is_refused() -> None:
    with pytest.raises(SeparationError, match="column"):
        fit_logistic_predictor_model(Direct(2), TRUE, TRUE, W)


@pytest.mark.parametrize(
    ("design", "levels", "covariates"),
    [(Warner(0.8), 2, 0), (Warner(0.8), 2, 2), (KAry(3, 0.7), 3, 0)],
)
def test_an_outcome_that_reveals_the_trait_is_refused_at_once(design, levels, covariates) -> None:
    rng = np.random.default_rng(5)
    true, w = rng.integers(0, levels, 2000), rng.normal(size=(2000, covariates))
    reports, outcome = draw_reported(design, true, rng), 3 + 2 * true + w.sum(axis=1)
    began = time.process_time()
    with pytest.raises(RegressionError, match="outcome reveals the trait"):
        fit_linear_predictor_model(design, reports, outcome, w if covariates else None)
    # Looking for the maximum that does not exist took ten seconds for three levels.
    assert time.process_time() - began < 1


def test_an_outcome_that_almost_reveals_the_trait_is_fitted() -> None:
    rng = np.random.default_rng(6)
    true = rng.integers(0, 2, 2000)
    reports = draw_reported(Warner(0.8), true, rng)
    outcome = 3 + 2 * true + 1e-4 * rng.normal(size=2000)
    model = fit_linear_predictor_model(Warner(0.8), reports, outcome)
    assert model.coefficients == pytest.approx([3, 2], abs=2e-5)
    assert model.residual_sd == pytest.approx(1e-4, rel=0.05)


@pytest.mark.parametrize("seeds", [range(10), pytest.param(range(10, 60), marks=pytest.mark.audit)])
def test_no_maximum_lower_than_the_truth_is_taken_for_the_highest(seeds: range) -> None:
    """The likelihood of a mixture has several maxima; the highest beats the true parameters."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        w, true = rng.normal(size=80), (rng.random(80) < 0.3).astype(int)
        outcome = 3 * true + w + rng.normal(size=80)
        reports = draw_reported(Warner(0.6), true, rng)
        model = fit_linear_predictor_model(Warner(0.6), reports, outcome, w, trait_covariates=None)
        chances = Warner(0.6).channel.matrix[reports] * [0.7, 0.3]
        densities = norm.pdf(outcome[:, None], w[:, None] + np.array([0, 3]))
        assert model.log_likelihood >= np.log((chances * densities).sum(axis=1)).sum()


def test_a_maximum_at_which_the_effect_is_not_held_back_is_refused() -> None:
    """Twenty people and a device that says little: the slope is 0 where the curvature is, too."""
    rng = np.random.default_rng(32)
    w, true = rng.normal(size=20), (rng.random(20) < 0.3).astype(int)
    reports = draw_reported(Warner(0.6), true, rng)
    outcome = 0.3 * true + w + rng.normal(size=20)
    with pytest.raises(SeparationError, match="do not hold this coefficient back"):
        fit_linear_predictor_model(Warner(0.6), reports, outcome, w, trait_covariates=None)
