"""Every oracle case of planned releases is one test; its id is the case's id.

``equal``: every number within abs + rel |e|. ``at_most``: a strategy may be better. ``interval``:
the value lies in the peer's bracket, and our lower bound does not exceed its upper end. Numbers
that the file's ``reading`` calls informational are held where it says how.
"""

import json
from typing import Any

import numpy as np
import pytest

from tests.oracles.files import Case, oracle_directory
from tests.oracles.workloads import KINDS, is_long

FILE = oracle_directory() / "matrix_oracles.json"
ALL = json.loads(FILE.read_text(encoding="utf-8"))["cases"] if FILE.exists() else []
CASES = [
    pytest.param(case, id=case["id"], marks=[pytest.mark.audit] if is_long(case) else [])
    for case in ALL
]
# Reference levels, and a witness that is not unique.
NOT_HELD = {"E2_note_form_B_optimal_for_R", "E2_planner", "weights", "best_with_sets_of_1_or_2"}
# (relation, relative tolerance) of single numbers.
SINGLE = {
    "svd_bound": ("equal", 1e-8),
    "E2_identity_base": ("equal", 1e-8),
    "E_identity": ("equal", 1e-8),
}


@pytest.mark.parametrize("case", CASES)
def test_the_workload_oracle_agrees(case: Case) -> None:
    assert case["kind"] in KINDS, f"no adapter for {case['kind']}"
    computed, tolerance = KINDS[case["kind"]](case), case["tolerance"]
    expected = dict(case["expected"])
    if tolerance["relation"] == "interval":
        relative, value = tolerance["rel"], computed["value"]
        lower, upper = expected.pop("lower"), expected.pop("upper")
        assert lower * (1 - relative) <= value <= upper * (1 + relative)
        assert computed["bound"] <= upper
    upper = expected.pop("certified_upper", None)
    expected.pop("certified_lower", None)
    if upper is not None and "bound" in computed:
        assert computed["bound"] <= upper
    for name, number in expected.items():
        if name not in NOT_HELD:
            check(computed[name], number, name, tolerance)


def check(found: Any, expected: Any, name: str, tolerance: Case) -> None:
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            check(found[key], value, name, tolerance)
        return
    relation, relative = SINGLE.get(name, (tolerance["relation"], tolerance["rel"]))
    if relation == "at_most":
        assert found <= expected * (1 + relative)
    else:
        np.testing.assert_allclose(found, expected, rtol=relative, atol=tolerance["abs"])


def test_there_are_workload_cases_to_run() -> None:
    assert len(CASES) >= 1
