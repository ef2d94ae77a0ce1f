"""Every oracle case of the trees is one test; its id is the case's id."""

import pytest

from tests.oracles.files import Case, is_near, seed_cases
from tests.oracles.tree import KINDS

CASES = [pytest.param(case, id=name) for name, case in seed_cases("tree")]


@pytest.mark.parametrize("case", CASES)
def test_the_tree_oracle_agrees(case: Case) -> None:
    kind = case["params"]["kind"]
    assert kind in KINDS, f"no adapter for {kind}"
    computed = KINDS[kind](case)
    if not isinstance(case["tolerance"], dict):
        assert is_near(computed, case["expected"], case["tolerance"]), computed
        return
    for key, value in case["expected"].items():
        assert is_near(computed[key], value, case["tolerance"].get(key, 0)), (
            f"{key}: {computed[key]}"
        )


def test_there_are_tree_cases_to_run() -> None:
    assert len(CASES) >= 1
