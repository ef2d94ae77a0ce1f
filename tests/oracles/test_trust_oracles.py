"""Every oracle case of trust is one test; its id is the case's id."""

import pytest

from surveys.trust.refusals import TrustRefusal
from tests.oracles.files import Case
from tests.oracles.trust import KINDS, trust_cases

CASES = [pytest.param(case, id=case["id"]) for case in trust_cases()]


@pytest.mark.parametrize("case", CASES)
def test_the_trust_oracle_agrees(case: Case) -> None:
    compute = KINDS[case["kind"]]
    if case["expected"].get("accepted") is False:
        with pytest.raises(TrustRefusal):
            compute(case["input"])
        return
    assert compute(case["input"]) == case["expected"]


def test_each_kind_has_cases_to_run() -> None:
    assert {case["kind"] for case in trust_cases()} == KINDS.keys()
