"""Every oracle case about privacy accounting is one test; its id is the case's id."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.oracles.files import Case, oracle_directory
from tests.oracles.topics_accounting import KINDS

# Relative; "rel 1e-12" and "abs 1e-12" of the file, by the output they are stated for.
TOLERANCES = {"rho_zcdp": 1e-12, "eps_pld": 5e-3, "sensitivity_distances": 1e-12}
NEVER_BELOW = {"gaussian_composition": {"eps_exact": 1e-6}, "calibrate_gaussian": {"sigma": 1e-9}}
INFORMATION_ONLY = "eps_rdp_upper"


def accounting_cases() -> Iterator[tuple[str, Case]]:
    for path in sorted(oracle_directory().glob("*_oracles.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        for case in content["cases"] if isinstance(content, dict) else []:
            if isinstance(case, dict) and case.get("kind") in KINDS:
                yield f"{path.stem}-{case['id']}", case


CASES = [pytest.param(case, id=name) for name, case in accounting_cases()]


def outputs(result: Any) -> Case:
    return result if isinstance(result, dict) else {"value": result}


@pytest.mark.parametrize("case", CASES)
def test_the_oracle_agrees(case: Case) -> None:
    kind, computed = case["kind"], outputs(KINDS[case["kind"]](case["params"]))
    for key, value in outputs(case["expected"]).items():
        if key == INFORMATION_ONLY:
            continue
        allowed = TOLERANCES.get(key, TOLERANCES.get(kind, 1e-6))
        assert computed[key] == pytest.approx(value, rel=allowed, abs=1e-12), key


@pytest.mark.parametrize("case", CASES)
def test_no_noise_and_no_charge_is_below_the_oracle(case: Case) -> None:
    computed = outputs(KINDS[case["kind"]](case["params"]))
    for key, slack in NEVER_BELOW.get(case["kind"], {}).items():
        assert computed[key] >= case["expected"][key] * (1 - slack), key
    if INFORMATION_ONLY in computed:
        assert computed["eps_exact"] <= case["expected"][INFORMATION_ONLY]


def test_there_are_accounting_cases_to_run() -> None:
    assert {case.values[0]["kind"] for case in CASES} == KINDS.keys()
