"""Regression with randomized answers: as the outcome, as predictors, with k options."""

from surveys.randomized_response.regression.errors import (
    CollinearityError,
    ConvergenceError,
    RegressionError,
    SeparationError,
)
from surveys.randomized_response.regression.links import LINKS
from surveys.randomized_response.regression.outcome import OutcomeModel, fit_outcome_model
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
    "OutcomeModel",
    "Predictions",
    "RegressionError",
    "SeparationError",
    "fit_outcome_model",
]
