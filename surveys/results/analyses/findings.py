"""GroupFinding: a share or the difference of two, as far as shown; GroupPairs: of which groups."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import NamedTuple, cast

from django.utils.translation import gettext, gettext_lazy

from surveys.randomized_response.estimates import DistributionEstimate, evidence_of_difference
from surveys.randomized_response.intervals import Interval, Method
from surveys.randomized_response.relations import (
    CrossTableEstimate,
    DifferenceEstimate,
    difference_of_shares,
    e_benjamini_hochberg,
)
from surveys.reports.documents import ResultColumn, Row, number_column
from surveys.results.reading import Reading
from surveys.results.shares import TOO_WIDE
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import number_words, percent

NOTHING_KNOWN = gettext_lazy("Withheld, because any share is possible.")
TOO_WIDE_WORDS = gettext_lazy(
    "Only the interval is shown, because it is wider than 50 percentage points."
)
ANY_DIFFERENCE = gettext_lazy("Withheld, because any difference is possible.")


@dataclass(frozen=True)
class GroupFinding:
    """A share of one group, or its difference from another, ``than``, as far as it is shown.

    ``reason`` is why something is withheld, ``note`` how the interval was made.
    """

    group: str
    people: int | None
    size: float | None
    value: float | None
    interval: Interval | None
    reason: str = ""
    than: str = ""
    note: str = ""

    @property
    def remark(self) -> str:
        """What stands beside it."""
        return self.reason or self.note

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


def finding_row(finding: GroupFinding) -> Row:
    """A finding as a row of tables and files; ``why`` is the reason alone, without the note."""
    interval = finding.interval
    return {
        "group": finding.group,
        "reference": finding.than,
        "people": finding.people,
        "size": finding.size,
        "estimate": finding.value,
        "low": interval and interval.low,
        "high": interval and interval.high,
        "reason": finding.remark,
        "why": finding.reason,
        "verdict": finding.verdict,
    }


def interval_columns(title: str) -> tuple[ResultColumn, ...]:
    """The estimate under this title, and the ends of its interval, each in percent."""
    return (
        number_column("estimate", title, percent, is_strong=True),
        number_column("low", gettext("Low"), percent),
        number_column("high", gettext("High"), percent),
    )


@dataclass(frozen=True)
class GroupAnswers:
    """One group to be shown: the people who gave a direct answer, or a hidden part of them."""

    label: str
    people: int | None
    size: float | None
    own: DistributionEstimate | None
    table: CrossTableEstimate | None = None
    column: int = 0

    @property
    def weight(self) -> float:
        """How many people it has, or their estimated share: to find the largest group."""
        return self.size or 0.0 if self.people is None else float(self.people)

    def share(
        self, answer: int, level: float, method: Method | None
    ) -> tuple[float | None, Interval]:
        if self.table is None:
            own = self._own
            return float(own.shares[answer]), own.interval(answer, level, method)
        ratio = self.table.conditional(answer, self.column, level, method)
        return ratio.value, ratio.interval

    def difference(
        self, other: "GroupAnswers", answer: int, level: float, method: Method | None
    ) -> DifferenceEstimate:
        if self.table is None and other.table is None:
            return difference_of_shares(self._own, other._own, answer, level, method)
        if self.table is not None and self.table is other.table:
            return self.table.difference(answer, self.column, other.column, level, method)
        return self._between_tables(other, answer, level, method)

    def _between_tables(
        self, other: "GroupAnswers", answer: int, level: float, method: Method | None
    ) -> DifferenceEstimate:
        """Hidden groups of different people: both intervals at half the failure probability."""
        each = 1 - (1 - level) / 2
        (a, here), (b, there) = (c.share(answer, each, method) for c in (self, other))
        value = None if a is None or b is None else a - b
        ends = Interval(here.low - there.high, here.high - there.low, level, here.method)
        return DifferenceEstimate(value, None, ends)

    @cached_property
    def _own(self) -> DistributionEstimate:
        return cast(DistributionEstimate, self.own)


def share_finding(
    cell: GroupAnswers, answer: int, level: float, method: Method | None
) -> GroupFinding:
    value, interval = cell.share(answer, level, method)
    shown = interval.clipped()
    finding = GroupFinding(cell.label, cell.people, cell.size, None, shown)
    # Rounding leaves an interval for which any share is possible a little short of 1.
    if value is None or shown.width >= 1 - 1e-9:
        return replace(finding, interval=None, reason=_why(cell, interval.width, NOTHING_KNOWN))
    if shown.width > TOO_WIDE:
        return replace(finding, reason=_why(cell, interval.width, TOO_WIDE_WORDS))
    # What is said of this interval alone stands beside it, not once for all.
    alone = translated(shown.note) if shown.note != interval.note else ""
    return replace(
        finding, value=min(max(value, 0.0), 1.0), reason=alone, note=translated(interval.note)
    )


def difference_finding(
    cell: GroupAnswers, base: GroupAnswers, answer: int, level: float, method: Method | None
) -> GroupFinding:
    estimate = cell.difference(base, answer, level, method)
    interval = within_one(estimate.interval)
    finding = GroupFinding(
        cell.label, cell.people, cell.size, None, None, str(ANY_DIFFERENCE), than=base.label
    )
    if estimate.value is None or interval.width >= 2 - 1e-9:
        return finding
    if interval.width > TOO_WIDE:
        return replace(finding, interval=interval, reason=str(TOO_WIDE_WORDS))
    value = min(max(estimate.value, -1.0), 1.0)
    return replace(
        finding, value=value, interval=interval, reason="", note=translated(interval.note)
    )


def within_one(interval: Interval) -> Interval:
    """The part that a difference of two shares can have: from -1 to 1."""
    low, high = (min(max(end, -1.0), 1.0) for end in (interval.low, interval.high))
    return replace(interval, low=low, high=high)


def _why(cell: GroupAnswers, width: float, words: object) -> str:
    """The reason, with about how many people would be enough: widths fall like 1 / sqrt(n)."""
    if cell.people is None or not math.isfinite(width):
        return str(words)
    enough = math.ceil(cell.people * (width / TOO_WIDE) ** 2)
    # Two digits: the law of widths is too rough for more.
    narrower = gettext(
        "With about {people} people in this group, the interval would narrow to 50 percentage "
        "points."
    ).format(people=number_words(int(float(f"{enough:.1e}"))))
    return f"{words} {narrower}"


def evidence(
    cell: GroupAnswers, base: GroupAnswers, answer: int, planned: int | None
) -> float | None:
    """E-value against no difference; None where a group is known of no respondent."""
    if cell.own is None or base.own is None:
        return None
    return evidence_of_difference(cell.own, base.own, option=answer, planned=planned)


@dataclass(frozen=True)
class GroupPairs:
    """Each group with the largest; or every pair; or the one pair of groups with these names."""

    every_pair: bool = False
    pair: tuple[str, str] | None = None

    def pairs_of(
        self, cells: Sequence[GroupAnswers], largest: GroupAnswers
    ) -> list[tuple[GroupAnswers, GroupAnswers]]:
        """Each group with that from which its difference is taken.

        Of a pair that is pooled there is none: its people are shown together with others.
        """
        if self.every_pair:
            return [(second, first) for first, second in combinations(cells, 2)]
        if self.pair is None:
            return [(cell, largest) for cell in cells if cell is not largest]
        named = {cell.label: cell for cell in cells}
        if not all(label in named for label in self.pair):
            return []
        return [(named[self.pair[0]], named[self.pair[1]])]


class Differences(NamedTuple):
    """The level of each interval, and the finding of each pair."""

    level: float
    findings: tuple[GroupFinding, ...]


def level_of(reading: Reading, statements: float, together: bool) -> float:
    """Of each of so many statements, if all are to hold together (Bonferroni)."""
    if not together:
        return reading.level
    return 1 - (1 - reading.level) / max(1.0, statements)


def differences(
    pairs: Sequence[tuple[GroupAnswers, GroupAnswers]],
    answer: int,
    reading: Reading,
    *,
    together: bool,
    comparison: GroupPairs,
) -> Differences:
    """All differences; how much each interval is widened depends on what is asked.

    *One look*: Holm's (1979) method. With r of m differences clear, the others are looked at with
    the failure probability over m - r, until no more become clear. An interval at the last level
    leaves out 0 exactly where the method rejects that there is no difference.

    *All looks, from one group*: Bonferroni's level, so that what is clear stays so at all looks.

    *All looks, every pair*: the method of Benjamini and Hochberg for e-values (Wang and Ramdas
    2022), for any dependence between the pairs. With k of m called, each interval is at
    1 - c k / m, and leaves out 0 exactly where the pair is called: it holds the differences whose
    evidence is below m / (c k).
    """
    if together and reading.is_live and comparison.every_pair:
        evidences = [evidence(cell, base, answer, reading.planned) for cell, base in pairs]
        if all(value is not None for value in evidences):
            called = e_benjamini_hochberg([value or 0.0 for value in evidences], reading.level)
            statements = len(pairs) / max(1, sum(called))
            return _at(level_of(reading, statements, together), pairs, answer, reading)
    left = len(pairs)
    while True:
        at = _at(level_of(reading, left, together), pairs, answer, reading)
        unclear = max(1, sum(not finding.is_clear for finding in at.findings))
        # Fewer are unclear each time, or the loop ends; of sequences no second step is allowed.
        if reading.is_live or not together or unclear >= left:
            return at
        left = unclear


def _at(
    level: float, pairs: Sequence[tuple[GroupAnswers, GroupAnswers]], answer: int, reading: Reading
) -> Differences:
    findings = (difference_finding(cell, base, answer, level, reading.way) for cell, base in pairs)
    return Differences(level, tuple(findings))
