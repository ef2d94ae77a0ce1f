"""Every oracle case of the earthmover distance is one test; its id is the case's id."""

import pytest

from tests.oracles.earthmover import KINDS
from tests.oracles.files import Case, is_near, seed_cases

CASES = [pytest.param(case, id=name) for name, case in seed_cases("earthmover")]


@pytest.mark.parametrize("case", CASES)
def test_the_earthmover_oracle_agrees(case: Case) -> None:
    kind = case["params"]["kind"]
    assert kind in KINDS, f"no adapter for {kind}"
    computed = KINDS[kind]({**case["params"], **case["input"]})
    assert is_near(computed, case["expected"], case["tolerance"]), computed


def test_there_are_earthmover_cases_to_run() -> None:
    assert len(CASES) >= 1
