"""Regression with randomized answers: as the outcome, as predictors, with k options; numbers."""

from .hidden.predictor_tasks import PredictorModel
from .hidden.predictors import fit_linear_predictor_model, fit_logistic_predictor_model
from .hidden.several_predictors import fit_several_predictors_model
from .influence import Influence
from .known_shares import KnownSharesModel, fit_known_shares_model
from .mixed.effects import ClusterEffects
from .mixed.mixed_model import MixedModel, fit_mixed_model
from .mixed.random_intercept import RandomInterceptModel, fit_random_intercept_model
from .mixed.random_slopes import RandomSlopeModel, fit_random_slope_model
from .multinomial import MultinomialModel, fit_multinomial_model
from .noncompliance.anchored_outcome import AnchoredOutcomeModel, fit_anchored_outcome_model
from .noncompliance.anchored_predictor import (
    fit_anchored_linear_predictor_model,
    fit_anchored_logistic_predictor_model,
)
from .noncompliance.no_sayers import NoSayerModel, fit_no_sayer_model
from .numbers import NumberModel, fit_number_outcome_model, fit_number_predictor_model
from .outcome import OutcomeModel, fit_outcome_model
from .posterior import OutcomePosterior, PosteriorPredictions, fit_outcome_posterior
from .predictions import Predictions
from .results import LikelihoodRatioTest

__all__ = [
    "AnchoredOutcomeModel",
    "ClusterEffects",
    "Influence",
    "KnownSharesModel",
    "LikelihoodRatioTest",
    "MixedModel",
    "MultinomialModel",
    "NoSayerModel",
    "NumberModel",
    "OutcomeModel",
    "OutcomePosterior",
    "PosteriorPredictions",
    "Predictions",
    "PredictorModel",
    "RandomInterceptModel",
    "RandomSlopeModel",
    "fit_anchored_linear_predictor_model",
    "fit_anchored_logistic_predictor_model",
    "fit_anchored_outcome_model",
    "fit_known_shares_model",
    "fit_linear_predictor_model",
    "fit_logistic_predictor_model",
    "fit_mixed_model",
    "fit_multinomial_model",
    "fit_no_sayer_model",
    "fit_number_outcome_model",
    "fit_number_predictor_model",
    "fit_outcome_model",
    "fit_outcome_posterior",
    "fit_random_intercept_model",
    "fit_random_slope_model",
    "fit_several_predictors_model",
]
