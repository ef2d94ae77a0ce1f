"""From counts of reports to shares and means of the truth, with standard errors."""

from .anchors import (
    WeightedAnchorEstimate,
    estimate_anchored_crosswise,
    estimate_weighted_anchored_crosswise,
)
from .bounded_means import bounded_mean_interval, tilted_mean_interval
from .confidence_sequences import confidence_sequence_for_difference, evidence_of_difference
from .estimation import (
    DistributionEstimate,
    PrevalenceEstimate,
    conditional_variance,
    estimate_distribution,
    estimate_prevalence,
)
from .frequencies import (
    FrequencyEstimate,
    conditional_frequency_variance,
    estimate_frequencies,
    maximum_likelihood_frequencies,
    total_frequency_variance,
)
from .likelihood import MaximumLikelihoodEstimate, maximum_likelihood
from .local.heavy_hitters import HeavyHitters, find_heavy_hitters
from .local.histograms import HistogramEstimate, estimate_histogram
from .local.number_distributions import NumberDistribution, estimate_number_distribution
from .local.numbers import (
    NumberMeanEstimate,
    NumberVarianceEstimate,
    estimate_number_mean,
    estimate_number_variance,
    number_mean_variance,
    worst_number_mean_variance,
)
from .means import MeanEstimate, TwoGroupMeans, estimate_grid_mean, estimate_two_group_means
from .projections import additive_normalise, clip_and_renormalise, project_to_simplex
from .ratios import RatioEstimate, estimate_mean_among
from .standard_errors import information_standard_error, kuk_standard_error
from .two_group_estimation import TwoGroupEstimate, estimate_two_groups, expected_standard_errors
from .two_group_likelihood import TwoGroupMaximumLikelihood

__all__ = [
    "DistributionEstimate",
    "FrequencyEstimate",
    "HeavyHitters",
    "HistogramEstimate",
    "MaximumLikelihoodEstimate",
    "MeanEstimate",
    "NumberDistribution",
    "NumberMeanEstimate",
    "NumberVarianceEstimate",
    "PrevalenceEstimate",
    "RatioEstimate",
    "TwoGroupEstimate",
    "TwoGroupMaximumLikelihood",
    "TwoGroupMeans",
    "WeightedAnchorEstimate",
    "additive_normalise",
    "bounded_mean_interval",
    "clip_and_renormalise",
    "conditional_frequency_variance",
    "conditional_variance",
    "confidence_sequence_for_difference",
    "estimate_anchored_crosswise",
    "estimate_distribution",
    "estimate_frequencies",
    "estimate_grid_mean",
    "estimate_histogram",
    "estimate_mean_among",
    "estimate_number_distribution",
    "estimate_number_mean",
    "estimate_number_variance",
    "estimate_prevalence",
    "estimate_two_group_means",
    "estimate_two_groups",
    "estimate_weighted_anchored_crosswise",
    "evidence_of_difference",
    "expected_standard_errors",
    "find_heavy_hitters",
    "information_standard_error",
    "kuk_standard_error",
    "maximum_likelihood",
    "maximum_likelihood_frequencies",
    "number_mean_variance",
    "project_to_simplex",
    "tilted_mean_interval",
    "total_frequency_variance",
    "worst_number_mean_variance",
]
