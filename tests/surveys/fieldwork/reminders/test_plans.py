"""A plan draws one schedule with its seed, keeps what it says, and knows when there is no game."""

import numpy as np
import pytest

from surveys.fieldwork.reminders.errors import ReminderError
from surveys.fieldwork.reminders.plans import (
    NO_GAME,
    SHARED,
    Situation,
    at_the_end,
    evenly,
    plan_reminders,
)
from surveys.fieldwork.reminders.slots import worst_case

LINE = np.arange(1, 29) / 28


def test_the_seed_draws_the_same_schedule_again():
    situation = Situation(LINE, LINE, 3, 3)
    drawn = {plan_reminders(situation, seed).schedule for seed in (1, 1, 2, 3, 4)}
    assert len(drawn) > 1
    assert plan_reminders(situation, 1).schedule == plan_reminders(situation, 1).schedule


def test_it_says_first_that_a_shared_calendar_is_better():
    assert plan_reminders(Situation(LINE, LINE, 3, 3), 1).warnings[0] == SHARED


def test_habits_are_compared_by_their_worst_case():
    plan = plan_reminders(Situation(LINE, LINE, 3, 3), 1)
    assert [habit.schedule for habit in plan.habits] == [(7, 14, 21), (25, 26, 27)]
    for habit in plan.habits:
        assert (habit.margin, habit.reply) == worst_case(habit.schedule, LINE, LINE, 3)
        assert habit.margin < plan.duel.guarantee


def test_without_a_rival_there_is_no_game_and_the_best_days_are_named():
    plan = plan_reminders(Situation([0.1, 0.2, 0.2, 0.4], [], 2, 0), 1)
    assert plan.duel is None
    assert plan.continuous is None
    assert (plan.schedule, plan.warnings) == ((2, 3), (NO_GAME,))


def test_the_continuous_law_stands_beside_it_with_its_mass_at_the_deadline():
    plan = plan_reminders(Situation(LINE, LINE, 2, 1), 1)
    assert plan.continuous.ours.mass == pytest.approx(0.267949, abs=1e-6)


def test_weak_chances_are_warned_of():
    plan = plan_reminders(Situation([0.3, 0.3], [0.1, 0.2], 1, 1), 1)
    assert any("no mail is sure to succeed" in warning.lower() for warning in plan.warnings)
    assert any("you gain nothing by waiting" in warning for warning in plan.warnings)


def test_even_and_late_schedules():
    assert evenly(28, 3) == (7, 14, 21)
    assert evenly(3, 3) == (0, 1, 2)
    assert at_the_end(28, 2) == (26, 27)


@pytest.mark.parametrize(
    ("ours", "rivals", "n", "m", "remedy"),
    [
        ([0.1, 0.2], [0.1], 1, 1, "2 chances"),
        ([0.1, 0.2], [0.1, 0.2], 3, 1, "plan at most 2 mails"),
        ([0.1, 0.2], [0.1, 0.2], 0, 1, "at least 1"),
        ([0.1, 0.2], [0.2, 0.1], 1, 1, "the chance falls on this day"),
    ],
)
def test_situations_without_a_plan_are_refused(ours, rivals, n, m, remedy):
    with pytest.raises(ReminderError, match=remedy):
        Situation(ours, rivals, n, m)
