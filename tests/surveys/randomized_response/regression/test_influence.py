"""Residuals, leverages and what leaving one report out changes: by statsmodels and by one step."""

from dataclasses import replace

import numpy as np
import pytest

from tests.randomized_response.designs import (
    CheaterDetection,
    Direct,
    ForcedResponse,
    Kuk,
    StochasticLieDetector,
    Warner,
)
from tests.randomized_response.errors import RegressionError
from tests.randomized_response.regression import OutcomeModel, fit_outcome_model
from tests.randomized_response.regression.links import LINKS
from tests.randomized_response.relations import assess_goodness_of_fit
from tests.surveys.randomized_response.regression.surveys_to_fit import draw_survey

N = 60
X = (np.arange(N) * 7 % 13 - 6) / 4
SAID = ((np.arange(N) * 11 + X * 5) % 10 > 5).astype(int)
COLUMNS = np.column_stack([X, np.arange(N) % 3 == 0])
FORCED = ForcedResponse(p_forced_yes=0.1, p_forced_no=0.2)
DIRECT = fit_outcome_model(Direct(2), SAID, COLUMNS)
GROUPS = np.repeat([1, 2], 500)
HELD = fit_outcome_model(
    StochasticLieDetector(0.2, 0.8), np.repeat([0, 1, 0, 1], [50, 450, 230, 270]), groups=GROUPS
)
MODELS = {
    **{link: fit_outcome_model(FORCED, SAID, COLUMNS, link=link) for link in LINKS},
    "mixed designs": fit_outcome_model([FORCED, Direct(2)] * 30, SAID, COLUMNS),
    "two groups": fit_outcome_model(
        CheaterDetection(0.2, 0.7), np.arange(1000) * 7 % 20 < 8 + GROUPS, groups=GROUPS
    ),
    "an unknown that is held": HELD,
}
each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)

# statsmodels 0.15.0: GLM(SAID, add_constant(COLUMNS), Binomial(link)).fit(tol=1e-15), rows 0 to 2
# of resid_response, resid_pearson, resid_deviance, and of get_influence(observed=False):
# resid_studentized, hat_matrix_diag, cooks_distance, its p, dfbetas. Link: logit.
STATSMODELS_DIRECT = """
-0.374159049599 -0.773207643368 -0.968151861028 -0.810183062545 0.0891938433748 0.0214266356771
0.995696864905 0.00410626666528 0.164773475557 -0.156260768264
-0.46999208296 -0.94168161748 -1.12682148962 -0.95442057021 0.0265164807062 0.00827076359
0.998955116898 -0.153842065728 -0.0376598525442 0.084814502035
0.502801254312 1.00561829097 1.18217210431 1.03416166821 0.0544392088619 0.020524754344
0.995962241635 0.163867483735 -0.182196066555 -0.0980125918382
"""
# The same with a link of its own: its inverse is 0.1 + 0.7 logistic(eta).
STATSMODELS_FORCED = """
-0.373748279771 -0.772529611739 -0.967473906329 -0.810176063444 0.0907748192418 0.021843966352
0.995572277895 0.0013920489896 0.166275290501 -0.154518731933
-0.469965251626 -0.941630902862 -1.12677656314 -0.954370672855 0.0265195475641 0.00827088135837
0.998955094697 -0.153834258846 -0.0351639089714 0.0852665903296
0.503530889999 1.00708689139 1.18341371712 1.03522577085 0.0536239596475 0.0202415626845
0.996044463209 0.164660423224 -0.181949802433 -0.100346536227
"""


def numbers_of(model: OutcomeModel) -> np.ndarray:
    """Rows 0 to 2 of everything, in the order of the constants above."""
    found = model.get_influence()
    residuals = (found.response_residuals, found.pearson_residuals, found.deviance_residuals)
    others = (found.resid_studentized, found.hat_matrix_diag, *found.cooks_distance)
    return np.column_stack([*residuals, *others, found.dfbetas])[:3].ravel()


@pytest.mark.parametrize(
    ("design", "expected"), [(Direct(2), STATSMODELS_DIRECT), (FORCED, STATSMODELS_FORCED)]
)
def test_all_of_it_is_what_statsmodels_computes(design, expected) -> None:
    model = fit_outcome_model(design, SAID, COLUMNS)
    assert numbers_of(model) == pytest.approx(np.array(expected.split(), float), abs=1e-9)


@each_model
def test_a_change_is_one_step_of_scoring_without_that_person(model) -> None:
    found, data, at = model.get_influence(), model.fit.data, model.fit.point.parameters
    free, count = np.flatnonzero(model.fit.free), data.columns.count
    for person in (0, 7, len(found.leverages) - 1):
        others = np.ones(data.columns.n)
        others[person] = 0
        point = replace(data, weights=others).at(at)
        step = np.linalg.solve(point.expected[np.ix_(free, free)], point.score[free])
        change = -data.columns.transform @ step[:count]
        assert found.d_params[person] == pytest.approx(change, rel=1e-5, abs=1e-9)


