import dataclasses

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from tests.randomized_response.designs import (
    Channel,
    Crosswise,
    Direct,
    ForcedResponse,
    Kuk,
    Warner,
)
from tests.randomized_response.errors import EstimationError, RegressionError
from tests.randomized_response.estimates import estimate_prevalence, maximum_likelihood
from tests.randomized_response.regression import OutcomeModel, fit_outcome_model
from tests.randomized_response.regression.covariates import columns_from
from tests.randomized_response.regression.devices import device_of
from tests.randomized_response.regression.links import LINKS
from tests.randomized_response.regression.outcome_likelihood import OutcomeData
from tests.randomized_response.relations import compare_with_direct
from tests.surveys.randomized_response.regression.surveys_to_fit import (
    draw_reported,
    draw_survey,
    numeric_gradient,
)

DESIGNS = {
    "direct": Direct(2),
    "warner": Warner(0.8),
    "reversed": Warner(0.2),
    "forced": ForcedResponse(0.1, 0.2),
    "never a false no": ForcedResponse(0.25, 0),
    "cards": Kuk(0.75, 0.25, 3),
}
each_design = pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
each_link = pytest.mark.parametrize("link", LINKS)


def fitted(design=DESIGNS["warner"], *, n=600, seed=1, **options) -> OutcomeModel:
    reports, covariates = draw_survey(design, [-0.4, 0.8, -0.5], n, np.random.default_rng(seed))
    return fit_outcome_model(design, reports, covariates, names=["age", "town"], **options)


def repeated(counts: list[int]) -> np.ndarray:
    return np.repeat(np.arange(len(counts)), counts)


@each_link
def test_a_saturated_model_gives_each_group_its_unbiased_estimate(link) -> None:
    design, counts = Warner(0.75), ([60, 40], [45, 55])
    reports = np.concatenate([repeated(group) for group in counts])
    model = fit_outcome_model(design, reports, np.repeat([0, 1], 100), link=link)
    predictions = model.predict([0, 1])
    for g, group in enumerate(counts):
        moment = estimate_prevalence(design, group)
        assert predictions.probabilities[g] == pytest.approx(moment.prevalence, abs=1e-9)
        # Maximum likelihood divides by n where the unbiased variance divides by n - 1.
        error = moment.standard_error * np.sqrt(99 / 100)
        assert predictions.standard_errors[g] == pytest.approx(error, rel=1e-8)


def test_cards_alone_give_the_maximum_likelihood_share() -> None:
    design, counts = Kuk(0.8, 0.3, 4), [10, 40, 60, 50, 20]
    model = fit_outcome_model(design, repeated(counts))
    likely = maximum_likelihood(design, counts)
    assert model.predict().probabilities[0] == pytest.approx(likely.shares[1], abs=1e-8)
    assert model.log_likelihood == pytest.approx(likely.log_likelihood, abs=1e-9)


def test_a_direct_question_gives_ordinary_logistic_regression() -> None:
    reports, covariates = draw_survey(Direct(2), [-0.4, 0.8, -0.5], 400, np.random.default_rng(2))
    x = np.column_stack([np.ones(400), covariates])
    signs = 2 * reports - 1
    found = minimize(lambda b: -log_expit(signs * (x @ b)).sum(), np.zeros(3), tol=1e-10)
    share = expit(x @ found.x)
    information = (x.T * (share * (1 - share))) @ x
    model = fit_outcome_model(Direct(2), reports, covariates)
    assert model.coefficients == pytest.approx(found.x, abs=1e-5)
    assert model.log_likelihood == pytest.approx(-found.fun, abs=1e-9)
    assert model.covariance == pytest.approx(np.linalg.inv(information), rel=1e-4)
    # The canonical link: observed and expected information are the same.
    expected = model.with_covariance("expected").covariance
    assert model.covariance == pytest.approx(expected, rel=1e-9)


@each_link
@each_design
def test_score_and_observed_information_are_the_derivatives(design, link) -> None:
    reports, covariates = draw_survey(design, [-0.4, 0.8, -0.5], 50, np.random.default_rng(3))
    columns = columns_from(covariates, 50, None, intercept=True)
    data = OutcomeData(columns, device_of(design, reports), LINKS[link])
    at = np.array([0.2, -0.3, 0.5])
    point = data.at(at)
    slopes = numeric_gradient(lambda p: data.at(p).log_likelihood, at)
    assert point.score == pytest.approx(slopes, rel=1e-6, abs=1e-6)
    assert point.person_scores.sum(axis=1) == pytest.approx(point.score)
    curvature = -numeric_gradient(lambda p: data.at(p).score, at)
    assert point.observed == pytest.approx(curvature, rel=1e-5, abs=1e-5)


