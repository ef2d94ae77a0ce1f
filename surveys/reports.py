"""What counts say, as rows ready to be shown: nothing here is clipped except for display."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from scipy.special import stdtrit

from surveys import odds
from surveys.questionnaire import Item, NumberRange
from surveys.randomized_response import (
    Direct,
    DistributionEstimate,
    Interval,
    estimate_distribution,
)
from surveys.selectors import ItemCounts

INTERVAL_NAMES = {
    "clopper-pearson": "Clopper-Pearson (exact)",
    "wilson": "Wilson",
    "wald": "Wald (normal)",
    "chebyshev": "Chebyshev",
}
TOO_WIDE = 0.5
ONE_ANSWER = "One answer says nothing about its spread, so there is no standard error."
ALL_AGREE = "All reports agree: the standard error of 0 says so, and not that nothing is uncertain."
NOBODY = "An answer that nobody reported has a standard error of 0; that is no certainty."
CUT = "Cut off at 0 % and 100 % for display; an orange triangle marks a cut end."
MOST_BINS = 12


def percent(value: float | None, digits: int = 1) -> str:
    """A share in words: ``12.3 %``; a dash where there is none."""
    if value is None:
        return "–"
    text = f"{100 * value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return f"{text.replace('-', '−')} %"


@dataclass(frozen=True)
class Reading:
    """How somebody wants to read the estimates."""

    method: str = "clopper-pearson"
    level: float = 0.95
    false_reports: int | None = None

    @property
    def method_name(self) -> str:
        return INTERVAL_NAMES[self.method]

    @property
    def level_name(self) -> str:
        return percent(self.level, 0)

    def false_reports_among(self, n: int) -> int:
        """The number that was asked for, or one in a hundred; never more than there are."""
        chosen = max(1, round(n / 100)) if self.false_reports is None else self.false_reports
        return min(chosen, n)


@dataclass(frozen=True)
class ShareRow:
    """One answer: how often it was reported, and the share of people whose truth it is."""

    label: str
    reported: int | None
    share: float | None
    standard_error: float | None
    interval: Interval

    @property
    def shown(self) -> Interval:
        return self.interval.clipped()

    @property
    def shown_share(self) -> float | None:
        return None if self.share is None else min(max(self.share, 0.0), 1.0)

    @property
    def is_clipped(self) -> bool:
        ends = (self.interval.low, self.interval.high, self.share or 0.0)
        return min(ends) < 0 or max(ends) > 1

    @property
    def estimate_words(self) -> str:
        return percent(self.shown_share)

    @property
    def error_words(self) -> str:
        return percent(self.standard_error)

    @property
    def reported_words(self) -> str:
        return "–" if self.reported is None else f"{self.reported:,}"

    @property
    def low_words(self) -> str:
        return percent(self.shown.low)

    @property
    def high_words(self) -> str:
        return percent(self.shown.high)

    @property
    def raw_words(self) -> str:
        """Estimate and interval as they were computed, beyond 0 % and 100 % too."""
        low, high = percent(self.interval.low, 2), percent(self.interval.high, 2)
        return f"{percent(self.share, 2)} ({low} to {high})"


@dataclass(frozen=True)
class ShareReport:
    """A question with levels. ``n`` leaves out those who were not asked."""

    number: int
    item: Item
    reading: Reading
    n: int
    not_asked: int
    rows: tuple[ShareRow, ...] = ()
    among_answered: ShareRow | None = None
    false_reports: int = 0
    movement: float = 0.0

    @property
    def is_number(self) -> bool:
        return False

    @property
    def n_words(self) -> str:
        return f"{self.n:,}"

    @property
    def all_rows(self) -> tuple[ShareRow, ...]:
        return (*self.rows, self.among_answered) if self.among_answered else self.rows

    @property
    def epsilon_words(self) -> str:
        return odds.epsilon_words(self.item)

    @property
    def is_clipped(self) -> bool:
        return any(row.is_clipped for row in self.all_rows)

    @property
    def is_too_wide(self) -> bool:
        return any(row.interval.width > TOO_WIDE for row in self.all_rows)

    @property
    def movement_words(self) -> str:
        return percent(self.movement, 2).removesuffix(" %") + " percentage points"

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be known about these numbers, each note once."""
        notes = [row.shown.note for row in self.all_rows]
        if self.n == 1:
            notes.append(ONE_ANSWER)
        if any(row.reported == self.n for row in self.rows):
            notes.append(ALL_AGREE)
        elif any(row.standard_error == 0 for row in self.rows):
            notes.append(NOBODY)
        if self.is_clipped:
            notes.append(CUT)
        return tuple(dict.fromkeys(note for note in notes if note))

    @property
    def summary(self) -> str:
        """The picture in words."""
        parts = (
            f"{row.label} {row.estimate_words} ({row.low_words} to {row.high_words})"
            for row in self.all_rows
        )
        return f"Estimated shares with {self.reading.level_name} intervals: {'; '.join(parts)}."


