import math

import pytest

from tests.randomized_response.errors import DesignError, PlanError
from tests.randomized_response.planning import power_one_sample
from tests.randomized_response.planning.design_comparison import compare_designs, designs_at
from tests.randomized_response.planning.exact_power import exact_power

QUESTION = {"share": 0.1, "n": 1000}


@pytest.mark.parametrize("epsilon", [0.1, 1.0, math.log(3), 3.0])
@pytest.mark.parametrize("options", [2, 5, 30])
def test_all_designs_have_the_epsilon_asked_for_and_none_has_more(epsilon, options) -> None:
    for name, design in designs_at(epsilon, options).items():
        assert design.epsilon <= epsilon + 1e-9, name
        assert design.epsilon == pytest.approx(epsilon, rel=1e-6), name


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 0.95])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_for_yes_or_no_nothing_beats_warner_at_equal_epsilon(epsilon, share) -> None:
    rows = {row.name: row for row in compare_designs(epsilon, share=share, n=500)}
    assert rows["Warner"].is_best
    for tie in ("Crosswise", "Forced response, equal chances", "Kuk, one card", "k-ary response"):
        assert rows[tie].is_best
    for loser in ("Unrelated question", "Kuk, two cards", "Optimised unary encoding"):
        assert not rows[loser].is_best
        assert rows[loser].times_best > 1.001


def test_an_unrelated_question_that_half_of_the_people_affirm_is_as_good_as_warner() -> None:
    rows = {row.name: row for row in compare_designs(1.0, q_other_yes=0.5, **QUESTION)}
    assert rows["Unrelated question"].is_best


def test_with_many_options_subset_selection_wins_and_k_ary_response_loses() -> None:
    rows = compare_designs(1.0, options=30, **QUESTION)
    assert rows[0].name == "Subset selection"
    assert rows[-1].name == "k-ary response"
    # k - 2 < 3 e^epsilon is where k-ary response is better than optimised unary encoding.
    for options, better in ((5, True), (30, False)):
        found = {row.name: row for row in compare_designs(1.0, options=options, share=0.0, n=9)}
        oue, k_ary = found["Optimised unary encoding"], found["k-ary response"]
        assert (k_ary.variance_times_n < oue.variance_times_n) is better
        assert (options - 2 < 3 * math.e) is better


def test_the_best_come_first_and_the_factor_is_in_people() -> None:
    rows = compare_designs(1.0, **QUESTION)
    factors = [row.times_best for row in rows]
    assert factors == sorted(factors)
    assert factors[0] == 1
    for row in rows:
        assert row.times_best == pytest.approx(row.variance_times_n / rows[0].variance_times_n)
        assert row.standard_error == pytest.approx(math.sqrt(row.variance_times_n / 1000))


def test_the_powers_are_those_of_the_planner() -> None:
    test = {"null_share": 0.02, "significance": 0.01, "alternative": "one-sided"}
    for row in compare_designs(1.0, **QUESTION, **test):
        assert row.power == power_one_sample(row.design, **QUESTION, **test).power
        if row.exact_power is None:
            assert row.name == "Kuk, two cards"
        else:
            assert row.exact_power == exact_power(row.design, **QUESTION, **test).power


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": 0},
        {"epsilon": math.nan},
        {"epsilon": math.inf},
        {"options": 1},
        {"share": 2},
        {"n": 0},
        {"q_other_yes": 0},
        {"q_other_yes": 1},
        {"q_other_yes": math.nan},
        {"alternative": "up"},
    ],
)
def test_nonsense_is_refused(wrong) -> None:
    with pytest.raises((PlanError, DesignError)):
        compare_designs(**{"epsilon": 1.0, "share": 0.1, "n": 100, **wrong})
