"""Every oracle case of the ranking is one test; its id is the case's id.

A Monte Carlo case is met by 200,000 draws of ours: one standard error is below 0.0012, so that the
stated tolerance of 0.003 is widened to five of them, which chance exceeds once in a million runs.
"""

from typing import Any

import numpy as np
import pytest

from tests.oracles.files import Case, seed_cases
from tests.oracles.ranking import DRAWS, KINDS

CASES = [pytest.param(case, id=name) for name, case in seed_cases("ranking")]
SAMPLING = 5 * (0.25 / DRAWS) ** 0.5


def allowed(case: Case, key: str, expected: Any) -> Any:
    tolerance = case["tolerance"]
    if not isinstance(tolerance, dict):
        return tolerance
    if f"{key}_relative" in tolerance:
        return tolerance[f"{key}_relative"] * np.abs(expected)
    stated = next(value for name, value in tolerance.items() if key.startswith(name))
    return stated + (SAMPLING if key == "monte_carlo" else 0)


@pytest.mark.parametrize("case", CASES)
def test_the_oracle_agrees(case: Case) -> None:
    kind = case["params"]["kind"]
    assert kind in KINDS, f"no adapter for {kind}"
    computed, expected = KINDS[kind](case["input"]), case["expected"]
    if not isinstance(expected, dict):
        computed, expected = {"value": computed}, {"value": expected}
    for key, value in expected.items():
        gap = np.abs(np.asarray(computed[key]) - np.asarray(value))
        assert (gap <= allowed(case, key, value)).all(), f"{key}: {computed[key]}, not {value}"


def test_there_are_ranking_cases_to_run() -> None:
    assert len(CASES) >= 1
