"""The linearised covariance, by the loops of its formula: strata, clusters, poststrata."""

import math

import numpy as np
import pytest

from tests.randomized_response.designs import Direct, Warner
from tests.randomized_response.errors import WeightsError
from tests.randomized_response.samples import (
    estimate_weighted_distribution,
    poststratification_weights,
)

REPORTS = np.array([0, 2, 1, 1, 0, 2, 2, 0, 1, 2, 0, 0])
WEIGHTS = np.array([1.0, 3, 2, 0.5, 4, 1, 2, 1, 1, 2.5, 3, 1])
STRATA = np.array(list("aaaaaabbbbbb"))
CLUSTERS = np.array([1, 1, 2, 2, 3, 3, 1, 1, 1, 2, 2, 2])
GROUPS = np.array(list("xyxyxyxxyyxy"))
LABELS = {"strata": STRATA, "clusters": CLUSTERS, "poststrata": GROUPS}


def by_loops(strata, clusters, groups) -> np.ndarray:
    hot, total = np.eye(3)[REPORTS], WEIGHTS.sum()
    means = np.empty((len(REPORTS), 3))
    for name in np.unique(groups):
        members = groups == name
        means[members] = np.average(hot[members], axis=0, weights=WEIGHTS[members])
    z, variance = WEIGHTS[:, None] * (hot - means) / total, np.zeros((3, 3))
    for stratum in np.unique(strata):
        inside = strata == stratum
        names = np.unique(clusters[inside])
        sums = np.array([z[inside & (clusters == name)].sum(axis=0) for name in names])
        variance += len(sums) * np.cov(sums.T)
    return variance


@pytest.mark.parametrize("used", ["", "s", "c", "sc", "p", "sp", "cp", "scp"])
def test_the_covariance_is_that_of_the_formula(used) -> None:
    given = {name: column for name, column in LABELS.items() if name[0] in used}
    found = estimate_weighted_distribution(Direct(3), REPORTS, WEIGHTS, **given)
    n = len(REPORTS)
    expected = by_loops(
        STRATA if "s" in used else np.zeros(n),
        CLUSTERS if "c" in used else np.arange(n),
        GROUPS if "p" in used else np.zeros(n),
    )
    assert found.covariance == pytest.approx(expected, abs=1e-15)
    units = {"": 12, "s": 12, "c": 3, "sc": 5}[used.rstrip("p")]
    assert found.degrees_of_freedom == units - (2 if "s" in used else 1)


def test_labels_may_be_texts_or_numbers_and_a_cluster_counts_within_its_stratum() -> None:
    named = np.char.add(STRATA, CLUSTERS.astype(str))
    one = estimate_weighted_distribution(
        Direct(3), REPORTS, WEIGHTS, strata=STRATA, clusters=CLUSTERS
    )
    other = estimate_weighted_distribution(
        Direct(3), REPORTS, WEIGHTS, strata=(STRATA == "b") * 7.0, clusters=named.tolist()
    )
    assert other.covariance == pytest.approx(one.covariance, abs=1e-15)


def test_clusters_of_one_person_are_people() -> None:
    places = np.array([3, 9, 1, 0, 5, 7, 2, 8, 4, 11, 10, 6])
    strata = np.array(list("aaabbbbbbbbb"))[places]
    one = estimate_weighted_distribution(Direct(3), REPORTS, WEIGHTS, strata=strata)
    other = estimate_weighted_distribution(
        Direct(3), REPORTS, WEIGHTS, strata=strata, clusters=places
    )
    assert other.covariance == pytest.approx(one.covariance, abs=1e-15)


def test_clusters_whose_answers_agree_widen_the_interval() -> None:
    reports, clusters = np.repeat([0, 1, 0, 1, 1, 0, 0, 1, 0, 0], 20), np.repeat(np.arange(10), 20)
    alone = estimate_weighted_distribution(Direct(2), reports, np.ones(200))
    clustered = estimate_weighted_distribution(Direct(2), reports, np.ones(200), clusters=clusters)
    assert clustered.effective_number(1) < 10 < alone.effective_number(1)
    assert clustered.interval(1).width > 3 * alone.interval(1).width
    assert "9 degrees of freedom" in clustered.interval(1).note


def test_strata_whose_answers_agree_leave_an_interval_with_width() -> None:
    reports, strata = np.repeat([0, 1], 20), np.repeat([0, 1], 20)
    found = estimate_weighted_distribution(Direct(2), reports, np.ones(40), strata=strata)
    assert found.standard_errors == pytest.approx([0, 0], abs=1e-9)
    kish = 40 * (2.022690911 / 2.024394164) ** 2  # t with 39 and 38 degrees of freedom
    assert found.effective_number(1) == pytest.approx(kish)
    for method in found.methods:
        assert found.interval(1, method=method).width > 0.2


def test_an_answer_of_weight_zero_takes_its_labels_along() -> None:
    found = estimate_weighted_distribution(
        Direct(2), [0, 1, 0, 1, 1], [1, 2, 1, 3, 0], strata=list("aabbz"), poststrata=list("pqpqr")
    )
    without = estimate_weighted_distribution(
        Direct(2), [0, 1, 0, 1], [1, 2, 1, 3], strata=list("aabb"), poststrata=list("pqpq")
    )
    assert found.covariance == pytest.approx(without.covariance)
    assert found.degrees_of_freedom == without.degrees_of_freedom == 2


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize(
    "labels", [["a"] * 7, 3, [None, *"aaaaaaa"], [math.nan, *[1.0] * 7], [["a"] * 8]]
)
def test_labels_that_are_missing_are_refused_by_name(name, labels) -> None:
    with pytest.raises(WeightsError, match=name):
        estimate_weighted_distribution(Warner(0.75), [0, 1] * 4, [1.0] * 8, **{name: labels})


def test_a_stratum_or_sample_of_one_unit_is_refused_by_its_name() -> None:
    for given, words in (
        ({"strata": ["a", "a", "lonely", "a"]}, "lonely"),
        ({"clusters": [1, 1, 1, 1]}, "clusters"),
    ):
        with pytest.raises(WeightsError, match=words):
            estimate_weighted_distribution(Warner(0.75), [0, 1, 1, 0], [1, 1, 1, 1], **given)


def test_poststratification_takes_out_what_differs_between_the_groups() -> None:
    groups = np.repeat(["few", "many"], [100, 100])
    reports = np.concatenate([np.arange(100) % 10 == 0, np.arange(100) % 10 > 0]).astype(int)
    weights = poststratification_weights(groups, {"few": 500, "many": 500})
    plain = estimate_weighted_distribution(Direct(2), reports, weights)
    known = estimate_weighted_distribution(Direct(2), reports, weights, poststrata=groups)
    assert known.standard_errors[1] < 0.65 * plain.standard_errors[1]
    assert known.interval(1).width < 0.75 * plain.interval(1).width
