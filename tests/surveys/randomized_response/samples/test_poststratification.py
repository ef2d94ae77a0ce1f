"""Post-stratification: weights that hit known totals, and the variance that is left."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy

from tests.randomized_response.designs import TransformedReports, Warner, transform_reports
from tests.randomized_response.errors import WeightsError
from tests.randomized_response.samples import (
    estimate_poststratified_total,
    estimate_simple_mean,
    estimate_total,
    poststratification_weights,
)

DESIGN = Warner(Fraction(3, 4))
GROUPS = ["women", "men", "women", "men", "men", "women"]
SIZES = {"women": 520.0, "men": 480}


def test_weights_of_every_group_sum_to_its_known_size_in_proportion_to_the_base() -> None:
    base = np.array([1.0, 2.0, 3.0, 1.0, 1.0, 4.0])
    weights = poststratification_weights(GROUPS, SIZES, base)
    women = np.array([g == "women" for g in GROUPS])
    assert weights[women].sum() == pytest.approx(520)
    assert weights[~women].sum() == pytest.approx(480)
    assert weights[women] / base[women] == pytest.approx(np.full(3, 65.0))


def test_the_interval_is_students_with_welchs_degrees_of_freedom() -> None:
    """Two groups of which each is half of the people, and whose answers scatter alike."""
    rng = np.random.default_rng(4)
    groups = [(x - x.mean()) / x.std(ddof=1) for x in (rng.random(4), rng.random(19))]
    values = np.concatenate(groups)
    labels = np.repeat([0, 1], [4, 19])
    reports = TransformedReports(values, np.zeros(23))
    total = estimate_poststratified_total(reports, np.full(23, 1e-6), labels, {0: 1.0, 1: 1.0})
    welch = scipy.stats.ttest_ind(*groups, equal_var=False).df
    assert total.degrees == pytest.approx(welch)
    interval = total.interval()
    ends = scipy.stats.t.interval(0.95, welch, total.value, total.standard_error)
    assert (interval.low, interval.high) == pytest.approx(ends)
    assert interval.method == "student"


def test_one_group_gives_the_ratio_estimate_and_its_variance() -> None:
    reports = transform_reports(DESIGN, [0, 1, 1, 0, 1])
    pi = [0.05] * 5
    total = estimate_poststratified_total(reports, pi, ["all"] * 5, {"all": 100})
    plain = estimate_total(reports, pi)
    assert total.value == pytest.approx(plain.value)
    assert total.variance == pytest.approx(plain.variance)


def test_groups_of_their_expected_size_add_up_like_samples_of_their_own() -> None:
    reports = transform_reports(DESIGN, [0, 1, 1, 0, 1, 1])
    total = estimate_poststratified_total(reports, [0.1] * 6, [0, 0, 0, 1, 1, 1], {0: 30, 1: 30})
    first = estimate_simple_mean(transform_reports(DESIGN, [0, 1, 1]), 30)
    assert total.value == pytest.approx(2 * 30 * first.value)
    # One sample of six has 5 degrees of freedom where two samples of three have 4.
    separate = 2 * 30**2 * first.sampling_variance
    assert total.sampling_variance == pytest.approx(separate * (2 / 3) * (6 / 5))
    assert total.randomization_variance == pytest.approx(6 * 10 * 0.75)


def test_weights_enter_what_the_device_adds_by_their_square() -> None:
    reports = transform_reports(DESIGN, [0, 1, 1, 0])
    # Everybody of a frame that holds half of the population: each report counts twice.
    total = estimate_poststratified_total(reports, [1.0] * 4, ["all"] * 4, {"all": 8})
    assert total.sampling_variance == 0
    assert total.variance == pytest.approx(4 * 2**2 * 0.75)


def test_groups_that_explain_the_answer_shrink_the_sampling_variance() -> None:
    design = Warner(Fraction(1))
    reports = transform_reports(design, [1, 1, 1, 0, 0, 0])
    pi, groups = [0.1] * 6, ["y"] * 3 + ["n"] * 3
    total = estimate_poststratified_total(reports, pi, groups, {"y": 40, "n": 20})
    assert total.value == pytest.approx(40)
    assert total.variance == pytest.approx(0, abs=1e-9)
    assert estimate_total(reports, pi).variance > 1


@pytest.mark.parametrize(
    ("groups", "sizes", "base", "argument"),
    [
        (GROUPS, {"women": 520}, None, "population_sizes"),
        (GROUPS, {**SIZES, "others": 5}, None, "groups"),
        (GROUPS, {"women": 0, "men": 5}, None, "population_sizes['women']"),
        (GROUPS, {"women": math.nan, "men": 5}, None, "population_sizes['women']"),
        (GROUPS, {"women": "520", "men": 5}, None, "population_sizes['women']"),
        (GROUPS, SIZES, [1, 1, 1, 1, 1, 0], "base_weights[5]"),
        (GROUPS, SIZES, [1, 1, 1], "base_weights"),
        ([None, *GROUPS[1:]], SIZES, None, "groups[0]"),
        ([], SIZES, None, "groups"),
    ],
)
def test_groups_and_sizes_that_do_not_fit_are_refused_by_name(
    groups, sizes, base, argument
) -> None:
    with pytest.raises(WeightsError) as refusal:
        poststratification_weights(groups, sizes, base)
    assert refusal.value.argument == argument
    assert refusal.value.remedy
