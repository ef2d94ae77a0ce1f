"""Regressions of people who were drawn in strata, clusters and stages, or by replicates."""

import numpy as np
import pytest
from scipy.special import stdtr

from tests.randomized_response.designs import (
    Direct,
    Piecewise,
    TransformedReports,
    UnrelatedQuestionTwoGroups,
    Warner,
    transform_reports,
)
from tests.randomized_response.drawing import draw_reports
from tests.randomized_response.errors import RegressionError, WeightsError
from tests.randomized_response.regression import (
    fit_linear_predictor_model,
    fit_logistic_predictor_model,
    fit_multinomial_model,
    fit_number_outcome_model,
    fit_number_predictor_model,
    fit_outcome_model,
)
from tests.randomized_response.regression.covariates import columns_from
from tests.randomized_response.regression.devices import device_of
from tests.randomized_response.regression.links import link_named
from tests.randomized_response.regression.outcome_likelihood import OutcomeData
from tests.randomized_response.samples import (
    KnownTotal,
    calibrate,
    estimate_simple_mean,
    jackknife_replicates,
    replicated_sample,
    survey_sample,
)

N = 400
RNG = np.random.default_rng(9)
AGE = RNG.normal(size=N)
CLUSTERS = np.arange(N) // 20
DEVICE = Warner(0.85)
WEIGHTS = RNG.uniform(1, 3, N)
REPORTS = draw_reports(DEVICE, RNG.random(N) < 1 / (1 + np.exp(-AGE)), RNG)
SAMPLE = survey_sample(WEIGHTS, clusters=CLUSTERS)
REPLICATED = replicated_sample(WEIGHTS, jackknife_replicates(WEIGHTS, clusters=CLUSTERS))
NUMBERS = Piecewise(0, 10, 6).transform(RNG.uniform(0, 10, N))


def test_a_sample_of_weights_alone_is_the_sandwich() -> None:
    known = fit_outcome_model(DEVICE, REPORTS, AGE, weights=WEIGHTS)
    drawn = fit_outcome_model(DEVICE, REPORTS, AGE, weights=survey_sample(WEIGHTS))
    assert drawn.coefficients == pytest.approx(known.coefficients)
    assert drawn.covariance == pytest.approx(known.covariance, rel=1e-6)
    assert drawn.degrees == N - 2
    assert drawn.log_likelihood == pytest.approx(known.log_likelihood)
    numbers = [
        fit_number_outcome_model(NUMBERS, AGE, weights=w) for w in (WEIGHTS, survey_sample(WEIGHTS))
    ]
    assert numbers[1].covariance == pytest.approx(numbers[0].covariance)


