"""Models answer to statsmodels' names beside ours, as frames, and as tables of notebooks."""

import pickle

import numpy as np
import pandas as pd
import pytest

from tests.randomized_response.designs import (
    AnchoredCrosswise,
    Direct,
    StochasticLieDetector,
    TwoCoins,
    Warner,
)
from tests.randomized_response.errors import EstimationError, RegressionError
from tests.randomized_response.regression import (
    fit_anchored_logistic_predictor_model,
    fit_anchored_outcome_model,
    fit_linear_predictor_model,
    fit_logistic_predictor_model,
    fit_multinomial_model,
    fit_no_sayer_model,
    fit_outcome_model,
    fit_random_intercept_model,
)

# statsmodels 0.15.0: Logit(SAID, add_constant(FRAME.astype(float))).fit(tol=1e-14).
STATSMODELS = {
    "params": [-0.10201426779, -0.0726473066454, -0.521371984831],
    "bse": [0.316902340665, 0.28042617402, 0.566143937424],
    "tvalues": [-0.321910742521, -0.259060363745, -0.920917721389],
    "pvalues": [0.747520314679, 0.795588666187, 0.357093385638],
    "conf_int": [
        [-0.72313144211, 0.51910290653],
        [-0.622272508047, 0.476977894757],
        [-1.63099371225, 0.588249742586],
    ],
    "conf_int_90": [
        [-0.623272232222, 0.419243696642],
        [-0.533907316075, 0.388612702784],
        [-1.45259589368, 0.409851924018],
    ],
    "llf": -40.5912103618,
    "criteria": [87.1824207236, 93.4654544102],
    "cov_params": [
        [0.100427093519, 0.00221464357532, -0.100272815433],
        [0.00221464357532, 0.0786388390756, 0.00326355152316],
        [-0.100272815433, 0.00326355152316, 0.320518957882],
    ],
    "predictions": [
        [0.374159049599, 0.144519867367, 0.15134981272, 0.667127731088],
        [0.46999208296, 0.0812726445142, 0.318723297043, 0.62698243924],
    ],
}
N = 60
X = (np.arange(N) * 7 % 13 - 6) / 4
SAID = ((np.arange(N) * 11 + X * 5) % 10 > 5).astype(int)
FRAME = pd.DataFrame({"x": X, "urban": np.arange(N) % 3 == 0})
DIRECT = fit_outcome_model(Direct(2), SAID, FRAME)
MODEL = fit_outcome_model(Warner(0.9), SAID, FRAME[["x"]])
HEARD = np.arange(N) % 3 < 2
TOGETHER = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [36, 9, 8, 7], axis=0)
VILLAGES = np.arange(N) % 6
MODELS = {
    "outcome": MODEL,
    "sandwich": MODEL.with_covariance("sandwich"),
    "options": fit_multinomial_model(TwoCoins(3), [0] * 30 + [1] * 18 + [2] * 12, X),
    "number": fit_linear_predictor_model(Warner(0.9), SAID, X + SAID),
    "logistic": fit_logistic_predictor_model(Warner(0.9), SAID, np.arange(N) % 5 < 2),
    "anchor": fit_anchored_outcome_model(AnchoredCrosswise(0.2, 0.3), SAID, HEARD, X),
    "anchored predictor": fit_anchored_logistic_predictor_model(
        AnchoredCrosswise(0.2, 0.3), SAID, HEARD, np.arange(N) % 5 < 2
    ),
    "no-sayers": fit_no_sayer_model(Direct(2), TOGETHER, pairs=False),
    "clusters": fit_random_intercept_model(Warner(0.9), SAID, VILLAGES, FRAME[["x"]]),
}
PARAMETERS = {
    "anchor": 3,
    "anchored predictor": 4,
    "no-sayers": 3,
    "outcome": 2,
    "sandwich": 2,
    "options": 4,
    "number": 4,
    "logistic": 3,
    "clusters": 3,
}

each_model = pytest.mark.parametrize("name", MODELS)


