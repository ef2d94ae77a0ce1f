"""RoundedReport: the mean of a number of which only rounded, drawn points were sent."""

from dataclasses import dataclass, replace
from itertools import product
from typing import ClassVar

from django.utils.translation import gettext

from surveys.kinds.number.promise import RoundedQuestion
from surveys.randomized_response.estimates import (
    MeanEstimate,
    estimate_distribution,
    estimate_mean_among,
)
from surveys.results.queries import ItemCounts
from surveys.results.reading import Reading, interval_words
from surveys.results.shares import ShareRow, summed_row
from surveys.wording import odds
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import count_words, number_words


@dataclass(frozen=True)
class RoundedReport:
    """How often each point was sent, and the mean that they tell.

    ``special``: the estimated shares of answers beside the number, which the mean leaves out.
    """

    template: ClassVar[str] = "surveys/results/rounded.html"
    number: int
    item: RoundedQuestion
    reading: Reading
    n: int
    not_asked: int
    reported: tuple[tuple[str, str], ...] = ()
    mean: float | None = None
    standard_error: float | None = None
    mean_interval: tuple[float, float] | None = None
    note: str = ""  # what has to be known about the interval
    false_reports: int = 0
    movement: float = 0.0
    special: tuple[ShareRow, ...] = ()

    @property
    def epsilon_words(self) -> str:
        return odds.epsilon_words(self.item)

    @property
    def movement_words(self) -> str:
        """How far false reports could move the mean."""
        return number_words(self.movement, 2 + self.item.number.decimal_places)

    @property
    def lead(self) -> str:
        """What people act on first."""
        if not self.n:
            return ""
        return gettext("The mean is {mean} ({interval})").format(
            mean=self.mean_words, interval=self.interval_words
        )

    @property
    def mean_words(self) -> str:
        return self._words(self.mean)

    @property
    def interval_words(self) -> str:
        """The ends of the interval for the mean, as computed."""
        low, high = (self._words(end) for end in self.mean_interval or (None, None))
        return interval_words(low, high)

    @property
    def statistics(self) -> tuple[tuple[str, str], ...]:
        """Names and values for the table."""
        interval = gettext("{level} interval, method: {method}").format(
            level=self.reading.level_name, method=self.reading.method_name
        )
        name = gettext("Mean, {interval}").format(interval=interval)
        shares = ((row.label, f"{row.estimate_words} {row.shown_words}") for row in self.special)
        return (
            (gettext("Answers"), count_words(self.n)),
            (gettext("Estimated mean"), self.mean_words),
            (name, self.interval_words),
            (gettext("Standard error of the mean"), self._words(self.standard_error)),
            *shares,
        )

    def _words(self, value: float | None) -> str:
        return number_words(value, 2 + self.item.number.decimal_places)


def rounded_report(
    item: RoundedQuestion, number: int, counts: ItemCounts, reading: Reading
) -> RoundedReport:
    """The mean of the scores of the reports; it may lie beyond the bounds, which is the noise.

    In the numbers' own unit. So many false reports of n move it by at most their share of n times
    the distance of the outermost scores, as each could have been any report and be any.
    """
    reported = counts.of_levels(item.levels)
    n, not_asked = sum(reported), counts.by_code[item.not_asked]
    if n == 0:
        return RoundedReport(number, item, reading, 0, not_asked)
    named = zip(item.levels, reported, strict=True)
    report = RoundedReport(
        number,
        item,
        reading,
        n,
        not_asked,
        reported=tuple((translated(level.text), count_words(count)) for level, count in named),
        false_reports=reading.false_reports_among(n),
    )
    return _among_numbers(report, reported) if item.special else _of_all(report, reported)


def _of_all(report: RoundedReport, reported: tuple[int, ...]) -> RoundedReport:
    item, reading = report.item, report.reading
    estimate = MeanEstimate(tuple(float(score) for score in item.scores), reported)
    interval = estimate.interval(reading.level, reading.way)
    return replace(
        report,
        mean=estimate.mean,
        standard_error=estimate.standard_error,
        mean_interval=(interval.low, interval.high),
        note=translated(interval.note),
        movement=report.false_reports / report.n * float(item.scores[-1] - item.scores[0]),
    )


def _among_numbers(report: RoundedReport, reported: tuple[int, ...]) -> RoundedReport:
    """The mean of people who gave a number, a ratio of two estimates, beside all special shares."""
    item, reading = report.item, report.reading
    estimate = estimate_distribution(item.drawn_channel, reported)
    mean = estimate_mean_among(estimate, item.points_as_floats, reading.level, reading.way)
    return replace(
        report,
        mean=mean.value,
        standard_error=mean.standard_error,
        mean_interval=(mean.interval.low, mean.interval.high),
        note=translated(mean.interval.note),
        movement=_movement(report, reported),
        special=tuple(
            summed_row(each.text, estimate, (item.rungs + position,), reading)
            for position, each in enumerate(item.number.special)
        ),
    )


def _movement(report: RoundedReport, reported: tuple[int, ...]) -> float:
    """The most that false reports move the ratio: all from one report to one other.

    Each moves both of its factors; where they can bring the lower one to 0, anything is possible
    between the bounds.
    """
    item, moved = report.item, report.false_reports
    low, high = map(float, item.number.decimals)
    tops, bottoms = ([float(s) for s in scores] for scores in (item.scores, item.answered_scores))
    top, bottom = (
        sum(score * count for score, count in zip(scores, reported, strict=True))
        for scores in (tops, bottoms)
    )
    pairs = list(product(range(len(reported)), repeat=2))
    left = [bottom + moved * (bottoms[to] - bottoms[of]) for of, to in pairs]
    if min(left) <= 0 or bottom <= 0:
        return high - low
    means = [
        (top + moved * (tops[to] - tops[of])) / rest
        for (of, to), rest in zip(pairs, left, strict=True)
    ]
    return max(abs(mean - top / bottom) for mean in means)
