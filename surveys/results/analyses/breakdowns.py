"""Breakdown: one question by others: cells, findings, differences; left out if small or wide."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
from django.utils.translation import gettext, gettext_lazy

from surveys.questionnaire.kinds.levels import LevelQuestion
from surveys.randomized_response.estimates import DistributionEstimate, estimate_distribution
from surveys.randomized_response.intervals import Interval
from surveys.randomized_response.relations import (
    CrossTableEstimate,
    DifferenceEstimate,
    difference_of_shares,
    estimate_cross_table,
    joint_channel,
)
from surveys.results.analyses.grouping import FOLLOW_ANSWERS, Grouped, grouped
from surveys.results.analyses.queries import CrossCounts, Grouping
from surveys.results.disclosure import LEAST_CELL, LEAST_GROUP, Group
from surveys.results.reading import FIXED, FIXED_FOR_SEVERAL, Reading, interval_words
from surveys.results.shares import TOO_WIDE
from surveys.wording.language.numbers import count_words, number_words, percent
from surveys.wording.statistics import said

NOTHING_KNOWN = gettext_lazy("Withheld: any share is possible.")
TOO_WIDE_WORDS = gettext_lazy("Only the interval: it is wider than 50 percentage points.")
ANY_DIFFERENCE = gettext_lazy("Withheld: any difference is possible.")


@dataclass(frozen=True)
class Finding:
    """A share of one group, or the difference between two, as far as it can be told."""

    group: str
    people: int | None
    size: float | None
    value: float | None
    interval: Interval | None
    reason: str = ""

    @property
    def people_words(self) -> str:
        """How many there are; an estimate where it is unknown who belongs to the group."""
        if self.people is not None:
            return count_words(self.people)
        if self.size is None:
            return "–"
        share = percent(min(max(self.size, 0.0), 1.0), 0)
        return gettext("about {share}").format(share=share)

    @property
    def value_words(self) -> str:
        return percent(self.value)

    @property
    def low_words(self) -> str:
        return percent(self.interval.low if self.interval else None)

    @property
    def high_words(self) -> str:
        return percent(self.interval.high if self.interval else None)

    @property
    def is_clear(self) -> bool:
        """Whether the interval for a difference leaves out 0."""
        return self.interval is not None and not self.interval.contains(0)

    @property
    def verdict(self) -> str:
        """What an interval for a difference says about its sign."""
        if self.interval is None:
            return gettext("not known")
        if self.interval.low > 0:
            return gettext("higher")
        return gettext("lower") if self.interval.high < 0 else gettext("no clear difference")


@dataclass(frozen=True)
class AnswerFindings:
    """One answer in every group, and its differences from the reference group.

    ``difference_level``: that of each interval for a difference.
    """

    place: int
    label: str
    shares: tuple[Finding, ...]
    differences: tuple[Finding, ...]
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
    def is_drawn(self) -> bool:
        return any(finding.interval for finding in self.shares)


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
            failure=percent(1 - self.reading.level, 0),
        )

    @property
    def _correction(self) -> str:
        if self.groups < 2:
            return gettext("Each interval has level {level}.")
        if not self.together:
            return gettext(
                "Each interval has level {level} on its own; among {groups} groups some may miss."
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
        return "together (Bonferroni)" if self.reading.is_live else "together (Bonferroni; Holm)"


def withheld_words() -> str:
    """Why a break-down shows nothing at all."""
    return gettext(
        "Nothing is shown: even all together break the rule that a group has at least {people} "
        "people (and, where answers were given directly, no count from 1 to {largest})."
    ).format(people=LEAST_GROUP, largest=LEAST_CELL - 1)


@dataclass(frozen=True)
class _Cell:
    """One group to be shown: the people who gave a direct answer, or a hidden part of them."""

    label: str
    people: int | None
    size: float | None
    own: DistributionEstimate | None
    table: CrossTableEstimate | None = None
    column: int = 0

    def share(self, answer: int, level: float, method: str) -> tuple[float | None, Interval]:
        if self.table is None:
            own = self._own
            return float(own.shares[answer]), own.interval(answer, level, method)
        ratio = self.table.conditional(answer, self.column, level, method)
        return ratio.value, ratio.interval

    def difference(
        self, other: "_Cell", answer: int, level: float, method: str
    ) -> DifferenceEstimate:
        if self.table is None and other.table is None:
            return difference_of_shares(self._own, other._own, answer, level, method)
        if self.table is not None and self.table is other.table:
            return self.table.difference(answer, self.column, other.column, level, method)
        return self._between_tables(other, answer, level, method)

    def _between_tables(
        self, other: "_Cell", answer: int, level: float, method: str
    ) -> DifferenceEstimate:
        """Hidden groups of different people: both intervals at half the failure probability."""
        each = 1 - (1 - level) / 2
        (a, here), (b, there) = (c.share(answer, each, method) for c in (self, other))
        value = None if a is None or b is None else a - b
        ends = Interval(here.low - there.high, here.high - there.low, level, method)
        return DifferenceEstimate(value, None, ends)

    @cached_property
    def _own(self) -> DistributionEstimate:
        return cast(DistributionEstimate, self.own)


def breakdown(counts: CrossCounts, reading: Reading, *, together: bool = True) -> Breakdown:
    """The first question of the counts by all the others.

    Raises StatisticsError where the combinations are too many to estimate.
    """
    item, by = counts.item, counts.by
    found = grouped(counts)
    cells = [cell for group in found.groups for cell in _cells(counts, group)]
    reference = max(cells, key=_weight).label if cells else ""
    answers = tuple(_answers(item, cells, reference, reading, together))
    return Breakdown(
        number=counts.numbers[0],
        item=item,
        by=by,
        reading=reading,
        together=together,
        n=found.n,
        left_out=found.left_out,
        reference=reference,
        pooled=found.pooled,
        withheld=found.withheld,
        groups=len(cells),
        answers=answers,
        notes=tuple(_notes(item, by, reading, found)),
    )


def _cells(counts: CrossCounts, group: Group) -> Iterator[_Cell]:
    item, hidden = counts.item, counts.hidden
    if not hidden:
        reported = [group.counts[(place,)] for place in range(len(item.reported_levels))]
        yield _Cell(group.label, group.n, None, estimate_distribution(item.channel, reported))
        return
    asked = counts.hidden_questions
    table = _table(item, asked, group.counts)
    sizes = table.group_shares
    for column, truth in enumerate(np.ndindex(*(len(other.levels) for other in asked))):
        texts = [other.levels[x].text for other, x in zip(asked, truth, strict=True)]
        names = [counts.group_name(place, text) for place, text in zip(hidden, texts, strict=True)]
        label = ", ".join([group.label, *names] if group.label else names)
        yield _Cell(label, None, float(sizes[column]), None, table, column)


def _table(
    item: LevelQuestion, hidden: Sequence[LevelQuestion], counts: Counter[tuple[int, ...]]
) -> CrossTableEstimate:
    widths = [len(other.reported_levels) for other in hidden]
    table = np.zeros((len(item.reported_levels), math.prod(widths)), dtype=int)
    for (answer, *groups), count in counts.items():
        table[answer, int(np.ravel_multi_index(tuple(groups), tuple(widths)))] += count
    return estimate_cross_table(item.channel, joint_channel(*(h.channel for h in hidden)), table)


def _weight(cell: _Cell) -> float:
    return cell.size or 0.0 if cell.people is None else float(cell.people)


def _answers(
    item: LevelQuestion, cells: Sequence[_Cell], reference: str, reading: Reading, together: bool
) -> Iterator[AnswerFindings]:
    if not cells:
        return
    # No and yes mirror each other, so yes says it all.
    places = (1,) if item.is_binary else item.display
    base = next(cell for cell in cells if cell.label == reference)
    shares = _level(reading, len(cells), together)
    for place in places:
        level, differences = _differences(cells, base, place, reading, together)
        yield AnswerFindings(
            place,
            item.levels[place].text,
            tuple(_share(cell, place, shares, reading.method) for cell in cells),
            differences,
            level,
        )


def _differences(
    cells: Sequence[_Cell], base: _Cell, answer: int, reading: Reading, together: bool
) -> tuple[float, tuple[Finding, ...]]:
    """All differences from the base, and the level of each interval.

    Of a fixed sample Holm's (1979) method: with r of m differences clear, the others are looked at
    with the failure probability over m - r, until no more become clear. An interval at the last
    level leaves out 0 exactly where the method rejects that there is no difference. A confidence
    sequence keeps Bonferroni's level: what is clear at one look must stay so at the next.
    """
    others = [cell for cell in cells if cell is not base]
    method = FIXED_FOR_SEVERAL if reading.method == FIXED else reading.method
    left = len(others)
    while True:
        level = _level(reading, left, together)
        found = tuple(_difference(cell, base, answer, level, method) for cell in others)
        unclear = max(1, sum(not finding.is_clear for finding in found))
        if reading.is_live or not together or unclear >= left:
            return level, found
        left = unclear


def _level(reading: Reading, statements: int, together: bool) -> float:
    if not together:
        return reading.level
    return 1 - (1 - reading.level) / max(1, statements)


def _share(cell: _Cell, answer: int, level: float, method: str) -> Finding:
    value, interval = cell.share(answer, level, method)
    told = Finding(cell.label, cell.people, cell.size, value, interval.clipped())
    shown = told.interval
    if shown is None or value is None or shown.width >= 1 - 1e-9:
        return replace(
            told, value=None, interval=None, reason=_why(cell, interval.width, str(NOTHING_KNOWN))
        )
    if shown.width > TOO_WIDE:
        return replace(told, value=None, reason=_why(cell, interval.width, str(TOO_WIDE_WORDS)))
    return replace(told, value=min(max(value, 0.0), 1.0), reason=said(shown.note))


def _difference(cell: _Cell, base: _Cell, answer: int, level: float, method: str) -> Finding:
    found = cell.difference(base, answer, level, method)
    low, high = (min(max(end, -1.0), 1.0) for end in (found.interval.low, found.interval.high))
    told = Finding(cell.label, cell.people, cell.size, None, None, str(ANY_DIFFERENCE))
    if found.value is None or high - low >= 2 - 1e-9:
        return told
    interval = replace(found.interval, low=low, high=high)
    if interval.width > TOO_WIDE:
        return replace(told, interval=interval, reason=str(TOO_WIDE_WORDS))
    value = min(max(found.value, -1.0), 1.0)
    return replace(told, value=value, interval=interval, reason=said(interval.note))


def _why(cell: _Cell, width: float, words: str) -> str:
    """The reason, with about how many people would be enough: widths fall like 1 / sqrt(n)."""
    if cell.people is None or not math.isfinite(width):
        return words
    enough = math.ceil(cell.people * (width / TOO_WIDE) ** 2)
    narrower = gettext("About {people} people in this group would narrow it to 50 points.").format(
        people=number_words(_two_digits(enough))
    )
    return f"{words} {narrower}"


def _two_digits(number: int) -> int:
    return int(float(f"{number:.1e}"))


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