@dataclass(frozen=True)
class Bin:
    """Values from ``low`` up to, but not including, ``high``."""

    label: str
    low: float
    high: float
    count: int

    @property
    def count_words(self) -> str:
        return f"{self.count:,}"


@dataclass(frozen=True)
class NumberReport:
    """A number asked directly, summed up from how often each value was given."""

    number: int
    item: Item
    n: int
    declined: int
    mean: float | None = None
    standard_error: float | None = None
    mean_interval: tuple[float, float] | None = None
    level_name: str = ""
    deviation: float | None = None
    quartiles: tuple[float, float, float] | None = None
    smallest: float | None = None
    largest: float | None = None
    bins: tuple[Bin, ...] = ()

    @property
    def is_number(self) -> bool:
        return True

    @property
    def epsilon_words(self) -> str:
        return odds.epsilon_words(self.item)

    @property
    def statistics(self) -> tuple[tuple[str, str], ...]:
        """Names and values for the table."""
        lower, median, upper = self.quartiles or (None, None, None)
        values = {
            "Answers": float(self.n),
            "Mean": self.mean,
            "Standard error of the mean": self.standard_error,
            "Standard deviation": self.deviation,
            "Smallest": self.smallest,
            "Lower quartile": lower,
            "Median": median,
            "Upper quartile": upper,
            "Largest": self.largest,
        }
        shown = [(name, number_words(value, self.places)) for name, value in values.items()]
        if self.mean_interval:
            low, high = (number_words(end, self.places) for end in self.mean_interval)
            shown.insert(2, (f"Mean, {self.level_name} interval (Student)", f"{low} to {high}"))
        return tuple(shown)

    @property
    def places(self) -> int:
        """Two decimal places more than the answers may have."""
        return 2 + (self.item.number.decimal_places if self.item.number else 0)

    @property
    def summary(self) -> str:
        """The picture in words."""
        parts = (f"{bar.label}: {bar.count}" for bar in self.bins)
        return f"How often each value was given. {'; '.join(parts)}."


@dataclass(frozen=True)
class TextReport:
    """A free text: how many wrote something. The texts themselves are a download of their own."""

    number: int
    item: Item
    written: int

    @property
    def is_number(self) -> bool:
        return False


def number_words(value: float | None, places: int = 2) -> str:
    """A number without needless zeros; a dash where there is none."""
    if value is None:
        return "–"
    text = f"{value:,.{places}f}"
    return (text.rstrip("0").rstrip(".") if places else text).replace("-", "−")


def question_report(
    number: int, counts: ItemCounts, reading: Reading
) -> ShareReport | NumberReport | TextReport:
    """What one question's counts say; ``number`` counts from 1."""
    if counts.item.is_text:
        return TextReport(number, counts.item, counts.written)
    if counts.item.number:
        return _number_report(number, counts.item, counts.item.number, counts.by_code, reading)
    return _share_report(number, counts, reading, counts.by_code[counts.item.not_asked])


def _share_report(number: int, counts: ItemCounts, reading: Reading, not_asked: int) -> ShareReport:
    item, n = counts.item, sum(counts.levels)
    if n == 0:
        return ShareReport(number, item, reading, 0, not_asked)
    estimate = estimate_distribution(item.channel, counts.levels)
    false_reports = reading.false_reports_among(n)
    return ShareReport(
        number,
        item,
        reading,
        n,
        not_asked,
        rows=tuple(_share_rows(item, estimate, reading)),
        among_answered=_among_answered(item, estimate, reading),
        false_reports=false_reports,
        movement=float(estimate.influence(false_reports).max()),
    )


def _share_rows(item: Item, estimate: DistributionEstimate, reading: Reading) -> Iterator[ShareRow]:
    errors = estimate.standard_errors
    for place in item.display:
        yield ShareRow(
            label=item.levels[place].text,
            reported=estimate.counts[place],
            share=float(estimate.shares[place]),
            standard_error=None if errors is None else float(errors[place]),
            interval=estimate.interval(place, reading.level, reading.method),
        )