@each_model
def test_leverages_sum_to_the_number_of_parameters_that_were_fitted(model) -> None:
    found = model.get_influence()
    assert found.leverages.sum() == pytest.approx(np.count_nonzero(model.fit.free))
    assert found.parameter_count == np.count_nonzero(model.fit.free)
    assert ((found.leverages > 0) & (found.leverages < 1)).all()


@each_model
def test_squared_deviance_residuals_sum_to_the_deviance(model) -> None:
    found = model.get_influence()
    assert (found.deviance_residuals**2).sum() == pytest.approx(model.deviance)
    assert (np.sign(found.response_residuals) == np.where(model.fit.data.device.codes, 1, -1)).all()


def test_the_standard_errors_are_the_expected_ones() -> None:
    expected = MODELS["probit"].with_covariance("expected").standard_errors
    assert MODELS["probit"].get_influence().standard_errors == pytest.approx(expected, rel=1e-9)


def test_squared_pearson_residuals_sum_to_pearsons_statistic_of_single_reports() -> None:
    ages = np.arange(N, dtype=float)
    model = fit_outcome_model(FORCED, SAID, ages)
    pearson = assess_goodness_of_fit(model).pearson
    assert (model.get_influence().pearson_residuals ** 2).sum() == pytest.approx(pearson)


def test_rows_with_a_count_are_those_of_one_person_each() -> None:
    counts = 1 + np.arange(N) % 3
    found = fit_outcome_model(FORCED, SAID, COLUMNS, counts=counts).get_influence()
    repeated = fit_outcome_model(
        FORCED, np.repeat(SAID, counts), np.repeat(COLUMNS, counts, axis=0)
    )
    single = repeated.get_influence()
    first = np.cumsum(counts) - counts
    assert found.leverages == pytest.approx(single.leverages[first], rel=1e-6)
    assert found.cooks_distances == pytest.approx(single.cooks_distances[first], rel=1e-5)
    assert found.cooks_distance[1] == pytest.approx(single.cooks_distance[1][first], rel=1e-6)
    assert found.dfbetas == pytest.approx(single.dfbetas[first], rel=1e-4, abs=1e-9)


@pytest.mark.parametrize("design", [Direct(2), Warner(0.9)], ids=["direct", "randomized"])
def test_a_contradiction_far_out_counts_where_no_device_can_have_made_it(design) -> None:
    """At 6 standard deviations 99.99 % are a yes: there a device's no says next to nothing."""
    reports, covariates = draw_survey(design, [0.0, 1.5], 400, np.random.default_rng(1))
    covariates[0], reports[0] = 6.0, 0
    found = fit_outcome_model(design, reports, covariates).get_influence()
    far_out, others = found.cooks_distances[0], np.median(found.cooks_distances[1:])
    if design == Direct(2):
        assert far_out == found.cooks_distances.max()
        assert found.dfbetas[0, 1] == found.dfbetas[:, 1].min()
    else:
        assert far_out < others
        assert np.abs(found.pearson_residuals).max() <= np.sqrt(0.9 / 0.1)


def test_a_frame_has_a_line_per_row_and_a_column_per_coefficient() -> None:
    found = DIRECT.get_influence()
    frame = found.to_frame()
    assert list(frame.index) == list(range(N))
    assert frame["dfbeta[x2]"].tolist() == found.dfbetas[:, 2].tolist()
    assert frame["cooks_distance"].tolist() == found.cooks_distances.tolist()
    standardized = frame["deviance_residual"] / np.sqrt(1 - frame["leverage"])
    assert found.standardized_deviance_residuals == pytest.approx(standardized.to_numpy())


def test_the_five_largest_of_cooks_distances_print() -> None:
    title, _, *rows = str(DIRECT.get_influence()).splitlines()
    assert title == "Influence of reports, the largest 5 of 60"
    assert [row.split()[0] for row in rows] == ["9", "33", "15", "54", "3"]
    assert rows[0].split()[1:3] == ["0.671328", "1.48902"]
    assert DIRECT.get_influence()._repr_html_().count("<tr>") == 6


def test_what_has_no_such_residuals_is_refused() -> None:
    weighted = fit_outcome_model(FORCED, SAID, weights=1 + X**2)
    with pytest.raises(RegressionError, match="fit without weights"):
        weighted.get_influence()
    cards = fit_outcome_model(Kuk(0.8, 0.2, 2), [0, 1, 2, 1] * 10)
    with pytest.raises(RegressionError, match=r"3 levels.*two reports"):
        cards.get_influence()
