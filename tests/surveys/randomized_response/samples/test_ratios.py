"""Means, totals and ratios of groups: covariances, design effects, names, what is refused."""

import numpy as np
import pandas as pd
import pytest

from tests.randomized_response.designs import Warner, transform_reports
from tests.randomized_response.errors import EstimationError, WeightsError
from tests.randomized_response.samples import (
    estimate_means,
    estimate_ratios,
    estimate_simple_mean,
    estimate_totals,
    jackknife_replicates,
    replicated_sample,
    survey_sample,
)

DESIGN = Warner(0.8)
N = 60
RNG = np.random.default_rng(7)
Y, X = RNG.normal(10, 2, N), RNG.normal(20, 3, N)
WEIGHTS = RNG.uniform(1, 3, N)
CLUSTERS = np.arange(N) // 5
SEX = np.where(np.arange(N) % 3 == 0, "f", "m")
SAMPLE = survey_sample(WEIGHTS, clusters=CLUSTERS)
REPORTS = transform_reports(DESIGN, RNG.integers(0, 2, N))


def test_groups_are_estimated_from_their_people_alone() -> None:
    means = estimate_means(survey_sample([1] * N), REPORTS, groups=SEX)
    assert means.names == ("f", "m")
    assert means.counts == (20, 40)
    for name, value in zip(means.names, means.values, strict=True):
        alone = type(REPORTS)(REPORTS.values[name == SEX], REPORTS.variances[name == SEX])
        assert value == pytest.approx(estimate_simple_mean(alone).value)


def test_a_difference_knows_that_groups_lie_in_the_same_clusters() -> None:
    means = estimate_means(SAMPLE, Y, groups=SEX)
    difference = means.difference("f", "m")
    v = means.covariance
    assert v[0, 1] != 0
    assert difference.values[0] == pytest.approx(means.values[0] - means.values[1])
    assert difference.covariance[0, 0] == pytest.approx(v[0, 0] + v[1, 1] - 2 * v[0, 1])
    assert difference.names == ("f - m",)
    assert difference.values == pytest.approx(-means.difference(1, 0).values)


@pytest.mark.parametrize("labels", [[1, 2, 3], [20, 40, 60], [0, 1, 2], [0.5, 1.0, 2.0]])
def test_groups_whose_labels_are_numbers_are_named_by_them_and_never_by_position(labels) -> None:
    """With labels 1, 2 and 3 the difference of 1 and 2 was that of the second and the third."""
    groups = np.array(labels)[np.arange(len(Y)) % 3]
    means = estimate_means(SAMPLE, Y, groups=groups)
    one, other = (np.average(Y[groups == x], weights=WEIGHTS[groups == x]) for x in labels[:2])
    first, second = labels[:2]
    assert means.difference(first, second).values == means.difference(*means.names[:2]).values
    assert means.interval(second).low == means.interval(means.names[1]).low
    named = dict(zip(labels, [1.0, -1.0, 0.0], strict=True))
    assert means.contrast(pd.Series(named)).values == means.difference(first, second).values
    assert means.difference(first, second).values[0] == pytest.approx(one - other)
    with pytest.raises(EstimationError, match="choose one of"):
        means.interval(99)


def test_two_labels_of_one_estimate_are_refused() -> None:
    means = estimate_means(SAMPLE, Y, groups=np.arange(len(Y)) % 2)
    with pytest.raises(EstimationError, match="two labels name one estimate"):
        means.contrast({1: 1.0, "1": -1.0})


def test_groups_of_truth_values_are_named_by_them() -> None:
    means = estimate_means(SAMPLE, Y, groups=np.arange(len(Y)) % 2 == 0)
    assert means.difference(True, False).values == means.difference("True", "False").values


def test_a_level_is_no_estimate() -> None:
    with pytest.raises(EstimationError, match=r"level=0\.9"):
        estimate_means(SAMPLE, Y).interval(0.9)


def test_totals_of_groups_add_up_with_their_covariances() -> None:
    parts, whole = estimate_totals(SAMPLE, Y, groups=SEX), estimate_totals(SAMPLE, Y)
    assert parts.values.sum() == pytest.approx(whole.values[0])
    assert parts.covariance.sum() == pytest.approx(whole.covariance[0, 0])


def test_a_mean_is_a_ratio_to_ones_and_a_ratio_the_mean_where_its_base_is_one() -> None:
    means, ratios = estimate_means(SAMPLE, Y), estimate_ratios(SAMPLE, Y, np.ones(N))
    assert ratios.values == pytest.approx(means.values)
    assert ratios.covariance == pytest.approx(means.covariance)


def test_replicates_come_near_to_linearisation() -> None:
    """A jackknife of twelve clusters: equal for totals, within a tenth for ratios."""
    replicates = replicated_sample(WEIGHTS, jackknife_replicates(WEIGHTS, clusters=CLUSTERS))
    totals = estimate_totals(replicates, Y), estimate_totals(SAMPLE, Y)
    assert totals[0].covariance == pytest.approx(totals[1].covariance)
    for kind in (estimate_ratios(replicates, Y, X), estimate_means(replicates, Y)):
        other = estimate_ratios(SAMPLE, Y, X) if kind.kind == "ratio" else estimate_means(SAMPLE, Y)
        assert kind.standard_errors == pytest.approx(other.standard_errors, rel=0.1)


def test_the_noise_of_both_answers_of_a_ratio_counts_in_a_finite_population() -> None:
    """Where all were asked only devices are left: delta method by hand."""
    everybody = survey_sample([1] * N, population=N)
    other = transform_reports(Warner(0.9), [1, 1, 1, 0] * 15)
    ratio = estimate_ratios(everybody, REPORTS, other)
    base, value = other.values.sum(), float(ratio.values[0])
    variance = (REPORTS.variances.sum() + value**2 * other.variances.sum()) / base**2
    assert ratio.covariance[0, 0] == pytest.approx(variance)


