"""Estimates from complex samples: weights, inclusion probabilities, strata and clusters."""

from .calibration import KnownTotal, Margin, calibrate, rake
from .jackknife import estimate_total_by_jackknife
from .poststratification import estimate_poststratified_total, poststratification_weights
from .quantiles import SampleQuantiles, estimate_quantiles
from .ratios import estimate_means, estimate_ratios, estimate_totals
from .replicates import (
    ReplicateWeights,
    balanced_replicates,
    bootstrap_replicates,
    jackknife_replicates,
)
from .shares import (
    WeightedDistributionEstimate,
    effective_sample_size,
    estimate_weighted_distribution,
)
from .stages import Stage
from .survey_estimates import SurveyEstimates
from .survey_samples import ReplicatedSample, SurveySample, replicated_sample, survey_sample
from .totals import (
    SampleEstimate,
    estimate_mean,
    estimate_simple_mean,
    estimate_total,
    estimate_total_with_joint_probabilities,
)

__all__ = [
    "KnownTotal",
    "Margin",
    "ReplicateWeights",
    "ReplicatedSample",
    "SampleEstimate",
    "SampleQuantiles",
    "Stage",
    "SurveyEstimates",
    "SurveySample",
    "WeightedDistributionEstimate",
    "balanced_replicates",
    "bootstrap_replicates",
    "calibrate",
    "effective_sample_size",
    "estimate_mean",
    "estimate_means",
    "estimate_poststratified_total",
    "estimate_quantiles",
    "estimate_ratios",
    "estimate_simple_mean",
    "estimate_total",
    "estimate_total_by_jackknife",
    "estimate_total_with_joint_probabilities",
    "estimate_totals",
    "estimate_weighted_distribution",
    "jackknife_replicates",
    "poststratification_weights",
    "rake",
    "replicated_sample",
    "survey_sample",
]
