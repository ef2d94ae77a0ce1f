"""What cannot be fitted is refused with the column, the value and the remedy."""

import numpy as np
import pytest

from tests.randomized_response.designs import Channel, Direct, ForcedResponse, KAry, Warner
from tests.randomized_response.errors import (
    CollinearityError,
    DesignError,
    RegressionError,
    SeparationError,
    StatisticsError,
)
from tests.randomized_response.regression import fit_outcome_model
from tests.randomized_response.regression.links import LINKS

N = 200
RNG = np.random.default_rng(1)
X = RNG.normal(size=N)
Z = (np.arange(N) % 4 == 0).astype(float)
REPORTS = (RNG.random(N) < 0.5).astype(int)
DESIGN = Warner(0.75)

each_link = pytest.mark.parametrize("link", LINKS)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            [X, np.full(N, 3.0)],
            "column b = 'redundant' cannot be used: this column is the same for all",
        ),
        ([X, 2 * X], "column b = 'redundant' cannot be used: this column is determined by a"),
        ([X, 5 - 3 * X], "column b .* determined by intercept, a"),
        ([X, Z, X + 2 * Z], "column c .* determined by a, b"),
        ([Z, 1 - Z], "column b .* determined by intercept, a"),
        ([np.zeros(N), X], "column a .* 0 for all people"),
        ([X * 1e-9 + 7, X * 1e-9 + 7], "column b .* determined"),
    ],
)
def test_a_column_that_others_determine_is_named_with_them(columns, message) -> None:
    names = ["a", "b", "c"][: len(columns)]
    with pytest.raises(CollinearityError, match=message):
        fit_outcome_model(DESIGN, REPORTS, np.column_stack(columns), names=names)


@each_link
def test_a_covariate_that_separates_is_named(link) -> None:
    with pytest.raises(SeparationError, match="column age"):
        fit_outcome_model(Direct(2), X > 0.3, X, names=["age"], link=link)


@each_link
@pytest.mark.parametrize("design", [Direct(2), DESIGN, ForcedResponse(0.2, 0)])
def test_a_group_in_which_nobody_can_be_a_yes_is_named(design, link) -> None:
    """The group reports fewer yes than the design alone makes."""
    reports = np.where(Z == 1, 0, np.arange(N) % 2)
    covariates = np.column_stack([X, Z])
    with pytest.raises(SeparationError, match="column woman"):
        fit_outcome_model(design, reports, covariates, names=["age", "woman"], link=link)


@each_link
@pytest.mark.parametrize("answer", [0, 1])
@pytest.mark.parametrize("design", [Direct(2), DESIGN])
def test_when_all_reports_agree_the_intercept_is_infinite(design, answer, link) -> None:
    with pytest.raises(SeparationError, match="intercept"):
        fit_outcome_model(design, np.full(N, answer), link=link)
    # With a covariate as well it is still the intercept that has grown.
    with pytest.raises(SeparationError, match=r"^intercept"):
        fit_outcome_model(design, np.full(N, answer), X, link=link)


def test_the_share_that_the_device_alone_makes_is_the_end_of_the_range() -> None:
    """With p = 3/4 a quarter of yes means that nobody is one; a little more can be fitted."""
    with pytest.raises(SeparationError):
        fit_outcome_model(DESIGN, np.repeat([0, 1], [300, 100]))
    model = fit_outcome_model(DESIGN, np.repeat([0, 1], [299, 101]))
    assert model.predict().probabilities[0] == pytest.approx(0.005, abs=1e-9)


def test_one_answer_is_not_enough() -> None:
    with pytest.raises(SeparationError):
        fit_outcome_model(DESIGN, [1])
    with pytest.raises(RegressionError, match="2 coefficients need"):
        fit_outcome_model(DESIGN, [1], [0.5])


@pytest.mark.parametrize(
    ("reports", "message"),
    [
        ([], "no answers yet"),
        ([[0, 1], [1, 0]], "one whole number per person"),
        (["yes", "no"], "one whole number per person"),
        ([0, 1, 0.5], r"reports\[2\] = 0.5"),
        ([0, 1, np.nan], r"reports\[2\] = nan"),
        ([0, 1, np.inf], r"reports\[2\] = inf"),
        ([0, 1, -1], r"reports\[2\] = -1"),
        ([0, 1, 2], r"reports\[2\] = 2 .* 0 to 1"),
        ([0, None, 1], r"reports\[1\] = nan"),
        ([0, 2**70, 1], "one whole number per person"),
        ([[0], [1, 1]], "equal lengths"),
        (5, "one whole number per person"),
    ],
)
def test_reports_that_no_survey_can_have_are_refused(reports, message) -> None:
    with pytest.raises(RegressionError, match=message):
        fit_outcome_model(DESIGN, reports)