@each_link
@each_design
def test_the_expected_information_is_the_mean_square_of_the_score(design, link) -> None:
    _, covariates = draw_survey(design, [-0.4, 0.8, -0.5], 20, np.random.default_rng(4))
    columns = columns_from(covariates, 20, None, intercept=True)
    at, total = np.array([0.2, -0.3, 0.5]), np.zeros((3, 3))
    levels = design.channel.reported_levels
    for level in range(levels):
        data = OutcomeData(columns, device_of(design, np.full(20, level)), LINKS[link])
        share = LINKS[link].probability(at @ columns.orthogonal)
        no, yes = design.channel.matrix[level]
        scores = data.at(at).person_scores
        total += (scores * (yes * share + no * (1 - share))) @ scores.T
    assert data.at(at).expected == pytest.approx(total, rel=1e-9, abs=1e-9)


@each_link
@each_design
def test_at_the_maximum_the_score_is_zero_and_the_information_positive(design, link) -> None:
    point = fitted(design, n=1500, link=link).fit.point
    assert np.abs(point.score).max() < 1e-4
    assert np.linalg.eigvalsh(point.observed)[0] > 0


@each_design
def test_a_unit_of_measurement_changes_only_the_unit(design) -> None:
    reports, covariates = draw_survey(design, [-0.4, 0.8, -0.5], 500, np.random.default_rng(5))
    one = fit_outcome_model(design, reports, covariates)
    scales = np.array([1e-6, 1e5])
    other = fit_outcome_model(design, reports, covariates * scales + [1e-5, 3e5])
    assert other.coefficients[1:] * scales == pytest.approx(one.coefficients[1:], rel=1e-6)
    assert other.standard_errors[1:] * scales == pytest.approx(one.standard_errors[1:], rel=1e-6)
    assert other.log_likelihood == pytest.approx(one.log_likelihood, abs=1e-8)


def test_the_order_of_people_and_the_names_of_reports_do_not_matter() -> None:
    reports, covariates = draw_survey(Warner(0.8), [-0.4, 0.8], 500, np.random.default_rng(6))
    one = fit_outcome_model(Warner(0.8), reports, covariates)
    order = np.random.default_rng(7).permutation(500)
    shuffled = fit_outcome_model(Warner(0.8), reports[order], covariates[order])
    renamed = fit_outcome_model(Warner(0.2), 1 - reports, covariates)
    for other in (shuffled, renamed):
        assert other.coefficients == pytest.approx(one.coefficients, abs=1e-7)
        assert other.covariance == pytest.approx(one.covariance, rel=1e-6)


@pytest.mark.parametrize("link", ["logit", "probit", "cauchit"])
def test_asking_for_the_opposite_trait_turns_the_signs(link) -> None:
    reports, covariates = draw_survey(Kuk(0.7, 0.2, 2), [-0.4, 0.8], 800, np.random.default_rng(8))
    rows = Kuk(0.7, 0.2, 2).channel.rows
    opposite = Channel(tuple((yes, no) for no, yes in rows))
    one = fit_outcome_model(Kuk(0.7, 0.2, 2), reports, covariates, link=link)
    other = fit_outcome_model(opposite, reports, covariates, link=link)
    assert other.coefficients == pytest.approx(-one.coefficients, abs=1e-6)
    assert other.log_likelihood == pytest.approx(one.log_likelihood, abs=1e-9)


def test_one_design_for_all_is_the_same_as_one_for_each() -> None:
    reports, covariates = draw_survey(Warner(0.8), [-0.4, 0.8], 300, np.random.default_rng(9))
    one = fit_outcome_model(Warner(0.8), reports, covariates)
    each = fit_outcome_model([Warner(0.8) for _ in range(300)], reports, covariates)
    assert each.coefficients == pytest.approx(one.coefficients, abs=1e-12)
    for kind in ("expected", "opg", "sandwich"):
        errors = each.with_covariance(kind).standard_errors
        assert errors == pytest.approx(one.with_covariance(kind).standard_errors, rel=1e-10)


