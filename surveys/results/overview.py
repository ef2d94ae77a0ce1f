"""Overview: what a dashboard says first: how sure the results are, and what comes next."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext, ngettext

from surveys.randomized_response.intervals import Interval
from surveys.results.progress import Progress
from surveys.results.questions import Report
from surveys.results.rows.compared import planned_interval
from surveys.results.shares import ShareReport, ShareRow
from surveys.wording.language.days import day_words
from surveys.wording.language.numbers import count_words, number_words

if TYPE_CHECKING:
    from surveys.models import Survey


@dataclass(frozen=True)
class Overview:
    """``number`` is that of the question with the least sure share, None where none is estimated.

    ``reach`` is how far its interval goes from its estimate, in percentage points; ``planned`` says
    what the plan makes of it; ``next_step`` what happens or is to be done next.
    """

    number: int | None
    reach: str
    planned: str
    next_step: str


def overview(
    survey: "Survey", progress: Progress, responses: int, reports: Iterable[Report]
) -> Overview:
    """The first lines of a survey's results."""
    step = _next_step(survey, progress, responses)
    found = [
        (_reach(row), row, one)
        for one in reports
        if isinstance(one, ShareReport) and one.rows
        for row in _of_all(one)
    ]
    if not found:
        return Overview(None, "", "", step)
    reach, row, report = max(found, key=lambda one: one[0])
    planned = _planned(survey, responses, row, is_live=report.reading.is_live)
    return Overview(report.number, _points(reach), planned, step)


def _of_all(report: ShareReport) -> tuple[ShareRow, ...]:
    """What the question's picture shows of all who were asked it.

    A share among some of them is a ratio of estimates. Its interval may be as wide as the scale
    while every share is sure, so that it would say nothing of the others: it has a row of its own.
    """
    among = (report.among_answered, *report.among_asked)
    return tuple(row for row in report.drawn_rows if row not in among)


def _reach(row: ShareRow) -> float:
    """From the estimate to the farther end of its interval, both as shown."""
    return _farther(row.shown_share, row.shown)


def _farther(share: float | None, interval: Interval) -> float:
    middle = (interval.low + interval.high) / 2 if share is None else share
    return max(interval.high - middle, middle - interval.low)


def _planned(survey: "Survey", responses: int, row: ShareRow, *, is_live: bool) -> str:
    """What the planned responses make of it."""
    plan = survey.planned_responses
    if not plan:
        return ""
    if responses >= plan:
        return gettext("The plan is reached.")
    if survey.state != "open":
        return gettext("The {plan} planned responses were not reached.").format(
            plan=count_words(plan)
        )
    planned = planned_interval(row, responses, plan, is_live=is_live)
    reach = min(_reach(row), _farther(row.share, planned))
    return gettext("With the {plan} planned responses it will be about ± {points}.").format(
        plan=count_words(plan), points=_points(reach)
    )


def _points(share: float) -> str:
    return gettext("{number} points").format(number=number_words(100 * share, 1))


def _next_step(survey: "Survey", progress: Progress, responses: int) -> str:
    plan = survey.planned_responses
    if progress.is_opening:
        return gettext("The answers are being opened. Results follow when all are.")
    if survey.state == "closed":
        return gettext("Collecting is over: these results are final.")
    if progress.next_on:
        return gettext("Look again after the next opening, on {day}.").format(
            day=day_words(progress.next_on)
        )
    if plan and responses < plan:
        missing = plan - responses
        return ngettext(
            "{count} more responses reach the plan.",
            "{count} more responses reach the plan.",
            missing,
        ).format(count=count_words(missing))
    if plan:
        return gettext("Close the survey, or go on for narrower intervals.")
    return gettext("Say how sure you want to be: a plan tells how many people that takes.")
