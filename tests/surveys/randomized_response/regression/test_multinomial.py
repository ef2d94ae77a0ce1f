import numpy as np
import pytest

from tests.randomized_response.designs import Channel, Direct, ForcedResponseOptions, KAry, Warner
from tests.randomized_response.errors import DesignError, RegressionError, SeparationError
from tests.randomized_response.estimates import estimate_distribution
from tests.randomized_response.regression import fit_multinomial_model, fit_outcome_model
from tests.surveys.randomized_response.regression.surveys_to_fit import draw_reported, draw_survey


def survey(design, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Reports of three options whose logits depend on one covariate."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    eta = np.column_stack([np.zeros(n), 0.3 + 0.8 * x, -0.2 - 0.5 * x])
    chances = np.exp(eta) / np.exp(eta).sum(axis=1, keepdims=True)
    true = (rng.random(n)[:, None] > np.cumsum(chances, axis=1)).sum(axis=1)
    return draw_reported(design, true, rng), x


def test_for_two_options_it_is_the_logistic_model() -> None:
    reports, covariates = draw_survey(Warner(0.8), [-0.4, 0.8], 500, np.random.default_rng(1))
    one = fit_outcome_model(Warner(0.8), reports, covariates)
    other = fit_multinomial_model(Warner(0.8), reports, covariates)
    assert other.coefficients == pytest.approx(one.coefficients, abs=1e-6)
    assert other.covariance == pytest.approx(one.covariance, rel=1e-5)
    assert other.log_likelihood == pytest.approx(one.log_likelihood, abs=1e-9)
    assert other.names == ("option 1: intercept", "option 1: x1")


@pytest.mark.parametrize(
    "design",
    [KAry(3, 0.7), ForcedResponseOptions((0.1, 0.1, 0.2)), Direct(3)],
    ids=["k-ary", "forced", "direct"],
)
def test_a_saturated_model_gives_each_group_its_unbiased_shares(design) -> None:
    groups = ([50, 80, 70], [90, 60, 50])
    reports = np.concatenate([np.repeat([0, 1, 2], group) for group in groups])
    model = fit_multinomial_model(design, reports, np.repeat([0, 1], 200))
    shares, errors = model.predict([0, 1])
    for g, counts in enumerate(groups):
        moment = estimate_distribution(design, counts)
        assert shares[g] == pytest.approx(moment.shares, abs=1e-8)
        assert errors[g] == pytest.approx(moment.standard_errors * np.sqrt(199 / 200), rel=1e-6)


def test_renaming_the_options_renames_the_predictions() -> None:
    design = Channel.from_matrix([[0.7, 0.1, 0.2], [0.2, 0.8, 0.1], [0.1, 0.1, 0.7]])
    reports, x = survey(design, 800, 2)
    order = np.array([2, 0, 1])
    renamed = Channel.from_matrix(design.matrix[:, order])
    one = fit_multinomial_model(design, reports, x).predict([-1, 0.5])
    other = fit_multinomial_model(renamed, reports, x).predict([-1, 0.5])
    for this, that in zip(one, other, strict=True):
        assert that == pytest.approx(this[:, order], abs=1e-6)


def test_predicted_shares_sum_to_one_and_the_coefficients_have_two_shapes() -> None:
    reports, x = survey(KAry(3, 0.7), 800, 3)
    model = fit_multinomial_model(KAry(3, 0.7), reports, x, names=["age"])
    assert model.predict([0, 1, 2])[0].sum(axis=1) == pytest.approx(1)
    assert model.names[1:3] == ("option 1: age", "option 2: intercept")
    assert model.matrix.ravel() == pytest.approx(model.coefficients)
    assert model.columns == ("intercept", "age")


def test_the_truth_is_recovered() -> None:
    reports, x = survey(KAry(3, 0.8), 20_000, 4)
    model = fit_multinomial_model(KAry(3, 0.8), reports, x)
    truth = np.array([0.3, 0.8, -0.2, -0.5])
    # Four coefficients at 5 sigma: the test fails by chance less than once in 400,000 seeds.
    assert (np.abs(model.coefficients - truth) < 5 * model.standard_errors).all()


def test_an_option_that_nobody_chose_is_refused_by_name() -> None:
    with pytest.raises(SeparationError, match="option 2: intercept"):
        fit_multinomial_model(Direct(3), np.repeat([0, 1], 50))


def test_a_group_without_an_option_is_refused_by_name() -> None:
    reports = np.concatenate([np.repeat([0, 1, 2], 30), np.repeat([0, 1], 45)])
    with pytest.raises(SeparationError, match="option 2: woman"):
        fit_multinomial_model(Direct(3), reports, np.repeat([0, 1], 90), names=["woman"])


def test_designs_that_do_not_tell_the_options_apart_are_refused() -> None:
    alike = Channel.from_matrix([[0.5, 0.1, 0.3], [0.5, 0.9, 0.7], [0, 0, 0]])
    with pytest.raises(DesignError, match="same reports"):
        fit_multinomial_model(alike, [0, 1, 1])
    with pytest.raises(RegressionError, match="reports"):
        fit_multinomial_model(KAry(3, 0.7), [0, 1, 3])
