"""Regression with randomized answers: as the outcome, as predictors, with k options."""

from surveys.randomized_response.errors import (
    CollinearityError,
    ConvergenceError,
    RegressionError,
    SeparationError,
)
from surveys.randomized_response.planning.slope_power import (
    SlopePower,
    expected_slope_power,
    simulate_slope_power,
)
from surveys.randomized_response.regression.links import LINKS
from surveys.randomized_response.regression.multinomial import (
    MultinomialModel,
    fit_multinomial_model,
)
from surveys.randomized_response.regression.outcome import OutcomeModel, fit_outcome_model
from surveys.randomized_response.regression.predictors import (
    PredictorModel,
    fit_linear_predictor_model,
    fit_logistic_predictor_model,
)
from surveys.randomized_response.regression.random_intercept import (
    RandomInterceptModel,
    fit_random_intercept_model,
)
from surveys.randomized_response.regression.results import (
    Auxiliary,
    Coefficients,
    LikelihoodRatioTest,
    Predictions,
)

__all__ = [
    "LINKS",
    "Auxiliary",
    "Coefficients",
    "CollinearityError",
    "ConvergenceError",
    "LikelihoodRatioTest",
    "MultinomialModel",
    "OutcomeModel",
    "Predictions",
    "PredictorModel",
    "RandomInterceptModel",
    "RegressionError",
    "SeparationError",
    "SlopePower",
    "expected_slope_power",
    "fit_linear_predictor_model",
    "fit_logistic_predictor_model",
    "fit_multinomial_model",
    "fit_outcome_model",
    "fit_random_intercept_model",
    "simulate_slope_power",
]