def _among_answered(
    item: Item, estimate: DistributionEstimate, reading: Reading
) -> ShareRow | None:
    """Yes among those who answered: pi_yes / (1 - pi_decline)."""
    if item.kind != "yes_no" or item.decline_level is None:
        return None
    if not item.is_randomized:
        return _counted_among_answered(estimate, reading)
    ratio = estimate.ratio(1, (0, 1), reading.level, reading.method)
    return ShareRow(ANSWERED, None, ratio.value, ratio.standard_error, ratio.interval)


ANSWERED = "Yes, among those who answered"


def _counted_among_answered(estimate: DistributionEstimate, reading: Reading) -> ShareRow | None:
    """Who declined is known here, so this is a plain proportion of the others."""
    answers = estimate.counts[:2]
    if not sum(answers):
        return None
    known = estimate_distribution(Direct(2), answers)
    errors = known.standard_errors
    return ShareRow(
        ANSWERED,
        answers[1],
        float(known.shares[1]),
        None if errors is None else float(errors[1]),
        known.interval(1, reading.level, reading.method),
    )


def _number_report(
    number: int, item: Item, allowed: NumberRange, by_code: Counter[str], reading: Reading
) -> NumberReport:
    """Numbers are asked on both paths, so a code that is no number was declined."""
    declined = by_code[allowed.declined]
    values = sorted(
        (Decimal(code), count) for code, count in by_code.items() if code != allowed.declined
    )
    n = sum(count for _, count in values)
    if n == 0:
        return NumberReport(number, item, 0, declined)
    lower, median, upper = (_quantile(values, n, Fraction(place, 4)) for place in (1, 2, 3))
    mean, deviation = float(_mean(values, n)), _deviation(values, n)
    return NumberReport(
        number,
        item,
        n,
        declined,
        mean=mean,
        standard_error=None if deviation is None else deviation / math.sqrt(n),
        mean_interval=_mean_interval(mean, deviation, n, reading.level),
        level_name=reading.level_name,
        deviation=deviation,
        quartiles=(lower, median, upper),
        smallest=float(values[0][0]),
        largest=float(values[-1][0]),
        bins=tuple(_bins(values)),
    )


def _mean(values: list[tuple[Decimal, int]], n: int) -> Decimal:
    return sum((value * count for value, count in values), Decimal(0)) / n


def _deviation(values: list[tuple[Decimal, int]], n: int) -> float | None:
    if n == 1:
        return None
    mean = _mean(values, n)
    squares = sum((count * (value - mean) ** 2 for value, count in values), Decimal(0))
    return math.sqrt(squares / (n - 1))


def _mean_interval(
    mean: float, deviation: float | None, n: int, level: float
) -> tuple[float, float] | None:
    """Student's interval (1908); None where all answers agree, which proves no certainty."""
    if not deviation:
        return None
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * deviation / math.sqrt(n)
    return mean - reach, mean + reach


def _quantile(values: list[tuple[Decimal, int]], n: int, share: Fraction) -> float:
    """Linear interpolation between the ordered values (Hyndman and Fan 1996, type 7)."""
    place = (n - 1) * share
    below = math.floor(place)
    low, high = _value_at(values, below), _value_at(values, min(below + 1, n - 1))
    return float(low) + float(place - below) * float(high - low)


def _value_at(values: list[tuple[Decimal, int]], rank: int) -> Decimal:
    seen = 0
    for value, count in values:
        seen += count
        if rank < seen:
            return value
    raise IndexError(rank)


def _bins(values: list[tuple[Decimal, int]]) -> Iterator[Bin]:
    """At most twelve or so bins whose ends are round numbers; empty ones are kept."""
    smallest, largest = values[0][0], values[-1][0]
    step = _round_step((largest - smallest) / MOST_BINS)
    first = math.floor(smallest / step)
    for place in range(first, math.floor(largest / step) + 1):
        low, high = place * step, (place + 1) * step
        count = sum(count for value, count in values if low <= value < high)
        yield Bin(_bin_label(low, high, values), float(low), float(high), count)


def _bin_label(low: Decimal, high: Decimal, values: list[tuple[Decimal, int]]) -> str:
    if high - low == 1 and all(value == int(value) for value, _ in values):
        return number_words(float(low))
    exponent = (high - low).normalize().as_tuple().exponent
    places = max(0, -exponent) if isinstance(exponent, int) else 0
    return f"{number_words(float(low), places)} to under {number_words(float(high), places)}"


def _round_step(least: Decimal) -> Decimal:
    """The smallest of 1, 2, 5 times a power of ten that is at least this; 1 for one value."""
    if least == 0:
        return Decimal(1)
    power = Decimal(1).scaleb(least.adjusted())
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)
