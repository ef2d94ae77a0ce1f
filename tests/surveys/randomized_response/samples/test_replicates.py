"""Replicate weights: half samples, Fay's method and the bootstrap give the linearised variance."""

import numpy as np
import pytest

from tests.randomized_response.errors import SamplingError, WeightsError
from tests.randomized_response.samples import (
    ReplicateWeights,
    balanced_replicates,
    bootstrap_replicates,
    estimate_totals,
    replicated_sample,
    survey_sample,
)

N = 48
RNG = np.random.default_rng(3)
Y = RNG.normal(10, 2, N)
WEIGHTS = RNG.uniform(1, 3, N)
CLUSTERS = np.arange(N) // 4
PAIRS = CLUSTERS // 2  # six strata of two clusters
THIRDS = CLUSTERS // 4  # three strata of four


def error(replicates: ReplicateWeights) -> float:
    total = estimate_totals(replicated_sample(WEIGHTS, replicates), Y)
    return float(total.standard_errors[0])


def linearised(strata) -> float:
    sample = survey_sample(WEIGHTS, strata=strata, clusters=CLUSTERS)
    return float(estimate_totals(sample, Y).standard_errors[0])


@pytest.mark.parametrize("fay", [0, 0.3, 0.9])
def test_half_samples_give_the_linearised_variance_of_a_total_exactly(fay) -> None:
    replicates = balanced_replicates(WEIGHTS, strata=PAIRS, clusters=CLUSTERS, fay=fay)
    assert replicates.weights.shape == (8, N)
    assert error(replicates) == pytest.approx(linearised(PAIRS))


def test_a_number_of_strata_that_is_a_power_of_two_is_balanced_too() -> None:
    replicates = balanced_replicates(np.ones(8), strata=np.arange(8) // 2)
    sample = survey_sample(np.ones(8), strata=np.arange(8) // 2)
    totals = [
        estimate_totals(s, Y[:8]) for s in (replicated_sample(np.ones(8), replicates), sample)
    ]
    assert totals[0].covariance == pytest.approx(totals[1].covariance)


def test_the_bootstrap_comes_as_near_as_its_replicates_say() -> None:
    """A variance from 4,000 nearly normal totals has a standard error of 2.3 %: 5 sigma are 12."""
    rng = np.random.default_rng(1)
    replicates = bootstrap_replicates(
        WEIGHTS, rng, strata=THIRDS, clusters=CLUSTERS, replicates=4000
    )
    assert error(replicates) ** 2 == pytest.approx(linearised(THIRDS) ** 2, rel=0.12)
    assert replicates.weights.sum(axis=1).mean() == pytest.approx(WEIGHTS.sum(), rel=0.02)


def test_deviations_are_from_the_estimate_or_from_their_mean() -> None:
    table, factors = np.array([[2.0, 0], [0, 2], [1, 2]]), np.array([0.5, 0.5, 0])
    values = np.array([1.0, 3.0])
    around_estimate = ReplicateWeights(table, factors).covariance(lambda w: w @ values, [1, 1])
    assert around_estimate[0, 0] == (2 - 4) ** 2 / 2 + (6 - 4) ** 2 / 2
    # The third replicate has no factor, and no part in the mean.
    around_mean = ReplicateWeights(table, factors, "mean").covariance(
        lambda w: w @ values, [2.0, 1.0]
    )
    assert around_mean[0, 0] == 4
    with pytest.raises(WeightsError, match="estimate or mean"):
        ReplicateWeights(table, factors, "median")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"strata": THIRDS, "clusters": CLUSTERS}, "two units in each stratum"),
        ({"strata": PAIRS, "clusters": CLUSTERS, "fay": 1}, "below 1"),
        ({"strata": PAIRS, "clusters": CLUSTERS, "fay": -0.1}, "below 1"),
        ({"strata": PAIRS, "clusters": CLUSTERS, "fay": "x"}, "fay"),
        ({"strata": PAIRS[:-1]}, "48 labels"),
    ],
)
def test_half_samples_that_cannot_be_are_refused(arguments, words) -> None:
    with pytest.raises(WeightsError, match=words):
        balanced_replicates(WEIGHTS, **arguments)


def test_what_no_replicates_are_is_refused() -> None:
    table = np.ones((2, 3))
    for factors, words in (([0, 0], "above 0"), ([1e299, 1], "too large"), ([1], "2 finite")):
        with pytest.raises(WeightsError, match=words):
            ReplicateWeights(table, np.array(factors))
    with pytest.raises(WeightsError, match="choose estimate or mean"):
        ReplicateWeights(table, np.array([1, 1]), np.array(["mean"]))
    for weights in ([1, 1], "ab", [1, 1, np.nan]):
        with pytest.raises(WeightsError, match="weights"):
            ReplicateWeights(table, np.array([1, 1])).covariance(lambda w: w.sum(), weights)
    with pytest.raises(SamplingError, match="default_rng"):
        bootstrap_replicates(WEIGHTS, 5)


@pytest.mark.parametrize("replicates", [0, 1, 2.5, 10**9, "many"])
def test_numbers_of_bootstrap_samples_that_cannot_be_are_refused(replicates) -> None:
    with pytest.raises(WeightsError, match="replicates"):
        bootstrap_replicates(WEIGHTS, np.random.default_rng(1), replicates=replicates)
