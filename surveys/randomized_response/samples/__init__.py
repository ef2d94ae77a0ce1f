"""Estimates from complex samples: weights, inclusion probabilities, strata and clusters."""

from surveys.randomized_response.samples.estimates import SampleEstimate
from surveys.randomized_response.samples.poststratification import (
    estimate_poststratified_total,
    poststratification_weights,
)
from surveys.randomized_response.samples.resampling import (
    ReplicateWeights,
    estimate_total_by_jackknife,
    jackknife_replicates,
)
from surveys.randomized_response.samples.shares import (
    WeightedDistributionEstimate,
    effective_sample_size,
    estimate_weighted_distribution,
)
from surveys.randomized_response.samples.totals import (
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
