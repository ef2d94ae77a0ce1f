"""DayReport: dates asked directly: mean, quartiles, and how many lie in each month or year."""

from collections import Counter
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from django.utils.translation import gettext, gettext_lazy

from surveys.kinds.day.promise import DayQuestion
from surveys.results.queries import ItemCounts
from surveys.results.reading import Reading
from surveys.results.rows.numbers import Bin
from surveys.wording import odds
from surveys.wording.language.numbers import count_words

MOST_MONTHS = 24
MEDIAN = gettext_lazy("Median")
Days = list[tuple[date, int]]  # each day with how often it was given, ascending


@dataclass(frozen=True)
class DayReport:
    """Dates summed up from how often each was given."""

    template: ClassVar[str] = "surveys/results/number.html"
    number: int
    item: DayQuestion
    n: int
    declined: int
    not_asked: int = 0
    statistics: tuple[tuple[str, str], ...] = ()
    bins: tuple[Bin, ...] = ()

    @property
    def epsilon_words(self) -> str:
        return odds.epsilon_words(self.item)

    @property
    def lead(self) -> str:
        """What people act on first."""
        median = dict(self.statistics).get(str(MEDIAN))
        return (
            gettext("Half of the people gave {day} or an earlier day").format(day=median)
            if median
            else ""
        )

    @property
    def summary(self) -> str:
        """The picture in words."""
        parts = (f"{bar.label}: {bar.count}" for bar in self.bins)
        return gettext("Number of answers in each period: {counts}.").format(
            counts="; ".join(parts)
        )


def day_report(item: DayQuestion, number: int, counts: ItemCounts, reading: Reading) -> DayReport:
    """What the dates say; a mean or quartile between two days is the earlier one.

    Quartiles lie at (n - 1) p of the days in order from 0 (Hyndman and Fan 1996, type 7), rounded
    down to a day that was given.
    """
    by_code = counts.by_code
    days = sorted(
        (date.fromisoformat(code), count)
        for code, count in by_code.items()
        if code not in (item.declined, item.not_asked)
    )
    n = sum(count for _, count in days)
    left_out = (by_code[item.declined], by_code[item.not_asked])
    if n == 0:
        return DayReport(number, item, 0, *left_out)
    return DayReport(number, item, n, *left_out, _statistics(days, n), _bins(days))


def _statistics(days: Days, n: int) -> tuple[tuple[str, str], ...]:
    mean = date.fromordinal(sum(day.toordinal() * count for day, count in days) // n)
    lower, median, upper = (_value_at(days, (n - 1) * quarter // 4) for quarter in (1, 2, 3))
    shown = {
        gettext("Mean"): mean,
        gettext("Earliest"): days[0][0],
        gettext("Lower quartile"): lower,
        str(MEDIAN): median,
        gettext("Upper quartile"): upper,
        gettext("Latest"): days[-1][0],
    }
    return (
        (gettext("Answers"), count_words(n)),
        *((name, day.isoformat()) for name, day in shown.items()),
    )


def _value_at(days: Days, rank: int) -> date:
    seen = 0
    for day, count in days:
        seen += count
        if rank < seen:
            return day
    raise IndexError(rank)


def _bins(days: Days) -> tuple[Bin, ...]:
    """Months if these are few, else years; empty ones between are kept."""
    first, last = days[0][0], days[-1][0]
    months = 12 * (last.year - first.year) + last.month - first.month + 1
    length = 1 if months <= MOST_MONTHS else 12
    days_in = Counter[int]()
    for day, count in days:
        days_in[(12 * day.year + day.month - 1) // length] += count
    return tuple(
        Bin(_label(period, length), period, period + 1, count, count_words(count))
        for period in range(min(days_in), max(days_in) + 1)
        for count in (days_in[period],)
    )


def _label(period: int, length: int) -> str:
    return f"{period}" if length > 1 else f"{period // 12}-{period % 12 + 1:02d}"
