"""marks_of: what shares are compared with: the plan, and what earlier surveys found."""

from collections import Counter
from collections.abc import Collection, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from django.utils import timezone

from surveys.models import Revision, Survey
from surveys.models.queries import is_erased, questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.plans.readings import Plan, looks_planned
from surveys.results.progress import progress_of
from surveys.results.queries import item_counts, question_counts, reading_now, response_count
from surveys.results.questions import question_report
from surveys.results.reading import Reading, method_of
from surveys.results.rows.compared import Earlier, PlannedMarks, asked_words
from surveys.results.shares import ShareReport
from surveys.staff.access import surveys_for

if TYPE_CHECKING:
    from django.contrib.auth.models import User

# Surveys that are looked through for one that asked the same; each may cost the read of a document.
MOST_BEFORE = 20


def marks_of(
    revision: Revision, reading: Reading, user: "User", numbers: Collection[int] | None = None
) -> PlannedMarks:
    """What is marked for this person beside the shares of these questions, or of all.

    A plan is marked only while its responses may still come.
    """
    asked = {
        words
        for words, number in _comparable(questionnaire_of(revision)).items()
        if numbers is None or number in numbers
    }
    before = dict(_earlier_reports(revision, asked, reading, user))
    plan, responses = Plan.of(revision.survey), response_count(revision)
    is_open = revision.survey.state == Survey.State.OPEN
    if plan is None or not is_open or not 0 < responses < plan.responses:
        return PlannedMarks(before=before)
    looks = looks_planned(questionnaire_of(revision), plan)
    as_planned = Reading(method_of(plan.reading, looks), reading.stated, looks=looks)
    factor = Fraction(plan.responses, responses)
    return PlannedMarks(
        plan.responses, dict(_expected(revision, factor, as_planned, numbers)), before
    )


def _expected(
    revision: Revision, factor: Fraction, reading: Reading, numbers: Collection[int] | None
) -> Iterator[tuple[int, ShareReport]]:
    """What so many times as many answers in today's proportions would say."""
    for number, counts in enumerate(item_counts(revision), start=1):
        if numbers is None or number in numbers:
            report = question_report(number, counts.times(factor), reading)
            if isinstance(report, ShareReport):
                yield number, report


def _comparable(questionnaire: Questionnaire) -> dict[tuple[str, ...], int]:
    """The numbers of the questions that are put to all, by their words, if no other has the same.

    What some are asked, by an arm or by their answers, is a share of other people elsewhere.
    """
    often = Counter(item.text for item in questionnaire.items)
    return {
        asked_words(item): number
        for number, item in questionnaire.numbered.readable
        if often[item.text] == 1 and item.rule is None
    }


def _earlier_reports(
    revision: Revision, asked: set[tuple[str, ...]], reading: Reading, user: "User"
) -> Iterator[tuple[tuple[str, ...], Earlier]]:
    """Of each question, the newest survey that was launched before, is over, and asked it."""
    left = set(asked)
    for earlier in _candidates(revision, user) if asked else ():
        matched = left & _comparable(questionnaire_of(earlier)).keys()
        if not matched or not _is_whole(earlier):
            continue
        for words, report in _reports(earlier, matched, reading):
            left.remove(words)
            yield words, Earlier(earlier.survey, report)


def _candidates(revision: Revision, user: "User") -> Iterator[Revision]:
    """Earlier surveys of the same owner: a report is handed on, and holds what they found.

    One that is open would be looked at again and again without its intervals being made for it.
    """
    over = surveys_for(user).filter(state=Survey.State.CLOSED, owner=revision.survey.owner_id)
    earlier = Revision.objects.filter(survey__in=over, launched_at__lt=revision.launched_at)
    newest = earlier.exclude(pk=revision.pk).select_related("survey").order_by("-launched_at")
    today = timezone.now().date()
    for revision in newest.defer("document")[:MOST_BEFORE]:
        if not is_erased(revision.survey, today):
            yield revision


def _is_whole(revision: Revision) -> bool:
    """Whether there are answers, and all that there will ever be."""
    return bool(response_count(revision)) and not progress_of(revision.survey, revision).is_opening


def _reports(
    revision: Revision, asked: set[tuple[str, ...]], reading: Reading
) -> Iterator[tuple[tuple[str, ...], ShareReport]]:
    """What it found, read as its own page reads it."""
    closed = reading_now(revision.survey, revision, reading.stated)
    for words, number in _comparable(questionnaire_of(revision)).items():
        counts = question_counts(revision, number) if words in asked else None
        if counts is None:
            continue
        report = question_report(number, counts, closed)
        if isinstance(report, ShareReport) and report.rows:
            yield words, report
