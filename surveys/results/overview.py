"""Overview: what a dashboard says first: how sure the results are, and what comes next."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from surveys.results.progress import Progress
from surveys.results.questions import Report
from surveys.results.reading import number_words
from surveys.results.shares import ShareReport

if TYPE_CHECKING:
    from surveys.models import Survey


@dataclass(frozen=True)
class Overview:
    """``number`` is that of the question with the widest interval, None where none is estimated.

    ``reach`` is half of that interval, in percentage points; ``planned`` says what the plan makes
    of it; ``next_step`` what happens or is to be done next.
    """

    number: int | None
    reach: str
    planned: str
    next_step: str


def overview(
    survey: "Survey", progress: Progress, responses: int, reports: Iterable[Report]
) -> Overview:
    """The first lines of a survey's results."""
    widths = [(_width(one), one) for one in reports if isinstance(one, ShareReport) and one.rows]
    step = _next_step(survey, progress, responses)
    if not widths:
        return Overview(None, "", "", step)
    width, report = max(widths, key=lambda found: found[0])
    return Overview(report.number, _points(width / 2), _planned(survey, responses, width), step)


def _width(report: ShareReport) -> float:
    """The widest interval that the question's picture shows, as a share."""
    return max(row.shown.width for row in report.drawn_rows)


def _planned(survey: "Survey", responses: int, width: float) -> str:
    """What the planned responses make of it: an interval shrinks with the root of their number."""
    plan = survey.planned_responses
    if not plan:
        return ""
    if responses >= plan:
        return "The plan is reached."
    reach = width / 2 * sqrt(responses / plan)
    return f"With the {plan:,} planned responses it will be about ± {_points(reach)}."


def _points(share: float) -> str:
    return f"{number_words(100 * share, 1)} points"


def _next_step(survey: "Survey", progress: Progress, responses: int) -> str:
    plan = survey.planned_responses
    if progress.is_opening:
        return "The answers are being opened. Results follow when all are."
    if survey.state == "closed":
        return "Collecting is over: these results are final."
    if progress.next_on:
        day = f"{progress.next_on:%-d %B %Y}"
        return f"Look again after the next opening, on {day}."
    if plan and responses < plan:
        return f"{plan - responses:,} more responses reach the plan."
    if plan:
        return "Close the survey, or go on for narrower intervals."
    return "Say how sure you want to be: a plan tells how many people that takes."