def test_mixed_designs_give_the_closed_form_of_two_groups() -> None:
    device, counts = Crosswise(0.2), ([130, 170], [210, 90])
    reports = np.concatenate([repeated(group) for group in counts])
    form = np.repeat([1, -1], 300)
    designs = [device] * 300 + [Direct(2)] * 300
    model = fit_outcome_model(designs, reports, form, names=["format"])
    closed = compare_with_direct(device, *counts)
    logits = closed.logit_coefficients()
    assert model.coefficients == pytest.approx(logits.coefficients, abs=1e-8)
    assert model.covariance == pytest.approx(logits.covariance, rel=1e-7)
    assert model.log_likelihood == pytest.approx(closed.log_likelihood, abs=1e-9)
    test = model.likelihood_ratio_tests()[1]
    assert (test.dropped, test.statistic) == ("format", pytest.approx(closed.statistic, abs=1e-7))


def test_designs_with_different_numbers_of_reported_levels_can_be_mixed() -> None:
    rng = np.random.default_rng(10)
    designs = [Kuk(0.8, 0.2, 3), Direct(2)] * 500
    true = (rng.random(1000) < 0.4).astype(int)
    reports = np.array([draw_reported(d, true[i : i + 1], rng)[0] for i, d in enumerate(designs)])
    model = fit_outcome_model(designs, reports)
    pi = np.linspace(0.001, 0.999, 99_801)
    cards = np.bincount(reports[::2], minlength=4) @ np.log(
        Kuk(0.8, 0.2, 3).channel.matrix @ np.array([1 - pi, pi])
    )
    yes = reports[1::2].sum()
    direct = yes * np.log(pi) + (500 - yes) * np.log(1 - pi)
    assert model.predict().probabilities[0] == pytest.approx(
        pi[np.argmax(cards + direct)], abs=1e-5
    )


def test_whole_weights_are_people_counted_more_than_once() -> None:
    reports, covariates = draw_survey(Warner(0.8), [-0.4, 0.8], 300, np.random.default_rng(11))
    weights = np.random.default_rng(12).integers(1, 4, 300)
    weighted = fit_outcome_model(Warner(0.8), reports, covariates, weights=weights)
    rows = np.repeat(np.arange(300), weights)
    repeated_people = fit_outcome_model(Warner(0.8), reports[rows], covariates[rows])
    assert weighted.coefficients == pytest.approx(repeated_people.coefficients, abs=1e-8)
    assert weighted.log_likelihood == pytest.approx(repeated_people.log_likelihood)
    # Each person is still one person: the standard errors are not those of the copies.
    assert (weighted.standard_errors > repeated_people.standard_errors).all()


def test_the_sandwich_of_a_weighted_share_has_a_closed_form() -> None:
    rng = np.random.default_rng(13)
    weights, reports = rng.uniform(0.5, 4, 200), (rng.random(200) < 0.55).astype(int)
    model = fit_outcome_model(Warner(0.8), reports, weights=weights)
    share = weights @ reports / weights.sum()
    prevalence = (share - 0.2) / 0.6
    spread = np.sqrt(200 / 199 * (weights**2 @ (reports - share) ** 2)) / weights.sum() / 0.6
    predicted = model.predict()
    assert predicted.probabilities[0] == pytest.approx(prevalence, abs=1e-9)
    assert predicted.standard_errors[0] == pytest.approx(spread, rel=1e-8)
    tenfold = fit_outcome_model(Warner(0.8), reports, weights=10 * weights)
    assert tenfold.standard_errors == pytest.approx(model.standard_errors, rel=1e-9)


@pytest.mark.parametrize("scale", [1e-200, 1e-12, 1e12, 1e200])
def test_the_scale_of_the_weights_changes_no_estimate_and_no_error(scale) -> None:
    reports, covariates = draw_survey(Warner(0.8), [-0.4, 0.8], 300, np.random.default_rng(11))
    weights = np.random.default_rng(12).uniform(0.5, 4, 300)
    model = fit_outcome_model(Warner(0.8), reports, covariates, weights=weights)
    scaled = fit_outcome_model(Warner(0.8), reports, covariates, weights=weights * scale)
    assert scaled.coefficients == pytest.approx(model.coefficients, rel=1e-9)
    assert scaled.standard_errors == pytest.approx(model.standard_errors, rel=1e-9)
    assert scaled.log_likelihood / scale == pytest.approx(model.log_likelihood, rel=1e-9)


def test_the_four_covariances_differ_and_agree_in_large_samples() -> None:
    model = fitted(n=60_000)
    kinds = ("observed", "expected", "opg", "sandwich")
    errors = np.array([model.with_covariance(kind).standard_errors for kind in kinds])
    assert len(np.unique(errors[:, 0])) == 4
    # Relative differences are of the order 1 / sqrt(n) = 0.004; 0.03 is seven times that.
    assert errors / errors[0] == pytest.approx(1, abs=0.03)