def test_coefficients_with_names_are_those_of_the_estimates_they_name() -> None:
    means = estimate_means(SAMPLE, Y, groups=SEX)
    for coefficients in (pd.Series({"m": -1, "f": 1}), {"m": -1, "f": 1}):
        assert means.contrast(coefficients).values == means.difference("f", "m").values


def test_columns_of_a_ratio_belong_to_the_same_people() -> None:
    with pytest.raises(EstimationError, match="index"):
        estimate_ratios(SAMPLE, pd.Series(Y), pd.Series(X).iloc[::-1])


def test_an_empty_label_is_a_name_too() -> None:
    assert estimate_means(SAMPLE, Y, groups=np.where(SEX == "f", "", "m")).names == ("", "m")


def test_design_effects_are_1_one_by_one_and_grow_with_clusters_that_agree() -> None:
    alone = estimate_means(survey_sample([2] * N), Y)
    assert alone.design_effects == pytest.approx([1.0])
    agreed = estimate_means(survey_sample([1] * N, clusters=CLUSTERS), Y[CLUSTERS])
    assert agreed.design_effects == pytest.approx([(N - 1) / (N / 5 - 1)])
    with pytest.raises(EstimationError, match="give means"):
        _ = estimate_totals(SAMPLE, Y).design_effects


def test_names_are_those_of_columns_and_groups() -> None:
    frame = pd.DataFrame({"rent": Y, "food": X})
    assert estimate_means(SAMPLE, frame).names == ("rent", "food")
    grouped = estimate_means(SAMPLE, frame, groups=SEX)
    assert grouped.names == ("f: rent", "f: food", "m: rent", "m: food")
    assert estimate_means(SAMPLE, frame.to_numpy(), names=["a", "b"]).names == ("a", "b")
    assert estimate_means(SAMPLE, frame.to_numpy()).names == ("value 1", "value 2")
    assert grouped.to_frame().loc["m: food", "estimate"] == grouped.values[3]


def test_intervals_are_students_and_refused_where_there_is_one_unit() -> None:
    means = estimate_means(SAMPLE, Y, groups=np.where(CLUSTERS == 3, "one", "others"))
    assert means.degrees == (0, 10)
    with pytest.raises(EstimationError, match="one unit"):
        means.interval("one")
    narrow, wide = means.interval("others", 0.5), means.interval(1, 0.99)
    assert wide.low < narrow.low < means.values[1] < narrow.high < wide.high
    assert np.isnan(means.standard_errors[0])
    assert "–" in str(means)
    assert "<td>" in means._repr_html_()


BAD = {
    "other people": (lambda: estimate_means(SAMPLE, Y[:-1]), "60 numbers"),
    "texts": (lambda: estimate_means(SAMPLE, ["a"] * N), "give numbers"),
    "no columns": (lambda: estimate_means(SAMPLE, np.zeros((N, 0))), "60 numbers"),
    "cubes": (lambda: estimate_means(SAMPLE, np.zeros((N, 1, 1))), "60 numbers"),
    "a missing answer": (lambda: estimate_means(SAMPLE, [np.nan, *Y[1:]]), r"values\[0\]"),
    "values too large": (lambda: estimate_means(SAMPLE, Y * 1e160), "another unit"),
    "a name that is none": (lambda: estimate_means(SAMPLE, Y, names=5), "1 texts"),
    "a name twice": (
        lambda: estimate_means(SAMPLE, np.ones((N, 2)), names=["a", "a"]),
        "rename one",
    ),
    "a label of no estimate": (
        lambda: estimate_means(SAMPLE, Y).contrast({"x": 1}),
        "choose one of value",
    ),
    "too few names": (lambda: estimate_means(SAMPLE, Y, names=["a", "b"]), "1 texts"),
    "two bases": (lambda: estimate_ratios(SAMPLE, Y, np.ones((N, 2))), "one column"),
    "bases of 0": (lambda: estimate_ratios(SAMPLE, Y, np.zeros(N)), "above 0"),
    "an unknown name": (lambda: estimate_means(SAMPLE, Y).interval("x"), "choose one of value"),
    "an unknown number": (lambda: estimate_means(SAMPLE, Y).interval(1), "numbered 0 to 0"),
    "a level": (lambda: estimate_means(SAMPLE, Y).interval(0, 95), "confidence level"),
    "a long contrast": (lambda: estimate_means(SAMPLE, Y).contrast([1, 1]), "1 finite"),
    "an endless contrast": (lambda: estimate_means(SAMPLE, Y).contrast([np.inf]), "1 finite"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_questions_are_refused_in_words(case) -> None:
    call, words = BAD[case]
    with pytest.raises(EstimationError, match=words):
        call()


def test_a_group_that_a_replicate_lacks_is_refused_by_its_name() -> None:
    replicates = replicated_sample(WEIGHTS, jackknife_replicates(WEIGHTS, clusters=CLUSTERS))
    groups = np.where(CLUSTERS == 3, "one", "others")
    with pytest.raises(EstimationError, match=r"'one' .* merge groups"):
        estimate_means(replicates, Y, groups=groups)
    assert np.isfinite(estimate_totals(replicates, Y, groups=groups).covariance).all()


def test_a_group_without_weight_is_refused_by_its_name() -> None:
    nobody = survey_sample(np.where(SEX == "f", 0, 1.0))
    with pytest.raises(WeightsError, match="'f'"):
        estimate_means(nobody, Y, groups=SEX)
