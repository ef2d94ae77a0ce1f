"""Breakdown: one question by others: cells, findings, differences; left out if small or wide."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext

from surveys.kinds.levels.promise import LevelQuestion
from surveys.randomized_response.estimates import estimate_distribution
from surveys.randomized_response.relations import (
    CrossTableEstimate,
    estimate_cross_table,
    joint_channel,
)
from surveys.results.analyses.comparisons import Comparison, differences, level_of
from surveys.results.analyses.findings import GroupAnswers, GroupFinding, share_finding
from surveys.results.analyses.grouping import FOLLOW_ANSWERS, Grouped, grouped
from surveys.results.analyses.queries import CrossCounts, Grouping
from surveys.results.disclosure import LEAST_CELL, LEAST_GROUP, AnswerGroup
from surveys.results.reading import Reading, interval_words
from surveys.wording.language.numbers import percent

LARGEST = Comparison()


@dataclass(frozen=True)
class AnswerFindings:
    """One answer in every group, and its differences from the reference group.

    ``difference_level``: that of each interval for a difference.
    """

    place: int
    label: str
    shares: tuple[GroupFinding, ...]
    differences: tuple[GroupFinding, ...]
    difference_level: float

    @property
    def difference_level_words(self) -> str:
        return percent(self.difference_level)

    @property
    def summary(self) -> str:
        """The picture in words."""
        told = (
            f"{f.group} {interval_words(f.low_words, f.high_words)}"
            for f in self.shares
            if f.interval
        )
        return gettext("{answer}, by group: {shares}.").format(
            answer=self.label, shares="; ".join(told)
        )

    @property
    def called(self) -> str:
        """The pairs that differ clearly, in words."""
        return "; ".join(
            gettext("“{group}” {verdict} than “{other}”").format(
                group=one.group, verdict=one.verdict, other=one.than
            )
            for one in self.differences
            if one.is_clear
        )

    @property
    def is_drawn(self) -> bool:
        return any(finding.interval for finding in self.shares)

    @property
    def is_share_withheld(self) -> bool:
        return any(finding.reason for finding in self.shares)

    @property
    def notes(self) -> tuple[str, ...]:
        """Why differences are a dash, and how intervals were made: each reason and way once."""
        why = (f"–: {finding.reason}" for finding in self.differences if finding.reason)
        made = (finding.note for finding in (*self.shares, *self.differences) if finding.note)
        return tuple(dict.fromkeys((*why, *made)))


@dataclass(frozen=True)
class Breakdown:
    """Everything that a break-down says, and everything that it does not say."""

    number: int
    item: LevelQuestion
    by: tuple[Grouping, ...]
    reading: Reading
    together: bool
    n: int
    left_out: int
    reference: str
    pooled: tuple[str, ...]
    withheld: bool
    groups: int
    answers: tuple[AnswerFindings, ...]
    notes: tuple[str, ...]
    comparison: Comparison = LARGEST

    @property
    def by_words(self) -> str:
        one, *others = (gettext("“{words}”").format(words=item.text) for item in self.by)
        return gettext("{one} and {other}").format(one=one, other=others[0]) if others else one

    @property
    def correction_words(self) -> str:
        """Whether the intervals hold together."""
        return self._correction.format(
            level=self.reading.level_name,
            groups=self.groups,
            failure=percent(1 - self.reading.stated, 0),
        )

    @property
    def _correction(self) -> str:
        if self.groups < 2:
            return gettext("Each interval has level {level}.")
        if not self.together:
            return gettext(
                "Each interval has level {level} on its own; among {groups} groups some may miss."
            )
        if self.comparison.pair:
            return gettext(
                "Widened: the {groups} intervals of one answer hold together at {level} "
                "(Bonferroni). The difference has level {level} by itself."
            )
        if self.reading.is_live and self.comparison.every_pair:
            return gettext(
                "Widened: the {groups} intervals of one answer hold together at {level} "
                "(Bonferroni). Pairs are called higher or lower by e-values (Benjamini and "
                "Hochberg): of those called at any look, at most {failure} are false on average; "
                "if no groups differ, any is ever called with at most that chance."
            )
        if self.reading.is_live and self.groups > 2:
            return gettext(
                "Widened: the {groups} intervals of one answer hold together at {level}, and so "
                "do its differences (Bonferroni)."
            )
        if self.reading.is_live:
            return gettext(
                "Widened: the {groups} intervals of one answer hold together at {level} "
                "(Bonferroni)."
            )
        return gettext(
            "Widened: the {groups} intervals of one answer hold together at {level} (Bonferroni). "
            "Differences are tested by Holm's method: the chance that any of one answer is called "
            "higher or lower without being so is at most {failure}."
        )

    @property
    def hold_words(self) -> str:
        """The same in a few words, for files."""
        if not self.together:
            return "each on its own"
        if not self.reading.is_live:
            return "together (Bonferroni; Holm)"
        is_called = self.comparison.every_pair
        return "together (Bonferroni; e-BH)" if is_called else "together (Bonferroni)"


def withheld_words() -> str:
    """Why a break-down shows nothing at all."""
    return gettext(
        "Nothing is shown: even all together break the rule that a group has at least {people} "
        "people (and, where answers were given directly, no count from 1 to {largest})."
    ).format(people=LEAST_GROUP, largest=LEAST_CELL - 1)


def breakdown(
    counts: CrossCounts,
    reading: Reading,
    *,
    together: bool = True,
    comparison: Comparison = LARGEST,
) -> Breakdown:
    """The first question of the counts by all the others.

    Raises StatisticsError where the combinations are too many to estimate.
    """
    item, by = counts.item, counts.by
    found = grouped(counts)
    cells = [cell for group in found.groups for cell in _cells(counts, group)]
    largest = max(cells, key=_weight) if cells else None
    in_groups = reading.planned_for(counts.planned_in_group)
    answers = (
        tuple(_answers(item, cells, largest, in_groups, together, comparison)) if largest else ()
    )
    return Breakdown(
        number=counts.numbers[0],
        item=item,
        by=by,
        reading=reading,
        together=together,
        n=found.n,
        left_out=found.left_out,
        reference=largest.label if largest else "",
        pooled=found.pooled,
        withheld=found.withheld,
        groups=len(cells),
        answers=answers,
        notes=tuple(_notes(item, by, reading, found)),
        comparison=comparison,
    )


def _cells(counts: CrossCounts, group: AnswerGroup) -> Iterator[GroupAnswers]:
    item, hidden = counts.item, counts.hidden
    if not hidden:
        reported = [group.counts[(place,)] for place in range(len(item.reported_levels))]
        yield GroupAnswers(
            group.label, group.n, None, estimate_distribution(item.channel, reported)
        )
        return
    asked = counts.hidden_questions
    table = _table(item, asked, group.counts)
    sizes = table.group_shares
    for column, truth in enumerate(np.ndindex(*(len(other.levels) for other in asked))):
        texts = [other.levels[x].text for other, x in zip(asked, truth, strict=True)]
        names = [counts.group_name(place, text) for place, text in zip(hidden, texts, strict=True)]
        label = ", ".join([group.label, *names] if group.label else names)
        yield GroupAnswers(label, None, float(sizes[column]), None, table, column)


def _table(
    item: LevelQuestion, hidden: Sequence[LevelQuestion], counts: Counter[tuple[int, ...]]
) -> CrossTableEstimate:
    widths = [len(other.reported_levels) for other in hidden]
    table = np.zeros((len(item.reported_levels), math.prod(widths)), dtype=int)
    for (answer, *groups), count in counts.items():
        table[answer, int(np.ravel_multi_index(tuple(groups), tuple(widths)))] += count
    return estimate_cross_table(item.channel, joint_channel(*(h.channel for h in hidden)), table)


def _weight(cell: GroupAnswers) -> float:
    return cell.size or 0.0 if cell.people is None else float(cell.people)


def _answers(
    item: LevelQuestion,
    cells: Sequence[GroupAnswers],
    largest: GroupAnswers,
    reading: Reading,
    together: bool,
    comparison: Comparison,
) -> Iterator[AnswerFindings]:
    # No and yes mirror each other, so yes says it all.
    places = (1,) if item.is_binary else item.display
    shares = level_of(reading, len(cells), together)
    pairs = comparison.pairs_of(cells, largest)
    for place in places:
        found = differences(pairs, place, reading, together=together, comparison=comparison)
        yield AnswerFindings(
            place,
            item.levels[place].text,
            tuple(share_finding(cell, place, shares, reading.way) for cell in cells),
            found.findings,
            found.level,
        )


def _notes(
    item: LevelQuestion, by: Sequence[Grouping], reading: Reading, found: Grouped
) -> Iterator[str]:
    if any(other.is_randomized for other in by):
        yield gettext(
            "Who belongs to a group by a randomized question is unknown: the channels of both "
            "questions are undone together (their Kronecker product), and a share within a group "
            "is a ratio of two estimates. That takes many people: both devices' errors multiply."
        )
    if not item.is_randomized:
        yield gettext("These answers were given directly, so they are counts and not estimates.")
    if reading.is_live and (found.pooled or any(map(FOLLOW_ANSWERS, by))):
        yield gettext(
            "Ranges of numbers and pooled groups follow the answers that came so far, and may be "
            "cut differently at the next look. An interval then is about other people: that it "
            "holds at every look is promised only for groups that stay the same."
        )