def test_a_likelihood_ratio_compares_with_the_model_that_lacks_the_column() -> None:
    reports, covariates = draw_survey(
        Warner(0.8), [-0.4, 0.8, -0.5], 500, np.random.default_rng(14)
    )
    model = fit_outcome_model(Warner(0.8), reports, covariates, names=["age", "town"])
    tests = model.likelihood_ratio_tests()
    assert [test.dropped for test in tests] == ["intercept", "age", "town"]
    smaller = fit_outcome_model(Warner(0.8), reports, covariates[:, 1])
    lost = 2 * (model.log_likelihood - smaller.log_likelihood)
    assert tests[1].statistic == pytest.approx(lost, abs=1e-8)
    without = fit_outcome_model(Warner(0.8), reports, covariates, intercept=False)
    assert tests[0].statistic == pytest.approx(2 * (model.log_likelihood - without.log_likelihood))
    assert all(test.degrees_of_freedom == 1 for test in tests)


def test_without_the_last_coefficient_every_share_is_a_half() -> None:
    test = fit_outcome_model(Direct(2), [0] * 30 + [1] * 70).likelihood_ratio_tests()[0]
    g_squared = 2 * (30 * np.log(0.3 / 0.5) + 70 * np.log(0.7 / 0.5))
    assert test.statistic == pytest.approx(g_squared)
    # sqrt(16.46) = 4.057 standard deviations, two-sided.
    assert test.p_value == pytest.approx(4.978e-5, rel=1e-3)


@each_link
def test_predictions_carry_their_delta_method_error_and_stay_within_0_and_1(link) -> None:
    model = fitted(link=link)
    at = [[0.3, 1.0], [-2.0, 0.0], [2.0, 1.0]]
    found = model.predict(at, level=0.9)
    rows = np.column_stack([np.ones(3), at])
    slopes = numeric_gradient(lambda b: LINKS[link].probability(rows @ b), model.coefficients)
    variance = np.einsum("ij,jk,ik->i", slopes, model.covariance, slopes)
    assert found.standard_errors == pytest.approx(np.sqrt(variance), rel=1e-4, abs=1e-7)
    assert (found.low < found.probabilities).all()
    assert (found.probabilities < found.high).all()
    assert found.low.min() >= 0
    assert found.high.max() <= 1
    half = 1.6448536269514722 * np.sqrt(np.einsum("ij,jk,ik->i", rows, model.covariance, rows))
    link_scale = LINKS[link].quantile(found.high[:2]) - rows[:2] @ model.coefficients
    assert link_scale == pytest.approx(half[:2], rel=1e-6)


def test_the_result_names_its_columns_and_cannot_be_changed() -> None:
    model = fitted()
    assert model.names == ("intercept", "age", "town")
    unnamed = fit_outcome_model(Warner(0.8), [0, 1, 1, 0, 1], np.arange(5) % 2)
    assert unnamed.names == ("intercept", "x1")
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.n = 3  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        model.coefficients[0] = 0


def test_wald_statistics_belong_together() -> None:
    model = fitted()
    low, high = model.intervals(0.95).T
    assert (low + high) / 2 == pytest.approx(model.coefficients)
    excluded = (low > 0) | (high < 0)
    assert excluded.tolist() == (model.p_values < 0.05).tolist()
    assert model.aic == pytest.approx(model.deviance + 6)


def test_without_rows_it_predicts_for_those_of_the_fit() -> None:
    model = fitted()
    rows = model.fit.data.columns.values[:, 1:]
    own, same = model.predict(), model.predict(rows)
    assert own.probabilities == pytest.approx(same.probabilities)
    assert own.standard_errors == pytest.approx(same.standard_errors)


def test_wrong_questions_to_a_model_are_refused() -> None:
    model = fitted()
    with pytest.raises(RegressionError, match="columns for: age, town"):
        model.predict([[1.0]])
    with pytest.raises(RegressionError, match="not finite"):
        model.predict([[np.nan, 1.0]])
    with pytest.raises(EstimationError, match="confidence level"):
        model.predict([[0.0, 1.0]], level=95)
    with pytest.raises(RegressionError, match="observed, expected, opg, sandwich"):
        model.with_covariance("robust")


def test_a_weighted_model_offers_the_sandwich_and_walds_test_only() -> None:
    weighted = fitted(weights=np.linspace(1, 2, 600))
    assert weighted.covariance_kind == "sandwich"
    with pytest.raises(RegressionError, match="sandwich"):
        fitted(weights=np.linspace(1, 2, 600), covariance="observed")
    with pytest.raises(RegressionError, match="p_values"):
        weighted.likelihood_ratio_tests()
