"""A class of people who give the safe report to each of several questions."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from tests.randomized_response.designs import Direct, ForcedResponse, KAry, Kuk, Warner
from tests.randomized_response.errors import (
    DesignError,
    RegressionError,
    SeparationError,
    WeightsError,
)
from tests.randomized_response.estimates import estimate_prevalence
from tests.randomized_response.regression import fit_no_sayer_model, fit_outcome_model
from tests.randomized_response.regression.noncompliance.no_sayers_likelihood import PatternData
from tests.surveys.randomized_response.regression.surveys_to_fit import (
    draw_reported,
    numeric_gradient,
)

DICE = ForcedResponse(p_forced_yes=0.1, p_forced_no=0.2)
DEVICES = [DICE, Warner(0.8), Direct(2)]
PATTERNS = np.array(list(product((0, 1), repeat=3)))
PAIRS = list(combinations(range(3), 2))
TERMS = np.column_stack([PATTERNS, *(PATTERNS[:, i] * PATTERNS[:, j] for i, j in PAIRS)])
AT = np.array([-1.0, -0.5, 0.3, 0.6, -0.4, 0.2, 0.15])
PEOPLE = np.array([70.0, 20, 25, 12, 30, 9, 14, 11])


def chance(pattern, at=AT, safe=(0, 0, 0)) -> float:
    """P(pattern) from the definition: a sum over all truths, device by device."""
    weights = [np.exp(at[:6] @ terms) for terms in TERMS]
    total = 0.0
    for truth, weight in zip(PATTERNS, weights, strict=True):
        devices = (d.channel.matrix[y, x] for d, y, x in zip(DEVICES, pattern, truth, strict=True))
        total += weight / sum(weights) * np.prod(list(devices))
    return (1 - at[6]) * total + at[6] * (tuple(pattern) == safe)


def data_of(people=PEOPLE, safe=0) -> PatternData:
    matrices = [design.channel.matrix for design in DEVICES]
    table = np.kron(np.kron(matrices[0], matrices[1]), matrices[2])
    return PatternData(table, TERMS.astype(float), people, safe)


def draw(n: int, share: float, seed: int, questions: int = 4) -> np.ndarray:
    """Reports (n, questions): prevalences 0.3, truths that go together, a share of no-sayers."""
    rng = np.random.default_rng(seed)
    common = rng.random((n, 1)) < 0.5
    true = rng.random((n, questions)) < np.where(common, 0.45, 0.15)
    reports = np.column_stack([draw_reported(DICE, t.astype(int), rng) for t in true.T])
    reports[rng.random(n) < share] = 0
    return reports


def repeated(people) -> np.ndarray:
    return np.repeat(PATTERNS, people, axis=0)


@pytest.mark.parametrize("safe", [(0, 0, 0), (0, 1, 0)])
def test_chances_are_those_of_the_definition_and_sum_to_1(safe) -> None:
    number = int(np.flatnonzero((safe == PATTERNS).all(axis=1))[0])
    found = data_of(safe=number).at(AT).chances
    assert found == pytest.approx([chance(pattern, safe=safe) for pattern in PATTERNS])
    assert found.sum() == pytest.approx(1)


def test_score_and_observed_information_are_the_derivatives() -> None:
    data, point = data_of(), data_of().at(AT)
    slopes = numeric_gradient(lambda p: data.at(p).log_likelihood, AT)
    assert point.score == pytest.approx(slopes, rel=1e-6, abs=1e-6)
    curvature = -numeric_gradient(lambda p: data.at(p).score, AT)
    assert point.observed == pytest.approx(curvature, rel=1e-5, abs=1e-5)


def test_the_expected_information_is_the_mean_square_of_the_score() -> None:
    point = data_of().at(AT)
    squares = (point.pattern_scores * point.chances) @ point.pattern_scores.T
    assert point.expected == pytest.approx(squares * PEOPLE.sum(), rel=1e-9)
    # Where people are as many as expected, both informations agree.
    same = data_of(1000 * point.chances).at(AT)
    assert same.observed == pytest.approx(same.expected, rel=1e-9, abs=1e-9)
    assert same.score == pytest.approx(np.zeros(7), abs=1e-8)


def test_three_questions_with_pairs_fit_their_patterns_exactly() -> None:
    people = np.array([420, 110, 100, 60, 120, 70, 65, 55])
    model = fit_no_sayer_model(DICE, repeated(people))
    shares = people / people.sum()
    assert model.log_likelihood == pytest.approx(people @ np.log(shares), abs=1e-7)
    assert 0 < model.no_sayers.estimate < 1


def test_two_independent_questions_asked_directly_have_a_closed_form() -> None:
    """A yes to one makes b/(1 - b) the odds of the other; no-no has what is left."""
    model = fit_no_sayer_model(
        Direct(2),
        np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [60, 15, 14, 11], axis=0),
        pairs=False,
    )
    first, second = 11 / (11 + 15), 11 / (11 + 14)
    assert model.prevalences == pytest.approx([first, second], abs=1e-9)
    assert 1 - model.no_sayers.estimate == pytest.approx(0.11 / (first * second), abs=1e-9)


def test_without_the_class_independent_questions_are_fitted_one_by_one() -> None:
    reports = draw(900, 0.0, seed=1, questions=3)
    # With fewer safe patterns than independence has, the class is empty.
    reports = np.delete(reports, np.flatnonzero(~reports.any(axis=1))[:150], axis=0)
    model = fit_no_sayer_model(DICE, reports, pairs=False)
    alone = [fit_outcome_model(DICE, column) for column in reports.T]
    assert model.no_sayers.estimate == 0.0
    assert model.no_sayers.standard_error is None
    assert (model.no_sayer_test.statistic, model.no_sayer_test.p_value) == (0.0, 1.0)
    assert model.coefficients == pytest.approx([m.coefficients[0] for m in alone], abs=1e-7)
    assert model.standard_errors == pytest.approx([m.bse[0] for m in alone], rel=1e-6)
    assert model.log_likelihood == pytest.approx(sum(m.llf for m in alone), abs=1e-7)
    moments = [estimate_prevalence(DICE, np.bincount(column)).prevalence for column in reports.T]
    assert model.prevalences == pytest.approx(moments, abs=1e-7)


def test_the_share_and_the_prevalences_of_the_others_are_recovered() -> None:
    """Five numbers at 5 sigma; without the class the prevalences come out too small."""
    reports = draw(20_000, 0.2, seed=3)
    model = fit_no_sayer_model(DICE, reports)
    errors = np.sqrt(np.diag(model.prevalence_covariance))
    assert (np.abs(model.prevalences - 0.3) < 5 * errors).all()
    assert abs(model.no_sayers.estimate - 0.2) < 5 * model.no_sayers.standard_error
    assert model.no_sayer_test.p_value < 1e-6
    plain = [estimate_prevalence(DICE, np.bincount(column)) for column in reports.T]
    assert all(each.prevalence < 0.3 - 5 * each.standard_error for each in plain)


def test_the_test_halves_the_tail_of_the_likelihood_ratio() -> None:
    reports = draw(3000, 0.05, seed=4)
    test = fit_no_sayer_model(DICE, reports).no_sayer_test
    # 5.41 is where chi-squared with one degree of freedom leaves 2 %.
    assert test.statistic > 0
    assert (test.p_value < 0.01) == (test.statistic > 5.4119)


def test_standard_errors_of_prevalences_are_the_delta_methods() -> None:
    reports = draw(2000, 0.2, seed=5, questions=3)
    model = fit_no_sayer_model(DICE, reports)

    def prevalences(terms: np.ndarray) -> np.ndarray:
        weights = np.exp(TERMS @ terms)
        return weights @ PATTERNS / weights.sum()

    slopes = numeric_gradient(prevalences, model.coefficients)
    expected = slopes @ model.covariance @ slopes.T
    assert model.prevalence_covariance == pytest.approx(expected, rel=1e-6)
    found = model.get_prediction()
    assert found.probabilities == pytest.approx(model.prevalences)
    assert found.standard_errors == pytest.approx(np.sqrt(np.diag(expected)), rel=1e-6)
    assert expit(found.linear) == pytest.approx(prevalences(model.coefficients))


def test_names_of_no_and_yes_do_not_matter_with_the_safe_report_named() -> None:
    reports = draw(2000, 0.2, seed=6, questions=3)
    one = fit_no_sayer_model(Warner(0.8), reports)
    turned = np.column_stack([1 - reports[:, 0], reports[:, 1:]])
    designs = [Warner(0.2), Warner(0.8), Warner(0.8)]
    other = fit_no_sayer_model(designs, turned, safe_reports=[1, 0, 0])
    assert other.no_sayers.estimate == pytest.approx(one.no_sayers.estimate, abs=1e-7)
    assert other.coefficients == pytest.approx(one.coefficients, abs=1e-5)


def test_a_frame_names_questions_and_pairs() -> None:
    frame = pd.DataFrame(draw(2000, 0.2, seed=7, questions=3), columns=["tax", "fare", "sick"])
    model = fit_no_sayer_model(DICE, frame.astype("Int64"))
    assert model.names == ("tax", "fare", "sick", "tax & fare", "tax & sick", "fare & sick")
    assert model.questions == ("tax", "fare", "sick")
    assert model.parameter_count == 7


def test_weights_count_people_and_make_errors_robust() -> None:
    reports = draw(1500, 0.2, seed=8, questions=3)
    twice = 1 + np.arange(1500) % 2
    model = fit_no_sayer_model(DICE, reports, weights=twice)
    rows = fit_no_sayer_model(DICE, np.repeat(reports, twice, axis=0))
    assert model.coefficients == pytest.approx(rows.coefficients, abs=1e-5)
    assert model.no_sayers.estimate == pytest.approx(rows.no_sayers.estimate, abs=1e-6)
    assert model.log_likelihood == pytest.approx(rows.log_likelihood, rel=1e-9)
    assert model.no_sayers.standard_error > rows.no_sayers.standard_error
    assert (model.covariance_kind, model.no_sayer_test) == ("sandwich", None)


THREE = repeated(np.array([30, 10, 10, 5, 10, 5, 5, 5]))


@pytest.mark.parametrize(
    ("designs", "reports", "options", "error", "message"),
    [
        (DICE, THREE[:, :2], {}, RegressionError, "two questions cannot .* pairs=False"),
        (DICE, THREE[:, :1], {"pairs": False}, RegressionError, "three questions or more"),
        (DICE, THREE[:, 0], {}, RegressionError, "a column per question"),
        (DICE, np.zeros((20, 11), int), {}, RegressionError, "at most 10"),
        (DICE, np.empty((0, 3)), {}, RegressionError, "no answers yet"),
        (DICE, THREE + 1, {}, RegressionError, r"reports of q1\[55\] = 2"),
        (DICE, np.where(THREE == 1, np.nan, 0), {}, RegressionError, "q1.* = nan"),
        (DICE, [["a", "b", "c"]], {}, RegressionError, "whole numbers"),
        (DICE, [[0, 1], [1]], {}, RegressionError, "equal lengths"),
        (THREE, DICE, {}, RegressionError, "a column per question"),
        ([DICE] * 2, THREE, {}, RegressionError, "each of the 3 questions"),
        ("dice", THREE, {}, RegressionError, "give one design"),
        (KAry(3, 0.6), THREE, {}, DesignError, "two reports"),
        (Kuk(0.8, 0.2, 2), THREE, {}, DesignError, "two reports"),
        ([DICE, DICE, "dice"], THREE, {}, DesignError, "give a design"),
        (DICE, THREE, {"names": ["a", "b"]}, RegressionError, "3 names"),
        (DICE, THREE, {"names": ["a", "b", "a"]}, RegressionError, "rename"),
        (DICE, THREE, {"pairs": "no"}, RegressionError, "True or False"),
        (DICE, THREE, {"safe_reports": [0, 0, 2]}, RegressionError, r"safe_reports\[2\] = 2"),
        (DICE, THREE, {"safe_reports": [0]}, RegressionError, "3 whole numbers"),
        (DICE, THREE, {"weights": np.zeros(80)}, WeightsError, "above 0"),
        (DICE, THREE, {"weights": [1, 2]}, RegressionError, "80 people"),
    ],
)
def test_what_cannot_be_fitted_is_refused(designs, reports, options, error, message) -> None:
    with pytest.raises(error, match=message):
        fit_no_sayer_model(designs, reports, **options)


@pytest.mark.parametrize(
    ("reports", "message"),
    [
        (np.zeros((50, 3), int), "no-sayers = 1.0 .* all people gave the safe report"),
        (np.ones((50, 3), int), "^term q1.* without end"),
        ([[0, 1, 0]], "^term .* without end"),
        (np.column_stack([draw(300, 0.2, 9, 2), np.zeros(300, int)]), "^term .*q3.* without end"),
    ],
)
def test_a_likelihood_without_a_maximum_is_refused(reports, message) -> None:
    with pytest.raises(SeparationError, match=message):
        fit_no_sayer_model(DICE, reports)


def test_covariates_for_predictions_are_refused() -> None:
    with pytest.raises(RegressionError, match="leave them out"):
        fit_no_sayer_model(DICE, draw(900, 0.2, seed=7, questions=3)).get_prediction([1.0])
