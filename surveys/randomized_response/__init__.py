"""Randomized response: designs, draws, estimates, intervals and plans. Needs no Django."""

from surveys.randomized_response.designs import (
    REGISTRY,
    Channel,
    ChannelMatrix,
    Design,
    DesignLike,
    Direct,
    ForcedResponse,
    ForcedResponseOptions,
    IntegerChannel,
    KAry,
    TwoCoins,
    Warner,
    channel_of,
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
from surveys.randomized_response.recipes import Device, Recipe, recipe_for
from surveys.randomized_response.sampling import draw_from_words, draw_reports

__all__ = [
    "INTERVAL_METHODS",
    "PLANNING_METHODS",
    "REGISTRY",
    "Channel",
    "ChannelMatrix",
    "CountsError",
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
    "MaximumLikelihoodEstimate",
    "Meaning",
    "Plan",
    "PlanError",
    "PrevalenceEstimate",
    "RatioEstimate",
    "Recipe",
    "SamplingError",
    "StatisticsError",
    "TwoCoins",
    "Warner",
    "additive_normalise",
    "channel_of",
    "clip_and_renormalise",
    "conditional_variance",
    "draw_from_words",
    "draw_reports",
    "error_for_sample_size",
    "estimate_distribution",
    "estimate_prevalence",
    "maximum_likelihood",
    "plan_sample_size",
    "project_to_simplex",
    "recipe_for",
]
