"""Estimates from complex samples: weights, inclusion probabilities, strata and clusters."""

from .poststratification import estimate_poststratified_total, poststratification_weights
from .resampling import ReplicateWeights, estimate_total_by_jackknife, jackknife_replicates
from .shares import (
    WeightedDistributionEstimate,
    effective_sample_size,
    estimate_weighted_distribution,
)
from .totals import (
    SampleEstimate,
    estimate_mean,
    estimate_simple_mean,
    estimate_total,
    estimate_total_with_joint_probabilities,
)

__all__ = [
    "ReplicateWeights",
    "SampleEstimate",
    "WeightedDistributionEstimate",
    "effective_sample_size",
    "estimate_mean",
    "estimate_poststratified_total",
    "estimate_simple_mean",
    "estimate_total",
    "estimate_total_by_jackknife",
    "estimate_total_with_joint_probabilities",
    "estimate_weighted_distribution",
    "jackknife_replicates",
    "poststratification_weights",
]
