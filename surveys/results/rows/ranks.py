"""RankReport: the mean rank of each thing that people put in an order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import ClassVar

from surveys.questionnaire.kinds.several.ranking import RankedPairQuestion, RankingQuestion
from surveys.randomized_response.estimates import DistributionEstimate
from surveys.results.queries import ItemCounts
from surveys.results.reading import Reading, number_words
from surveys.wording import odds


@dataclass(frozen=True)
class RankRow:
    """A thing's mean rank, 1 being the first; None where too few were asked to tell."""

    label: str
    mean: float | None
    standard_error: float | None
    level: float

    @property
    def mean_words(self) -> str:
        return number_words(self.mean)

    @property
    def error_words(self) -> str:
        return number_words(self.standard_error)

    @property
    def reach(self) -> float | None:
        """Half the interval, by the normal approximation, for many reports."""
        if self.standard_error is None:
            return None
        return NormalDist().inv_cdf((1 + self.level) / 2) * self.standard_error

    @property
    def interval_words(self) -> str:
        """Not cut to the ranks that there are."""
        if self.mean is None or self.reach is None:
            return "–"
        return f"{number_words(self.mean - self.reach)} to {number_words(self.mean + self.reach)}"


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
    rows: tuple[RankRow, ...] = ()

    @property
    def lead(self) -> str:
        """What people act on first."""
        if not self.rows or self.rows[0].mean is None:
            return ""
        first = self.rows[0]
        return f"First: {first.label}, mean rank {first.mean_words} ({first.interval_words})"

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
        RankRow(label, *_mean_of(row), reading.level)
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
        RankRow(label, *_mean_from_pairs(item, place, counts.parts), reading.level)
        for place, label in enumerate(item.ranked)
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
    rows: Sequence[RankRow],
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


def _mean_from_pairs(
    item: RankedPairQuestion, place: int, counts: Sequence[tuple[int, ...]]
) -> tuple[float | None, float | None]:
    """None where a pair with this thing was sent too rarely to tell."""
    shares = list(_shares_before(item, place, counts))
    if any(error is None for _, error in shares):
        return None, None
    return 1 + sum(share for share, _ in shares), sqrt(sum((e or 0) ** 2 for _, e in shares))


def _shares_before(
    item: RankedPairQuestion, place: int, counts: Sequence[tuple[int, ...]]
) -> Iterator[tuple[float, float | None]]:
    """For each other thing the share of people with it before this one, and its error."""
    for (first, second), row in zip(item.pairs, counts, strict=True):
        if place not in (first, second):
            continue
        if sum(row) < 2:
            yield 0.0, None
            continue
        estimate = DistributionEstimate(item.channel, row)
        errors = estimate.standard_errors
        # Level 1 says that the first of the pair comes before the second.
        share = float(estimate.shares[1 if place == second else 0])
        yield share, None if errors is None else float(errors[1])
