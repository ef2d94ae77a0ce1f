"""ShareReport and ShareRow: a question with levels: estimated shares and intervals, as rows."""

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from surveys.kinds.family.promise import FollowUpQuestion
from surveys.kinds.levels.promise import Level, Leveled, LevelQuestion
from surveys.randomized_response.checks import FloatArray
from surveys.randomized_response.designs import Direct
from surveys.randomized_response.estimates import DistributionEstimate
from surveys.randomized_response.intervals import Interval
from surveys.randomized_response.intervals.intervals import grouped_scores, score_interval
from surveys.results.queries import ItemCounts
from surveys.results.reading import Reading, interval_words, with_interval
from surveys.wording import odds
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import count_words, percent

TOO_WIDE = 0.5
ONE_ANSWER = gettext_lazy(
    "There is no standard error, because a single answer does not show how much answers differ."
)
ALL_AGREE = gettext_lazy(
    "A standard error of 0 shows that all reported answers are the same. It does not mean that "
    "the result is certain."
)
NEVER_REPORTED = gettext_lazy(
    "An answer that was never reported has a standard error of 0. This value does not mean that "
    "the result is certain."
)
CUT = gettext_lazy("Values below 0 % and above 100 % are cut off, marked by an orange triangle.")


@dataclass(frozen=True)
class ShareRow:
    """One answer: how often it was reported, and the share of people whose truth it is.

    ``shown`` and ``shown_share`` lie within [0, 1]; ``raw_words`` say what was computed.
    ``planned`` is the interval that the planned responses would give, ``earlier`` the same answer
    in the survey before; None where there is no such thing.
    """

    label: str
    reported: int | None
    share: float | None
    standard_error: float | None
    interval: Interval
    shown: Interval
    is_too_wide: bool
    shown_share: float | None
    reported_words: str
    estimate_words: str
    error_words: str
    low_words: str
    high_words: str
    raw_words: str
    planned: Interval | None = None
    earlier: "ShareRow | None" = None
    part: str = ""  # of which this is the answer, where the label says how many were asked it

    @property
    def answer(self) -> str:
        """The same in every survey that asks alike."""
        return self.part or self.label

    @property
    def planned_words(self) -> str:
        return _ends(self.planned) if self.planned else "–"

    @property
    def earlier_words(self) -> str:
        return f"{self.earlier.estimate_words} {self.earlier.shown_words}" if self.earlier else "–"

    @property
    def shown_words(self) -> str:
        return f"({_ends(self.shown)})"

    @property
    def is_clipped(self) -> bool:
        ends = (self.interval.low, self.interval.high, self.share or 0.0)
        return min(ends) < 0 or max(ends) > 1


def _ends(interval: Interval) -> str:
    return interval_words(percent(interval.low), percent(interval.high))


def share_row(
    label: str,
    reported: int | None,
    share: float | None,
    standard_error: float | None,
    interval: Interval,
) -> ShareRow:
    """A row with its words; ``interval`` and ``share`` may lie beyond 0 and 1."""
    shown, is_too_wide = interval.clipped(), interval.width > TOO_WIDE
    shown_share = None if share is None else min(max(share, 0.0), 1.0)
    low, high = percent(interval.low, 2), percent(interval.high, 2)
    return ShareRow(
        label,
        reported,
        share,
        standard_error,
        interval,
        shown,
        is_too_wide,
        shown_share,
        reported_words="–" if reported is None else count_words(reported),
        estimate_words=percent(shown_share),
        error_words=percent(standard_error),
        low_words=percent(shown.low),
        high_words=percent(shown.high),
        raw_words=with_interval(percent(share, 2), low, high),
    )


