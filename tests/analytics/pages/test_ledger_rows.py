"""The ledger in words: exact in mu², epsilon rounded to the side that promises no more."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest

from analytics.pages.ledger_rows import SPENT, ledger_words, left_share, offers_of, why_no_private
from analytics.privacy.accounting import Adjacency, Budget, Cost
from analytics.queries import Account, LedgerLine
from analytics.reports.amounts import guess_rows, rounded_up


def terms(epsilon: float = 4.0) -> Budget:
    return Budget(epsilon, 1e-6, 1, Adjacency.ADD_OR_REMOVE)


def account(spent: Cost | None = None, reserved: Cost | None = None, **changes) -> Account:
    lines = (
        ()
        if spent is None
        else (LedgerLine(None, "private_topics", None, spent, spent, None, None),)
    )
    return Account(terms(**changes), reserved or Cost(), lines)


def test_spent_and_left_add_up_to_what_was_promised_to_the_last_digit():
    spent, reserved = terms().limit.part(Fraction(1, 3)), terms().limit.part(Fraction(1, 7))
    words = ledger_words(account(spent, reserved))
    amounts = [Decimal(text) for text in (words.spent, words.reserved, words.left)]
    assert sum(amounts) == Decimal(words.limit) == terms().limit.mu_squared


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1, 2, 4, 7.77, 20])
def test_a_whole_budget_is_never_told_as_more_than_was_promised(epsilon):
    limit = terms(epsilon).limit
    words = ledger_words(account(limit, epsilon=epsilon))
    assert Decimal(words.spent_epsilon) == Decimal(str(epsilon))
    assert words.left == "0"
    assert words.left_epsilon == "0.00"


@pytest.mark.parametrize("part", [1, 10, 33, 50, 90, 99])
def test_what_was_spent_is_rounded_up_and_what_is_left_down(part):
    spent = terms().limit.part(Fraction(part, 100))
    words = ledger_words(account(spent))
    assert float(words.spent_epsilon) >= spent.epsilon(1e-6)
    left = terms().left(spent)
    assert float(words.left_epsilon) <= left.epsilon(1e-6)
    assert float(words.spent_epsilon) - spent.epsilon(1e-6) < 0.01


def test_the_smallest_spending_is_told_as_something():
    words = ledger_words(account(Cost(Decimal("1e-24"), Decimal(0))))
    assert words.spent == "0.000000000000000000000001"
    assert ledger_words(account()).spent_epsilon == "0.00"


def test_an_offer_says_what_it_costs_and_leaves():
    half = next(o for o in offers_of(account()) if o.share == Fraction(1, 2))
    assert half.cost == terms().limit.part(Fraction(1, 2))
    assert half.fits
    assert half.left_then == "50 %"
    assert float(half.epsilon) >= half.cost.epsilon(1e-6)


def test_offers_fit_exactly_where_the_ledger_would_pay():
    taken = terms().limit.part(Fraction(2, 5))
    for offer in offers_of(account(taken)):
        assert offer.fits is account(taken).can_pay(offer.share)


def test_all_that_is_left_can_be_paid_and_hardly_more():
    for spent in (Fraction(1, 3), Fraction(7, 9), Fraction(999, 1000)):
        taken = terms().limit.part(spent)
        rest = left_share(terms(), taken)
        assert account(taken).can_pay(rest)
        assert not account(taken).can_pay(rest + Fraction(2, 10**12))


def test_what_is_reserved_is_not_offered_again():
    whole = terms().limit
    assert not any(offer.fits for offer in offers_of(account(reserved=whole)))
    assert why_no_private(account(reserved=whole)) == SPENT
    assert why_no_private(account()) == ""
    assert "were not promised a privacy budget" in why_no_private(None)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.3])
def test_a_guess_rises_by_the_odds_that_epsilon_allows(epsilon):
    for guess in guess_rows(epsilon):
        before = float(guess["before"].rstrip(" %")) / 100
        odds = math.exp(epsilon) * before / (1 - before)
        after = 100 * odds / (1 + odds)
        assert after <= float(guess["after"].rstrip(" %")) < after + 0.1


def test_extreme_epsilons_are_told_without_breaking():
    assert guess_rows(1e6)[0]["after"] == "nearly 100 %"
    assert rounded_up(1e300) == "more than 100"
    assert rounded_up(math.inf) == "more than 100"
    assert rounded_up(0.0) == "0.00"
    assert rounded_up(1e-12) == "0.01"


def test_amounts_in_short_promise_no_more_than_the_digits():
    spent = terms().limit.part(Fraction(1, 3))
    rows = {row.name: row for row in ledger_words(account(spent)).amounts}
    assert [row.share for row in rows.values()] == ["100 %", "33.3 %", "0 %", "66.7 %"]
    assert rows["Promised"].epsilon == "4"
    assert float(rows["Spent"].epsilon) >= spent.epsilon(1e-6)
    assert float(rows["Left"].epsilon) <= terms().left(spent).epsilon(1e-6)
    assert rows["Reserved"].epsilon == "0.00"
