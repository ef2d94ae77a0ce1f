"""OpeningPlan: when sealed answers are opened, as frozen at launch; the next opening's moment.

``close``: everything once, after the last day. ``every``: every N days, counted back from the
close, and at the close. ``live``: answers are never sealed, each full batch is stored at once.
"""

from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Self

CLOSE, EVERY, LIVE = "close", "every", "live"
OPEN, DESTROY = "open", "destroy"
LEAST_DAYS, MOST_DAYS = 1, 28
NOTICE = 7  # days that a last day of a survey that opens at its close stays ahead, if moved earlier
DAY = timedelta(days=1)


@dataclass(frozen=True)
class OpeningPlan:
    """What a launched document says of openings.

    ``days`` between two openings (``every`` only), ``hour`` of the day in UTC, ``below_k``: what
    becomes of fewer answers than a batch at the close, ``key``: the opening key's public half in
    hexadecimal digits, empty while nothing is launched and for ``live``. ``first`` and ``last`` are
    the day of the launch and the last day as it was then: empty for drafts, for ``live``, and where
    they were not kept yet.
    """

    when: str
    days: int = 7
    hour: int = 3
    below_k: str = OPEN
    key: str = ""
    first: str = ""
    last: str = ""

    @classmethod
    def from_document(cls, entry: dict[str, Any] | None) -> Self | None:
        """None for documents that were launched before there were openings."""
        return cls(**entry) if entry else None

    def to_document(self) -> dict[str, Any]:
        """Without days that were not kept: documents from before them stay the same bytes."""
        values = asdict(self)
        if not self.last:
            del values["first"], values["last"]
        return values

    @property
    def is_sealed(self) -> bool:
        """Whether answers stay sealed until an opening."""
        return self.when != LIVE

    @property
    def notice(self) -> int:
        """Days that the last day has to stay ahead when it is moved earlier."""
        return self.days if self.when == EVERY else NOTICE

    @property
    def public_key(self) -> bytes:
        """The opening key's public half."""
        return bytes.fromhex(self.key)

    def at(self, day: date) -> datetime:
        """The moment of an opening on this day."""
        return datetime.combine(day, time(self.hour), UTC)

    def closes_at(self, last_day: date) -> datetime:
        """When the survey closes and everything opens: on the day after its last day."""
        return self.at(last_day + DAY)

    def next_day(self, last_day: date, since: date) -> date:
        """The day of the next opening, a whole period after ``since`` or at the close.

        ``since`` is the day of the last opening, or of the launch. The close is an opening, and
        the others lie whole periods before it, so that they fall on the same day of the week if
        the period is a week. If the last day was moved later, the time between two openings may be
        up to twice a period, but never shorter.
        """
        close = last_day + DAY
        if self.when != EVERY:
            return close
        between = (close - since).days // self.days - 1
        return close - max(between, 0) * self.days * DAY

    @property
    def looks(self) -> int | None:
        """How many openings were planned at the launch; None where none are, or it is not known."""
        if not self.last:
            return None
        launched, last_day = date.fromisoformat(self.first), date.fromisoformat(self.last)
        return self.looks_between(last_day, launched)

    def looks_between(self, last_day: date, launched: date) -> int:
        """How many openings there are up to the close, if no day is moved and none is put off."""
        if self.when != EVERY:
            return 1
        return max((last_day + DAY - launched).days // self.days, 1)

    def time_passed(self, day: date) -> float:
        """The share of the time planned at the launch that an opening on this day has behind it."""
        launched = date.fromisoformat(self.first)
        planned = date.fromisoformat(self.last) + DAY - launched
        return (day - launched) / planned

    def first_days(self, last_day: date, launched: date, count: int) -> list[date]:
        """The days of the first openings."""
        days = [self.next_day(last_day, launched)]
        while len(days) < count and days[-1] < last_day + DAY:
            days.append(self.next_day(last_day, days[-1]))
        return days


def expected_sizes(openings: int) -> tuple[int, ...]:
    """How many rows can be read at each of so many openings, if they come evenly, in thousandths.

    Of a period's rows; the last opens all, each other half of what waits.
    """
    waiting, sizes = 0, []
    for opening in range(1, openings + 1):
        waiting = (waiting + 1000) // 2 if opening < openings else 0
        sizes.append(1000 * opening - waiting)
    return tuple(sizes)


def kept_back(waiting: int, batch_size: int) -> int:
    """How many of so many rows stay sealed at an opening before the close: half, at least k."""
    return max(batch_size, -(-waiting // 2))


def withheld(rows: int, batch_size: int) -> int:
    """How many rows of browsers, if there are so many, hide one of a coin by losing answers."""
    return min(rows, max(batch_size, -(-rows // 10)))


def held_back(leaving: int) -> int:
    """How many of so many rows that would leave an opening wait for the close to hide a path.

    A tenth, rounded down: at the close at least so many of them are to lose answers.
    """
    return leaving // 10


def least_planned(days: int, open_for: int, batch_size: int) -> int:
    """Planned answers that a survey needs which is open for so many days: 2k each period."""
    return -(-2 * batch_size * open_for // days)


def days_that_would_do(planned: int, open_for: int, batch_size: int) -> int | None:
    """The shortest period in which 2k of the planned answers come; None if only the close does."""
    days = -(-2 * batch_size * open_for // planned) if planned else MOST_DAYS + 1
    return max(days, LEAST_DAYS) if days <= min(MOST_DAYS, open_for) else None
