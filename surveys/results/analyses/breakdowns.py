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
from surveys.results.analyses.findings import (
    GroupAnswers,
    GroupFinding,
    GroupPairs,
    differences,
    level_of,
    share_finding,
)
from surveys.results.analyses.grouping import FOLLOW_ANSWERS, Grouped, grouped
from surveys.results.analyses.queries import CrossCounts, Grouping
from surveys.results.disclosure import AnswerGroup
from surveys.results.reading import Reading

LARGEST = GroupPairs()


@dataclass(frozen=True)
class AnswerFindings:
    """One answer in every group, and its differences from the reference group.

    ``difference_level``: that of each interval for a difference.
    """

    position: int
    label: str
    shares: tuple[GroupFinding, ...]
    differences: tuple[GroupFinding, ...]
    difference_level: float


@dataclass(frozen=True)
class Breakdown:
    """Everything that a break-down says, and everything that it does not say.

    ``together``: the intervals hold together. ``reference`` is the group of most people.
    """

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
    comparison: GroupPairs = LARGEST


def breakdown(
    counts: CrossCounts,
    reading: Reading,
    *,
    together: bool = True,
    comparison: GroupPairs = LARGEST,
) -> Breakdown:
    """The first question of the counts by all the others.

    Raises StatisticsError where the combinations are too many to estimate.
    """
    item, by = counts.item, counts.by
    split = grouped(counts)
    cells = [cell for group in split.groups for cell in _cells(counts, group)]
    largest = max(cells, key=lambda cell: cell.weight) if cells else None
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
        n=split.n,
        left_out=split.left_out,
        reference=largest.label if largest else "",
        pooled=split.pooled,
        withheld=split.withheld,
        groups=len(cells),
        answers=answers,
        notes=tuple(filter(None, (counts.as_of, *_notes(item, by, reading, split)))),
        comparison=comparison,
    )


def _cells(counts: CrossCounts, group: AnswerGroup) -> Iterator[GroupAnswers]:
    item, hidden = counts.item, counts.hidden
    if not hidden:
        reported = [group.counts[(level,)] for level in range(len(item.reported_levels))]
        yield GroupAnswers(
            group.label, group.n, None, estimate_distribution(item.channel, reported)
        )
        return
    asked = counts.hidden_questions
    table = _table(item, asked, group.counts)
    sizes = table.group_shares
    for column, truth in enumerate(np.ndindex(*(len(other.levels) for other in asked))):
        texts = [other.levels[x].text for other, x in zip(asked, truth, strict=True)]
        names = [counts.group_name(at, text) for at, text in zip(hidden, texts, strict=True)]
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


def _answers(
    item: LevelQuestion,
    cells: Sequence[GroupAnswers],
    largest: GroupAnswers,
    reading: Reading,
    together: bool,
    comparison: GroupPairs,
) -> Iterator[AnswerFindings]:
    # No and yes mirror each other, so yes says it all.
    positions = (1,) if item.is_binary else item.display
    level = level_of(reading, len(cells), together)
    pairs = comparison.pairs_of(cells, largest)
    for position in positions:
        compared = differences(pairs, position, reading, together=together, comparison=comparison)
        yield AnswerFindings(
            position,
            item.levels[position].text,
            tuple(share_finding(cell, position, level, reading.way) for cell in cells),
            compared.findings,
            compared.level,
        )


def _notes(
    item: LevelQuestion, by: Sequence[Grouping], reading: Reading, split: Grouped
) -> Iterator[str]:
    if any(other.is_randomized for other in by):
        yield gettext(
            "Answers to a randomized question do not show who belongs to which group. So the "
            "true answers to both questions are estimated together (by the Kronecker product of "
            "their channels). A share within a group is then a ratio of two estimates. This "
            "ratio takes many people, because the errors that randomizing adds to the two "
            "questions multiply."
        )
    if not item.is_randomized:
        yield gettext(
            "These answers were given directly, so the numbers are counts, not estimates."
        )
    if reading.is_live and (split.pooled or any(map(FOLLOW_ANSWERS, by))):
        yield gettext(
            "Ranges of numbers and combined groups depend on the answers so far and may change "
            "at the next look. After such a change, an interval describes other people. So the "
            "promise that intervals are valid at every look covers only groups that stay the "
            "same."
        )