@dataclass(frozen=True)
class ShareReport:
    """A question with levels. ``n`` leaves out those who were not asked."""

    template: ClassVar[str] = "surveys/results/shares.html"
    counted: ClassVar[Promise] = gettext_lazy("Reported")  # heading of the column of counts
    number: int
    item: Leveled | FollowUpQuestion
    reading: Reading
    n: int
    not_asked: int
    rows: tuple[ShareRow, ...] = ()
    among_answered: ShareRow | None = None
    false_reports: int = 0
    movement: float = 0.0
    sent: str = ""  # what was reported, where that is no answer to the question
    asked_words: str = ""  # how many were asked, where protected answers decide it
    among_asked: tuple[ShareRow, ...] = ()
    planned: int = 0  # responses that the plan asks for, where rows say what they would give
    earlier: str = ""  # the survey before, where rows say what it found
    is_binary: bool = False  # whether one share says the other

    @property
    def n_words(self) -> str:
        return count_words(self.n)

    def marked(self, mark: Callable[[ShareRow], ShareRow]) -> Self:
        """The same report with marks at each row of shares of all who were asked."""
        return replace(self, rows=tuple(map(mark, self.rows)))

    @property
    def all_rows(self) -> tuple[ShareRow, ...]:
        answered = (self.among_answered,) if self.among_answered else ()
        return (*self.rows, *answered, *self.among_asked)

    @property
    def drawn_rows(self) -> tuple[ShareRow, ...]:
        """What the picture shows; of two answers the first, because it says the other."""
        return self.rows[:1] if self.is_binary and not self.among_asked else self.all_rows

    @cached_property
    def lead(self) -> str:
        """What people act on first: the share of yes, or the most frequent answer.

        Where protected answers decide who was asked, it is one of the people who were.
        """
        rows = self.among_asked or self.rows
        if not rows:
            return ""
        is_yes = self.item.kind == "yes_no"
        row = rows[0] if is_yes else max(rows, key=lambda answer: answer.share or 0.0)
        start = row.label
        if not is_yes and len(rows) > 1:
            start = gettext("Most frequent: {answer}").format(answer=row.label)
        return f"{start}, {with_interval(row.estimate_words, row.low_words, row.high_words)}"

    @property
    def table_rows(self) -> tuple[ShareRow, ...]:
        """What the table shows at once; ``other_rows`` when asked for."""
        return self.all_rows

    @property
    def other_rows(self) -> tuple[ShareRow, ...]:
        return ()

    @property
    def others_words(self) -> str:
        """What a fold with the other rows holds."""
        return gettext("The other {count} options, in the order of the table above").format(
            count=count_words(len(self.other_rows))
        )

    @property
    def epsilon_words(self) -> str:
        return odds.epsilon_words(self.item)

    @property
    def is_clipped(self) -> bool:
        return any(row.is_clipped for row in self.all_rows)

    @property
    def is_too_wide(self) -> bool:
        return any(row.is_too_wide for row in self.all_rows)

    @property
    def movement_words(self) -> str:
        points = percent(self.movement, 2).removesuffix(" %")
        return gettext("{points} percentage points").format(points=points)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of how many answers each row is an estimate."""
        return (self.n,) * len(self.rows)

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be known about these numbers, each note once."""
        notes = [self.sent, *(translated(row.shown.note) for row in self.all_rows)]
        sizes = self.sizes
        if 1 in sizes:
            notes.append(str(ONE_ANSWER))
        if any(row.reported == size for row, size in zip(self.rows, sizes, strict=True)):
            notes.append(str(ALL_AGREE))
        elif any(row.standard_error == 0 for row in self.rows):
            notes.append(str(NEVER_REPORTED))
        if self.is_clipped:
            notes.append(str(CUT))
        return tuple(dict.fromkeys(note for note in notes if note))


def share_report(
    item: LevelQuestion,
    number: int,
    counts: ItemCounts,
    reading: Reading,
    kind: type[ShareReport] = ShareReport,
) -> ShareReport:
    """Shares worked back through the question's channel."""
    reported = counts.of_levels(item.reported_levels)
    n, not_asked = sum(reported), counts.by_code[item.not_asked]
    if n == 0:
        return kind(number, item, reading, 0, not_asked)
    estimate = DistributionEstimate(item.channel, reported)
    false_reports = reading.false_reports_among(n)
    return kind(
        number,
        item,
        reading,
        n,
        not_asked,
        is_binary=item.is_binary,
        rows=share_rows(item, estimate, reading),
        among_answered=_among_answered(item, estimate, reading),
        false_reports=false_reports,
        movement=float(estimate.influence(false_reports).max()),
        sent=told_reports(separate_reports(item), reported),
    )


