"""The planning page of reminders in words: the drawn sends, guarantees, habits, slots, masses."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.utils.formats import date_format
from django.utils.translation import gettext

from surveys.fieldwork.reminders.calendars import Slots
from surveys.fieldwork.reminders.plans import PREMISES, ReminderPlan
from surveys.fieldwork.reminders.restrepo import ContinuousLaw
from surveys.web.drawing.figures import Figure
from surveys.web.drawing.pictures import BLUE, GROUND, ORANGE
from surveys.web.drawing.vega import Document, Marks, either, field, layered, stacked
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import localized


@dataclass(frozen=True)
class HabitRow:
    """A way to send, and what it keeps in the worst case."""

    name: str
    days: str
    margin: str


@dataclass(frozen=True)
class SlotRow:
    """One day: chances of success, how often each sender's law uses it, whether it was drawn."""

    day: str
    ours: str
    rivals: str
    we_send: str
    rival_sends: str
    drawn: bool


@dataclass(frozen=True)
class IntervalRow:
    """One send of the continuous law: from when to when, and its mass at the deadline."""

    sender: str
    number: int
    start: str
    end: str
    mass: str


@dataclass(frozen=True)
class PlanPage:
    """Everything that the planning page shows."""

    plan: ReminderPlan
    moments: tuple[datetime, ...]
    sentence: str
    habits: tuple[HabitRow, ...]
    slots: tuple[SlotRow, ...]
    intervals: tuple[IntervalRow, ...]
    premises: tuple[str, ...]
    warnings: tuple[str, ...]


def plan_page(plan: ReminderPlan, slots: Slots) -> PlanPage:
    """The page of a plan."""
    return PlanPage(
        plan,
        tuple(slots.moment(slot) for slot in plan.schedule),
        _sentence(plan),
        tuple(_habits(plan, slots)),
        tuple(_slots(plan, slots)),
        tuple(_intervals(plan, slots)),
        tuple(map(translated, PREMISES)) if plan.duel else (),
        tuple(map(translated, plan.warnings)),
    )


def _sentence(plan: ReminderPlan) -> str:
    if plan.duel is None:
        return gettext(
            "Without a rival, the schedule need not be secret. The days below are the days with "
            "the best chances."
        )
    kept = plan.duel.guarantee
    if round(kept, 6) >= 0:
        return gettext(
            "On average over all draws, you are first at least {points} percentage points more "
            "often than the rival. This is true even if the rival plans as well as possible."
        ).format(points=_points(kept))
    return gettext(
        "The rival has the advantage. On average over all draws, the rival is first at most "
        "{points} percentage points more often than you. This is true even if the rival plans as "
        "well as possible."
    ).format(points=_points(-kept))


def _habits(plan: ReminderPlan, slots: Slots) -> Iterator[HabitRow]:
    if plan.duel is None:
        return
    yield HabitRow(
        gettext("Best schedule, drawn by chance"),
        gettext("drawn anew each time"),
        _signed(plan.duel.guarantee),
    )
    for habit in plan.habits:
        days = ", ".join(date_format(slots.day(slot), gettext("j F")) for slot in habit.schedule)
        yield HabitRow(translated(habit.name), days, _signed(habit.margin))


def _slots(plan: ReminderPlan, slots: Slots) -> Iterator[SlotRow]:
    situation, duel = plan.situation, plan.duel
    ours = duel.ours.sending() if duel else None
    rivals = duel.rivals.sending() if duel else None
    for slot in range(situation.slots):
        yield SlotRow(
            date_format(slots.day(slot), gettext("D j F")),
            _share(situation.ours[slot]),
            _share(situation.rivals[slot]) if duel else "–",
            _share(ours[slot]) if ours is not None else "–",
            _share(rivals[slot]) if rivals is not None else "–",
            slot in plan.schedule,
        )


def _intervals(plan: ReminderPlan, slots: Slots) -> Iterator[IntervalRow]:
    duel = plan.continuous
    if duel is None:
        return
    for sender, law in ((gettext("You"), duel.ours), (gettext("The rival"), duel.rivals)):
        yield from _of_sender(sender, law, slots)


def _of_sender(sender: str, law: ContinuousLaw, slots: Slots) -> Iterator[IntervalRow]:
    for number, action in enumerate(law.actions, start=1):
        mass = _share(action.mass) if action.mass else "–"
        yield IntervalRow(
            sender, number, _when(action.start, slots), _when(action.end, slots), mass
        )


def _when(share: float, slots: Slots) -> str:
    """A share of the time until the deadline, as a day."""
    day = slots.moment(0) + share * timedelta(days=slots.count)
    return date_format(day, gettext("j F, H:i"))


def _share(value: float) -> str:
    return localized(f"{100 * value:.1f} %")


def _points(value: float) -> str:
    # + 0: minus zero is zero.
    return localized(f"{round(100 * value, 1) + 0:.1f}")


def _signed(value: float) -> str:
    return gettext("{value} percentage points").format(
        value=localized(f"{round(100 * value, 1) + 0:+.1f}")
    )


def laws_figure(page: PlanPage) -> Figure | None:
    """Both laws, one below the other; None without a rival."""
    duel = page.plan.duel
    if duel is None:
        return None
    rows = zip(duel.ours.sending(), duel.rivals.sending(), page.slots, strict=True)
    bars = tuple((n, float(a), float(b), row.drawn) for n, (a, b, row) in enumerate(rows, start=1))

    days = "; ".join(
        gettext("{day}: you {we_send}, the rival {rival_sends}").format(
            day=row.day, we_send=row.we_send, rival_sends=row.rival_sends
        )
        for row in page.slots
    )
    units = gettext(
        "How likely each sender is to send on each day. Filled bars are the days that were "
        "drawn for you."
    )
    return Figure(
        "laws",
        gettext("Chance of sending each day"),
        gettext("Chances of sending on each day. {days}.").format(days=days),
        partial(laws, bars),
        units,
    )


Bar = tuple[int, float, float, bool]


def laws(bars: tuple[Bar, ...], width: int) -> Document:
    """Both laws, one below the other; the drawn days are full."""
    values = [
        {"slot": slot, "chance": chance, "full": is_drawn, "who": who}
        for slot, ours, rivals, is_drawn in bars
        for who, chance, is_drawn in (
            (gettext("You"), ours, is_drawn),
            (gettext("The rival"), rivals, False),
        )
    ]
    # A few days are named: more would touch each other on a telephone.
    named = [bar[0] for bar in bars[:: max(1, len(bars) // 7)]]
    parts = []
    for who, title, colour in (
        (gettext("You"), gettext("You send"), BLUE),
        (gettext("The rival"), gettext("The rival sends"), ORANGE),
    ):
        own = [value for value in values if value["who"] == who]
        drawn = Marks(
            own,
            "bar",
            {"stroke": colour, "strokeWidth": 1.2},
            x=field("slot:O", title=gettext("Day"), axis={"labelAngle": 0, "values": named}),
            y=field("chance:Q", title=title, axis={"format": "%", "tickCount": 4}),
            color=either("datum.full", colour, GROUND),
        )
        parts.append(layered([drawn], width - 90, 120))
    return stacked(parts)
