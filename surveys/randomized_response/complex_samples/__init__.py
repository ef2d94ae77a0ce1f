"""Estimates from complex samples: weights, inclusion probabilities, strata and clusters."""

from surveys.randomized_response.complex_samples.shares import (
    WeightedDistributionEstimate,
    effective_sample_size,
    estimate_weighted_distribution,
)

__all__ = [
    "WeightedDistributionEstimate",
    "effective_sample_size",
    "estimate_weighted_distribution",
]
