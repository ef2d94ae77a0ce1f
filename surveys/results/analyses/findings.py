"""GroupFinding: a share or the difference of two, as far as it can be told; Cell: a group."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

from django.utils.translation import gettext, gettext_lazy

from surveys.randomized_response.estimates import DistributionEstimate, evidence_of_difference
from surveys.randomized_response.intervals import Interval, Method
from surveys.randomized_response.relations import (
    CrossTableEstimate,
    DifferenceEstimate,
    difference_of_shares,
)
from surveys.results.shares import TOO_WIDE
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import count_words, number_words, percent

NOTHING_KNOWN = gettext_lazy("Withheld: any share is possible.")
TOO_WIDE_WORDS = gettext_lazy("Only the interval: it is wider than 50 percentage points.")
ANY_DIFFERENCE = gettext_lazy("Withheld: any difference is possible.")


@dataclass(frozen=True)
class GroupFinding:
    """A share of one group, or its difference from another, ``than``, as far as it can be told.

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
class GroupAnswers:
    """One group to be shown: the people who gave a direct answer, or a hidden part of them."""

    label: str
    people: int | None
    size: float | None
    own: DistributionEstimate | None
    table: CrossTableEstimate | None = None
    column: int = 0

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
    told = GroupFinding(cell.label, cell.people, cell.size, value, interval.clipped())
    shown = told.interval
    if shown is None or value is None or shown.width >= 1 - 1e-9:
        return replace(
            told, value=None, interval=None, reason=_why(cell, interval.width, str(NOTHING_KNOWN))
        )
    if shown.width > TOO_WIDE:
        return replace(told, value=None, reason=_why(cell, interval.width, str(TOO_WIDE_WORDS)))
    # What is said of this interval alone stands beside it, not once for all.
    alone = translated(shown.note) if shown.note != interval.note else ""
    return replace(
        told, value=min(max(value, 0.0), 1.0), reason=alone, note=translated(interval.note)
    )


def difference_finding(
    cell: GroupAnswers, base: GroupAnswers, answer: int, level: float, method: Method | None
) -> GroupFinding:
    found = cell.difference(base, answer, level, method)
    low, high = (min(max(end, -1.0), 1.0) for end in (found.interval.low, found.interval.high))
    told = GroupFinding(
        cell.label, cell.people, cell.size, None, None, str(ANY_DIFFERENCE), than=base.label
    )
    if found.value is None or high - low >= 2 - 1e-9:
        return told
    interval = replace(found.interval, low=low, high=high)
    if interval.width > TOO_WIDE:
        return replace(told, interval=interval, reason=str(TOO_WIDE_WORDS))
    value = min(max(found.value, -1.0), 1.0)
    return replace(told, value=value, interval=interval, reason="", note=translated(interval.note))


def _why(cell: GroupAnswers, width: float, words: str) -> str:
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


def evidence(
    cell: GroupAnswers, base: GroupAnswers, answer: int, planned: int | None
) -> float | None:
    """E-value against no difference; None where a group is known of no respondent."""
    if cell.own is None or base.own is None:
        return None
    return evidence_of_difference(cell.own, base.own, option=answer, planned=planned)
