"""A schedule as dates: rows of a table, and an iCalendar file (RFC 5545)."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from surveys.fieldwork.reminders.errors import ReminderError
from surveys.fieldwork.reminders.plans import ReminderPlan
from surveys.randomized_response.messages import sentence

LONGEST_LINE = 75  # octets, RFC 5545 section 3.1
MINUTES = 30


@dataclass(frozen=True)
class Slots:
    """One slot a day from ``first`` to ``last``, both included, at ``hour`` o'clock UTC.

    Raises ReminderError.
    """

    first: date
    last: date
    hour: int = 9

    def __post_init__(self) -> None:
        if self.last < self.first:
            raise ReminderError(
                sentence("the deadline"),
                str(self.last),
                sentence("choose the first day or a later day"),
            )
        if not 0 <= self.hour <= 23:
            raise ReminderError("the hour", self.hour, "give 0 to 23 (UTC)")

    @property
    def count(self) -> int:
        """How many slots there are."""
        return (self.last - self.first).days + 1

    def day(self, slot: int) -> date:
        """The day of a slot, numbered from 0."""
        return self.first + timedelta(days=slot)

    def moment(self, slot: int) -> datetime:
        """When a send of this slot goes out."""
        return datetime.combine(self.day(slot), time(self.hour), UTC)


def plan_rows(plan: ReminderPlan, slots: Slots) -> Iterator[dict[str, object]]:
    """One row a slot: its day, both chances of success, both chances of a send, the drawn sends."""
    situation, duel = plan.situation, plan.duel
    sends = duel.ours.sending() if duel else None
    rivals = duel.rivals.sending() if duel else None
    for slot in range(situation.slots):
        yield {
            "slot": slot + 1,
            "day": slots.day(slot).isoformat(),
            "our_chance_of_success": float(situation.ours[slot]),
            "rivals_chance_of_success": float(situation.rivals[slot]) if duel else None,
            "we_send_with_chance": float(sends[slot]) if sends is not None else None,
            "rival_sends_with_chance": float(rivals[slot]) if rivals is not None else None,
            "drawn": slot in plan.schedule,
            "seed": plan.seed,
        }


def calendar_of(plan: ReminderPlan, slots: Slots, title: str) -> str:
    """Return the drawn schedule as an iCalendar file, one event a send; the same for one plan."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Deniable//Reminders//EN"]
    for number, slot in enumerate(plan.schedule, start=1):
        lines += _event(number, slots.moment(slot), title, plan.seed)
    lines.append("END:VCALENDAR")
    return "".join(f"{folded}\r\n" for line in lines for folded in _folded(line))


def _event(number: int, at: datetime, title: str, seed: int) -> Sequence[str]:
    mark = hashlib.sha256(f"{title}/{seed}/{number}/{at:%Y%m%dT%H%M%SZ}".encode()).hexdigest()
    return (
        "BEGIN:VEVENT",
        f"UID:{mark[:32]}@deniable",
        # Of the event itself: the same plan gives the same file.
        f"DTSTAMP:{at:%Y%m%dT%H%M%SZ}",
        f"DTSTART:{at:%Y%m%dT%H%M%SZ}",
        f"DURATION:PT{MINUTES}M",
        f"SUMMARY:{_escaped(f'Reminder {number}: {title}')}",
        "END:VEVENT",
    )


def _escaped(text: str) -> str:
    """RFC 5545 section 3.3.11; what cannot be printed becomes a space."""
    line = "".join(letter if letter.isprintable() else " " for letter in text)
    for letter in "\\;,":
        line = line.replace(letter, f"\\{letter}")
    return line


def _folded(line: str) -> Iterator[str]:
    """Lines of at most 75 octets; those that go on begin with a space. No letter is cut."""
    part, size = "", 0
    for letter in line:
        octets = len(letter.encode())
        if size + octets > LONGEST_LINE:
            yield part
            part, size = " ", 1
        part, size = part + letter, size + octets
    yield part
