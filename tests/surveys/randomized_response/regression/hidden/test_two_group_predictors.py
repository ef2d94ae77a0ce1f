"""Predictors by two-group designs: the unknown of the design is estimated with the effect."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from tests.randomized_response.designs import (
    CheaterDetection,
    StochasticLieDetector,
    SymmetricCheaterDetection,
    UnrelatedQuestionTwoGroups,
    Warner,
)
from tests.randomized_response.errors import RegressionError, SeparationError
from tests.randomized_response.regression import (
    PredictorModel,
    fit_linear_predictor_model,
    fit_logistic_predictor_model,
)
from tests.randomized_response.regression.devices import FORMS
from tests.surveys.randomized_response.regression.surveys_to_fit import numeric_gradient

DESIGNS = [
    StochasticLieDetector(0.85, 0.25),
    UnrelatedQuestionTwoGroups(0.8, 0.2),
    CheaterDetection(0.2, 0.7),
    SymmetricCheaterDetection(0.5, 0.1, 0.1, 0.5),
]
UNKNOWN = 0.7


def chance_of_yes(design, trait: np.ndarray, group: np.ndarray, unknown: float) -> np.ndarray:
    """By hand, from the lines of the design: constant + coefficient theta, see FORMS."""
    lines = np.array(design.lines, dtype=float)[group - 1]
    _, if_yes, if_no = FORMS[type(design)]
    second = np.where(trait == 1, if_yes, if_no) * unknown
    return lines[:, 0] + lines[:, 1] * trait + lines[:, 2] * second


def survey(design, n: int, seed: int):
    rng = np.random.default_rng(seed)
    x, group = rng.normal(size=n), rng.integers(1, 3, n)
    trait = (rng.random(n) < 1 / (1 + np.exp(0.4 - 0.6 * x))).astype(int)
    reports = (rng.random(n) < chance_of_yes(design, trait, group, UNKNOWN)).astype(int)
    numbers = 1 + 0.5 * x + 1.5 * trait + rng.normal(size=n)
    yes = (rng.random(n) < 1 / (1 + np.exp(0.5 - 0.3 * x - 1.5 * trait))).astype(int)
    return reports, group, x, numbers, yes


def likelihood_by_hand(design, data, values: np.ndarray, *, is_linear: bool) -> float:
    """ln of the sum over the trait; values: trait's logit (2), outcome (3), unknown, ln sigma."""
    reports, group, x, numbers, yes = data
    share = 1 / (1 + np.exp(-(values[0] + values[1] * x)))
    total = np.zeros(len(x))
    for trait, chance in ((0, 1 - share), (1, share)):
        said = chance_of_yes(design, np.full(len(x), trait), group, values[5])
        eta = values[2] + values[3] * x + values[4] * trait
        if is_linear:
            density = norm.pdf(numbers, eta, np.exp(values[6]))
        else:
            density = np.where(yes == 1, 1, -1) * eta
            density = 1 / (1 + np.exp(-density))
        total += chance * np.where(reports == 1, said, 1 - said) * density
    return float(np.log(total).sum())


def numbers_of(model: PredictorModel) -> np.ndarray:
    spread = [] if model.residual_sd is None else [np.log(model.residual_sd)]
    fitted = [*model.trait.coefficients, *model.coefficients, model.auxiliary.estimate]
    return np.array([*fitted, *spread])


@pytest.mark.parametrize(
    ("design", "is_linear"), [*product(DESIGNS, [False]), (DESIGNS[0], True)], ids=str
)
def test_the_estimate_is_the_maximum_of_the_likelihood_by_hand(design, is_linear: bool) -> None:
    data = survey(design, 1000, 1)
    reports, group, x, numbers, yes = data
    if is_linear:
        model = fit_linear_predictor_model(
            design, reports, numbers, x, groups=group, trait_covariates=x
        )
    else:
        model = fit_logistic_predictor_model(design, reports, yes, x, groups=group)
    best = numbers_of(model)

    def value(at: np.ndarray) -> float:
        return likelihood_by_hand(design, data, at, is_linear=is_linear)

    assert model.log_likelihood == pytest.approx(value(best), abs=1e-6)
    assert np.abs(numeric_gradient(value, best)).max() < 1e-2
    curvature = -numeric_gradient(lambda p: numeric_gradient(value, p, 1e-4), best, 1e-4)
    errors = np.sqrt(np.diag(np.linalg.inv(curvature)))
    assert model.standard_errors == pytest.approx(errors[2:5], rel=1e-3)
    assert model.auxiliary.standard_error == pytest.approx(errors[5], rel=1e-2)


@pytest.mark.parametrize(
    "design",
    [DESIGNS[1], *(pytest.param(design, marks=pytest.mark.audit) for design in DESIGNS)],
    ids=lambda d: type(d).__name__,
)
def test_effect_and_unknown_are_near_the_truth(design) -> None:
    reports, group, x, numbers, _ = survey(design, 4000, 2)
    model = fit_linear_predictor_model(
        design, reports, numbers, x, groups=group, trait_covariates=x
    )
    assert abs(model.coefficients[2] - 1.5) < 4 * model.standard_errors[2]
    unknown = model.auxiliary
    assert unknown.name == FORMS[type(design)][0]
    assert abs(unknown.estimate - UNKNOWN) < 4 * unknown.standard_error
    assert str(unknown) in str(model)
    assert model.attention is None
    assert model.parameter_count == 3 + 2 + 1 + 1


def test_an_unknown_at_its_end_is_refused_by_its_name() -> None:
    """Fewer yes than the sensitive question alone gives: the other one seems never to be yes."""
    group, rank = np.repeat([1, 2], 500), np.tile(np.arange(500), 2)
    said = (rank < np.where(group == 1, 195, 45)).astype(int)
    outcome = (rank * 7 % 10 < 3 + 2 * said).astype(int)
    with pytest.raises(SeparationError, match="other_prevalence"):
        fit_logistic_predictor_model(
            UnrelatedQuestionTwoGroups(0.8, 0.2), said, outcome, groups=group
        )


def test_groups_go_with_two_group_designs_alone() -> None:
    reports, group, _, numbers, _ = survey(DESIGNS[0], 100, 4)
    with pytest.raises(RegressionError, match="needs each person's group"):
        fit_linear_predictor_model(DESIGNS[0], reports, numbers)
    with pytest.raises(RegressionError, match="this design has no groups"):
        fit_linear_predictor_model(Warner(0.9), reports, numbers, groups=group)