def test_asked_directly_it_is_the_logit_of_statsmodels() -> None:
    assert DIRECT.names == ("intercept", "x", "urban")
    assert DIRECT.params == pytest.approx(STATSMODELS["params"], rel=1e-6)
    assert DIRECT.bse == pytest.approx(STATSMODELS["bse"], rel=1e-6)
    assert DIRECT.tvalues == pytest.approx(STATSMODELS["tvalues"], rel=1e-6)
    assert DIRECT.pvalues == pytest.approx(STATSMODELS["pvalues"], rel=1e-6)
    assert DIRECT.conf_int() == pytest.approx(np.array(STATSMODELS["conf_int"]), rel=1e-6)
    assert DIRECT.conf_int(0.1) == pytest.approx(np.array(STATSMODELS["conf_int_90"]), rel=1e-6)
    assert DIRECT.llf == pytest.approx(STATSMODELS["llf"], rel=1e-9)
    assert (DIRECT.aic, DIRECT.bic) == pytest.approx(STATSMODELS["criteria"], rel=1e-9)
    assert DIRECT.nobs == N
    assert DIRECT.cov_params() == pytest.approx(np.array(STATSMODELS["cov_params"]), rel=1e-6)


def test_asked_directly_it_predicts_as_statsmodels_does() -> None:
    found = DIRECT.get_prediction(FRAME.head(2)).summary_frame()
    assert list(found.columns) == ["mean", "mean_se", "mean_ci_lower", "mean_ci_upper"]
    assert found.to_numpy() == pytest.approx(np.array(STATSMODELS["predictions"]), rel=1e-6)


def test_numbers_of_coefficients_answer_to_names_too() -> None:
    assert MODEL.params["x"] == MODEL.coefficients[1]
    assert MODEL.bse["intercept"] == MODEL.standard_errors[0]
    assert type(MODEL.params[1:]) is np.ndarray
    assert pickle.loads(pickle.dumps(MODEL.params))["x"] == MODEL.params["x"]
    with pytest.raises(RegressionError, match="choose one of intercept, x"):
        MODEL.tvalues["age"]
    with pytest.raises(RegressionError, match="give a position"):
        (2 * MODEL.params)["x"]


def test_a_likelihood_with_weights_is_called_what_it_is() -> None:
    weighted = fit_outcome_model(Warner(0.9), SAID, X, weights=1 + np.arange(N) % 2)
    assert "log pseudolikelihood = " in str(weighted)
    assert "log likelihood = " in str(MODEL.with_covariance("sandwich"))


def test_predictions_are_a_column_of_numbers() -> None:
    found = MODEL.get_prediction()
    frame = pd.DataFrame({"p": found})
    assert frame["p"].tolist() == found.predicted_mean.tolist()
    assert (len(found), found[0]) == (N, found.predicted_mean[0])
    assert np.asarray(found).mean() == pytest.approx(found.predicted_mean.mean())


def test_many_predictions_print_the_first_and_the_last() -> None:
    many = MODEL.get_prediction(np.linspace(0, 1, 200))
    assert "(190 more)" in str(many)
    assert len(str(many).splitlines()) == 2 + 11
    assert "more)" not in str(MODEL.get_prediction(np.linspace(0, 1, 60)))


@pytest.mark.parametrize("alpha", [0.95, 0.0, 1.0])
def test_a_level_is_no_failure_probability(alpha) -> None:
    with pytest.raises(EstimationError, match="failure probability such as"):
        MODEL.conf_int(alpha)


@each_model
def test_names_of_statsmodels_stand_beside_ours(name) -> None:
    model = MODELS[name]
    assert model.params.tolist() == model.coefficients.tolist()
    assert model.cov_params() is model.covariance
    assert model.bse.tolist() == model.standard_errors.tolist()
    assert model.tvalues.tolist() == model.z.tolist()
    assert model.pvalues.tolist() == model.p_values.tolist()
    assert model.conf_int().tolist() == model.intervals(0.95).tolist()
    assert (model.llf, model.nobs) == (model.log_likelihood, model.n)


@each_model
def test_criteria_count_every_number_that_was_fitted(name) -> None:
    model = MODELS[name]
    assert model.parameter_count == PARAMETERS[name]
    assert model.aic == pytest.approx(-2 * model.llf + 2 * PARAMETERS[name])
    assert model.bic == pytest.approx(-2 * model.llf + np.log(N) * PARAMETERS[name])


