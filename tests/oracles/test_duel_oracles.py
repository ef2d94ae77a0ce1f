"""Every oracle case of the silent duel is one test; its id is the case's id."""

import pytest

from tests.oracles.duel import KINDS, OUTPUTS
from tests.oracles.files import Case, is_near, seed_cases

CASES = [pytest.param(case, id=name) for name, case in seed_cases("duel")]


@pytest.mark.parametrize("case", CASES)
def test_the_duel_oracle_agrees(case: Case) -> None:
    kind = case["params"]["kind"]
    assert kind in KINDS, f"no adapter for {kind}"
    computed = KINDS[kind](case)
    if not isinstance(case["tolerance"], dict):
        assert is_near(computed, case["expected"], case["tolerance"]), computed
        return
    for key, value in case["expected"].items():
        tolerance = case["tolerance"][OUTPUTS[key]]
        assert is_near(computed[key], value, tolerance), f"{key}: {computed[key]}"


def test_there_are_duel_cases_to_run() -> None:
    assert len(CASES) >= 1
