"""The continuous law: Restrepo's closed form where both are alike, and no reply earns more."""

import numpy as np
import pytest

from surveys.fieldwork.reminders.curves import Curve
from surveys.fieldwork.reminders.errors import ReminderError
from surveys.fieldwork.reminders.restrepo import ContinuousLaw, solve_continuous
from surveys.fieldwork.reminders.slots import best_reply, solve_slots

LINE = Curve.power(1)


@pytest.mark.parametrize("sends", [1, 2, 5])
def test_two_alike_start_at_1_over_2k_plus_3(sends):
    law = solve_continuous(LINE, LINE, sends, sends).ours
    starts = [1 / (2 * k + 3) for k in range(sends)][::-1]
    assert law.times == pytest.approx((*starts, 1.0), abs=1e-12)
    for k, action in enumerate(law.actions[::-1]):
        times = np.linspace(action.start, action.end, 7)[1:-1]
        assert action.density(times) == pytest.approx(1 / (4 * (k + 1) * times**3), abs=1e-9)


@pytest.mark.parametrize(("n", "m", "power"), [(1, 1, 2), (2, 1, 1), (3, 2, 1.5), (1, 4, 0.7)])
def test_each_send_happens_once_and_at_most_one_sender_waits_for_the_deadline(n, m, power):
    duel = solve_continuous(LINE, Curve.power(power), n, m)
    for law in (duel.ours, duel.rivals):
        totals = [action.before(1.0) + action.mass for action in law.actions]
        assert totals == pytest.approx([1.0] * len(totals), abs=1e-9)
    assert min(duel.ours.mass, duel.rivals.mass) == 0
    assert duel.ours.times[0] == pytest.approx(duel.rivals.times[0], abs=1e-9)


def guaranteed(law: ContinuousLaw, success: Curve, sends: int, steps: int = 4_000) -> float:
    """What no reply at any of many moments takes away."""
    times = np.linspace(0, 1, steps + 1)
    survival = np.array([law.survival(t) for t in times[:-1]] + [0.0])
    survival[-1] = law.survival(1.0) - law.deadline_success
    moments = times[1:-1]
    found, _ = _reply(survival, success.value(moments), sends)
    return -found


def _reply(survival: np.ndarray, chances: np.ndarray, sends: int) -> tuple[float, None]:
    after, lost = survival[1:-1], -np.diff(survival)
    worth = np.full(sends + 1, -float(lost[-1]))
    for slot in range(len(chances) - 1, -1, -1):
        send = chances[slot] * after[slot] + (1 - chances[slot]) * worth[:-1]
        worth[1:] = np.maximum(send, worth[1:])
        worth = worth - lost[slot]
    return float(worth[sends]), None


@pytest.mark.parametrize(("n", "m", "power"), [(1, 1, 2), (2, 1, 1), (3, 2, 1.5)])
def test_both_guarantees_meet_at_the_value(n, m, power):
    rival = Curve.power(power)
    duel = solve_continuous(LINE, rival, n, m)
    assert guaranteed(duel.ours, rival, m) == pytest.approx(duel.value, abs=2e-3)
    assert guaranteed(duel.rivals, LINE, n) == pytest.approx(-duel.value, abs=2e-3)


def test_many_slots_come_close_to_the_continuous_value():
    times = np.arange(1, 121) / 120
    slots = solve_slots(times, times**2, 1, 1)
    continuous = solve_continuous(LINE, Curve.power(2), 1, 1)
    assert slots.value == pytest.approx(continuous.value, abs=0.01)
    assert best_reply(slots.rivals.survival(times**2), times, 1)[0] <= slots.value + 1e-6


def test_drawn_times_follow_the_law():
    law = solve_continuous(LINE, LINE, 2, 1).ours
    rng = np.random.default_rng(1)
    drawn = np.array([law.draw(rng) for _ in range(500)])
    assert (drawn[:, 0] <= drawn[:, 1]).all()
    assert (drawn[:, 1] == 1).mean() == pytest.approx(law.mass, abs=0.1)
    middle = float(np.median(drawn[:, 0]))
    assert law.actions[0].before(middle) == pytest.approx(0.5, abs=0.1)


def test_numbers_of_sends_and_shares_outside_are_refused():
    with pytest.raises(ReminderError, match="1 to 20 sends"):
        solve_continuous(LINE, LINE, 0, 1)
    with pytest.raises(ReminderError, match="from 0 to 1"):
        solve_continuous(LINE, LINE, 1, 1).ours.actions[0].quantile(1.5)
