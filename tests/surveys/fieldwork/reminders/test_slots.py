"""The silent duel in slots: payoffs by definition, laws that nobody can exploit."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from surveys.fieldwork.reminders.errors import ReminderError
from surveys.fieldwork.reminders.slots import (
    best_reply,
    fixed_law,
    margin,
    solve_slots,
    worst_case,
)
from tests.oracles.duel import payoff

curves = st.lists(st.floats(0.01, 1), min_size=5, max_size=5).map(sorted)
LINE = [(slot + 1) / 28 for slot in range(28)]


def by_definition(x, y, p, q):
    """Over all successes and failures: who is first wins, two at once are a draw."""
    total = 0.0
    for hits in product([0, 1], repeat=len(x) + len(y)):
        mine, theirs = hits[: len(x)], hits[len(x) :]
        chance = np.prod([p[t] if h else 1 - p[t] for t, h in zip(x, mine, strict=True)])
        chance *= np.prod([q[t] if h else 1 - q[t] for t, h in zip(y, theirs, strict=True)])
        first = min([t for t, h in zip(x, mine, strict=True) if h], default=99)
        second = min([t for t, h in zip(y, theirs, strict=True) if h], default=99)
        total += chance * ((first < second) - (second < first))
    return total


def schedules(slots, most):
    return [c for k in range(most + 1) for c in combinations(range(slots), k)]


@settings(max_examples=30)
@given(curves, curves, st.sets(st.integers(0, 4), max_size=3), st.sets(st.integers(0, 4)))
def test_a_payoff_is_what_its_definition_says(p, q, x, y):
    x, y = sorted(x), sorted(y)
    assert payoff(x, y, p, q) == pytest.approx(by_definition(x, y, p, q), abs=1e-12)


@settings(max_examples=10)
@given(curves, curves, st.integers(1, 3), st.integers(1, 2))
def test_the_value_is_that_of_the_matrix_of_all_schedules(p, q, n, m):
    matrix = np.array([[payoff(x, y, p, q) for y in schedules(5, m)] for x in schedules(5, n)])
    rows, columns = matrix.shape
    full = linprog(
        np.append(np.zeros(rows), -1),
        A_ub=np.hstack([-matrix.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=[[1] * rows + [0]],
        b_eq=[1],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    duel = solve_slots(p, q, n, m)
    assert duel.value == pytest.approx(-full.fun, abs=1e-7)
    assert duel.exploitability < 1e-6


def test_the_best_reply_is_the_best_of_all_schedules():
    p, q = [0.1, 0.2, 0.5, 0.6, 0.9], [0.05, 0.3, 0.3, 0.4, 1.0]
    rivals = fixed_law([1, 3], 5).survival(np.array(q))
    found, reply = best_reply(rivals, p, 2)
    assert found == pytest.approx(max(payoff(x, [1, 3], p, q) for x in schedules(5, 2)))
    assert payoff(reply, [1, 3], p, q) == pytest.approx(found)


def test_drawn_schedules_earn_what_the_law_promises():
    duel = solve_slots(LINE, LINE, 3, 2)
    rng = np.random.default_rng(4)
    reply = worst_case((6, 13, 20), LINE, LINE, 2)[1]
    drawn = [payoff(duel.ours.draw(rng), reply, LINE, LINE) for _ in range(500)]
    law = margin(duel.ours.survival(np.array(LINE)), fixed_law(reply, 28).survival(np.array(LINE)))
    assert np.mean(drawn) == pytest.approx(law, abs=5 * np.std(drawn) / 500**0.5)
    assert law >= duel.guarantee - 1e-9


def test_a_law_shows_how_often_each_slot_is_used():
    law = solve_slots(LINE, LINE, 3, 3).ours
    rng = np.random.default_rng(5)
    seen = np.zeros(28)
    for _ in range(3_000):
        seen[list(law.draw(rng))] += 1 / 3_000
    assert np.abs(seen - law.sending()).max() < 5 * (0.25 / 3_000) ** 0.5


def test_our_law_beats_even_spacing_and_all_at_the_end():
    duel = solve_slots(LINE, LINE, 3, 3)
    for schedule in ((6, 13, 20), (25, 26, 27)):
        assert worst_case(schedule, LINE, LINE, 3)[0] < duel.guarantee - 0.1


def test_chances_above_0_at_once_and_below_1_at_the_end_are_a_game_too():
    duel = solve_slots([0.2, 0.2, 0.3], [0.1, 0.1, 0.1], 1, 3)
    assert duel.exploitability < 1e-6
    assert duel.ours.sending().sum() <= 1 + 1e-9


@pytest.mark.parametrize(
    ("p", "n", "m", "remedy"),
    [
        ([0.5, 0.4], 1, 1, "the chance falls on this day"),
        ([0.0, 0.0], 1, 1, "no mail can succeed"),
        ([0.1, 1.2], 1, 1, "between 0 and 1"),
        ([0.1, np.nan], 1, 1, "between 0 and 1"),
        ([], 1, 1, "1 to 400 chances, one for each day"),
        (["a", "b"], 1, 1, "one number for each day"),
        ([0.1, 0.2], 0, 1, "plan at least 1 mail"),
        ([0.1, 0.2], 1, 3, "plan at most 2 mails"),
        ([0.1, 0.2], 1.5, 1, "whole number"),
    ],
)
def test_games_that_cannot_be_are_refused(p, n, m, remedy):
    with pytest.raises(ReminderError, match=remedy):
        solve_slots(p, p, n, m)


def test_curves_of_different_lengths_and_slots_outside_are_refused():
    with pytest.raises(ReminderError, match="2 chances"):
        solve_slots([0.1, 0.2], [0.1, 0.2, 0.3], 1, 1)
    for wrong in ([0, 0], [2], [-1]):
        with pytest.raises(ReminderError, match="each at most once"):
            payoff(wrong, [], [0.1, 0.2], [0.1, 0.2])
