import numpy as np
import pytest

from tests.randomized_response.designs import (
    AnchoredCrosswise,
    CheaterDetection,
    StochasticLieDetector,
    SymmetricCheaterDetection,
    UnrelatedQuestionTwoGroups,
)
from tests.randomized_response.errors import DesignError, RegressionError, SeparationError
from tests.randomized_response.estimates import estimate_two_groups
from tests.randomized_response.regression import fit_outcome_model
from tests.randomized_response.regression.covariates import columns_from
from tests.randomized_response.regression.devices import two_group_device
from tests.randomized_response.regression.links import LINKS
from tests.randomized_response.regression.outcome_likelihood import OutcomeData
from tests.surveys.randomized_response.regression.surveys_to_fit import numeric_gradient

DESIGNS = {
    "lie detector": StochasticLieDetector(0.2, 0.8),
    "unrelated question": UnrelatedQuestionTwoGroups(0.7, 0.3),
    "cheaters": CheaterDetection(0.2, 0.7),
    "symmetric cheaters": SymmetricCheaterDetection(0.3, 0.1, 0.1, 0.3),
}
each_design = pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)

GROUPS = np.repeat([1, 2], 500)


def reports_of(yes_1: int, yes_2: int) -> np.ndarray:
    return np.repeat([0, 1, 0, 1], [500 - yes_1, yes_1, 500 - yes_2, yes_2])


def data_of(design, reports, groups, covariates) -> OutcomeData:
    columns = columns_from(covariates, len(reports), None, intercept=True)
    return OutcomeData(columns, two_group_device(design, groups, reports), LINKS["logit"])


@each_design
def test_without_covariates_both_unknowns_are_those_of_the_two_groups(design) -> None:
    yes = [round(500 * p) for p in design.yes_probabilities(0.45, 0.5)]
    model = fit_outcome_model(design, reports_of(*yes), groups=GROUPS)
    counts = [[500 - count, count] for count in yes]
    known = estimate_two_groups(design, *counts)
    first, second = (known.values[name] for name in known.names[:2])
    predicted = model.predict()
    assert predicted.probabilities[0] == pytest.approx(first, abs=1e-8)
    honest = isinstance(design, (CheaterDetection, SymmetricCheaterDetection))
    expected = second / (1 - first) if honest else second
    assert model.auxiliary.estimate == pytest.approx(expected, abs=1e-8)
    # Maximum likelihood divides by n = 500 where the unbiased variance divides by 499.
    error = known.standard_errors[known.names[0]] * np.sqrt(499 / 500)
    assert predicted.standard_errors[0] == pytest.approx(error, rel=1e-6)
    if not honest:
        error = known.standard_errors[known.names[1]] * np.sqrt(499 / 500)
        assert model.auxiliary.standard_error == pytest.approx(error, rel=1e-6)


@each_design
def test_score_and_information_are_the_derivatives(design) -> None:
    rng = np.random.default_rng(1)
    reports, groups = rng.integers(0, 2, 40), rng.integers(1, 3, 40)
    data = data_of(design, reports, groups, rng.normal(size=40))
    at = np.array([0.2, -0.4, 0.6])
    point = data.at(at)
    slopes = numeric_gradient(lambda p: data.at(p).log_likelihood, at)
    curvature = -numeric_gradient(lambda p: data.at(p).score, at)
    assert point.score == pytest.approx(slopes, rel=1e-6, abs=1e-6)
    assert point.observed == pytest.approx(curvature, rel=1e-5, abs=1e-5)


@each_design
def test_the_expected_information_is_the_mean_square_of_the_score(design) -> None:
    rng = np.random.default_rng(2)
    x, groups = rng.normal(size=30), np.repeat([1, 2], 15)
    at, total = np.array([0.2, -0.4, 0.6]), np.zeros((3, 3))
    for level in (0, 1):
        data = data_of(design, np.full(30, level), groups, x)
        point = data.at(at)
        chance = np.exp([data_of_one(data, i).log_likelihood for i in range(30)])
        total += (point.person_scores * chance) @ point.person_scores.T
    assert point.expected == pytest.approx(total, rel=1e-9, abs=1e-9)


def data_of_one(data: OutcomeData, person: int):
    """The likelihood of one person alone: everybody else has weight 0."""
    weights = np.zeros(data.columns.n)
    weights[person] = 1
    one = OutcomeData(data.columns, data.device, data.link, weights)
    return one.at(np.array([0.2, -0.4, 0.6]))


def test_a_share_at_the_end_of_its_range_is_held_there_and_has_no_error() -> None:
    design = StochasticLieDetector(0.2, 0.8)
    # More yes in the second group than even honest carriers produce with the first one's.
    model = fit_outcome_model(design, reports_of(450, 270), groups=GROUPS)
    assert model.auxiliary.estimate == 1.0
    assert model.auxiliary.standard_error is None
    assert np.isfinite(model.standard_errors).all()
    held = [fit_at(design, model, share) for share in (0.99, 0.98)]
    assert model.log_likelihood > held[0] > held[1]


def fit_at(design, model, share) -> float:
    """The largest likelihood over the prevalence at a given truthful share, on a fine grid."""
    data = model.fit.data
    return max(data.at(np.array([b, share])).log_likelihood for b in np.linspace(-4, 4, 1601))


def test_without_carriers_the_truthful_share_is_not_identified() -> None:
    with pytest.raises(SeparationError):
        fit_outcome_model(StochasticLieDetector(0.2, 0.8), reports_of(400, 100), groups=GROUPS)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (None, "each person's group"),
        (np.ones(1000), "no one in group 2"),
        (np.repeat([0, 1], 500), r"groups\[0\] = 0"),
        (np.repeat([1, 2], 400), "1000 whole numbers"),
        (np.repeat(["a", "b"], 500), "1000 whole numbers"),
        (np.repeat([1, np.nan], 500), r"groups\[500\] = nan"),
    ],
)
def test_groups_that_cannot_be_are_refused(groups, message) -> None:
    with pytest.raises(RegressionError, match=message):
        fit_outcome_model(StochasticLieDetector(0.2, 0.8), reports_of(300, 200), groups=groups)


def test_a_design_whose_groups_are_the_same_people_is_refused() -> None:
    with pytest.raises(DesignError, match="regression knows"):
        fit_outcome_model(AnchoredCrosswise(0.2, 0.2), reports_of(300, 200), groups=GROUPS)


def test_reports_of_two_groups_are_yes_or_no() -> None:
    reports = reports_of(300, 200)
    reports[3] = 2
    with pytest.raises(RegressionError, match=r"reports\[3\] = 2"):
        fit_outcome_model(StochasticLieDetector(0.2, 0.8), reports, groups=GROUPS)
