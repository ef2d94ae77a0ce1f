"""A plan of reminders: the optimal law, one drawn schedule, and how it compares with habits."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from surveys.fieldwork.reminders.curves import (
    Curve,
    FloatArray,
    checked_curve,
    checked_sends,
)
from surveys.fieldwork.reminders.errors import ReminderError
from surveys.fieldwork.reminders.restrepo import (
    MOST_SENDS,
    ContinuousDuel,
    solve_continuous,
)
from surveys.fieldwork.reminders.slots import Duel, solve_slots, worst_case
from surveys.randomized_response.messages import sentence

SHARED = sentence(
    "A shared calendar is better for both senders. Agree with the other sender on who mails when, "
    "so that neither of you loses people to the other. Plan against a rival only if you cannot "
    "agree."
)
NO_GAME = sentence(
    "Without a rival, the chance that a mail succeeds depends only on its day. Send on the days "
    "with the largest chances, and leave people time between two mails."
)
PREMISES = (
    sentence(
        "Each person answers only one sender: the one whose mail succeeds first with this "
        "person. The other sender's mails are in vain."
    ),
    sentence(
        "Neither sender sees when the other sends. Neither sender learns before the end whether a "
        "mail succeeded."
    ),
    sentence("The chance that a mail succeeds depends on its day, not on earlier mails."),
    sentence(
        "The chances of success stay the same or rise from day to day until the deadline. Each "
        "sender knows the chances of both senders."
    ),
    sentence(
        "Each sender sends at most one mail a day. If mails of both senders succeed on the same "
        "day, neither sender is first."
    ),
)


@dataclass(frozen=True, eq=False)
class Situation:
    """What is planned: chances for each slot, ours and the rival's; n and m sends.

    ``m`` = 0 says that there is no rival. Raises ReminderError.
    """

    ours: FloatArray
    rivals: FloatArray
    n: int
    m: int

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "ours", checked_curve(sentence("your chances of success"), self.ours)
        )
        checked_sends(sentence("the number of your mails"), self.n, self.slots)
        if self.m == 0:
            return
        object.__setattr__(
            self, "rivals", checked_curve(sentence("the rival's chances of success"), self.rivals)
        )
        checked_sends(sentence("the number of the rival's mails"), self.m, self.slots)
        if len(self.rivals) != self.slots:
            remedy = sentence("give {slots} chances, one for each day", slots=self.slots)
            raise ReminderError(
                sentence("the rival's chances of success"), len(self.rivals), remedy
            )

    @property
    def slots(self) -> int:
        """How many slots there are until the deadline."""
        return len(self.ours)


@dataclass(frozen=True)
class Habit:
    """A fixed schedule, and what it keeps against the rival's best reply."""

    name: str
    schedule: tuple[int, ...]
    margin: float
    reply: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class ReminderPlan:
    """The plan. ``schedule`` was drawn with ``seed``: slots from 0, ascending.

    Without a rival ``duel`` is None and the schedule takes the largest chances, the latest first.
    """

    situation: Situation
    seed: int
    duel: Duel | None
    schedule: tuple[int, ...]
    habits: tuple[Habit, ...]
    warnings: tuple[str, ...]

    @cached_property
    def continuous(self) -> ContinuousDuel | None:
        """Restrepo's law for chances that rise evenly from 0 to 1; None for too many sends."""
        n, m = self.situation.n, self.situation.m
        if not 1 <= m <= MOST_SENDS or n > MOST_SENDS:
            return None
        return solve_continuous(Curve.power(1), Curve.power(1), n, m)


def plan_reminders(situation: Situation, seed: int) -> ReminderPlan:
    """Plan reminders and draw one schedule with a seed. Raises ReminderError."""
    if situation.m == 0:
        return ReminderPlan(situation, seed, None, _largest(situation), (), (NO_GAME,))
    duel = solve_slots(situation.ours, situation.rivals, situation.n, situation.m)
    drawn = duel.ours.draw(np.random.default_rng(seed))
    warnings = (SHARED, *_warnings(situation))
    return ReminderPlan(situation, seed, duel, drawn, tuple(_habits(situation)), warnings)


def evenly(slots: int, sends: int) -> tuple[int, ...]:
    """Return a schedule with equal gaps, the same before the first and after the last send."""
    return tuple(int((number + 1) * slots / (sends + 1)) for number in range(sends))


def at_the_end(slots: int, sends: int) -> tuple[int, ...]:
    """Return the last slots."""
    return tuple(range(slots - sends, slots))


def _habits(situation: Situation) -> list[Habit]:
    shapes = {
        sentence("Evenly spaced"): evenly(situation.slots, situation.n),
        sentence("All at the end"): at_the_end(situation.slots, situation.n),
    }
    ours, rivals, m = situation.ours, situation.rivals, situation.m
    return [
        Habit(name, schedule, *worst_case(schedule, ours, rivals, m))
        for name, schedule in shapes.items()
    ]


def _largest(situation: Situation) -> tuple[int, ...]:
    order = np.argsort(situation.ours, kind="stable")
    return tuple(sorted(int(slot) for slot in order[-situation.n :]))


def _warnings(situation: Situation) -> list[str]:
    warnings: list[str] = []
    if situation.ours[0] > 0 or situation.rivals[0] > 0:
        warnings.append(
            sentence(
                "A mail can already succeed on the first day, so the rival may send on the "
                "first day."
            )
        )
    if situation.ours[-1] < 1 and situation.rivals[-1] < 1:
        warnings.append(
            sentence(
                "No mail is sure to succeed. It often happens that a person answers neither sender."
            )
        )
    if np.ptp(situation.ours) == 0:
        warnings.append(
            sentence(
                "Your chances of success are the same on all days, so you gain nothing by waiting."
            )
        )
    return warnings
