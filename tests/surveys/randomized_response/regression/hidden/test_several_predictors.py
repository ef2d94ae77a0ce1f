import numpy as np
import pytest

from tests.randomized_response.designs import Direct, ForcedResponse, KAry, Warner
from tests.randomized_response.errors import RegressionError
from tests.randomized_response.regression import (
    fit_linear_predictor_model,
    fit_logistic_predictor_model,
    fit_outcome_model,
    fit_several_predictors_model,
)
from tests.randomized_response.regression.hidden.latent_trait import TraitData, TraitOutcome
from tests.randomized_response.regression.hidden.outcome_families import LOGISTIC, NORMAL
from tests.randomized_response.regression.hidden.several_predictors import (
    _combined,
    _likelihoods,
    _traits,
)
from tests.surveys.randomized_response.regression.surveys_to_fit import (
    draw_reported,
    numeric_gradient,
)

N = 600
RNG = np.random.default_rng(8)
W = RNG.normal(size=N)
SMOKES = (RNG.random(N) < 0.4).astype(int)
# Who smokes drinks more often, so that one trait cannot be left out for the other's sake.
DRINKS = np.where(RNG.random(N) < 0.6, SMOKES, RNG.integers(0, 3, N))
OUTCOME = 1 + 0.5 * W + 1.2 * SMOKES + np.array([0, 0.8, -0.6])[DRINKS] + RNG.normal(size=N)
YES = (RNG.random(N) < 1 / (1 + np.exp(0.5 - SMOKES - 0.4 * W))).astype(int)
DIRECT = {"smokes": (Direct(2), SMOKES), "drinks": (Direct(3), DRINKS)}
REPORTED = {
    "smokes": (Warner(0.9), draw_reported(Warner(0.9), SMOKES, RNG)),
    "drinks": (KAry(3, 0.8), draw_reported(KAry(3, 0.8), DRINKS, RNG)),
}
INDICATORS = np.column_stack([W, SMOKES, DRINKS == 1, DRINKS == 2])


def test_direct_predictors_give_least_squares_on_indicators() -> None:
    model = fit_several_predictors_model(DIRECT, OUTCOME, W, names=["w"])
    rows = np.column_stack([np.ones(N), INDICATORS])
    exact = np.linalg.lstsq(rows, OUTCOME, rcond=None)[0]
    assert model.names == ("intercept", "w", "smokes", "drinks[1]", "drinks[2]")
    assert model.coefficients == pytest.approx(exact, abs=1e-6)
    variance = ((OUTCOME - rows @ exact) ** 2).mean()
    errors = np.sqrt(np.diag(variance * np.linalg.inv(rows.T @ rows)))
    assert model.standard_errors == pytest.approx(errors, rel=1e-5)
    counts = np.bincount(3 * SMOKES + DRINKS, minlength=6)
    assert model.shares == pytest.approx(counts / N, abs=1e-6)


def test_direct_predictors_give_logistic_regression_on_indicators() -> None:
    model = fit_several_predictors_model(DIRECT, YES, W, family="logistic")
    plain = fit_outcome_model(Direct(2), YES, INDICATORS)
    assert model.coefficients == pytest.approx(plain.coefficients, abs=1e-6)
    assert model.standard_errors == pytest.approx(plain.standard_errors, rel=1e-6)


@pytest.mark.parametrize("family", [NORMAL, LOGISTIC])
def test_score_and_information_are_the_derivatives(family) -> None:
    likelihoods = [_likelihoods(*each) for each in REPORTED.values()]
    traits = _traits(list(REPORTED), [2, 3])
    outcome = TraitOutcome(OUTCOME if family.spread else YES, family, np.vstack([np.ones(N), W]))
    rows = np.vstack([np.ones(N), W])
    data = TraitData(_combined(likelihoods), rows, outcome, contrasts=traits.contrasts)
    at = np.random.default_rng(9).normal(0, 0.4, data.size)
    score = numeric_gradient(lambda p: data.at(p).log_likelihood, at)
    assert data.at(at).score == pytest.approx(score, abs=1e-4)
    observed = -numeric_gradient(lambda p: data.at(p).score, at)
    assert data.at(at).observed == pytest.approx(observed, abs=1e-4 * np.abs(observed).max())


def test_combinations_are_named_by_the_levels_that_are_not_the_first() -> None:
    model = fit_several_predictors_model(DIRECT, OUTCOME)
    assert model.trait.names == (
        "drinks[1]: intercept",
        "drinks[2]: intercept",
        "smokes: intercept",
        "smokes & drinks[1]: intercept",
        "smokes & drinks[2]: intercept",
    )
    assert "smokes & drinks[1]" in str(model)


