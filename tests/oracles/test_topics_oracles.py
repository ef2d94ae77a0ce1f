"""Every oracle case of the topic models is one test; its id is the case's id."""

import json
from typing import Any

import numpy as np
import pytest

from tests.oracles.files import Case, oracle_directory
from tests.oracles.topics import KINDS, TOLERANCES

FILE = oracle_directory() / "topics_oracles.json"
ALL = json.loads(FILE.read_text(encoding="utf-8"))["cases"] if FILE.exists() else []
CASES = [pytest.param(case, id=case["id"]) for case in ALL if case["kind"] in KINDS]


@pytest.mark.parametrize("case", CASES)
def test_the_oracle_agrees(case: Case) -> None:
    computed, expected = KINDS[case["kind"]](case), case["expected"]
    if case["kind"] == "nmf_objective":
        # A better minimum than the peer's is no fault.
        assert all(computed[key] <= value * 1.005 for key, value in expected.items())
        return
    absolute, relative = TOLERANCES[case["kind"]]
    if not isinstance(expected, dict):
        computed, expected = {"value": computed}, {"value": expected}
    for key, value in expected.items():
        assert close(computed[key], value, absolute, relative), f"{key}: {computed[key]}"


def close(computed: Any, expected: Any, absolute: float, relative: float) -> bool:
    return bool(np.allclose(computed, expected, rtol=relative, atol=absolute))


def test_there_are_topic_cases_to_run() -> None:
    assert len(CASES) >= 1
