"""Randomized response: designs, draws, estimates, intervals and plans. Needs no Django."""

from surveys.randomized_response.confidence_sequences import confidence_sequence_for_difference
from surveys.randomized_response.designs import (
    REGISTRY,
    Channel,
    ChannelMatrix,
    Crosswise,
    Design,
    DesignLike,
    Direct,
    ForcedResponse,
    ForcedResponseOptions,
    IntegerChannel,
    KAry,
    Kuk,
    Mangat,
    Rappor,
    Triangular,
    TwoCoins,
    UnrelatedQuestion,
    Warner,
    channel_of,
    permanent_epsilon,
    scores_of,
)
from surveys.randomized_response.errors import (
    CountsError,
    DesignError,
    EstimationError,
    PlanError,
    SamplingError,
    StatisticsError,
)
from surveys.randomized_response.estimation import (
    DistributionEstimate,
    PrevalenceEstimate,
    conditional_variance,
    estimate_distribution,
    estimate_prevalence,
)
from surveys.randomized_response.intervals import INTERVAL_METHODS, Interval
from surveys.randomized_response.likelihood import MaximumLikelihoodEstimate, maximum_likelihood
from surveys.randomized_response.planning import (
    PLANNING_METHODS,
    Meaning,
    Plan,
    error_for_sample_size,
    plan_sample_size,
)
from surveys.randomized_response.projections import (
    additive_normalise,
    clip_and_renormalise,
    project_to_simplex,
)
from surveys.randomized_response.ratios import RatioEstimate
from surveys.randomized_response.recipes import Device, Recipe, recipe_for, recipe_for_questions
from surveys.randomized_response.sampling import draw_from_words, draw_reports
from surveys.randomized_response.standard_errors import (
    information_standard_error,
    kuk_standard_error,
)

__all__ = [
    "INTERVAL_METHODS",
    "PLANNING_METHODS",
    "REGISTRY",
    "Channel",
    "ChannelMatrix",
    "CountsError",
    "Crosswise",
    "Design",
    "DesignError",
    "DesignLike",
    "Device",
    "Direct",
    "DistributionEstimate",
    "EstimationError",
    "ForcedResponse",
    "ForcedResponseOptions",
    "IntegerChannel",
    "Interval",
    "KAry",
    "Kuk",
    "Mangat",
    "MaximumLikelihoodEstimate",
    "Meaning",
    "Plan",
    "PlanError",
    "PrevalenceEstimate",
    "Rappor",
    "RatioEstimate",
    "Recipe",
    "SamplingError",
    "StatisticsError",
    "Triangular",
    "TwoCoins",
    "UnrelatedQuestion",
    "Warner",
    "additive_normalise",
    "channel_of",
    "clip_and_renormalise",
    "conditional_variance",
    "confidence_sequence_for_difference",
    "draw_from_words",
    "draw_reports",
    "error_for_sample_size",
    "estimate_distribution",
    "estimate_prevalence",
    "information_standard_error",
    "kuk_standard_error",
    "maximum_likelihood",
    "permanent_epsilon",
    "plan_sample_size",
    "project_to_simplex",
    "recipe_for",
    "recipe_for_questions",
    "scores_of",
]
