"""Reports on stored answers, a comparison of groups or a tree: asked for, then computed."""

from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone

from analytics import queries
from analytics.kinds.settings import SettingsError, Watch
from analytics.models import Report
from analytics.reports.kind import AnswerResult, AnswerSettings
from analytics.reports.registry import ANSWER_KINDS
from analytics.services.requests import Later, require_answers
from surveys.models import Revision, Survey
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.messages import sentence
from surveys.staff.audit.services import record
from surveys.staff.locks import locked

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def request_answer_report(
    *,
    survey: Survey,
    kind: str,
    settings: AnswerSettings,
    by: "User",
    later: Later,
    key: UUID | None = None,
) -> Report:
    """Queue a report on stored answers; it spends no budget.

    ``key`` is that of a form, as in ``request_report``. Raises NotAllowed, NotPossible (a draft,
    erased answers), SettingsError (no such question).
    """
    chosen = ANSWER_KINDS.get(kind)
    if chosen is None:
        raise SettingsError(
            "kind", kind, sentence("give one of {kinds}", kinds=", ".join(ANSWER_KINDS))
        )
    survey = locked(survey, by, queries.ability_to_ask(kind))
    if key is not None and (earlier := queries.asked_with(survey, by, key)):
        return earlier
    require_answers(survey)
    revision = Revision.objects.get(survey=survey)
    items = questionnaire_of(revision).items
    if not 1 <= settings.question <= len(items):
        remedy = sentence("questions are numbered 1 to {most}", most=len(items))
        raise SettingsError("question", settings.question, remedy)
    chosen.check(settings, by)
    report = Report(
        id=uuid4() if key is None else queries.key_of_wish(survey, by, key),
        revision=revision,
        question=UUID(items[settings.question - 1].id),
        kind=kind,
        settings=settings.to_data(),
        actor=by.pk,
        beat=timezone.now(),
    )
    report.save(force_insert=True)
    entry = {"report": str(report.pk), "kind": kind, "settings": settings.to_data()}
    record("report requested", by=by, survey=survey, after=entry)
    later(report.pk, report.run)
    return report


def result_of_answers(report: Report, watch: Watch) -> AnswerResult:
    """Compute a report on stored answers. Raises what its kind raises, and NotPossible."""
    kind = ANSWER_KINDS[report.kind]
    settings = kind.settings(report.settings)
    watch.reach(sentence("Reading answers"), 0.0)
    return kind.make(report.revision, settings, watch)


def first_erased(report: Report) -> Revision:
    """Of the surveys whose answers a report holds, the one that promised to be erased first."""
    kind = ANSWER_KINDS.get(report.kind)
    if kind is None:
        return report.revision
    return kind.kept_with(report.revision, kind.settings(report.settings))
