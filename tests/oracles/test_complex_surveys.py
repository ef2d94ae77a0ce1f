"""Means, totals, ratios, quantiles and regressions of complex samples are those of R's survey.

``complex_surveys.R`` wrote the numbers; its comments say how to run it again.
"""

import json
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from tests.oracles.files import HERE
from tests.randomized_response.designs import Direct, TransformedReports
from tests.randomized_response.regression import fit_number_outcome_model, fit_outcome_model
from tests.randomized_response.samples import (
    KnownTotal,
    Margin,
    ReplicateWeights,
    Stage,
    calibrate,
    estimate_means,
    estimate_quantiles,
    estimate_ratios,
    estimate_totals,
    estimate_weighted_distribution,
    replicated_sample,
    survey_sample,
)

ORACLE = json.loads((HERE / "complex_surveys.json").read_text())
PEOPLE = {name: np.array(values) for name, values in ORACLE["people"].items()}
CASES = {case["id"]: case for case in ORACLE["cases"]}
Y, X, BIT = (PEOPLE[name] for name in ("y", "x", "bit"))
BOTH = np.column_stack([Y, BIT])
R_AGREES = 1e-6  # of the largest number of a table


@lru_cache
def sample_of(name: str) -> Any:
    """The sample that a case describes."""
    case = CASES[name]
    if not (known := case.get("known")):
        return drawn(case)
    margins = [Margin(PEOPLE[column], sizes) for column, sizes in known["margins"].items()]
    totals = [KnownTotal(PEOPLE[column], sum) for column, sum in known.get("totals", {}).items()]
    return calibrate(
        drawn(case), margins + totals, method=known["method"], bounds=known.get("bounds")
    )


def drawn(case: dict[str, Any]) -> Any:
    columns = {role: PEOPLE[name] for role, name in case["uses"].items()}
    if "replicates" in case:
        table = ORACLE["replicates"][case["replicates"]]
        weights, factors = np.array(table["weights"]), np.array(table["factors"])
        return replicated_sample(
            columns["weights"], ReplicateWeights(weights, factors, table["around"])
        )
    stages = []
    if "population2" in columns:
        stages = [Stage(strata=columns.pop("strata2", None), population=columns.pop("population2"))]
    single = case.get("single_units", "refuse")
    weights = columns.pop("weights", None)
    return survey_sample(weights, **columns, stages=stages, single_units=single)


def agree(ours: Any, theirs: Any) -> None:
    expected = np.array(theirs, dtype=float)
    apart = np.abs(np.asarray(ours, dtype=float) - expected)
    assert apart.shape == expected.shape
    assert apart.max() <= R_AGREES * np.abs(expected).max()


@pytest.fixture(params=CASES)
def case(request) -> tuple[Any, dict[str, Any]]:
    return sample_of(request.param), CASES[request.param]["expected"]


def test_weights_and_degrees_of_freedom_are_those_of_r(case) -> None:
    sample, expected = case
    agree(sample.weights, expected["weights"])
    assert sample.degrees_of_freedom == expected["degrees"]


def test_means_totals_and_ratios_are_svymean_svytotal_and_svyratio(case) -> None:
    sample, expected = case
    made = {
        "mean": estimate_means(sample, BOTH),
        "total": estimate_totals(sample, BOTH),
        "ratio": estimate_ratios(sample, Y, X),
    }
    for name, estimates in made.items():
        agree(estimates.values, expected[name]["value"])
        agree(estimates.covariance, expected[name]["covariance"])
    if effects := expected["design_effects"]:
        agree(made["mean"].design_effects, effects)


def test_groups_and_their_differences_are_svyby_and_svycontrast(case) -> None:
    sample, expected = case
    by_sex = estimate_means(sample, BOTH, groups=PEOPLE["sex"])
    # R has all groups of the first question, then of the second one.
    agree(by_sex.values.reshape(2, 2).T.ravel(), expected["by_sex"]["value"])
    errors = by_sex.standard_errors.reshape(2, 2).T.ravel()
    agree(errors, expected["by_sex"]["standard_error"])
    difference = estimate_means(sample, Y, groups=PEOPLE["sex"]).difference("f", "m")
    agree(difference.values, expected["difference"]["value"])
    agree(difference.covariance, expected["difference"]["covariance"])


def test_quantiles_are_svyquantile(case) -> None:
    sample, expected = case
    quantiles = estimate_quantiles(sample, Y, [0.1, 0.5, 0.75])
    agree(quantiles.values, expected["quantiles"]["value"])
    agree([interval.low for interval in quantiles.intervals()], expected["quantiles"]["low"])
    agree([interval.high for interval in quantiles.intervals()], expected["quantiles"]["high"])
    agree(quantiles.standard_errors, expected["quantiles"]["standard_error"])


def test_regressions_are_svyglm(case) -> None:
    sample, expected = case
    covariates = np.column_stack([X, PEOPLE["sex"] == "m"])
    logistic = fit_outcome_model(Direct(2), BIT, covariates, weights=sample)
    agree(logistic.coefficients, expected["logistic"]["value"])
    agree(logistic.covariance, expected["logistic"]["covariance"])
    answers = TransformedReports(Y, np.zeros(len(Y)))
    linear = fit_number_outcome_model(answers, X, weights=sample)
    agree(linear.coefficients, expected["linear"]["value"])
    agree(linear.covariance, expected["linear"]["covariance"])
    assert logistic.degrees == expected["left"]


def test_weighted_shares_have_the_mean_and_error_of_svymean(case) -> None:
    sample, expected = case
    shares = estimate_weighted_distribution(Direct(2), BIT, sample)
    agree(shares.shares[1:], expected["mean"]["value"][1:])
    agree(shares.covariance[1:, 1:], [expected["mean"]["covariance"][1][1:]])


@pytest.mark.parametrize("name", [name for name in CASES if "replicates" not in CASES[name]])
def test_groups_have_the_degrees_of_their_own_units(name) -> None:
    """R counts those of replicate weights anew for each group; ours are of the sample."""
    women = estimate_means(sample_of(name), Y, groups=PEOPLE["sex"])
    assert women.degrees[0] == CASES[name]["expected"]["degrees_of_women"]
