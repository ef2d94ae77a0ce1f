"""FamilyReport: the answers to a question with follow-ups, and all ways through them behind."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from django.utils.translation import gettext, gettext_lazy

from surveys.kinds.family.promise import FamilyQuestion
from surveys.kinds.levels.promise import Level
from surveys.randomized_response.estimates import DistributionEstimate
from surveys.results.queries import ItemCounts
from surveys.results.reading import Reading
from surveys.results.shares import ShareReport, ShareRow, share_report, summed_row
from surveys.wording.language.numbers import count_words

ALL_WAYS = gettext_lazy("{answer}, with any follow-up answers")

Answers = Sequence[tuple[str, tuple[int, ...]]]  # each with the places of its levels in the report


@dataclass(frozen=True)
class FamilyReport(ShareReport):
    """``rows`` are the answers to the first question, each on all its ways; ``ways`` each way."""

    ways: tuple[ShareRow, ...] = ()

    def marked(self, mark: Callable[[ShareRow], ShareRow]) -> Self:
        return replace(super().marked(mark), ways=tuple(map(mark, self.ways)))

    @property
    def all_rows(self) -> tuple[ShareRow, ...]:
        return (*self.rows, *self.ways)

    @property
    def drawn_rows(self) -> tuple[ShareRow, ...]:
        return self.rows

    @property
    def table_rows(self) -> tuple[ShareRow, ...]:
        return self.rows

    @property
    def other_rows(self) -> tuple[ShareRow, ...]:
        return self.ways

    @property
    def others_words(self) -> str:
        return gettext(
            "All {count} combinations of answers to question {number} and its follow-ups"
        ).format(count=count_words(len(self.ways)), number=self.number)

    @property
    def is_too_wide(self) -> bool:
        """Ways are of fewer people each: they do not speak for the answers."""
        return any(row.is_too_wide for row in self.rows)


def family_report(
    item: FamilyQuestion, number: int, counts: ItemCounts, reading: Reading
) -> FamilyReport:
    """Shares of the answers to a family's first question, and of all ways through the family.

    An answer's share is the sum of those of its ways (docs/statistics.md, "Behind protected
    answers"), with the interval of that sum.
    """
    ways = share_report(item, number, counts, reading)
    if not ways.n:
        return FamilyReport(number, item, reading, 0, ways.not_asked)
    estimate = DistributionEstimate(item.channel, counts.of_levels(item.levels))
    answers = answers_through(item, number, item.answers)
    return FamilyReport(
        number,
        item,
        reading,
        ways.n,
        ways.not_asked,
        rows=tuple(_answer_row(text, places, estimate, reading) for text, places in answers),
        ways=ways.rows,
        false_reports=ways.false_reports,
        movement=max(ways.movement, _movement(answers, estimate, ways.false_reports)),
    )


def answers_through(family: FamilyQuestion, number: int, levels: Sequence[Level]) -> Answers:
    """The answers to one question of a family, each with the ways on which it was given."""
    at = family.members.index(number)
    ways = {
        level.code: tuple(n for n, way in enumerate(family.ways) if way[at] == level.code)
        for level in levels
    }
    return [(level.text, ways[level.code]) for level in levels]


def _answer_row(
    text: str, ways: tuple[int, ...], estimate: DistributionEstimate, reading: Reading
) -> ShareRow:
    label = str(ALL_WAYS).format(answer=text) if len(ways) > 1 else text
    reported = sum(estimate.counts[way] for way in ways)
    return summed_row(label, estimate, ways, reading, reported)


def _movement(answers: Answers, estimate: DistributionEstimate, false_reports: int) -> float:
    """How far so many false reports could move the share of an answer on all its ways."""
    scores = (estimate.scores[list(ways)].sum(axis=0) for _, ways in answers)
    return max(float(np.ptp(score)) for score in scores) * false_reports / estimate.n
