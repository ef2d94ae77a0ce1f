"""What published totals tell of one person: exact for two levels, a bracket for more, attacked."""

import math
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.randomized_response.designs import ForcedResponse, KAry, TwoCoins, Warner
from tests.randomized_response.errors import DesignError
from tests.randomized_response.totals import PublishedTotal, central_statement
from tests.randomized_response.totals.binary import binary_pairs, binomial
from tests.randomized_response.totals.levels import Clones, _reduced, attacks, reductions
from tests.randomized_response.totals.statements import _composed, _Losses, _losses, _upper_curves

COINS = TwoCoins(2).channel


def statement(people, channel=COINS, delta=1e-6):
    return central_statement([PublishedTotal(channel, people)], delta)


@pytest.mark.parametrize(("people", "epsilon"), [(100, 0.55), (1000, 0.142), (6366, 0.051)])
def test_two_coins_hide_in_a_crowd_as_well_as_worked_out(people, epsilon):
    found = statement(people)
    assert found.epsilon == pytest.approx(epsilon, rel=0.01)
    assert found.lower == pytest.approx(found.epsilon, rel=0.005)
    assert found.gains


def test_twenty_people_hide_nothing_more():
    found = statement(20)
    assert found.epsilon == pytest.approx(1.098, abs=5e-4)
    assert not found.gains


def counts(channel, truths):
    """The law of all counts of reports, by enumeration."""
    law = {(0,) * len(channel): 1.0}
    for truth in truths:
        moved: dict[tuple[int, ...], float] = {}
        for place, chance in law.items():
            for report, row in enumerate(channel):
                to = tuple(n + (y == report) for y, n in enumerate(place))
                moved[to] = moved.get(to, 0.0) + chance * row[truth]
        law = moved
    return law


def worst(channel, people, epsilon):
    """The largest delta over all truths of the others and both truths of one person."""
    levels, found = channel.shape[1], 0.0
    for others in combinations_with_replacement(range(levels), people - 1):
        laws = [counts(channel, [*others, one]) for one in range(levels)]
        for first in laws:
            for second in laws:
                delta = sum(max(0.0, p - math.exp(epsilon) * second[x]) for x, p in first.items())
                found = max(found, delta)
    return found


@pytest.mark.parametrize(
    "channel",
    [COINS, Warner(Fraction(4, 5)).channel, ForcedResponse(Fraction(1, 5), Fraction(1, 2)).channel],
    ids=["coins", "warner", "forced"],
)
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 0.9])
def test_two_levels_are_exact(channel, epsilon):
    matrix = np.array(channel.matrix, dtype=float)
    ends = float(matrix[1].max()), float(matrix[1].min())
    pairs = list(binary_pairs(7, *ends))
    exact = worst(matrix, 7, epsilon)
    assert max(attained.delta(epsilon) for attained, _ in pairs) == pytest.approx(exact, abs=1e-12)
    assert max(bound.delta(epsilon) for _, bound in pairs) == pytest.approx(exact, abs=1e-12)


@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.2, 0.5, 0.9]))
def test_more_levels_are_bracketed(seed, epsilon):
    """Random channels of 3 levels; every truth of 2 others is tried."""
    rng = np.random.default_rng(seed)
    channel = rng.dirichlet(np.full(3, rng.choice([0.3, 1.0, 5.0])), 3).T
    exact = worst(channel, 3, epsilon)
    assert max(curve.delta(epsilon) for curve in reductions(3, channel)) >= exact - 1e-12
    assert max(curve.delta(epsilon) for curve in attacks(3, channel)) <= exact + 1e-12


def test_leaving_out_who_is_neither_would_promise_too_much():
    """What the text of ``levels`` says of the pair with three outcomes."""
    channel = np.array(KAry.from_epsilon(3, 1.0).channel.matrix, dtype=float)
    reached = worst(channel, 5, 0.5)
    assert reached == pytest.approx(0.0522, abs=1e-4)
    assert max(curve.delta(0.5) for curve in reductions(5, channel)) > reached


def test_levels_that_a_device_treats_alike_share_their_reduction():
    channel = np.array(KAry.from_epsilon(7, 1.0).channel.matrix, dtype=float)
    assert len(list(reductions(1000, channel))) == 1


