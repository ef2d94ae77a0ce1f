import numpy as np
import pytest
from scipy.stats import chi2, chi2_contingency

from tests.randomized_response.designs import Direct, Kuk, StochasticLieDetector, Warner
from tests.randomized_response.errors import RegressionError
from tests.randomized_response.regression import fit_outcome_model
from tests.randomized_response.relations import assess_goodness_of_fit, assess_hosmer_lemeshow
from tests.surveys.randomized_response.regression.surveys_to_fit import draw_reported, draw_survey


def survey(design, n: int, seed: int):
    """Reports whose logit rises with a score of 0, 1 or 2."""
    rng = np.random.default_rng(seed)
    score = rng.integers(0, 3, n)
    true = (rng.random(n) < 1 / (1 + np.exp(0.8 - 0.6 * score))).astype(int)
    return draw_reported(design, true, rng), score


def test_cells_are_compared_with_the_shares_that_the_model_predicts() -> None:
    reports, score = survey(Warner(0.8), 900, 1)
    model = fit_outcome_model(Warner(0.8), reports, score)
    fit = assess_goodness_of_fit(model)
    shares = 0.2 + 0.6 * model.predict([0, 1, 2]).probabilities
    n = np.bincount(score)
    yes = np.bincount(score, reports)
    expected = n * shares
    assert fit.pearson == pytest.approx(((yes - expected) ** 2 / (expected * (1 - shares))).sum())
    assert fit.degrees_of_freedom == 1
    assert fit.observed.tolist() == np.column_stack([n - yes, yes]).tolist()
    saturated = fit_outcome_model(Warner(0.8), reports, np.eye(3)[score][:, 1:])
    lost = 2 * (saturated.log_likelihood - model.log_likelihood)
    assert fit.deviance == pytest.approx(lost, abs=1e-8)
    assert fit.pearson_p_value == pytest.approx(chi2.sf(fit.pearson, 1))
    assert fit.deviance_p_value == pytest.approx(chi2.sf(fit.deviance, 1))


def test_hosmer_lemeshow_compares_groups_of_similar_probability() -> None:
    reports, covariates = draw_survey(Warner(0.8), [-0.4, 0.8], 1000, np.random.default_rng(2))
    model = fit_outcome_model(Warner(0.8), reports, covariates)
    fit = assess_hosmer_lemeshow(model, groups=8)
    chance = 0.2 + 0.6 * model.predict(covariates).probabilities
    order = np.argsort(chance).reshape(8, -1)
    yes, expected = reports[order].sum(axis=1), chance[order].sum(axis=1)
    pearson = ((yes - expected) ** 2 / (expected * (1 - expected / 125))).sum()
    assert fit.pearson == pytest.approx(pearson)
    assert fit.degrees_of_freedom == 6


def test_designs_form_cells_of_their_own() -> None:
    """Two designs and one share: one degree of freedom; the same design twice is one cell."""
    reports = np.repeat([0, 1, 0, 1], [120, 80, 70, 30])
    designs = [Direct(2)] * 200 + [Direct(2)] * 100
    same = fit_outcome_model(designs, reports)
    with pytest.raises(RegressionError, match="fits these cells exactly"):
        assess_goodness_of_fit(same)
    mixed = fit_outcome_model([Warner(0.9)] * 200 + [Direct(2)] * 100, reports)
    fit = assess_goodness_of_fit(mixed)
    assert (fit.cells, fit.degrees_of_freedom) == (2, 1)


def test_a_trend_leaves_less_to_explain_than_equal_shares() -> None:
    table = np.array([[60, 40], [45, 55], [50, 50]])
    reports = np.concatenate([np.repeat([0, 1], row) for row in table])
    groups = np.repeat([0, 1, 2], 100)
    model = fit_outcome_model(Direct(2), reports, groups)
    slope_only = assess_goodness_of_fit(model)
    flat = chi2_contingency(table, correction=False)
    assert slope_only.pearson < flat.statistic
    assert slope_only.degrees_of_freedom == flat.dof - 1


def test_cards_have_as_many_degrees_of_freedom_as_free_levels() -> None:
    reports, score = survey(Kuk(0.8, 0.2, 3), 900, 3)
    fit = assess_goodness_of_fit(fit_outcome_model(Kuk(0.8, 0.2, 3), reports, score))
    assert fit.expected.shape == (3, 4)
    assert fit.expected.sum() == pytest.approx(900)
    assert fit.degrees_of_freedom == 3 * 3 - 2
    cards = fit_outcome_model(Kuk(0.8, 0.2, 3), reports)
    assert assess_goodness_of_fit(cards).degrees_of_freedom == 2
    with pytest.raises(RegressionError, match="yes with no"):
        assess_hosmer_lemeshow(cards)


def test_the_unknown_of_a_two_group_design_costs_a_degree_of_freedom() -> None:
    rng = np.random.default_rng(4)
    groups, score = rng.integers(1, 3, 1200), rng.integers(0, 3, 1200)
    reports = (rng.random(1200) < np.where(groups == 1, 0.7, 0.45)).astype(int)
    model = fit_outcome_model(StochasticLieDetector(0.2, 0.8), reports, score, groups=groups)
    assert assess_goodness_of_fit(model).degrees_of_freedom == 6 - 3


def test_small_expected_counts_are_mentioned() -> None:
    reports, score = survey(Warner(0.8), 900, 5)
    assert assess_goodness_of_fit(fit_outcome_model(Warner(0.8), reports, score)).note == ""
    few = fit_outcome_model(Warner(0.8), reports[:24], score[:24])
    assert "below 5" in assess_goodness_of_fit(few).note


def test_weighted_models_and_too_few_groups_are_refused() -> None:
    reports, score = survey(Warner(0.8), 300, 6)
    weighted = fit_outcome_model(Warner(0.8), reports, score, weights=1 + score)
    for assess in (assess_goodness_of_fit, assess_hosmer_lemeshow):
        with pytest.raises(RegressionError, match="weighted"):
            assess(weighted)
    model = fit_outcome_model(Warner(0.8), reports, score)
    for groups in (2, 0, 1.5):
        with pytest.raises(RegressionError, match="groups"):
            assess_hosmer_lemeshow(model, groups=groups)


@pytest.mark.audit
def test_a_true_model_is_rejected_as_often_as_stated() -> None:
    """1,000 surveys of 900 people: the level is 5 per cent up to 5 sigma of the simulation."""
    runs, rejected = 1000, np.zeros(2)
    for seed in range(runs):
        reports, score = survey(Warner(0.8), 900, 10_000 + seed)
        fit = assess_goodness_of_fit(fit_outcome_model(Warner(0.8), reports, score))
        rejected += [fit.pearson_p_value < 0.05, fit.deviance_p_value < 0.05]
    print(f"\nrejected at 5 per cent: Pearson, deviance {rejected / runs}")
    assert np.abs(rejected / runs - 0.05).max() < 5 * np.sqrt(0.05 * 0.95 / runs)


@pytest.mark.parametrize("size", range(20, 60))
def test_a_model_that_fits_exactly_has_no_deviance_however_it_is_rounded(size) -> None:
    reports = [0, 0, 1] * size * 3  # the same in three groups, so that no slope is needed
    fit = assess_goodness_of_fit(
        fit_outcome_model(Warner(0.8), reports, np.repeat([0.0, 1.0, 2.0], 3 * size))
    )
    assert 0 <= fit.deviance < 1e-6
    assert fit.deviance_p_value == pytest.approx(1, abs=1e-2)