def test_tests_and_intervals_are_students_with_few_clusters() -> None:
    sample = survey_sample(WEIGHTS, clusters=CLUSTERS // 4)
    model = fit_outcome_model(DEVICE, REPORTS, AGE, weights=sample)
    assert model.degrees == 5 - 1 + 1 - 2
    half = model.intervals(0.95)[1, 1] - model.coefficients[1]
    assert half == pytest.approx(3.182446 * model.standard_errors[1], rel=1e-6)
    normal = fit_outcome_model(DEVICE, REPORTS, AGE, weights=WEIGHTS)
    assert normal.intervals(0.95)[1, 1] - normal.coefficients[1] == pytest.approx(
        1.959964 * normal.standard_errors[1], rel=1e-6
    )
    assert model.p_values[1] == pytest.approx(2 * stdtr(3, -abs(model.z[1])))
    predicted = model.predict([0.0], 0.95)
    assert predicted.linear_errors * 3.182446 == pytest.approx(
        predicted.linear - np.log(predicted.low / (1 - predicted.low)), rel=1e-6
    )
    too_few = survey_sample(WEIGHTS, clusters=CLUSTERS // 10)
    with pytest.raises(RegressionError, match="too few units"):
        fit_outcome_model(DEVICE, REPORTS, AGE, weights=too_few)
    with pytest.raises(RegressionError, match="too few units"):
        fit_number_outcome_model(NUMBERS, AGE, weights=too_few)


def test_a_jackknife_of_clusters_comes_near_to_linearisation() -> None:
    for fit in (
        lambda w: fit_outcome_model(DEVICE, REPORTS, AGE, weights=w),
        lambda w: fit_number_outcome_model(NUMBERS, AGE, weights=w),
        lambda w: fit_number_predictor_model(NUMBERS, AGE, weights=w),
        lambda w: fit_logistic_predictor_model(DEVICE, REPORTS, AGE > CLUSTERS % 2, weights=w),
    ):
        one, other = fit(SAMPLE), fit(REPLICATED)
        assert one.coefficients == pytest.approx(other.coefficients)
        assert one.standard_errors == pytest.approx(other.standard_errors, rel=0.15)


def test_a_multinomial_model_of_two_options_is_the_logistic_one_of_the_same_sample() -> None:
    for sample in (WEIGHTS, SAMPLE, REPLICATED):
        one = fit_outcome_model(DEVICE, REPORTS, AGE, weights=sample)
        other = fit_multinomial_model(DEVICE, REPORTS, AGE, weights=sample)
        assert other.coefficients == pytest.approx(one.coefficients, rel=1e-6)
        assert other.covariance == pytest.approx(one.covariance, rel=1e-5)
        assert other.log_likelihood == pytest.approx(one.log_likelihood)
        assert other.degrees == (np.inf if sample is WEIGHTS else one.degrees)


def test_a_predictor_that_is_known_is_a_covariate() -> None:
    """Where the trait was asked directly, both errors of a sample are one sandwich."""
    trait = (RNG.random(N) < 0.4).astype(int)
    income = 3 + 2 * trait + AGE + RNG.normal(size=N)
    for sample in (SAMPLE, REPLICATED):
        known = fit_number_outcome_model(
            TransformedReports(income, None), np.column_stack([AGE, trait]), weights=sample
        )
        model = fit_linear_predictor_model(Direct(2), trait, income, AGE, weights=sample)
        assert model.coefficients == pytest.approx(known.coefficients, rel=1e-5)
        assert model.covariance == pytest.approx(known.covariance, rel=1e-4)
    rich = (RNG.random(N) < 1 / (1 + np.exp(-trait))).astype(int)
    logistic = fit_outcome_model(Direct(2), rich, np.column_stack([AGE, trait]), weights=SAMPLE)
    model = fit_logistic_predictor_model(Direct(2), trait, rich, AGE, weights=SAMPLE)
    assert model.coefficients == pytest.approx(logistic.coefficients, rel=1e-5)
    assert model.covariance == pytest.approx(logistic.covariance, rel=1e-4)
    assert model.degrees == logistic.degrees - 2  # those of the trait's own model


def test_whole_weights_are_people_alike_in_models_of_a_hidden_trait() -> None:
    times = 1 + np.arange(N) % 3
    income = AGE + REPORTS + RNG.normal(size=N)

    def fit(rows, weights):
        return fit_linear_predictor_model(
            DEVICE, REPORTS[rows], income[rows], AGE[rows], weights=weights
        )

    weighted, repeated = fit(np.arange(N), times), fit(np.repeat(np.arange(N), times), None)
    assert weighted.coefficients == pytest.approx(repeated.coefficients, rel=1e-5)
    assert weighted.shares == pytest.approx(repeated.shares, rel=1e-5)
    assert weighted.residual_sd == pytest.approx(repeated.residual_sd)
    assert weighted.log_likelihood == pytest.approx(repeated.log_likelihood)


def test_a_hidden_trait_has_no_finite_population() -> None:
    finite = survey_sample(WEIGHTS, population=1000)
    for fit in (
        lambda: fit_multinomial_model(DEVICE, REPORTS, AGE, weights=finite),
        lambda: fit_logistic_predictor_model(DEVICE, REPORTS, AGE > 0, weights=finite),
    ):
        with pytest.raises(RegressionError, match="finite population"):
            fit()


def test_in_a_finite_population_a_model_without_covariates_is_the_simple_mean() -> None:
    """By the delta method, sampling and device both: only the link lies between them."""
    for design in (Direct(2), DEVICE):
        known = estimate_simple_mean(transform_reports(design, REPORTS), 1000)
        sample = survey_sample([2.5] * N, population=1000)
        model = fit_outcome_model(design, REPORTS, weights=sample)
        slope = known.value * (1 - known.value)
        assert model.standard_errors[0] == pytest.approx(known.standard_error / slope, rel=1e-6)
        mean = fit_number_outcome_model(transform_reports(design, REPORTS), weights=sample)
        assert mean.standard_errors[0] == pytest.approx(known.standard_error)


def test_the_noise_of_a_device_is_the_covariance_of_its_scores_given_the_truth() -> None:
    """By trying both reports of each person."""
    parts = RNG.uniform(0, 1, N)
    columns = columns_from(AGE, N, None, intercept=True)
    points = [
        OutcomeData(columns, device_of(DEVICE, np.full(N, report)), link_named("logit")).at(
            np.array([0.3, -0.2])
        )
        for report in (0, 1)
    ]
    difference = points[1].person_scores - points[0].person_scores
    # Given the truth a report is right with .85: its variance is the same for yes and no.
    expected = (difference * (parts * 0.85 * 0.15)) @ difference.T
    assert points[1].noise(parts) == pytest.approx(expected)


def test_a_two_group_design_has_no_finite_population() -> None:
    """Into which group a person comes is drawn too."""
    design, groups = UnrelatedQuestionTwoGroups(0.7, 0.3), 1 + np.arange(N) % 2
    fit = fit_outcome_model(design, REPORTS, groups=groups, weights=SAMPLE)
    assert fit.degrees == 20 - 1 + 1 - 2
    with pytest.raises(RegressionError, match="leave populations out"):
        fit_outcome_model(
            design, REPORTS, groups=groups, weights=survey_sample(WEIGHTS, population=1000)
        )


def test_columns_that_weights_make_redundant_are_refused() -> None:
    """Also those of a replicate, which may lack all people of a category."""
    rare = (CLUSTERS == 3).astype(float)
    lacking = np.where(CLUSTERS == 3, 0.0, WEIGHTS)
    for weights in (lacking, survey_sample(lacking, clusters=CLUSTERS), REPLICATED):
        with pytest.raises(RegressionError, match="merge groups"):
            fit_number_outcome_model(NUMBERS, rare, weights=weights)


def test_weights_below_0_are_refused() -> None:
    negative = calibrate(SAMPLE, [KnownTotal(AGE, -4 * float(WEIGHTS @ np.abs(AGE)))])
    assert negative.weights.min() < 0
    for fit in (
        lambda: fit_outcome_model(DEVICE, REPORTS, AGE, weights=negative),
        lambda: fit_number_outcome_model(NUMBERS, AGE, weights=negative),
    ):
        with pytest.raises(WeightsError, match="by raking"):
            fit()


def test_a_model_says_that_its_errors_are_a_sandwich() -> None:
    for fit in (fit_multinomial_model, fit_outcome_model):
        assert "covariance observed" in str(fit(DEVICE, REPORTS, AGE))
        assert "covariance sandwich" in str(fit(DEVICE, REPORTS, AGE, weights=SAMPLE))


def test_a_sample_of_other_people_is_refused() -> None:
    other = survey_sample([1] * (N - 1))
    with pytest.raises(RegressionError, match=f"a sample of {N} people"):
        fit_outcome_model(DEVICE, REPORTS, AGE, weights=other)
    with pytest.raises(RegressionError, match=f"a sample of {N} people"):
        fit_number_outcome_model(NUMBERS, AGE, weights=other)


def test_a_predictor_with_noise_has_no_finite_population() -> None:
    with pytest.raises(RegressionError, match="leave the populations out"):
        fit_number_predictor_model(NUMBERS, AGE, weights=survey_sample(WEIGHTS, population=1000))


def test_people_of_no_weight_are_drawn_but_do_not_count() -> None:
    """A part of the sample keeps the units of all, as ``subset`` does in R's survey."""
    weights = np.where(AGE > 0, WEIGHTS, 0)
    some = fit_outcome_model(
        DEVICE, REPORTS, AGE, weights=survey_sample(weights, clusters=CLUSTERS)
    )
    kept = AGE > 0
    alone = fit_outcome_model(
        DEVICE,
        REPORTS[kept],
        AGE[kept],
        weights=survey_sample(WEIGHTS[kept], clusters=CLUSTERS[kept]),
    )
    assert some.coefficients == pytest.approx(alone.coefficients, rel=1e-6)
