"""Every oracle case is one test; its id is the case's id."""

import math
from fractions import Fraction

import pytest

from tests.oracles.families import FAMILIES
from tests.oracles.files import DEFAULT_FILE, Case, agrees, all_cases, cases_in, disagreements
from tests.oracles.randomized_response import rational
from tests.randomized_response.errors import StatisticsError


def family(case: Case) -> tuple[str, str]:
    return case["design"], case["estimator"]


CASES = [pytest.param(c, id=name) for name, c in all_cases()]


@pytest.mark.parametrize("case", CASES)
def test_the_oracle_agrees(case: Case) -> None:
    assert family(case) in FAMILIES, f"no adapter for {family(case)}"
    compute = FAMILIES[family(case)]
    if case["expected"].get("error") is True:
        with pytest.raises(StatisticsError):
            compute(case)
        return
    assert disagreements(case["expected"], compute(case), case["tolerance"]) == []


def test_every_family_of_the_default_file_has_an_adapter() -> None:
    assert {family(case) for case in cases_in(DEFAULT_FILE)} <= FAMILIES.keys()


def test_there_are_oracle_cases_to_run() -> None:
    assert len(CASES) >= 1


def test_the_tolerance_is_absolute_near_zero_and_relative_further_away() -> None:
    assert agrees(1e-9, 0, 1e-9, 0)
    assert agrees(1001, 1000, 0, 1e-3)
    assert not agrees(1002, 1000, 0, 1e-3)
    assert not agrees(math.nan, 0, 1, 1)


def test_null_and_infinity_must_be_reproduced_as_such() -> None:
    assert agrees(None, None, 1, 1)
    assert not agrees(0.0, None, 1, 1)
    assert agrees(math.inf, "infinite", 0, 0)
    assert not agrees(1e308, "infinite", 1, 1)
    assert not agrees(None, 1.0, 1, 1)


def test_a_nested_tolerance_overrides_and_peer_outputs_are_not_compared() -> None:
    expected = {"a": 1.0, "b": 1.0, "peer_c": 9.0}
    tolerance = {"abs": 0, "rel": 0, "b": {"abs": 0.5}}
    assert disagreements(expected, {"a": 1.0, "b": 1.4}, tolerance) == []
    assert len(disagreements(expected, {"a": 1.1}, tolerance)) == 2


def test_lists_of_different_lengths_disagree() -> None:
    assert not agrees([1.0], [1.0, 2.0], 0, 0)
    assert not agrees([1.0, 2.0], [1.0], 0, 0)


def test_a_decimal_stands_for_a_rational_only_within_its_fifteen_digits() -> None:
    assert rational(0.166666666666667) == Fraction(1, 6)
    assert rational(0.0833333333333333) == Fraction(1, 12)
    assert rational(0.5000001) == Fraction(5000001, 10**7)
    assert rational(1e-7) == Fraction(1, 10**7)
    assert rational(-1e-9) < 0


def test_a_file_may_ask_for_estimates_that_are_all_negative() -> None:
    params = {"k": 2, "epsilon": 1.0}
    case = {"design": "oue", "params": params, "input": {"n": 10, "bit_counts": [0, 0]}}
    computed = FAMILIES["oue", "frequencies"](case)
    assert max(computed["estimate"]) < 0
    assert computed["simplex_projection"] == pytest.approx([0.5, 0.5])
    assert computed["clip_and_renormalise"] is None


@pytest.mark.parametrize(
    ("design", "params", "given"),
    [
        ("warner", {"p": 0.7}, {"n": 10, "yes": None}),
        ("warner", {"p": 1 + 1e-9}, {"n": 10, "yes": 4}),
        ("crosswise", {"p": 0.2}, {"n": "10", "yes": 4}),
        ("grr", {"k": 2, "epsilon": 1.0}, {"n": 10, "counts": [11, 0]}),
        ("grr", {"k": 2, "epsilon": 1.0}, {"n": 10, "counts": None}),
        ("l_grr", {"k": 3, "p1": 0.6, "q1": 0.6, "p2": 0.6}, {"n": 6, "counts": [3, 2, 1]}),
        ("sld", {"p1": 0.7, "p2": 0.3}, {"groups": [{"n": 10, "yes": 4}]}),
    ],
)
def test_what_no_survey_can_have_is_refused(design: str, params: Case, given: Case) -> None:
    with pytest.raises(StatisticsError):
        FAMILIES[design, "invalid"]({"design": design, "params": params, "input": given})


@pytest.mark.parametrize("size", [0, -1])
def test_a_mean_over_no_population_is_refused(size: int) -> None:
    params = {"p": 0.7, "N": size, "confidence": 0.95}
    sample = {"z": [0, 1], "pi": [0.5, 0.5]}
    with pytest.raises(StatisticsError):
        FAMILIES["warner", "ht_mean"](
            {"design": "warner", "estimator": "ht_mean", "params": params, "input": sample}
        )
