"""Mixed models of randomized answers are those that R's lme4 fits by Laplace's approximation.

``mixed_models.R`` wrote the numbers; its comments say how to run it again.
"""

import json
import re
from typing import Any

import numpy as np
import pytest

from tests.oracles.files import HERE
from tests.randomized_response.designs import Channel
from tests.randomized_response.regression import MixedModel, fit_mixed_model

CASES = {case["id"]: case for case in json.loads((HERE / "mixed_models.json").read_text())["cases"]}
# Of a standard error; glmer stops its penalised steps early.
ESTIMATES_AGREE = 1e-4
ERRORS_AGREE = 1e-3
SPREADS_AGREE = EFFECTS_AGREE = 1e-4


def fitted(case: dict[str, Any]) -> MixedModel:
    """The formula's covariates, and per grouping those whose coefficients differ."""
    columns = {name: np.array(values) for name, values in case["people"].items()}
    slope, base = case["slope"], case["base"]
    design = Channel([[1 - base, 1 - base - slope], [base, base + slope]])
    names = [name for name in case["names"] if name != "(Intercept)"]
    effects = re.findall(r"\(1((?: \+ \w+)*) \| (\w+)\)", case["formula"])
    slopes = {group: re.findall(r"\w+", listed) for listed, group in effects if listed}
    return fit_mixed_model(
        design,
        columns["report"],
        {group: columns[group] for _, group in effects},
        np.column_stack([columns[name] for name in names]),
        names=names,
        slopes=slopes,
        link=case["link"],
    )


@pytest.mark.parametrize("name", CASES)
def test_coefficients_errors_and_likelihood_are_those_of_lme4(name: str) -> None:
    case, model = CASES[name], fitted(CASES[name])
    moved = (model.coefficients - case["coefficients"]) / model.standard_errors
    assert np.abs(moved).max() < ESTIMATES_AGREE
    assert model.standard_errors == pytest.approx(case["standard_errors"], rel=ERRORS_AGREE)
    assert model.log_likelihood == pytest.approx(case["log_likelihood"], abs=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_spreads_and_effects_of_clusters_are_those_of_lme4(name: str) -> None:
    case, model = CASES[name], fitted(CASES[name])
    assert {each.grouping for each in model.effects} == set(case["groupings"])
    for each in model.effects:
        theirs = case["groupings"][each.grouping]
        assert each.sds == pytest.approx(theirs["sd"], abs=SPREADS_AGREE)
        assert each.correlations.ravel() == pytest.approx(theirs["correlations"], abs=SPREADS_AGREE)
        values = [np.ravel(theirs["effects"][str(label)]) for label in each.clusters]
        assert each.values == pytest.approx(np.array(values), abs=EFFECTS_AGREE)
