import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from tests.randomized_response.designs import ForcedResponse, Warner
from tests.randomized_response.errors import RegressionError
from tests.randomized_response.regression import fit_known_shares_model, fit_outcome_model
from tests.randomized_response.regression.known_shares import _checked_shares, _KnownShares
from tests.surveys.randomized_response.regression.surveys_to_fit import (
    draw_reported,
    numeric_gradient,
)

DESIGN = ForcedResponse(0.1, 0.2)
TRUTH = np.array([-0.6, 0.8])
# The means of 1 / (1 + exp(-eta)) over x of each district's normal distribution.
POINTS, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
CENTRES = {"north": -0.5, "south": 0.5}
SHARES = {
    name: float(
        WEIGHTS @ (1 / (1 + np.exp(-(TRUTH[0] + TRUTH[1] * (centre + POINTS))))) / WEIGHTS.sum()
    )
    for name, centre in CENTRES.items()
}


def survey(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    district = np.where(rng.random(n) < 0.5, "north", "south")
    x = rng.normal(size=n) + np.where(district == "north", -0.5, 0.5)
    true = (rng.random(n) < 1 / (1 + np.exp(-(TRUTH[0] + TRUTH[1] * x)))).astype(int)
    return draw_reported(DESIGN, true, rng), x, district


def test_score_and_information_are_the_derivatives() -> None:
    reports, x, district = survey(300, 1)
    plain = fit_outcome_model(DESIGN, reports, x)
    members, known = _checked_shares(district, SHARES, 300)
    start = plain.fit.point.parameters
    shares = _KnownShares.at_start(plain.fit.data, members, known, start)
    near = start + 0.2
    slope = numeric_gradient(lambda p: shares.at(p).log_likelihood, near)
    assert shares.at(near).score == pytest.approx(slope, abs=1e-5)
    observed = -numeric_gradient(lambda p: shares.at(p).score, near)
    assert shares.at(near).observed == pytest.approx(observed, rel=1e-6)


def test_shares_that_the_model_has_anyway_change_no_estimate() -> None:
    reports, x, district = survey(400, 2)
    plain = fit_outcome_model(DESIGN, reports, x)
    fitted = plain.predict(x).probabilities
    shares = {name: float(fitted[district == name].mean()) for name in CENTRES}
    model = fit_known_shares_model(DESIGN, reports, x, district, shares)
    assert model.coefficients == pytest.approx(plain.coefficients, abs=1e-8)
    assert model.fitted == pytest.approx(list(shares.values()))
    assert model.agreement_statistic == pytest.approx(0, abs=1e-9)
    assert model.agreement_p_value == pytest.approx(1)
    assert (model.standard_errors < plain.standard_errors).all()


def test_people_who_are_alike_have_the_known_share() -> None:
    reports = np.repeat([0, 1], [60, 40])
    model = fit_known_shares_model(Warner(0.8), reports, None, ["all"] * 100, {"all": 0.25})
    assert model.fitted == pytest.approx([0.25], abs=1e-3)
    assert model.standard_errors[0] < 1e-2
    # 36 of 100 people would report yes at a share of .25 (.2 + .6 x .25 = .35).
    expected = (40 - 35) ** 2 / (100 * 0.35 * 0.65)
    assert model.agreement_statistic == pytest.approx(expected, rel=1e-3)
    assert model.agreement_p_value == pytest.approx(chi2.sf(expected, 1), rel=1e-2)


def test_groups_of_which_nothing_is_known_count_by_their_reports_alone() -> None:
    reports, x, district = survey(400, 3)
    one = fit_known_shares_model(DESIGN, reports, x, district, {"north": SHARES["north"]})
    assert one.groups == ("north",)
    other = np.where(district == "north", "north", "elsewhere")
    same = fit_known_shares_model(DESIGN, reports, x, other, {"north": SHARES["north"]})
    assert same.coefficients.tolist() == one.coefficients.tolist()


def test_shares_may_be_a_column_of_pandas_by_label() -> None:
    reports, x, district = survey(400, 3)
    one = fit_known_shares_model(DESIGN, reports, x, district, SHARES)
    same = fit_known_shares_model(DESIGN, reports, x, district, pd.Series(SHARES))
    assert same.coefficients.tolist() == one.coefficients.tolist()
    assert same.groups == one.groups


def test_shares_far_from_the_reports_disagree() -> None:
    reports, x, district = survey(2000, 4)
    model = fit_known_shares_model(DESIGN, reports, x, district, {"north": 0.9, "south": 0.05})
    assert model.agreement_p_value < 1e-6


def test_a_model_prints_known_and_fitted_shares_and_whether_they_agree() -> None:
    reports, x, district = survey(400, 5)
    text = str(fit_known_shares_model(DESIGN, reports, x, district, SHARES))
    assert "known share" in text
    assert "agreement" in text
    assert f"{SHARES['north']:.6g}" in text


@pytest.mark.audit
def test_errors_shrink_as_stated_and_agreement_is_chi_squared() -> None:
    """500 surveys; every bound is five standard errors of the simulation."""
    runs, estimates, errors, plain_errors, p_values = 500, [], [], [], []
    for run in range(runs):
        reports, x, district = survey(1500, 1000 + run)
        model = fit_known_shares_model(DESIGN, reports, x, district, SHARES)
        estimates.append(model.coefficients)
        errors.append(model.standard_errors)
        plain_errors.append(fit_outcome_model(DESIGN, reports, x).standard_errors)
        p_values.append(model.agreement_p_value)
    values, stated = np.array(estimates), np.array(errors)
    spread = values.std(axis=0)
    print(f"\nse/sd {stated.mean(axis=0) / spread}, of plain {spread / np.mean(plain_errors, 0)}")
    assert (np.abs(values.mean(axis=0) - TRUTH) < (5 / np.sqrt(runs) + 0.1) * spread).all()
    assert stated.mean(axis=0) / spread == pytest.approx(1, abs=5 / np.sqrt(2 * runs) + 0.03)
    assert (spread < 0.7 * np.mean(plain_errors, axis=0)).all()
    covered = (np.abs(values - TRUTH) < 1.959964 * stated).mean(axis=0)
    assert (np.abs(covered - 0.95) < 5 * np.sqrt(0.95 * 0.05 / runs)).all()
    assert np.mean(np.array(p_values) < 0.05) == pytest.approx(0.05, abs=5 * 0.0097)


class Label(str):
    """Another key that reads the same."""

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


REFUSED = {
    "no shares": ({}, "at least one group"),
    "a number": (0.3, "at least one group"),
    "no share": ({"north": 0}, "above 0 and below 1"),
    "all": ({"north": 1.0}, "above 0 and below 1"),
    "a text": ({"north": "many"}, r"shares\[north\]"),
    "not a number": ({"north": float("nan")}, r"shares\[north\]"),
    "a label twice": (pd.Series([0.3, 0.4], index=["north", "north"]), "the same label"),
    "two labels that read alike": ({"north": 0.3, Label("north"): 0.4}, "the same label"),
    "an unknown group": ({"west": 0.3}, "no person has this label"),
}


@pytest.mark.parametrize(("shares", "message"), REFUSED.values(), ids=REFUSED)
def test_impossible_shares_are_refused(shares: object, message: str) -> None:
    reports, x, district = survey(60, 6)
    with pytest.raises(RegressionError, match=message):
        fit_known_shares_model(DESIGN, reports, x, district, shares)


def test_a_label_is_needed_for_each_person() -> None:
    reports, x, district = survey(60, 6)
    with pytest.raises(RegressionError, match="60 labels"):
        fit_known_shares_model(DESIGN, reports, x, district[1:], SHARES)
