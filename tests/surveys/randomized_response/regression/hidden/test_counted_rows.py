"""A regression with a hidden predictor on grouped rows is that on the people themselves."""

import numpy as np
import pytest

from tests.randomized_response.designs import Direct, UnrelatedQuestionTwoGroups, Warner
from tests.randomized_response.errors import RegressionError
from tests.randomized_response.regression import (
    fit_linear_predictor_model,
    fit_logistic_predictor_model,
    fit_several_predictors_model,
)

REPORTS, YES, OLD = (np.array(column) for column in zip(*np.ndindex(2, 2, 2), strict=True))
COUNTS = np.array([310, 90, 160, 120, 70, 60, 140, 150])
AMOUNTS = np.array([1.0, 2.5, 2.0, 4.0, 3.0, 4.5, 3.5, 6.0])
GROUPS = np.array([1, 2, 2, 1, 1, 2, 2, 1])
ROWS = {"reports": REPORTS, "outcome": YES, "covariates": OLD}


def repeated(rows: dict) -> dict:
    return {name: np.repeat(column, COUNTS, axis=0) for name, column in rows.items()}


def several(reports, outcome, covariates, **more):
    predictors = {"drug": (Warner(0.9), reports), "old": (Direct(2), covariates)}
    return fit_several_predictors_model(predictors, outcome, family="logistic", **more)


FITS = {
    "logistic": (lambda **rows: fit_logistic_predictor_model(Warner(0.9), **rows), ROWS),
    "linear": (
        lambda **rows: fit_linear_predictor_model(Warner(0.9), **rows),
        ROWS | {"outcome": AMOUNTS},
    ),
    "two groups": (
        lambda **rows: fit_logistic_predictor_model(UnrelatedQuestionTwoGroups(0.8, 0.2), **rows),
        {"reports": REPORTS, "outcome": YES, "groups": GROUPS},
    ),
    "several": (several, ROWS),
}


@pytest.mark.parametrize("name", FITS)
def test_estimates_and_errors_are_those_of_the_people(name) -> None:
    fit, rows = FITS[name]
    grouped, alone = fit(**rows, counts=COUNTS), fit(**repeated(rows))
    assert (grouped.n, grouped.covariance_kind) == (COUNTS.sum(), "observed")
    assert grouped.coefficients == pytest.approx(alone.coefficients, rel=1e-5, abs=1e-6)
    assert grouped.covariance == pytest.approx(alone.covariance, rel=1e-4, abs=1e-9)
    assert grouped.shares == pytest.approx(alone.shares, abs=1e-6)
    assert grouped.log_likelihood == pytest.approx(alone.log_likelihood, rel=1e-9)
    assert grouped.aic == pytest.approx(alone.aic, rel=1e-9)
    if name == "linear":
        assert grouped.residual_sd == pytest.approx(alone.residual_sd, rel=1e-6)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"counts": COUNTS / 2}, "whole numbers"),
        ({"counts": COUNTS * 0}, "rows of no one"),
        ({"counts": COUNTS, "weights": COUNTS}, "one of them"),
    ],
)
def test_what_are_no_counts_is_refused(more, words) -> None:
    with pytest.raises(RegressionError, match=words):
        fit_logistic_predictor_model(Warner(0.9), **ROWS, **more)
