"""People as they were drawn: weights, strata, stages, finite populations: all enumerated."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

from tests.randomized_response.designs import Warner, transform_reports
from tests.randomized_response.errors import EstimationError, WeightsError
from tests.randomized_response.samples import (
    ReplicateWeights,
    SampleEstimate,
    Stage,
    SurveyEstimates,
    SurveySample,
    estimate_means,
    estimate_simple_mean,
    estimate_totals,
    estimate_weighted_distribution,
    jackknife_replicates,
    replicated_sample,
    survey_sample,
)
from tests.surveys.randomized_response.samples.populations import (
    TRUTH,
    N,
    Plan,
    moments,
    simple_samples,
)

DESIGN = Warner(Fraction(7, 10))
REPORTS = [0, 1, 1, 0, 1, 1, 0, 1]
# Nine people in three houses; two houses are drawn, and in each two people.
HOUSES = [(0, 1, 2), (3, 4, 5), (6, 7, 8)]
NINE = [1, 1, 0, 0, 0, 1, 1, 1, 1]


def of(estimates: SurveyEstimates) -> SampleEstimate:
    """The first of them as one number with its variance."""
    return SampleEstimate(float(estimates.values[0]), float(estimates.covariance[0, 0]), 0.0)


def two_stages() -> Plan:
    chosen = [
        (*left, *right)
        for one, other in combinations(HOUSES, 2)
        for left, right in product(combinations(one, 2), combinations(other, 2))
    ]
    return [(sample, 1 / len(chosen)) for sample in chosen]


def test_a_total_and_its_variance_are_unbiased_over_all_simple_samples_and_outcomes() -> None:
    sample = survey_sample([N / 3] * 3, population=N)
    mean, variance, estimated = moments(
        simple_samples(3), lambda _, reports: of(estimate_totals(sample, reports))
    )
    assert mean == pytest.approx(TRUTH.sum())
    assert estimated == pytest.approx(variance)


def test_so_are_those_over_all_samples_of_two_stages() -> None:
    # Whichever houses were drawn, the first two people are of one and the others of another one.
    sample = survey_sample(clusters=[1, 1, 2, 2], population=3, stages=[Stage(population=3)])
    assert sample.weights == pytest.approx([9 / 4] * 4)
    mean, variance, estimated = moments(
        two_stages(), lambda _, reports: of(estimate_totals(sample, reports)), NINE
    )
    assert mean == pytest.approx(sum(NINE))
    assert estimated == pytest.approx(variance)


def test_strata_within_a_stage_are_drawn_apart() -> None:
    """Both strata of two houses that were both asked: only the draw within them is by chance."""
    plan = [
        ((*a, *b), 1 / 9)
        for a, b in product(combinations((0, 1, 2), 2), combinations((3, 4, 5), 2))
    ]

    houses = [1, 1, 2, 2]
    within = Stage(strata=houses, population=3)
    sample = survey_sample(clusters=houses, population=2, stages=[within])
    mean, variance, estimated = moments(
        plan, lambda _, reports: of(estimate_totals(sample, reports)), NINE
    )
    assert mean == pytest.approx(sum(NINE[:6]))
    assert estimated == pytest.approx(variance)


def test_where_all_were_asked_the_device_alone_is_left_to_chance() -> None:
    reports = transform_reports(DESIGN, REPORTS)
    total = estimate_totals(survey_sample([1] * 8, population=8), reports)
    assert total.covariance[0, 0] == pytest.approx(reports.variances.sum())
    answers = estimate_totals(survey_sample([1] * 8, population=8), REPORTS)
    assert answers.standard_errors[0] == 0


def test_a_simple_mean_is_that_of_estimate_simple_mean() -> None:
    reports = transform_reports(DESIGN, REPORTS)
    for population in (None, 40):
        mean = estimate_means(survey_sample([3] * 8, population=population), reports)
        known = estimate_simple_mean(reports, population)
        assert mean.values[0] == pytest.approx(known.value)
        assert mean.standard_errors[0] == pytest.approx(known.standard_error)


@pytest.mark.parametrize("population", [None, 40])
def test_weighted_shares_have_the_errors_of_means_of_transformed_reports(population) -> None:
    """Also what the device adds to a finite population."""
    weights = [1, 2, 3, 1, 2, 2, 1, 1]
    sample = survey_sample(weights, clusters=[1, 1, 2, 2, 3, 3, 4, 4], population=population)
    shares = estimate_weighted_distribution(DESIGN, REPORTS, sample)
    for option in (0, 1):
        mean = estimate_means(sample, transform_reports(DESIGN, REPORTS, option))
        assert shares.shares[option] == pytest.approx(mean.values[0])
        assert shares.standard_errors[option] == pytest.approx(mean.standard_errors[0])
    assert shares.degrees_of_freedom == 3


def test_a_sample_of_weights_alone_gives_the_shares_of_the_weights() -> None:
    weights = [1, 2, 3, 1, 2, 0, 1, 1]
    known = estimate_weighted_distribution(DESIGN, REPORTS, weights)
    drawn = estimate_weighted_distribution(DESIGN, REPORTS, survey_sample(weights))
    assert drawn.shares == pytest.approx(known.shares)
    # A person of no weight is a unit that was drawn, as in R's survey.
    assert drawn.covariance == pytest.approx(known.covariance * (8 / 7) / (7 / 6))
    assert (drawn.n, drawn.notes) == (known.n, known.notes)


def test_degrees_are_units_less_strata_of_the_people_that_count() -> None:
    strata, clusters = ["a"] * 4 + ["b"] * 4, [1, 1, 2, 2, 3, 3, 4, 4]
    sample = survey_sample([1] * 8, strata=strata, clusters=clusters)
    assert sample.degrees_of_freedom == 2
    assert sample.degrees_within(np.arange(8) < 4) == 1
    nobody = survey_sample([1] * 6 + [0, 0], strata=strata, clusters=clusters)
    assert nobody.degrees_of_freedom == 1


def test_single_units_are_refused_or_certain_or_compared_with_all() -> None:
    strata = ["a", "a", "a", "b"]
    with pytest.raises(WeightsError, match=r"the stratum of person 3 .* merge strata"):
        survey_sample([1] * 4, strata=strata)
    certain = survey_sample([1] * 4, strata=strata, single_units="certain")
    centred = survey_sample([1] * 4, strata=strata, single_units="centre")
    values = [1, 3, 2, 8]
    assert estimate_means(certain, values).covariance[0, 0] == pytest.approx(3 / 16)
    assert estimate_means(centred, values).covariance[0, 0] == pytest.approx((3 + 4.5**2) / 16)
    # All of it was asked: nothing is left to chance.
    whole = survey_sample([1] * 4, strata=strata, population={"a": 3e9, "b": 1})
    assert estimate_means(whole, values).covariance[0, 0] == pytest.approx(3 / 16)


def test_populations_are_one_number_or_one_per_person_or_per_stratum() -> None:
    strata = ["a", "a", "b", "b"]
    by_label = survey_sample(strata=strata, population={"a": 10, "b": 20, "c": 5})
    by_person = survey_sample(strata=strata, population=[10, 10, 20, 20])
    assert by_label.weights.tolist() == by_person.weights.tolist() == [5, 5, 10, 10]
    assert survey_sample(strata=strata, population=10).weights.tolist() == [5] * 4


BAD: dict[str, tuple[dict, str]] = {
    "nothing": ({}, "give one per person"),
    "no weights": ({"strata": [1, 1]}, "the population of stage 1"),
    "no weights of stage 2": (
        {"clusters": [1, 1, 2, 2], "population": 9, "stages": [Stage()]},
        "the population of stage 2",
    ),
    "a negative weight": ({"weights": [1, -1]}, "0 or more"),
    "weights of 0": ({"weights": [0, 0]}, "at least one weight above 0"),
    "endless weights": ({"weights": [1e308, 1e308]}, "none above"),
    "a weight that is none": ({"weights": [1, float("nan")]}, "finite"),
    "texts": ({"weights": ["a", "b"]}, "give numbers"),
    "a number": ({"weights": 3}, "one number per person"),
    "other lengths": ({"weights": [1, 2], "strata": [1, 1, 1]}, "2 labels"),
    "a missing label": ({"weights": [1, 2], "strata": [None, 1]}, "needs a label"),
    "a small population": ({"weights": [1, 2], "population": 1}, "2 units of this stratum"),
    "a huge population": ({"weights": [1, 2], "population": 1e299}, "at most"),
    "a population that no float holds": ({"weights": [1, 2], "population": 10**400}, "too large"),
    "ragged populations": ({"weights": [1, 2], "population": [[1], [1, 2]]}, "population"),
    "two labels that read the same": (
        {"strata": [1, 1], "population": {1: 5, "1": 6}},
        "read the same",
    ),
    "rules": ({"weights": [1, 2], "single_units": np.array(["a", "b"])}, "choose one of"),
    "a table": ({"weights": pd.DataFrame({"a": [1, 2]})}, "weights"),
    "tiny weights": ({"weights": [1e-300, 1e-300]}, "at least one weight"),
    "a population of 0": ({"weights": [1, 2], "population": 0}, "above 0"),
    "a text as a population": ({"weights": [1, 2], "population": "x"}, "population"),
    "two populations": ({"weights": [1, 2], "population": [5, 6]}, "has one population"),
    "labels without strata": ({"weights": [1, 2], "population": {"a": 5}}, "no strata"),
    "an unknown label": (
        {"strata": ["a", "a", "b", "b"], "population": {"a": 5}},
        "needs a known population",
    ),
    "a stage that is none": ({"weights": [1, 2], "stages": [3]}, "Stage"),
    "one stage": ({"weights": [1, 2], "stages": Stage()}, "a list of Stage"),
    "an unknown rule": ({"weights": [1, 2], "single_units": "drop"}, "refuse, certain, centre"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_samples_are_refused_in_words(case) -> None:
    arguments, words = BAD[case]
    with pytest.raises(WeightsError, match=words):
        survey_sample(**arguments)


def test_an_unknown_noise_cannot_be_put_back() -> None:
    reports = transform_reports(DESIGN, REPORTS)
    silent = type(reports)(reports.values, None)
    assert estimate_means(survey_sample([1] * 8), silent).standard_errors[0] > 0
    with pytest.raises(EstimationError, match="leave the populations out"):
        estimate_means(survey_sample([1] * 8, population=40), silent)


def test_replicates_know_their_degrees_or_are_told_them() -> None:
    weights, strata = [1.0, 2, 1, 1, 2, 1], [1, 1, 1, 2, 2, 2]
    replicates = jackknife_replicates(weights, strata=strata)
    assert replicated_sample(weights, replicates).degrees_of_freedom == 4
    assert replicated_sample(weights, replicates, 3).degrees_of_freedom == 3
    for wrong in (0, -1, 2.5, "4", True, 10**400):
        with pytest.raises(WeightsError, match="degrees_of_freedom"):
            replicated_sample(weights, replicates, wrong)
    with pytest.raises(WeightsError, match="ReplicateWeights"):
        replicated_sample(weights, [weights])
    nobody = ReplicateWeights(np.array([weights, [0] * 6]), np.array([0.5, 0.5]))
    with pytest.raises(WeightsError, match="replicate 1"):
        replicated_sample(weights, nobody)
    with pytest.raises(WeightsError, match="6 numbers"):
        replicated_sample(weights[:5], replicates)


def test_degrees_of_replicates_are_those_of_units_however_weights_differ() -> None:
    weights = np.array([1e5] * 10 + [1.0] * 10)
    replicates = jackknife_replicates(weights, strata=np.repeat([0, 1], 10))
    assert replicated_sample(weights, replicates).degrees_of_freedom == 18


def test_a_unit_that_was_certain_leaves_its_devices_to_chance() -> None:
    """One person who was chosen, and two of three others: all samples and outcomes."""
    truth, strata = [1, 0, 0, 1], ["big", "rest", "rest"]
    plan = [((0, *pair), 1 / 3) for pair in combinations((1, 2, 3), 2)]
    weights = [1, 1.5, 1.5]
    known = survey_sample(weights, strata=strata, population={"big": 1, "rest": 3})
    mean, variance, estimated = moments(
        plan, lambda _, reports: of(estimate_totals(known, reports)), truth
    )
    assert (mean, estimated) == (pytest.approx(2), pytest.approx(variance))
    certain = survey_sample(weights, strata=strata, single_units="certain")
    assert certain.fixed_parts().tolist() == [1, 0, 0]
    reports = transform_reports(DESIGN, [0, 1, 0])
    silent = replace(reports, variances=np.zeros(3))
    added, without = (estimate_totals(certain, r).covariance[0, 0] for r in (reports, silent))
    assert added - without == pytest.approx(reports.variances[0])


def test_shares_of_as_many_strata_as_units_have_no_interval() -> None:
    alone = survey_sample([1] * 8, strata=range(8), single_units="centre")
    shares = estimate_weighted_distribution(DESIGN, REPORTS, alone)
    for method in (None, "wald"):
        with pytest.raises(EstimationError, match="as many strata as units"):
            shares.interval(0, method=method)


def test_a_sample_says_what_else_says_its_weights() -> None:
    with pytest.raises(WeightsError, match="leave it out here"):
        estimate_weighted_distribution(DESIGN, [0, 1], survey_sample([1, 1]), strata=[1, 1])
    with pytest.raises(WeightsError, match="3"):
        estimate_weighted_distribution(DESIGN, [0, 1, 1], survey_sample([1, 1]))
    with pytest.raises(WeightsError, match="survey_sample"):
        estimate_means([1, 1], [1, 2])


def test_columns_of_a_frame_keep_their_people() -> None:
    frame = pd.DataFrame({"w": [1, 2, 3], "y": [4, 5, 6]}, index=["ann", "ben", "cy"])
    sample = survey_sample(frame["w"])
    assert isinstance(sample, SurveySample)
    with pytest.raises(EstimationError, match="index"):
        estimate_means(sample, frame["y"].iloc[::-1])
    with pytest.raises(WeightsError, match="index"):
        survey_sample(frame["w"], population=frame["y"].iloc[::-1])
    table = ReplicateWeights(frame[["w", "y"]].T, np.array([0.5, 0.5]))
    with pytest.raises(EstimationError, match="index"):
        estimate_means(replicated_sample([1, 2, 3], table, 1), frame["y"].iloc[::-1])