def test_reports_are_not_plugged_in_and_each_trait_is_held_for_the_other() -> None:
    model = fit_several_predictors_model(REPORTED, OUTCOME, W)
    truth = np.array([1, 0.5, 1.2, 0.8, -0.6])
    assert np.abs((model.coefficients - truth) / model.standard_errors).max() < 4
    alone = fit_linear_predictor_model(*REPORTED["smokes"], OUTCOME, W)
    assert alone.coefficients[2] != pytest.approx(model.coefficients[2], abs=0.05)


def test_the_order_of_predictors_does_not_matter() -> None:
    turned = dict(reversed(REPORTED.items()))
    one = fit_several_predictors_model(REPORTED, YES, W, family="logistic")
    other = fit_several_predictors_model(turned, YES, W, family="logistic")
    assert other.log_likelihood == pytest.approx(one.log_likelihood, abs=1e-7)
    assert dict(zip(other.names, other.coefficients, strict=True)) == pytest.approx(
        dict(zip(one.names, one.coefficients, strict=True)), abs=1e-5
    )


def test_one_trait_is_the_predictor_of_the_other_functions() -> None:
    one = fit_several_predictors_model({"smokes": REPORTED["smokes"]}, OUTCOME, W)
    same = fit_linear_predictor_model(*REPORTED["smokes"], OUTCOME, W)
    assert one.coefficients == pytest.approx(same.coefficients, abs=1e-6)


def test_a_second_predictor_that_says_nothing_of_the_outcome_changes_little() -> None:
    """A direct trait that goes with nothing: the other's estimate stays within its error."""
    coin = np.arange(N) % 2
    predictors = {"smokes": REPORTED["smokes"], "coin": (Direct(2), coin)}
    both = fit_several_predictors_model(predictors, YES, family="logistic")
    alone = fit_logistic_predictor_model(*REPORTED["smokes"], YES)
    moved = abs(both.coefficients[1] - alone.coefficients[1])
    assert moved < 0.3 * alone.standard_errors[1]


@pytest.mark.audit
def test_simulated_surveys_cover_the_truth() -> None:
    """Every bound is five standard errors of the simulation, as in test_simulations."""
    rng, runs, found, errors = np.random.default_rng(11), 40, [], []
    design = ForcedResponse(0.1, 0.1)
    for _ in range(runs):
        one = (rng.random(1500) < 0.4).astype(int)
        other = (rng.random(1500) < 0.3 + 0.3 * one).astype(int)
        outcome = 1 + 0.8 * one - 0.5 * other + rng.normal(size=1500)
        predictors = {
            "one": (design, draw_reported(design, one, rng)),
            "other": (Warner(0.85), draw_reported(Warner(0.85), other, rng)),
        }
        model = fit_several_predictors_model(predictors, outcome)
        found.append(model.coefficients)
        errors.append(model.standard_errors)
    values, stated, truth = np.array(found), np.array(errors), np.array([1, 0.8, -0.5])
    spread = values.std(axis=0)
    assert (np.abs(values.mean(axis=0) - truth) < (5 / np.sqrt(runs) + 0.1) * spread).all()
    ratio = np.sqrt((stated**2).mean(axis=0)) / spread
    assert ratio == pytest.approx(1, abs=5 / np.sqrt(2 * runs) + 0.03)


REFUSED = {
    "no predictor": ({}, {}, "mapping of names"),
    "a list": ([DIRECT["smokes"]] * 2, {}, "mapping of names"),
    "names that are numbers": ({1: DIRECT["smokes"], 2: DIRECT["drinks"]}, {}, "not empty"),
    "no reports": ({"a": DIRECT["smokes"], "b": Direct(2)}, {}, r"predictors\[b\]"),
    "fewer reports": (
        {"a": DIRECT["smokes"], "b": (Direct(2), SMOKES[1:])},
        {},
        f"as many as for the first predictor: {N}",
    ),
    "too many combinations": (
        {"a": (Direct(5), SMOKES), "b": (Direct(4), SMOKES)},
        {},
        "at most 16 combinations",
    ),
    "an unknown family": (DIRECT, {"family": "poisson"}, "linear or logistic"),
    "the name of a covariate": (DIRECT, {"names": ["smokes"]}, "a name of its own"),
}


@pytest.mark.parametrize(("predictors", "given", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_fitted_is_refused(predictors, given, message) -> None:
    with pytest.raises(RegressionError, match=message):
        fit_several_predictors_model(predictors, OUTCOME, W, **given)
