"""Every oracle case of the topic models is one test; its id is the case's id.

A case of a kind that no adapter computes fails. A case whose corpus is not here is not run; its
name comes out as a warning, so that nobody takes it for one that agrees.
"""

import json
import warnings
from typing import Any

import numpy as np
import pytest

from tests.oracles import topics_accounting
from tests.oracles.files import Case, lacks_data, oracle_directory
from tests.oracles.topics import KINDS, TOLERANCES

FILE = oracle_directory() / "topics_oracles.json"
ALL = json.loads(FILE.read_text(encoding="utf-8"))["cases"] if FILE.exists() else []
NOT_RUN = [case["id"] for case in ALL if lacks_data(case)]
# The other kinds of this file are computed by test_topics_accounting_oracles.py.
OWN = [case for case in ALL if case["kind"] not in topics_accounting.KINDS]
CASES = [pytest.param(case, id=case["id"]) for case in OWN if not lacks_data(case)]


@pytest.mark.parametrize("case", CASES)
def test_the_oracle_agrees(case: Case) -> None:
    assert case["kind"] in KINDS, f"no adapter for {case['kind']}"
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


def test_a_case_of_an_unknown_kind_fails() -> None:
    with pytest.raises(AssertionError, match="no adapter for reading_tea_leaves"):
        test_the_oracle_agrees({"id": "tea-0", "kind": "reading_tea_leaves", "expected": 1})


def test_cases_without_their_data_are_named_as_not_run() -> None:
    assert lacks_data({"params": {"file": "no_such_corpus.csv"}})
    assert lacks_data({"params": {}, "input": {"file": "no_such_corpus.csv"}})
    assert not lacks_data({"params": {"seed": 1}, "input": None})
    assert not lacks_data({"params": {"file": FILE.name}})
    if NOT_RUN:
        warnings.warn(f"not run, their data is not here: {', '.join(NOT_RUN)}", stacklevel=1)


def test_kinds_are_computed_by_one_adapter_each() -> None:
    assert not KINDS.keys() & topics_accounting.KINDS.keys()