@pytest.mark.parametrize("spread", [0.3, 1.0, 5.0])
def test_reductions_that_are_left_out_promise_no_less(spread):
    rng = np.random.default_rng(1)
    for _ in range(20):
        channel = rng.dirichlet(np.full(4, spread), 4).T
        for truths in combinations(range(4), 2):
            ratio, least = _reduced(channel, *truths)
            own = Clones(*binomial(29, min(2 * least, 1.0)), 1 / (1 + 1 / ratio))
            for epsilon in (0.0, 0.2, 0.9):
                kept = max(curve.delta(epsilon) for curve in reductions(30, channel))
                assert own.delta(epsilon) <= kept + 1e-12


@pytest.mark.parametrize("levels", [3, 5, 7])
def test_a_bracket_says_what_is_gained_with_several_levels(levels):
    channel = KAry.from_epsilon(levels, math.log(3)).channel
    found = statement(1000, channel)
    assert 0 < found.lower <= found.epsilon < 0.2
    assert found.gains


def test_several_questions_compose_to_less_than_their_sum():
    one, two = statement(300), central_statement([PublishedTotal(COINS, 300)] * 2)
    assert one.epsilon < two.epsilon < 2 * one.epsilon
    assert two.local == pytest.approx(2 * one.local)


def test_the_composition_covers_the_exact_one():
    """Both totals of 12 people: the product of the laws at the worst truths, enumerated."""
    total = PublishedTotal(COINS, 12)
    pairs = [attained for attained, _ in binary_pairs(12, 0.75, 0.25)]
    for delta in (1e-2, 1e-4):
        bound = _composed([total, total], delta)
        exact = max(
            np.maximum(
                np.outer(a.with_yes, b.with_yes) - math.exp(bound) * np.outer(a.with_no, b.with_no),
                0,
            ).sum()
            for a in pairs
            for b in pairs
        )
        assert exact <= delta


def test_losses_lie_above_their_curve_and_close_to_it():
    curves = list(_upper_curves(PublishedTotal(COINS, 50)))
    losses, infinite = _losses(curves, 100, 0.01)
    found = _Losses((np.arange(201) - 100) * 0.01, losses, infinite)
    assert losses.sum() + infinite == pytest.approx(1, abs=1e-9)
    for epsilon in (0.0, 0.105, 0.5, 0.9):
        exact = max(curve.delta(epsilon) for curve in curves)
        assert exact <= found.delta(epsilon) + 1e-12
        assert found.delta(epsilon) <= exact * 1.001 + 1e-6


def test_more_people_hide_better():
    found = [statement(people).epsilon for people in (1, 2, 10, 50, 200, 400, 3000)]
    assert found == sorted(found, reverse=True)


def test_an_answer_that_tells_for_sure_hides_in_a_crowd_only():
    mangat = ForcedResponse(Fraction(0), Fraction(1, 2)).channel
    assert math.isinf(mangat.epsilon)
    assert math.isinf(statement(1, mangat).epsilon)


@pytest.mark.audit
def test_an_attack_on_totals_stays_below_the_statement():
    """The likelihood-ratio test, 2 million totals of each truth of one of 1,000 people."""
    people, runs, rng = 1000, 2_000_000, np.random.default_rng(20261122)
    for delta in (1e-2, 1e-3):
        stated = statement(people, delta=delta).epsilon
        for others in (0, people // 2, people - 1):
            rest = rng.binomial(others, 0.75, runs) + rng.binomial(people - 1 - others, 0.25, runs)
            with_yes = rest + (rng.random(runs) < 0.75)
            rest = rng.binomial(others, 0.75, runs) + rng.binomial(people - 1 - others, 0.25, runs)
            with_no = rest + (rng.random(runs) < 0.25)
            for threshold in np.quantile(with_no, [0.5, 0.9, 0.99, 0.999]):
                alarms, found = (with_no >= threshold).mean(), (with_yes >= threshold).mean()
                margin = 4 * ((found + math.exp(stated) ** 2 * alarms) / runs) ** 0.5
                assert found - math.exp(stated) * alarms <= delta + margin
                # The statement is not empty: half of it would be refuted.
            half = math.exp(stated / 2)
            best = max(
                (with_yes >= t).mean() - half * (with_no >= t).mean()
                for t in np.quantile(with_no, [0.5, 0.9, 0.99, 0.999])
            )
            assert best > delta


REFUSED = {
    "no one": lambda: PublishedTotal(COINS, 0),
    "half a person": lambda: PublishedTotal(COINS, 1.5),
    "no totals": lambda: central_statement([]),
    "no delta": lambda: statement(10, delta=0.0),
    "a delta that is no number": lambda: statement(10, delta=math.nan),
}


@pytest.mark.parametrize("ask", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_stated_is_refused(ask):
    with pytest.raises(DesignError, match="cannot be used"):
        ask()
