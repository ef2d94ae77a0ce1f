"""Weighted shares and their intervals are those of R's survey: svymean, svyciprop, postStratify.

``weighted_shares.R`` wrote the numbers; its comments say how to run it again.
"""

import json
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from tests.oracles.files import HERE
from tests.randomized_response.designs import Direct, Warner
from tests.randomized_response.samples import (
    WeightedDistributionEstimate,
    effective_sample_size,
    estimate_weighted_distribution,
    poststratification_weights,
)

ORACLE = json.loads((HERE / "weighted_shares.json").read_text())
DESIGNS = {"direct": (Direct(2), 1.0, 0.0), "warner": (Warner(0.75), 0.5, 0.25)}
NAMES = {"stratum": "strata", "cluster": "clusters", "group": "poststrata"}
R_AGREES = 1e-6


@lru_cache(maxsize=1)
def people(data: str) -> dict[str, np.ndarray]:
    """Columns of one value a person."""
    rows = ORACLE["data"][data]
    return {name: np.repeat(values, rows["times"]) for name, values in rows.items()}


def estimated(case: dict[str, Any], design: Any) -> WeightedDistributionEstimate:
    columns = people(case["data"])
    weights = columns["weight"]
    if "group" in case["uses"]:
        weights = poststratification_weights(columns["group"], ORACLE["population"], weights)
    used = {NAMES[name]: columns[name] for name in case["uses"]}
    return estimate_weighted_distribution(design, columns["report"], weights, **used)


def differences(case: dict[str, Any], design: Any, slope: float, intercept: float) -> list[float]:
    """How far each number is from R's; of the reported bit, which is slope * share + intercept."""
    expected, found = case["expected"], estimated(case, design)
    assert found.degrees_of_freedom == expected["degrees_of_freedom"]
    apart = [
        slope * found.shares[1] + intercept - expected["share"],
        slope * found.standard_errors[1] - expected["standard_error"],
    ]
    for theirs, ours in (("beta", "korn-graubard"), ("mean", "wald")):
        if expected[theirs] is not None:
            interval = found.interval(1, expected["level"], ours).mapped(intercept, slope)
            apart += np.subtract([interval.low, interval.high], expected[theirs]).tolist()
    return apart


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("data", ORACLE["data"])
def test_shares_errors_and_intervals_are_those_of_svymean_and_svyciprop(data, name) -> None:
    cases = [case for case in ORACLE["cases"] if case["data"] == data]
    assert len(cases) == 6
    for case in cases:
        assert np.abs(differences(case, *DESIGNS[name])).max() < R_AGREES, case["id"]


def test_the_default_is_the_interval_of_korn_and_graubard_but_for_poststratified_people() -> None:
    for case in ORACLE["cases"][:6]:
        default = "square-and-add" if case["uses"] == ["group"] else "korn-graubard"
        assert estimated(case, Direct(2)).interval(1).method == default


def test_where_all_answers_agree_r_has_no_interval_and_we_have_kishs() -> None:
    agreed = [case for case in ORACLE["cases"] if case["expected"]["beta"] is None]
    assert len(agreed) >= 20
    for case in agreed:
        found, level = estimated(case, Direct(2)), case["expected"]["level"]
        n = effective_sample_size(people(case["data"])["weight"])
        narrowest = 1 - ((1 - level) / 2) ** (1 / n)
        for method in found.methods:
            assert found.interval(1, level, method).width > 0.4 * narrowest