@pytest.mark.parametrize(
    ("covariates", "message"),
    [
        (np.where(np.arange(N) == 7, np.nan, X), r"column x1, row 7 = nan .* .1 such"),
        (np.where(np.arange(N) == 7, -np.inf, X), r"column x1, row 7 = -inf"),
        (X[:-1], "200 rows"),
        (X.reshape(2, 100), "200 rows"),
        (X.reshape(2, 2, 50), "200 rows"),
        (np.array(["a", "b"] * 100), "0/1 columns"),
        (X * 1e200, "column x1 .* another unit"),
        (X * 1e-200, "column x1 .* another unit"),
        (X * 1j, "give numbers"),
        ([[1], [2, 3]], "equal lengths"),
    ],
)
def test_covariates_that_cannot_be_used_are_refused(covariates, message) -> None:
    with pytest.raises(RegressionError, match=message):
        fit_outcome_model(DESIGN, REPORTS, covariates)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a"], "2 names"),
        ("ab", "2 names"),
        (["a", "a"], r"names\[1\] = 'a' .* already used"),
        (["a", "intercept"], "already used"),
        (["", "b"], "not empty"),
        ([1, 2], "not empty"),
    ],
)
def test_names_that_do_not_tell_columns_apart_are_refused(names, message) -> None:
    with pytest.raises(RegressionError, match=message):
        fit_outcome_model(DESIGN, REPORTS, np.column_stack([X, Z]), names=names)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.where(np.arange(N) == 3, 0, 1), r"weights\[3\] = 0"),
        (np.where(np.arange(N) == 3, -1, 1), r"weights\[3\] = -1"),
        (np.where(np.arange(N) == 3, np.nan, 1), r"weights\[3\] = nan"),
        (np.where(np.arange(N) == 3, np.inf, 1), r"weights\[3\] = inf"),
        (np.where(np.arange(N) == 3, 1e6, 1), r"weights\[3\] .* more than half .* Reduce"),
        (np.ones(N - 1), "200 numbers"),
        (["1"] * N, "200 numbers"),
    ],
)
def test_weights_that_would_decide_or_count_nobody_are_refused(weights, message) -> None:
    with pytest.raises(RegressionError, match=message):
        fit_outcome_model(DESIGN, REPORTS, X, weights=weights)


@pytest.mark.parametrize(
    ("designs", "error", "message"),
    [
        (KAry(3, 0.6), DesignError, "fit_multinomial_model"),
        (Channel.k_ary(2, 0.5), DesignError, "do not depend on the truth"),
        ([DESIGN] * (N - 1), RegressionError, "one for each of the 200"),
        ([DESIGN] * (N - 1) + ["warner"], DesignError, "give a design"),
        ("warner", RegressionError, "give one design"),
        (None, RegressionError, "give one design"),
        (3, RegressionError, "give one design"),
    ],
)
def test_designs_that_do_not_fit_are_refused(designs, error, message) -> None:
    with pytest.raises(error, match=message):
        fit_outcome_model(designs, REPORTS)


def test_a_report_that_the_design_never_makes_is_refused() -> None:
    never = Channel.from_matrix([[0.5, 0.1], [0.5, 0.9], [0, 0]])
    with pytest.raises(RegressionError, match=r"reports\[1\] = 2 .* never"):
        fit_outcome_model(never, [0, 2, 1])


def test_a_model_needs_something_to_estimate() -> None:
    with pytest.raises(RegressionError, match="intercept"):
        fit_outcome_model(DESIGN, REPORTS, intercept=False)


def test_groups_belong_to_two_group_designs_only() -> None:
    with pytest.raises(RegressionError, match="no groups"):
        fit_outcome_model(DESIGN, REPORTS, groups=np.ones(N))


def test_every_refusal_is_a_statistics_error() -> None:
    for error in (CollinearityError, SeparationError, RegressionError):
        assert issubclass(error, StatisticsError)
