"""The jackknife over persons, clusters and strata, and replicate weights."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from tests.randomized_response.designs import Warner, transform_reports
from tests.randomized_response.errors import WeightsError
from tests.randomized_response.samples import (
    ReplicateWeights,
    estimate_total,
    estimate_total_by_jackknife,
    estimate_weighted_distribution,
    jackknife_replicates,
)
from tests.surveys.randomized_response.samples.populations import TRUTH, N, moments, simple_samples

DESIGN = Warner(Fraction(7, 10))
REPORTS = transform_reports(DESIGN, [0, 1, 1, 0, 1, 1, 0, 1])
PI = np.array([0.1, 0.2, 0.15, 0.3, 0.12, 0.22, 0.4, 0.05])
STRATA = ["a", "a", "a", "b", "b", "b", "b", "b"]
CLUSTERS = [1, 2, 2, 1, 1, 2, 3, 3]


def leave_one_out(units: list, strata: list) -> float:
    """The published variance, replicate by replicate."""
    expanded, variance = REPORTS.values / PI, 0.0
    for stratum in set(strata):
        people = np.array([s == stratum for s in strata])
        names = sorted({u for u, s in zip(units, strata, strict=True) if s == stratum})
        m, replicates = len(names), []
        for name in names:
            kept = people & np.array([u != name for u in units])
            replicates.append(expanded[kept].sum() * m / (m - 1) + expanded[~people].sum())
        spread = sum((j - np.mean(replicates)) ** 2 for j in replicates)
        variance += (1 - PI[people].mean()) * (m - 1) / m * spread
    return variance


@pytest.mark.parametrize("strata", [None, STRATA])
@pytest.mark.parametrize("clusters", [None, CLUSTERS])
def test_the_closed_form_is_the_variance_of_the_replicates(strata, clusters) -> None:
    total = estimate_total_by_jackknife(REPORTS, PI, strata=strata, clusters=clusters)
    expected = leave_one_out(clusters or list(range(8)), strata or ["all"] * 8)
    assert total.sampling_variance == pytest.approx(expected)
    assert total.value == pytest.approx(estimate_total(REPORTS, PI).value)


def test_its_degrees_of_freedom_are_units_less_strata() -> None:
    """As ``degf`` of the R package survey has them."""
    for strata, clusters in product([None, STRATA], [None, CLUSTERS]):
        units = set(zip(strata or ["all"] * 8, clusters or range(8), strict=True))
        total = estimate_total_by_jackknife(REPORTS, PI, strata=strata, clusters=clusters)
        assert total.degrees == len(units) - len(set(strata or ["all"]))


def test_with_equal_probabilities_it_is_the_horvitz_thompson_variance() -> None:
    jackknife = estimate_total_by_jackknife(REPORTS, [0.2] * 8)
    assert jackknife.variance == pytest.approx(estimate_total(REPORTS, [0.2] * 8).variance)


def test_total_and_variance_are_unbiased_over_all_samples_and_outcomes() -> None:
    mean, variance, estimated = moments(
        simple_samples(3), lambda _, r: estimate_total_by_jackknife(r, [3 / N] * 3)
    )
    assert mean == pytest.approx(TRUTH.sum())
    assert estimated == pytest.approx(variance)


def test_over_strata_drawn_apart_the_variance_is_unbiased_too() -> None:
    plan = [
        ((*left, *right), 1 / 3)
        for left in combinations((0, 1, 2), 2)
        for right in combinations((3, 4), 2)
    ]
    pi, strata = [2 / 3, 2 / 3, 1, 1], [0, 0, 1, 1]
    mean, variance, estimated = moments(
        plan, lambda _, r: estimate_total_by_jackknife(r, pi, strata=strata)
    )
    assert mean == pytest.approx(TRUTH.sum())
    assert estimated == pytest.approx(variance)


def test_clusters_of_one_person_are_persons_and_labels_may_repeat_between_strata() -> None:
    persons = estimate_total_by_jackknife(REPORTS, PI)
    singles = estimate_total_by_jackknife(REPORTS, PI, clusters=[f"person {i}" for i in range(8)])
    assert singles == persons
    nested = estimate_total_by_jackknife(REPORTS, PI, strata=STRATA, clusters=CLUSTERS)
    named = [f"{s}{c}" for s, c in zip(STRATA, CLUSTERS, strict=True)]
    assert estimate_total_by_jackknife(REPORTS, PI, strata=STRATA, clusters=named) == nested


def test_replicate_weights_give_the_jackknife_variance_of_a_total() -> None:
    # Without the finite-population factor, which replicate weights do not carry.
    weights = 1 / PI
    replicates = jackknife_replicates(weights, strata=STRATA, clusters=CLUSTERS)
    covariance = replicates.covariance(lambda w: w @ REPORTS.values, weights)
    expected = 0.0
    for stratum in ("a", "b"):
        people = [i for i, s in enumerate(STRATA) if s == stratum]
        one = transform_reports(DESIGN, [[0, 1, 1, 0, 1, 1, 0, 1][i] for i in people])
        total = estimate_total_by_jackknife(one, PI[people], clusters=[CLUSTERS[i] for i in people])
        expected += total.sampling_variance / (1 - PI[people].mean())
    assert covariance[0, 0] == pytest.approx(expected)


def test_replicate_weights_give_the_linearised_covariance_of_shares_when_weights_are_equal() -> (
    None
):
    reports, weights = np.array([0, 1, 1, 0, 1, 1, 0, 1]), np.ones(8)
    estimate = estimate_weighted_distribution(DESIGN, reports, weights)
    covariance = jackknife_replicates(weights).covariance(
        lambda w: estimate_weighted_distribution(DESIGN, reports, w).shares, weights
    )
    assert covariance == pytest.approx(estimate.covariance)


def test_a_stratum_with_one_unit_is_refused_by_its_name() -> None:
    with pytest.raises(WeightsError, match="lonely"):
        estimate_total_by_jackknife(REPORTS, PI, strata=["a"] * 7 + ["lonely"])
    with pytest.raises(WeightsError, match="clusters"):
        estimate_total_by_jackknife(REPORTS, PI, clusters=["all"] * 8)
    with pytest.raises(WeightsError, match="two units"):
        jackknife_replicates([1.0])


@pytest.mark.parametrize("labels", [["a"] * 7, 3, [None] + ["a"] * 7, [math.nan] + [1] * 7])
def test_labels_that_are_missing_are_refused(labels) -> None:
    with pytest.raises(WeightsError, match="strata"):
        estimate_total_by_jackknife(REPORTS, PI, strata=labels)


@pytest.mark.parametrize(
    ("weights", "factors"),
    [
        ([[1, 2], [1, math.nan]], [1, 1]),
        ([[1, 2], [1, -2]], [1, 1]),
        ([1, 2], [1]),
        ([], []),
        ([[1, 2], [1, 2]], [1]),
        ([[1, 2], [1, 2]], [1, -1]),
        ([[1, 2], [1, 2]], [1, math.inf]),
    ],
)
def test_replicates_that_cannot_be_are_refused(weights, factors) -> None:
    with pytest.raises(WeightsError):
        ReplicateWeights(weights, factors)
