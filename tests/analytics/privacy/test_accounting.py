"""The account: exact sums, exact refusals, and a limit that is the promised epsilon and delta."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.privacy import (
    Adjacency,
    Budget,
    BudgetError,
    BudgetExceeded,
    Cost,
    compose,
    epsilon_of,
    split,
    total,
)

BUDGET = Budget(2.0, 1e-5, respondents=5000)
PICO = Decimal("1e-12")


def test_all_of_a_budget_may_be_spent_and_then_nothing() -> None:
    assert BUDGET.charge(Cost(), BUDGET.limit) == BUDGET.limit
    assert BUDGET.left(BUDGET.limit) == Cost()
    with pytest.raises(BudgetExceeded):
        BUDGET.charge(BUDGET.limit, Cost(Decimal("1e-24")))


@pytest.mark.parametrize("short", ["1e-12", "1e-24"])
def test_a_budget_that_is_short_by_a_trillionth_is_short(short: str) -> None:
    most = BUDGET.limit
    spent = Cost(Decimal(short), most.threshold_delta)
    with pytest.raises(BudgetExceeded) as refusal:
        BUDGET.charge(spent, Cost(most.mu_squared))
    assert f"{most.mu_squared - Decimal(short):f}".rstrip("0") in str(refusal.value)
    assert f"{most.mu_squared:f}".rstrip("0") in str(refusal.value)


def test_a_thousand_small_reports_spend_exactly_what_one_large_one_does() -> None:
    """As floats the sum of 1000 tenths is not 100."""
    tenth = Cost(Decimal("0.0001"), Decimal("1e-10"))
    assert total([tenth] * 1000) == Cost(Decimal("0.1"), Decimal("1e-7"))


def test_thresholds_have_an_account_of_their_own() -> None:
    with pytest.raises(BudgetExceeded):
        BUDGET.charge(Cost(), Cost(threshold_delta=BUDGET.limit.threshold_delta + PICO))


@given(st.floats(0.01, 20), st.floats(1e-12, 1e-4))
def test_a_spent_budget_amounts_to_its_epsilon_and_never_more(epsilon: float, delta: float) -> None:
    budget = Budget(epsilon, delta, respondents=100)
    assert budget.limit.epsilon(delta) == pytest.approx(epsilon, rel=1e-6)
    assert epsilon_of(budget.limit.mu, 0.9 * delta) <= epsilon * (1 + 1e-9)


@given(st.lists(st.floats(0, 10), max_size=8))
def test_costs_add_up_as_gaussian_privacy_composes(mus: list[float]) -> None:
    spent = total(Cost.of(mu) for mu in mus)
    assert spent.mu == pytest.approx(compose(mus), rel=1e-9, abs=1e-11)
    assert Fraction(spent.mu_squared) >= sum(Fraction(mu) ** 2 for mu in mus)


@given(st.floats(1e-6, 100))
def test_the_mu_of_a_cost_costs_no_more_than_it(mu: float) -> None:
    cost = Cost.of(mu)
    assert Cost.of(cost.mu) <= cost
    assert cost.mu == pytest.approx(mu, rel=1e-9)


@given(st.lists(st.integers(1, 100), min_size=1, max_size=6))
def test_the_steps_of_a_report_never_cost_more_than_the_report(weights: list[int]) -> None:
    shares = [Fraction(w, sum(weights)) for w in weights]
    parts = split(BUDGET.limit, shares)
    assert total(parts) <= BUDGET.limit
    assert total(Cost.of(p.mu) for p in parts) <= BUDGET.limit
    slack = BUDGET.limit.mu_squared - total(parts).mu_squared
    assert slack <= len(weights) * Decimal("1e-24")


@given(st.integers(1, 999), st.integers(4, 12))
def test_a_tenth_of_delta_pays_for_a_threshold_of_a_tenth_of_it(digits: int, places: int) -> None:
    """As doubles a tenth of 3e-5 is less than 3e-6."""
    delta, tenth = float(f"{digits}e-{places + 3}"), float(f"{digits}e-{places + 4}")
    budget = Budget(1.0, delta, respondents=100)
    cost = Cost.of(0.0, tenth)
    assert budget.charge(Cost(), cost).threshold_delta == budget.limit.threshold_delta
    assert budget.left(cost).threshold_delta == 0


def test_shares_of_more_than_everything_are_refused() -> None:
    with pytest.raises(BudgetError, match="sum to at most 1"):
        split(BUDGET.limit, [Fraction(2, 3), Fraction(2, 3)])
    with pytest.raises(BudgetError, match="between 0 and 1"):
        BUDGET.limit.part(1.5)


def test_replacing_a_respondent_costs_the_square_root_of_two_more() -> None:
    cost = Cost.of(0.5, 1e-7)
    replaced = cost.under(Adjacency.REPLACE)
    assert replaced.mu == pytest.approx(math.sqrt(2) * 0.5)
    assert replaced.threshold_delta == cost.threshold_delta
    assert cost.under(Adjacency.ADD_OR_REMOVE) == cost


@pytest.mark.parametrize("epsilon", [0, -1, math.nan, math.inf, 100, 20.0001, "2", None, True])
def test_an_epsilon_that_protects_nobody_is_refused(epsilon: object) -> None:
    with pytest.raises(BudgetError) as refusal:
        Budget(epsilon, 1e-5, respondents=100)  # type: ignore[arg-type]
    assert refusal.value.argument == "epsilon"


@pytest.mark.parametrize("delta", [0, 1, math.nan, -1e-5, "1e-5"])
def test_a_delta_that_is_no_small_probability_is_refused(delta: object) -> None:
    with pytest.raises(BudgetError) as refusal:
        Budget(1, delta, respondents=100)  # type: ignore[arg-type]
    assert refusal.value.argument == "delta"


def test_a_delta_of_one_in_n_is_refused_with_the_reason() -> None:
    with pytest.raises(BudgetError, match="1/1024: at 1/1024 whole texts"):
        Budget(1, 1 / 1024, respondents=1024)
    assert Budget(1, math.nextafter(1 / 1024, 0), respondents=1024).limit.mu > 0


@pytest.mark.parametrize(
    ("delta", "respondents"),
    [(1e-6, 10**6), (1e-5, 10**5), (1e-12, 10**12), (0.0003, 3334), (Fraction(1, 3), 3)],
)
def test_delta_is_compared_as_it_is_written(delta: float, respondents: int) -> None:
    """The double next to a millionth is below it; times a million it is a whole respondent."""
    with pytest.raises(BudgetError, match=f"less than 1/{respondents}"):
        Budget(1, delta, respondents)
    assert Budget(1, delta, respondents - 1).delta == delta


@pytest.mark.parametrize("respondents", [0, -3, 2.5, math.nan, "many"])
def test_a_number_of_respondents_is_a_number(respondents: object) -> None:
    with pytest.raises(BudgetError) as refusal:
        Budget(1, 1e-9, respondents)  # type: ignore[arg-type]
    assert refusal.value.argument == "respondents"


def test_an_adjacency_is_one_of_two() -> None:
    with pytest.raises(BudgetError, match="add_or_remove_one, replace_one"):
        Budget(1, 1e-9, 100, "both")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "amount", [0.5, Decimal("-1e-24"), Decimal("NaN"), Decimal("Infinity"), Decimal("1e-25"), None]
)
def test_an_amount_is_a_decimal_that_can_be_written_down(amount: object) -> None:
    with pytest.raises(BudgetError) as refusal:
        Cost(amount)  # type: ignore[arg-type]
    assert refusal.value.argument == "mu_squared"


@pytest.mark.parametrize("mu", [math.nan, -0.1, math.inf, "1"])
def test_a_report_without_a_price_cannot_be_charged(mu: object) -> None:
    with pytest.raises(BudgetError):
        Cost.of(mu)  # type: ignore[arg-type]


def test_an_amount_survives_being_written_as_text() -> None:
    cost = Cost.of(0.1234567890123, 1e-7)
    assert Cost(Decimal(str(cost.mu_squared)), Decimal(str(cost.threshold_delta))) == cost


def test_what_was_overspent_is_not_hidden() -> None:
    with pytest.raises(BudgetError, match="the limit is"):
        BUDGET.left(BUDGET.limit + BUDGET.limit)


def test_thresholds_that_took_all_of_delta_leave_no_epsilon() -> None:
    with pytest.raises(BudgetError, match="thresholds alone"):
        Cost.of(0.5, 1e-5).epsilon(1e-5)
