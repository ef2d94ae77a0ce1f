"""Two-group questions: rows with shares of yes to both questions, from each group's reports."""

from dataclasses import replace

from django.utils.translation import gettext_lazy

from surveys.kinds.two_questions.promise import GroupedQuestion
from surveys.randomized_response.designs import UnrelatedQuestionTwoGroups
from surveys.randomized_response.estimates import TwoGroupEstimate, estimate_two_groups
from surveys.results.queries import ItemCounts
from surveys.results.reading import Reading
from surveys.results.shares import ShareReport, ShareRow, share_row, told_reports

SECOND = gettext_lazy("Second question: Yes")


def group_report(
    item: GroupedQuestion, number: int, counts: ItemCounts, reading: Reading
) -> ShareReport:
    """Nothing is estimated until both groups have an answer."""
    reported = counts.of_levels(item.reports)
    n, first, second = sum(reported), reported[:2], reported[2:]
    not_asked = counts.by_code[item.not_asked]
    unanswered = ShareReport(number, item, reading, 0, not_asked)
    if not sum(first) or not sum(second):
        return unanswered
    design = UnrelatedQuestionTwoGroups(*item.group_probabilities)
    estimate = estimate_two_groups(design, first, second)
    false_reports = min(reading.false_reports_among(n), sum(first), sum(second))
    return replace(
        unanswered,
        n=n,
        rows=_rows(item, estimate, reading),
        false_reports=false_reports,
        movement=_movement(design, (sum(first), sum(second)), false_reports),
        sent=told_reports(item.reports, reported),
    )


def _rows(
    item: GroupedQuestion, estimate: TwoGroupEstimate, reading: Reading
) -> tuple[ShareRow, ...]:
    yes = _row(item.levels[1].text, "prevalence", estimate, reading)
    return (
        yes,
        _opposite(yes, item.levels[0].text),
        _row(str(SECOND), "other_prevalence", estimate, reading),
    )


def _row(label: str, share: str, estimate: TwoGroupEstimate, reading: Reading) -> ShareRow:
    return share_row(
        label=label,
        reported=None,
        share=estimate.values[share],
        standard_error=estimate.standard_errors[share],
        interval=estimate.interval(share, reading.level, reading.way),
    )


def _opposite(row: ShareRow, label: str) -> ShareRow:
    share = None if row.share is None else 1 - row.share
    mirrored = replace(row.interval, low=1 - row.interval.high, high=1 - row.interval.low)
    return share_row(label, row.reported, share, row.standard_error, mirrored)


def _movement(
    design: UnrelatedQuestionTwoGroups, sizes: tuple[int, int], false_reports: int
) -> float:
    """m reports in one group of n_g move its share of yes by m / n_g, and the estimate with it."""
    first, second = (float(design.p_sensitive_1), float(design.p_sensitive_2))
    slopes = (abs((1 - second) / (first - second)), abs((1 - first) / (first - second)))
    return max(slope * false_reports / n for slope, n in zip(slopes, sizes, strict=True))
