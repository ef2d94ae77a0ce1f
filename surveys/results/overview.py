"""Overview: what a dashboard says first: how sure the results are, and what comes next."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext, ngettext

from surveys.results.progress import SurveyProgress
from surveys.results.questions import Report
from surveys.results.rows.plans import PlanStanding, widest
from surveys.wording.language.numbers import count_words, day_words
from surveys.wording.readings import error_words

if TYPE_CHECKING:
    from surveys.models import Survey


@dataclass(frozen=True)
class Overview:
    """``number`` is that of the question with the least sure share, None where none is estimated.

    ``reach`` is half the width of its interval, in percentage points; ``planned`` says if that is
    what the plan asks for; ``next_step`` what happens or is to be done next.
    """

    number: int | None
    reach: str
    planned: str
    next_step: str


def overview(
    survey: "Survey",
    progress: SurveyProgress,
    responses: int,
    reports: Iterable[Report],
    standing: PlanStanding | None = None,
) -> Overview:
    """The first lines of a survey's results; ``standing`` is that of its plan, if it has one."""
    step = _next_step(survey, progress, responses, standing)
    planned = standing.words if standing else ""
    least_sure = widest(reports)
    if least_sure is None:
        return Overview(None, "", planned, step)
    return Overview(least_sure.number, error_words(least_sure.half_width), planned, step)


def _next_step(
    survey: "Survey", progress: SurveyProgress, responses: int, standing: PlanStanding | None
) -> str:
    plan = survey.planned_responses
    if progress.is_opening:
        return gettext("The answers are being opened. Results appear when all answers are open.")
    if survey.state == "closed":
        return gettext("Data collection is over: these results are final.")
    if progress.next_on:
        return gettext("Look again after the next opening, on {day}.").format(
            day=day_words(progress.next_on)
        )
    if standing and responses >= standing.plan.responses and standing.missing:
        return ngettext(
            "{count} more response is needed to make certain that the error is as small as wanted.",
            "{count} more responses are needed to make certain that the error is as small as "
            "wanted.",
            standing.missing,
        ).format(count=count_words(standing.missing))
    if plan and responses < plan:
        missing = plan - responses
        return ngettext(
            "The plan needs {count} more response.",
            "The plan needs {count} more responses.",
            missing,
        ).format(count=count_words(missing))
    if plan:
        return gettext("Close the survey, or keep the survey open to get narrower intervals.")
    return gettext(
        "Decide how precise the results should be. A plan shows how many people you need for this "
        "precision."
    )
