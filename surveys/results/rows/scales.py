"""ScaleReport: a long scale: its shares, and the sums or the mean that its design is best for."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from django.utils.translation import gettext, gettext_lazy

from surveys.kinds.long_scale.promise import ScaleQuestion
from surveys.randomized_response.checks import FloatArray
from surveys.randomized_response.designs import Purpose
from surveys.randomized_response.estimates import DistributionEstimate, estimate_distribution
from surveys.randomized_response.intervals.intervals import score_interval
from surveys.results.queries import ItemCounts
from surveys.results.reading import Reading
from surveys.results.shares import ShareReport, ShareRow, share_rows, summed_row
from surveys.wording.language.numbers import number_words

GROUPS = gettext_lazy(
    "Each reported answer is a group of options that chance drew, so there are no counts of "
    "single options. The download contains the reported answers."
)
MEAN_ALONE = gettext_lazy(
    "This design is best for the mean. The shares of single options have wider intervals than "
    "with other designs."
)


@dataclass(frozen=True)
class ScaleReport(ShareReport):
    """``sums`` are the shares up to each answer but the last, where the scale is asked for them.

    ``mean``: that of the answers counted from 1, where it is asked for that, as it was computed;
    ``mean_words`` say it within the scale.
    """

    sums: tuple[ShareRow, ...] = ()
    mean: float | None = None
    mean_words: str = ""

    def marked(self, mark: Callable[[ShareRow], ShareRow]) -> Self:
        return replace(super().marked(mark), sums=tuple(map(mark, self.sums)))

    @property
    def all_rows(self) -> tuple[ShareRow, ...]:
        return (*self.sums, *self.rows)

    @property
    def drawn_rows(self) -> tuple[ShareRow, ...]:
        return self.sums or self.rows

    @property
    def lead(self) -> str:
        """The mean, where the scale is asked for that."""
        return self.mean_words or super().lead

    @property
    def notes(self) -> tuple[str, ...]:
        alone = (str(MEAN_ALONE),) if self.mean_words else ()
        return (str(GROUPS), *alone, *super().notes)


def scale_report(
    item: ScaleQuestion, number: int, counts: ItemCounts, reading: Reading
) -> ScaleReport:
    """Shares worked back from groups of answers, and what the scale is asked for."""
    reported = counts.of_levels(item.reported_levels)
    n, not_asked = sum(reported), counts.by_code[item.not_asked]
    report = ScaleReport(number, item, reading, n, not_asked)
    if n == 0:
        return report
    estimate = estimate_distribution(item.channel, reported)
    false_reports = reading.false_reports_among(n)
    sums = _sums(item, estimate, reading) if item.purpose is Purpose.CDF else ()
    is_for_mean = item.purpose is Purpose.MEAN
    return replace(
        report,
        rows=share_rows(item, estimate, reading),
        false_reports=false_reports,
        movement=float(estimate.influence(false_reports).max()),
        sums=sums,
        mean=_mean(item, estimate) if is_for_mean else None,
        mean_words=_mean_words(item, estimate, reading) if is_for_mean else "",
    )


def _sums(
    item: ScaleQuestion, estimate: DistributionEstimate, reading: Reading
) -> tuple[ShareRow, ...]:
    """The share of people up to each answer, in the order shown; that up to the last is 1."""
    up_to = gettext("Up to “{answer}”")
    ends = [item.display[:count] for count in range(1, len(item.display))]
    return tuple(
        summed_row(up_to.format(answer=item.levels[levels[-1]].text), estimate, levels, reading)
        for levels in ends
    )


def _positions(item: ScaleQuestion) -> FloatArray:
    """Of each level, its place in the order shown, from 0 for the first to 1 for the last."""
    size = len(item.levels)
    positions = np.empty(size)
    positions[list(item.display)] = np.arange(size) / (size - 1)
    return positions


def _mean(item: ScaleQuestion, estimate: DistributionEstimate) -> float:
    """The answers count from 1 in the order shown."""
    return 1 + (len(item.levels) - 1) * float(_positions(item) @ estimate.shares)


def _mean_words(item: ScaleQuestion, estimate: DistributionEstimate, reading: Reading) -> str:
    """The mean with its interval, cut to the scale; the answers count from 1 in the order shown."""
    size, positions = len(item.levels), _positions(item)
    interval = score_interval(
        positions @ estimate.scores, estimate.counts, reading.level, reading.way
    ).clipped()
    mean = min(max(float(positions @ estimate.shares), 0.0), 1.0)
    value, low, high = (
        number_words(1 + (size - 1) * share) for share in (mean, interval.low, interval.high)
    )
    first, last = (item.shown_levels[position].text for position in (0, -1))
    return gettext(
        "Mean: {value} ({low} to {high}, {level}). The answers are counted from 1 (“{first}”) to "
        "{size} (“{last}”)."
    ).format(
        value=value,
        low=low,
        high=high,
        level=reading.level_name,
        first=first,
        size=size,
        last=last,
    )