def separate_reports(item: LevelQuestion) -> tuple[Level, ...]:
    """What is sent, where that is no answer to the question; empty where it is."""
    return () if item.reported_levels == item.levels else item.reported_levels


def told_reports(reports: tuple[Level, ...], counts: tuple[int, ...]) -> str:
    """What was sent and how often, for questions whose reports are no answers to them."""
    words = "; ".join(
        f"{level.text}: {count_words(count)}" for level, count in zip(reports, counts, strict=False)
    )
    return gettext("Reported: {counts}.").format(counts=words) if words else ""


def share_rows(
    item: LevelQuestion, estimate: DistributionEstimate, reading: Reading
) -> tuple[ShareRow, ...]:
    """A row for each answer, in the order shown; counts only where reports are answers."""
    errors = estimate.standard_errors
    intervals = estimate.intervals(reading.level, reading.way)
    counts = None if separate_reports(item) else estimate.counts
    return tuple(
        share_row(
            label=item.levels[position].text,
            reported=None if counts is None else counts[position],
            share=float(estimate.shares[position]),
            standard_error=None if errors is None else float(errors[position]),
            interval=intervals[position],
        )
        for position in item.display
    )


def summed_row(
    label: str,
    estimate: DistributionEstimate,
    levels: Collection[int],
    reading: Reading,
    reported: int | None = None,
) -> ShareRow:
    """A row for several true levels together: the sum of their shares.

    A sum of shares is the mean of a score as each share is, of the sum of their scores. So its
    interval is of the same method as theirs, and exact where the sum has two scores.
    """
    asked = np.isin(np.arange(len(estimate.shares)), list(levels)).astype(float)
    scores = asked @ estimate.scores
    return share_row(
        label,
        reported,
        share=float(asked @ estimate.shares),
        standard_error=_standard_error(scores, estimate.counts),
        interval=score_interval(scores, estimate.counts, reading.level, reading.way),
    )


def _standard_error(scores: FloatArray, counts: tuple[int, ...]) -> float | None:
    """Of a mean score, with n - 1; None for one report, exactly 0 where all have one score."""
    n = sum(counts)
    if n == 1:
        return None
    scored = [
        (value, count)
        for value, count in zip(*grouped_scores(scores, counts), strict=True)
        if count
    ]
    mean = sum(value * count for value, count in scored) / n
    spread = sum((value - mean) ** 2 * count for value, count in scored) / n
    return math.sqrt(spread / (n - 1)) if len(scored) > 1 else 0.0


def _among_answered(
    item: LevelQuestion, estimate: DistributionEstimate, reading: Reading
) -> ShareRow | None:
    """Yes among those who answered: pi_yes / (1 - pi_decline)."""
    if item.kind != "yes_no" or item.decline_level is None:
        return None
    if not item.is_randomized:
        return _counted_among_answered(estimate, reading)
    ratio = estimate.ratio(1, (0, 1), reading.level, reading.way)
    return share_row(str(ANSWERED), None, ratio.value, ratio.standard_error, ratio.interval)


ANSWERED = gettext_lazy("Yes, among people who answered")


def _counted_among_answered(estimate: DistributionEstimate, reading: Reading) -> ShareRow | None:
    """Who declined is known here, so this is a plain proportion of the others."""
    answers = estimate.counts[:2]
    if not sum(answers):
        return None
    known = DistributionEstimate(Direct(2).channel, answers)
    errors = known.standard_errors
    return share_row(
        str(ANSWERED),
        answers[1],
        float(known.shares[1]),
        None if errors is None else float(errors[1]),
        known.interval(1, reading.level, reading.way),
    )
