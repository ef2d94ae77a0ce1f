"""Poststratification: weights that make groups agree with known population sizes.

In group g with known size N_g and base weights d_i (one over the inclusion probability, or equal),
w_i = d_i N_g / (sum of d in g): Sarndal, Swensson and Wretman (1992), section 7.6.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..calls import checked_call
from ..checks import FloatArray, checked_entries, checked_float
from ..columns import (
    checked_column,
    checked_labels,
    refuse_where,
    require_aligned,
    require_distinct,
)
from ..designs.transform import TransformedReports
from ..errors import WeightsError
from ..messages import sentence
from .totals import SampleEstimate, degrees_of_freedom, deville_variance, inclusion_of


@checked_call
def poststratification_weights(
    groups: ArrayLike,
    population_sizes: Mapping[Any, float],
    base_weights: ArrayLike | None = None,
) -> FloatArray:
    """Weights of shape (n,) whose sum in every group is the known size of that group.

    ``groups``: one label per person. ``population_sizes``: label to size, above 0, for all groups
    of the population. ``base_weights``: above 0, default 1 each. Raises WeightsError for a label
    without a size, and for a group of the population without answers.

    >>> from randomized_response.samples import poststratification_weights
    >>> poststratification_weights(["old", "old", "young"], {"old": 300, "young": 500}).tolist()
    [150.0, 150.0, 500.0]
    """
    require_aligned(WeightsError, groups=groups, base_weights=base_weights)
    n = len(checked_entries("groups", groups, "give one label per person", WeightsError))
    labels = checked_labels("groups", groups, n)
    base = np.ones(n) if base_weights is None else _checked_base(base_weights, n)
    weights = np.zeros(n)
    for label, size in checked_sizes(labels, population_sizes).items():
        members = labels == label
        weights[members] = base[members] * (size / base[members].sum())
    return weights


@checked_call
def estimate_poststratified_total(
    reports: TransformedReports,
    inclusion_probabilities: ArrayLike,
    groups: ArrayLike,
    population_sizes: Mapping[Any, float],
) -> SampleEstimate:
    """Total with post-stratified weights; the variance is that of the deviations within groups.

    Deville's formula for g_i (r_i - mean of the group), g_i = w_i pi_i, plus the sum of
    g_i^2 V_R / pi_i. Approximately unbiased: the group sizes in the sample vary. Raises
    WeightsError. Source: Sarndal, Swensson and Wretman (1992), result 7.6.1.

    >>> from randomized_response.designs import Warner, transform_reports
    >>> from randomized_response.samples import estimate_poststratified_total
    >>> reports = transform_reports(Warner(0.75), [1, 0, 0, 1, 0, 0])
    >>> groups, sizes = ["old", "old", "old", "young", "young", "young"], {"old": 30, "young": 50}
    >>> print(estimate_poststratified_total(reports, [0.075] * 6, groups, sizes))
    Sample, n = 6
    value          estimate  std. error  low 0.95  high 0.95   method
    total or mean   13.3333     34.3798  -91.0638    117.731  student
    Variance of sampling 1118.22, of randomization 63.75.
    """
    pi = inclusion_of(reports, inclusion_probabilities, groups=groups)
    labels = checked_labels("groups", groups, reports.n)
    weights = poststratification_weights(labels, population_sizes, 1 / pi)
    numbers = np.unique(labels, return_inverse=True)[1]
    sums = np.bincount(numbers, weights=weights * reports.values)
    deviations = reports.values - (sums / np.bincount(numbers, weights=weights))[numbers]
    sampling = deville_variance(weights * deviations, pi)
    added = None
    if reports.variances is not None:
        added = float(np.sum(weights**2 * pi * reports.variances))
    value = math.fsum(weights * reports.values)
    degrees = degrees_of_freedom(weights, numbers)
    return SampleEstimate(value, sampling, added, n=reports.n, degrees=degrees)


def _checked_base(base_weights: ArrayLike, n: int) -> FloatArray:
    base = checked_column("base_weights", base_weights, WeightsError, n)
    remedy = "a base weight is above 0: leave out those who were not asked"
    refuse_where("base_weights", base, base <= 0, remedy, WeightsError)
    return base


def checked_sizes(labels: NDArray[Any], sizes: Mapping[Any, float]) -> dict[Any, float]:
    if not hasattr(sizes, "items"):
        raise WeightsError("population_sizes", sizes, "give a size for each label: {label: size}")
    present, sizes = set(labels.tolist()), dict(sizes.items())  # a pandas column iterates sizes
    require_distinct("population_sizes", sizes)
    for label in sorted(present - sizes.keys(), key=str):
        remedy = sentence("give the size of this group in the population")
        raise WeightsError("population_sizes", label, remedy)
    for label in sizes:
        if label not in present:
            remedy = sentence("no one in this group answered. Merge this group with another group")
            raise WeightsError("groups", label, remedy)
    return {label: _checked_size(label, size) for label, size in sizes.items()}


def _checked_size(label: object, size: object) -> float:
    number = checked_float(f"population_sizes[{label!r}]", size, WeightsError)
    if number <= 0:
        raise WeightsError(f"population_sizes[{label!r}]", size, "give a size above 0")
    return number