def test_criteria_count_the_unknown_of_two_groups() -> None:
    reports, groups = [0] * 70 + [1] * 30 + [0] * 45 + [1] * 55, [1] * 100 + [2] * 100
    model = fit_outcome_model(StochasticLieDetector(0.8, 0.2), reports, groups=groups)
    assert model.parameter_count == 2


@each_model
def test_a_frame_has_a_line_for_each_coefficient(name) -> None:
    model, frame = MODELS[name], MODELS[name].to_frame()
    assert list(frame.index) == list(model.names)
    assert frame["estimate"].tolist() == model.coefficients.tolist()
    assert frame[["low", "high"]].to_numpy().tolist() == model.intervals().tolist()
    assert {"standard_error", "z", "p_value"} < set(frame.columns)


@each_model
def test_a_summary_is_what_prints_and_a_table_for_notebooks(name) -> None:
    model = MODELS[name]
    summary = model.summary()
    assert str(summary) == repr(summary) == summary.as_text() == str(model)
    assert summary.as_html() == summary._repr_html_() == model._repr_html_()
    assert summary.as_html().count("<tr>") == len(model.names) + 1


def test_names_are_text_in_a_notebook_whatever_they_say() -> None:
    covariates = FRAME[["x"]].rename(columns={"x": "<script>alert(1)</script>"})
    model = fit_outcome_model(Warner(0.9), SAID, covariates)
    shown = model._repr_html_() + model.get_prediction([0.5])._repr_html_()
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown


@each_model
def test_predictions_lie_within_their_intervals(name) -> None:
    columns = {
        "no-sayers": None,
        "anchored predictor": [[1], [0]],
        "options": [[0.5]],
        "number": [[1]],
        "logistic": [[1], [0]],
    }
    found = MODELS[name].get_prediction(columns.get(name, [[0.5], [-1.0]]))
    assert (found.low < found.probabilities).all()
    assert (found.probabilities < found.high).all()
    ends = np.stack([found.low, found.high], axis=-1)
    assert found.conf_int().tolist() == ends.tolist()
    assert (found.conf_int(0.5)[..., 0] > found.low).all()
    assert len(found.to_frame()) == found.linear.size
    assert found.predicted_mean is found.probabilities
    assert found.se_mean.tolist() == found.standard_errors.tolist()


def test_predicted_shares_of_options_are_those_of_predict_and_sum_to_1() -> None:
    shares, errors = MODELS["options"].predict([[0.5], [-1.0]])
    found = MODELS["options"].get_prediction([[0.5], [-1.0]])
    assert found.probabilities == pytest.approx(shares, rel=1e-12)
    assert found.se_mean == pytest.approx(errors, rel=1e-12)
    assert found.probabilities.sum(axis=1) == pytest.approx([1, 1])
    assert list(found.summary_frame().index[:2]) == ["0, option 0", "0, option 1"]


def test_a_mean_outcome_is_predicted_for_people_whose_trait_is_known() -> None:
    model = MODELS["number"]
    found = model.get_prediction(pd.DataFrame({"trait": [0, 1]}))
    assert found.probabilities == pytest.approx(np.cumsum(model.coefficients))
    assert found.se_mean[0] == pytest.approx(model.bse[0])
    assert str(found).startswith("Mean outcome, intervals at level 0.95")


def test_clusters_are_predicted_in_their_middle() -> None:
    model = MODELS["clusters"]
    eta = float(model.coefficients @ [1, 0.5])
    found = model.get_prediction(pd.DataFrame({"x": [0.5]}))
    assert found.probabilities[0] == pytest.approx(1 / (1 + np.exp(-eta)))


def test_what_cannot_be_predicted_is_refused() -> None:
    with pytest.raises(RegressionError, match="give columns for: x"):
        MODELS["clusters"].get_prediction()
    with pytest.raises(EstimationError, match="failure probability such as"):
        MODEL.get_prediction([0.5]).conf_int(alpha=1)
