"""Weighted quantiles and Woodruff's intervals."""

import math

import numpy as np
import pytest

from tests.randomized_response.errors import EstimationError, WeightsError
from tests.randomized_response.samples import (
    estimate_means,
    estimate_quantiles,
    jackknife_replicates,
    replicated_sample,
    survey_sample,
)

N = 200
VALUES = np.random.default_rng(2).normal(size=N)
SAMPLE = survey_sample([3] * N)


def test_with_equal_weights_they_are_quantiles_of_the_empirical_distribution() -> None:
    probabilities = [0.01, 0.25, 0.5, 0.75, 0.995]
    quantiles = estimate_quantiles(SAMPLE, VALUES, probabilities)
    expected = np.quantile(VALUES, probabilities, method="inverted_cdf")
    assert quantiles.values.tolist() == expected.tolist()


def test_a_weight_counts_as_so_many_people() -> None:
    weights = np.arange(N) % 4
    quantiles = estimate_quantiles(survey_sample(weights), VALUES, [0.1, 0.5])
    many = np.repeat(VALUES, weights)
    assert (
        quantiles.values.tolist() == np.quantile(many, [0.1, 0.5], method="inverted_cdf").tolist()
    )


def test_the_interval_is_that_of_the_share_below_read_back() -> None:
    (median,) = estimate_quantiles(SAMPLE, VALUES, [0.5], level=0.9).intervals()
    below = estimate_means(SAMPLE, np.median(VALUES) >= VALUES).interval(0, 0.9)
    ends = np.quantile(VALUES, [below.low, below.high], method="inverted_cdf")
    assert [median.low, median.high] == ends.tolist()


def test_groups_have_quantiles_of_their_own() -> None:
    groups = np.where(np.arange(N) % 2, "a", "b")
    quantiles = estimate_quantiles(SAMPLE, VALUES, [0.5], groups=groups)
    assert quantiles.names == ("a: 0.5", "b: 0.5")
    assert quantiles.values[1] == np.quantile(VALUES[::2], 0.5, method="inverted_cdf")


def test_an_end_that_no_value_reaches_is_no_number_and_prints_as_none() -> None:
    quantiles = estimate_quantiles(survey_sample([1] * 20), range(20), [0.01, 0.5])
    assert math.isnan(quantiles.intervals()[0].low)
    assert math.isnan(quantiles.standard_errors[0])
    assert "–" in str(quantiles)
    assert "–" in quantiles._repr_html_()
    assert quantiles.to_frame().loc["0.5", "estimate"] == 9


def test_groups_are_refused_by_their_names_and_one_unit_has_no_interval() -> None:
    groups, clusters = np.where(np.arange(N) < 20, "few", "many"), np.arange(N) // 20
    nobody = survey_sample(np.where(groups == "few", 0, 1))
    with pytest.raises(WeightsError, match="'few'"):
        estimate_quantiles(nobody, VALUES, groups=groups)
    replicates = jackknife_replicates([1] * N, clusters=clusters)
    with pytest.raises(EstimationError, match=r"'few' .* merge groups"):
        estimate_quantiles(replicated_sample([1] * N, replicates), VALUES, groups=groups)
    alone = estimate_quantiles(survey_sample([1] * N, clusters=clusters), VALUES, groups=groups)
    assert np.isnan(alone.standard_errors[:3]).all()
    assert np.isfinite(alone.standard_errors[3:]).all()


@pytest.mark.parametrize(
    "probabilities", [[0.5, 0.5], 10**400, 0, 1, [0.5, 1.2], [], "half", [[0.5]], [math.nan]]
)
def test_probabilities_that_are_none_are_refused(probabilities) -> None:
    with pytest.raises(EstimationError, match="probabilities"):
        estimate_quantiles(SAMPLE, VALUES, probabilities)


@pytest.mark.audit
def test_intervals_cover_the_median_of_skewed_people_as_often_as_stated() -> None:
    """3,000 samples of 30 clusters: .95 within 5 standard errors of .004, and a margin of .015."""
    rng, size = np.random.default_rng(8), 3000
    truth = math.exp(0.0)  # median of exp(cluster + person), both symmetric about 0
    covered = 0
    for _ in range(size):
        cluster = np.repeat(rng.normal(0, 0.5, 30), 8)
        values = np.exp(cluster + rng.normal(0, 1, 240))
        sample = survey_sample([1] * 240, clusters=np.arange(240) // 8)
        (interval,) = estimate_quantiles(sample, values, [0.5]).intervals()
        covered += interval.low <= truth <= interval.high
    assert covered / size == pytest.approx(0.95, abs=0.035)
