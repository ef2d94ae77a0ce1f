"""marks_of: the plan of a survey, and what the survey before it found where it asked the same."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from django.utils import timezone

from surveys.models import Survey
from surveys.models.queries import is_erased, questionnaire_of, revision_of
from surveys.results.progress import progress_of
from surveys.results.queries import question_counts, response_count
from surveys.results.questions import question_report
from surveys.results.reading import Reading, default_method
from surveys.results.routes import route_of
from surveys.results.rows.compared import Marks
from surveys.results.shares import ShareReport
from surveys.staff.access import surveys_for

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from surveys.models import Revision

# Surveys that are looked through for one that asked the same; each may cost the read of a document.
MOST_BEFORE = 20


def marks_of(
    revision: "Revision", reading: Reading, user: "User", numbers: Collection[int] | None = None
) -> Marks:
    """What is marked for this person beside the shares of these questions, or of all."""
    survey, responses = revision.survey, response_count(revision)
    planned = survey.planned_responses or 0
    asked = {
        item.text
        for number, item in enumerate(questionnaire_of(revision).items, start=1)
        if numbers is None or number in numbers
    }
    marks = Marks(responses, planned if responses < planned else 0)
    before = _survey_before(revision, asked, user)
    if before is None:
        return marks
    reports = dict(_reports(before, asked, reading))
    return Marks(responses, marks.planned, before.survey.title, reports)


def _survey_before(revision: "Revision", asked: set[str], user: "User") -> "Revision | None":
    """The newest that was launched before, is over, and asked one of these questions.

    One that is open would be looked at again and again without its intervals being made for it.
    """
    today = timezone.now().date()
    for survey in _candidates(revision, user):
        found = None if is_erased(survey, today) else revision_of(survey)
        if found and asked & {item.text for _, item in questionnaire_of(found).numbered.readable}:
            is_whole = response_count(found) and not progress_of(survey, found).is_opening
            return found if is_whole else None
    return None


def _candidates(revision: "Revision", user: "User") -> "list[Survey]":
    closed = surveys_for(user).filter(state=Survey.State.CLOSED)
    earlier = closed.filter(revision__launched_at__lt=revision.launched_at)
    newest = earlier.exclude(pk=revision.survey_id).order_by("-revision__launched_at")
    return list(newest.defer("revision__document")[:MOST_BEFORE])


def _reports(
    revision: "Revision", asked: set[str], reading: Reading
) -> Iterator[tuple[str, ShareReport]]:
    """What it found, read as a survey that is over; nothing of what too few were asked."""
    questionnaire, responses = questionnaire_of(revision), response_count(revision)
    closed = Reading(default_method(is_open=False), reading.level)
    for number, item in questionnaire.numbered.readable:
        counts = question_counts(revision, number) if item.text in asked else None
        if counts is None or route_of(questionnaire, counts, responses).hides_estimates:
            continue
        report = question_report(number, counts, closed)
        if isinstance(report, ShareReport) and report.rows:
            yield item.text, report
