"""NumberReport: numbers asked directly: mean, deviation, quantiles and bins of a histogram."""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

from django.utils.translation import gettext

from surveys.kinds.number.promise import NumberQuestion
from surveys.randomized_response.estimates import bounded_mean_interval, tilted_mean_interval
from surveys.results.queries import ItemCounts
from surveys.results.reading import Reading, interval_words, with_interval
from surveys.wording import odds
from surveys.wording.language.numbers import count_words, number_words

MOST_BINS = 12


@dataclass(frozen=True)
class Bin:
    """Values from ``low`` up to, but not including, ``high``."""

    label: str
    low: float
    high: float
    count: int
    count_words: str


@dataclass(frozen=True)
class NumberReport:
    """A number asked directly, summed up from how often each value was given.

    ``special``: the answers beside the field in words, and how many people gave each.
    """

    template: ClassVar[str] = "surveys/results/number.html"
    number: int
    item: NumberQuestion
    n: int
    declined: int
    not_asked: int = 0
    special: tuple[tuple[str, int], ...] = ()
    mean: float | None = None
    standard_error: float | None = None
    mean_interval: tuple[float, float] | None = None
    interval_name: str = ""
    deviation: float | None = None
    quartiles: tuple[float, float, float] | None = None
    smallest: float | None = None
    largest: float | None = None
    bins: tuple[Bin, ...] = ()

    @property
    def epsilon_words(self) -> str:
        return odds.epsilon_words(self.item)

    @property
    def statistics(self) -> tuple[tuple[str, str], ...]:
        """Names and values for the table."""
        lower, median, upper = self.quartiles or (None, None, None)
        # Two decimal places more than the answers may have.
        places = 2 + self.item.number.decimal_places
        values = {
            gettext("Answers"): float(self.n),
            gettext("Mean"): self.mean,
            gettext("Standard error of the mean"): self.standard_error,
            gettext("Standard deviation"): self.deviation,
            gettext("Smallest"): self.smallest,
            gettext("Lower quartile"): lower,
            gettext("Median"): median,
            gettext("Upper quartile"): upper,
            gettext("Largest"): self.largest,
        }
        shown = [(name, number_words(value, places)) for name, value in values.items()]
        if self.mean_interval:
            low, high = (number_words(end, places) for end in self.mean_interval)
            name = gettext("Mean, {interval}").format(interval=self.interval_name)
            shown.insert(2, (name, interval_words(low, high)))
        return tuple(shown)

    @property
    def lead(self) -> str:
        """What people act on first."""
        if self.quartiles is None:
            return ""
        places = 1 + self.item.number.decimal_places  # the table has one more
        mean = number_words(self.mean, places)
        if self.mean_interval:
            low, high = (number_words(end, places) for end in self.mean_interval)
            mean = with_interval(mean, low, high)
        return gettext("Median {median}; mean {mean}").format(
            median=number_words(self.quartiles[1], places), mean=mean
        )

    @property
    def summary(self) -> str:
        """The picture in words."""
        parts = (f"{bar.label}: {bar.count}" for bar in self.bins)
        return gettext("Number of answers for each value: {counts}.").format(
            counts="; ".join(parts)
        )


def number_report(
    item: NumberQuestion, number: int, counts: ItemCounts, reading: Reading
) -> NumberReport:
    """Of the people who gave a number; how many of the others said what, or were not asked."""
    by_code = counts.by_code
    declined, not_asked = by_code[item.number.declined], by_code[item.not_asked]
    beside = item.number.special_by_sent.items()
    special = tuple((each.text, by_code[code]) for code, each in beside if by_code[code])
    values = sorted(
        (Decimal(code), count) for code, count in by_code.items() if item.has_number(code)
    )
    n = sum(count for _, count in values)
    if n == 0:
        return NumberReport(number, item, 0, declined, not_asked, special)
    lower, median, upper = (_quantile(values, n, Fraction(quarter, 4)) for quarter in (1, 2, 3))
    mean, deviation = float(_mean(values, n)), _deviation(values, n)
    return NumberReport(
        number,
        item,
        n,
        declined,
        not_asked,
        special,
        mean=mean,
        standard_error=None if deviation is None else deviation / math.sqrt(n),
        mean_interval=_interval(item, values, reading),
        interval_name=_interval_name(reading),
        deviation=deviation,
        quartiles=(lower, median, upper),
        smallest=float(values[0][0]),
        largest=float(values[-1][0]),
        bins=_bins(values),
    )


def _mean(values: list[tuple[Decimal, int]], n: int) -> Decimal:
    return sum((value * count for value, count in values), Decimal(0)) / n


def _deviation(values: list[tuple[Decimal, int]], n: int) -> float | None:
    if n == 1:
        return None
    mean = _mean(values, n)
    squares = sum((count * (value - mean) ** 2 for value, count in values), Decimal(0))
    return math.sqrt(squares / (n - 1))


def _interval(
    item: NumberQuestion, values: list[tuple[Decimal, int]], reading: Reading
) -> tuple[float, float]:
    """One that holds at all looks together where staff look again and again; else for one look."""
    values_sent, counts = zip(*values, strict=True)
    ends = float(item.number.minimum), float(item.number.maximum)
    numbers = [float(value) for value in values_sent]
    if reading.is_live:
        interval = bounded_mean_interval(
            numbers, counts, *ends, level=reading.level, planned=reading.planned
        )
    else:
        interval = tilted_mean_interval(numbers, counts, *ends, level=reading.level)
    return interval.low, interval.high


def _interval_name(reading: Reading) -> str:
    if reading.is_live:
        named = gettext("{level} interval, method: {method}")
        return named.format(level=reading.level_name, method=reading.method_name)
    named = gettext("{level} interval ({method})")
    return named.format(level=reading.level_name, method=reading.tilting_name)


def _quantile(values: list[tuple[Decimal, int]], n: int, share: Fraction) -> float:
    """Linear interpolation between the ordered values (Hyndman and Fan 1996, type 7)."""
    rank = (n - 1) * share
    below = math.floor(rank)
    low, high = _value_at(values, below), _value_at(values, min(below + 1, n - 1))
    return float(low) + float(rank - below) * float(high - low)


def _value_at(values: list[tuple[Decimal, int]], rank: int) -> Decimal:
    seen = 0
    for value, count in values:
        seen += count
        if rank < seen:
            return value
    raise IndexError(rank)


def _bins(values: list[tuple[Decimal, int]]) -> tuple[Bin, ...]:
    """At most twelve or so bins whose ends are round numbers; empty ones are kept."""
    smallest, largest = values[0][0], values[-1][0]
    step = _round_step((largest - smallest) / MOST_BINS)
    first, last = math.floor(smallest / step), math.floor(largest / step)
    is_single = step == 1 and all(value == int(value) for value, _ in values)
    exponent = step.normalize().as_tuple().exponent
    places = max(0, -exponent) if isinstance(exponent, int) else 0
    bins = []
    for bin_number in range(first, last + 1):
        low, high = bin_number * step, (bin_number + 1) * step
        label = number_words(float(low), places)
        if not is_single:
            label = gettext("{low} to under {high}").format(
                low=label, high=number_words(float(high), places)
            )
        count = sum(count for value, count in values if low <= value < high)
        bins.append(Bin(label, float(low), float(high), count, count_words(count)))
    return tuple(bins)


def _round_step(least: Decimal) -> Decimal:
    """The smallest of 1, 2, 5 times a power of ten that is at least this; 1 for one value."""
    if least == 0:
        return Decimal(1)
    power = Decimal(1).scaleb(least.adjusted())
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)
