"""Row: what is estimated of simulated people, beside what is true of them; rows of shares."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext

from surveys.counts.cells import part_cell
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.randomized_response.estimates import (
    DistributionEstimate,
    MeanEstimate,
    estimate_distribution,
    estimate_mean_among,
)
from surveys.randomized_response.intervals import Interval
from surveys.wording.language.numbers import decimal, per_cent

LEVEL, METHOD = 0.95, "clopper-pearson"
Cells = Mapping[str, int]


@dataclass(frozen=True)
class Row:
    """One estimate beside the truth; both are shares, or means in the unit of their question."""

    label: str
    truth: float
    estimate: float
    interval: Interval
    is_share: bool = True

    @property
    def is_covered(self) -> bool:
        """Whether the interval holds the truth."""
        return self.interval.low <= self.truth <= self.interval.high

    @property
    def truth_words(self) -> str:
        return self._words(self.truth)

    @property
    def estimate_words(self) -> str:
        return self._words(self._shown(self.estimate))

    @property
    def low_words(self) -> str:
        return self._words(self._shown(self.interval.low))

    @property
    def high_words(self) -> str:
        return self._words(self._shown(self.interval.high))

    def _shown(self, value: float) -> float:
        """A share between 0 and 1; noise can lead beyond."""
        return min(max(value, 0.0), 1.0) if self.is_share else value

    def _words(self, value: float) -> str:
        return per_cent(value) if self.is_share else decimal(value, 2)


def part_rows(
    item: PartsQuestion, part: int, labels: Mapping[int, str], truths: np.ndarray, cells: Cells
) -> Iterator[Row]:
    """Those of one part, from 0; none, where no one sent an answer about it."""
    counts = tuple(cells.get(part_cell(part + 1, level), 0) for level in range(len(item.levels)))
    if sum(counts):
        estimate = estimate_distribution(item.channel, counts)
        yield from share_rows(estimate, labels, truths[:, part])


def share_rows(
    estimate: DistributionEstimate, labels: Mapping[int, str], truths: np.ndarray
) -> Iterator[Row]:
    """A row for each labelled level, of its estimated share and its share of ``truths``."""
    intervals = estimate.intervals(LEVEL, METHOD)
    for level, label in labels.items():
        share = float(np.mean(truths == level))
        yield Row(label, share, float(estimate.shares[level]), intervals[level])


def share_row(label: str, estimate: DistributionEstimate, level: int, truth: float) -> Row:
    """The estimated share of one answer beside the true one."""
    share = float(estimate.shares[level])
    return Row(label, truth, share, estimate.interval(level, LEVEL, METHOD))


def mean_among_rows(
    estimate: DistributionEstimate, values: Sequence[float | None], truth: float
) -> Iterator[Row]:
    """The same of people whose answer has a value; none where the estimate is that no one has."""
    among = estimate_mean_among(estimate, values, LEVEL)
    if among.value is not None:
        yield Row(gettext("Mean"), truth, among.value, among.interval, is_share=False)


def mean_row(estimate: MeanEstimate, truth: float) -> Row:
    """The estimated mean beside the true one, in the unit of the question."""
    interval = estimate.interval(LEVEL)
    return Row(gettext("Mean"), truth, estimate.mean, interval, is_share=False)
