"""RankReport: the mean rank of each thing that people put in an order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np
from django.utils.translation import gettext

from surveys.kinds.ranking.promise import RankedPairQuestion, RankingQuestion
from surveys.randomized_response.checks import FloatArray
from surveys.randomized_response.estimates import (
    DistributionEstimate,
    bounded_mean_interval,
    tilted_mean_interval,
)
from surveys.randomized_response.intervals.intervals import score_interval
from surveys.results.queries import ItemCounts
from surveys.results.reading import Reading, interval_words
from surveys.wording import odds
from surveys.wording.language.numbers import number_words


@dataclass(frozen=True)
class MeanRank:
    """A thing's mean rank, 1 being the first; None where too few were asked to tell.

    ``interval`` is not cut to the ranks.
    """

    label: str
    mean: float | None
    standard_error: float | None
    interval: tuple[float, float] | None

    @property
    def mean_words(self) -> str:
        return number_words(self.mean)

    @property
    def error_words(self) -> str:
        return number_words(self.standard_error)

    @property
    def interval_words(self) -> str:
        if self.interval is None:
            return "–"
        low, high = self.interval
        return interval_words(number_words(low), number_words(high))


@dataclass(frozen=True)
class RankReport:
    """All ranked things, the one with the first mean rank first."""

    template: ClassVar[str] = "surveys/results/ranks.html"
    number: int
    item: RankingQuestion | RankedPairQuestion
    reading: Reading
    n: int
    declined: int
    not_asked: int
    rows: tuple[MeanRank, ...] = ()

    @property
    def method_name(self) -> str:
        """How the intervals were made."""
        if self.reading.is_live or self.item.is_randomized:
            return self.reading.method_name
        return self.reading.tilting_name

    @property
    def lead(self) -> str:
        """What people act on first."""
        if not self.rows or self.rows[0].mean is None:
            return ""
        first = self.rows[0]
        return gettext("Ranked first: {answer}, mean rank {rank} ({interval})").format(
            answer=first.label, rank=first.mean_words, interval=first.interval_words
        )

    @property
    def epsilon_words(self) -> str:
        return odds.epsilon_words(self.item)


def ranking_report(
    item: RankingQuestion, number: int, counts: ItemCounts, reading: Reading
) -> RankReport:
    """Ranks as they were given: their means over those who gave an order."""
    ranks = [row[: item.size] for row in counts.parts]
    n = sum(ranks[0]) if ranks else 0
    declined = counts.by_code["asked"] - n
    rows = [
        MeanRank(label, *_mean_of(row), _ends_of(row, reading))
        for label, row in zip(item.parts, ranks, strict=True)
        if n
    ]
    return _report(item, number, counts, reading, n, declined, rows)


def pair_report(
    item: RankedPairQuestion, number: int, counts: ItemCounts, reading: Reading
) -> RankReport:
    """Mean ranks from reports about single pairs, each pair among those of whom it was sent.

    A thing's rank is 1 and the number of others before it, so its mean is 1 and the sum of the
    shares of people with each other before it; each person reports one pair, so that the errors
    of different pairs are independent, given how often each was sent. Our derivation.
    """
    n = counts.by_code["asked"]
    rows = [
        MeanRank(
            label,
            *_mean_from_pairs(item, index, counts.parts),
            _ends_from_pairs(item, index, counts.parts, reading),
        )
        for index, label in enumerate(item.ranked)
        if n
    ]
    return _report(item, number, counts, reading, n, 0, rows)


def _report(
    item: RankingQuestion | RankedPairQuestion,
    number: int,
    counts: ItemCounts,
    reading: Reading,
    n: int,
    declined: int,
    rows: Sequence[MeanRank],
) -> RankReport:
    ordered = sorted(rows, key=lambda row: (row.mean is None, row.mean or 0.0))
    not_asked = counts.by_code[item.not_asked]
    return RankReport(number, item, reading, n, declined, not_asked, tuple(ordered))


def _mean_of(ranks: Sequence[int]) -> tuple[float, float | None]:
    """Mean of the ranks from 1, and its standard error; None for one answer."""
    n = sum(ranks)
    mean = sum(rank * count for rank, count in enumerate(ranks, start=1)) / n
    if n == 1:
        return mean, None
    squares = sum(count * (rank - mean) ** 2 for rank, count in enumerate(ranks, start=1))
    return mean, sqrt(squares / (n - 1) / n)


def _ends_of(ranks: Sequence[int], reading: Reading) -> tuple[float, float]:
    """Of one that holds at all looks together where staff look again and again, or for one look."""
    size = len(ranks)
    ends = range(1, size + 1), ranks, 1, size
    if reading.is_live:
        interval = bounded_mean_interval(*ends, level=reading.level, planned=reading.planned)
    else:
        interval = tilted_mean_interval(*ends, level=reading.level)
    return interval.low, interval.high


def _mean_from_pairs(
    item: RankedPairQuestion, index: int, counts: Sequence[tuple[int, ...]]
) -> tuple[float | None, float | None]:
    """None where a pair with this thing was sent too rarely to tell."""
    shares = list(_shares_before(item, index, counts))
    if any(error is None for _, error in shares):
        return None, None
    return 1 + sum(share for share, _ in shares), sqrt(sum((e or 0) ** 2 for _, e in shares))


def _ends_from_pairs(
    item: RankedPairQuestion,
    index: int,
    counts: Sequence[tuple[int, ...]],
    reading: Reading,
) -> tuple[float, float] | None:
    """Of the mean of one score for each report, as all pairs are equally likely to be sent.

    With P pairs, a report of a pair with this thing adds P times what it adds to the share of
    people with the other thing first, less a half; another report adds nothing. Its mean is the
    mean rank less that of things that no one prefers, (size + 1) / 2. Our derivation.
    """
    pairs = list(_pairs_with(item, index, counts))
    if any(estimate is None for estimate, _ in pairs):
        return None
    scores = np.array([_scores_of_pair(item, index, pair) for pair in item.pairs])
    interval = score_interval(
        scores.ravel(), tuple(count for row in counts for count in row), reading.level, reading.way
    )
    middle = (len(item.ranked) + 1) / 2
    return middle + interval.low, middle + interval.high


def _scores_of_pair(item: RankedPairQuestion, index: int, pair: tuple[int, int]) -> FloatArray:
    """What each reported level of a pair adds, shape (levels,)."""
    if index not in pair:
        return np.zeros(len(item.levels))
    return len(item.pairs) * (item.channel.scores[_before(index, pair)] - 0.5)


def _before(index: int, pair: tuple[int, int]) -> int:
    """The level that puts the other thing first: level 1 says that the pair's first comes first."""
    return 1 if index == pair[1] else 0


def _shares_before(
    item: RankedPairQuestion, index: int, counts: Sequence[tuple[int, ...]]
) -> Iterator[tuple[float, float | None]]:
    """For each other thing the share of people with it before this one, and its error."""
    for estimate, before in _pairs_with(item, index, counts):
        errors = estimate.standard_errors if estimate else None
        share = float(estimate.shares[before]) if estimate else 0.0
        yield share, None if errors is None else float(errors[1])


def _pairs_with(
    item: RankedPairQuestion, index: int, counts: Sequence[tuple[int, ...]]
) -> Iterator[tuple[DistributionEstimate | None, int]]:
    """For each other thing the pair's estimate, and its level that puts that thing first.

    None where the pair was sent too rarely to tell.
    """
    for pair, row in zip(item.pairs, counts, strict=True):
        if index in pair:
            enough = sum(row) >= 2
            estimate = DistributionEstimate(item.channel, row) if enough else None
            yield estimate, _before(index, pair)
