"""Reports on stored answers, a comparison of groups or a tree: asked for, then computed."""

from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone

from analytics import queries
from analytics.kinds.answers import ANSWER_KINDS, AnswerReport, AnswerSettings
from analytics.kinds.clouds import CloudReport, CloudSettings, report_clouds
from analytics.kinds.comparisons import ComparisonReport, ComparisonSettings, report_comparison
from analytics.kinds.settings import SettingsError, Watch
from analytics.kinds.tree_reports import TreeReport, TreeSettings, report_tree
from analytics.models import Report
from analytics.services.requests import Later, require_answers
from analytics.sources.survey_answers import (
    Compared,
    answers_for_tree,
    groups_by,
    surveys_with,
)
from analytics.sources.survey_clouds import clouds_by
from analytics.sources.survey_scales import is_same_scale
from surveys.models import Revision, Survey
from surveys.models.queries import is_erased, questionnaire_of, revision_of
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.randomized_response.messages import sentence
from surveys.staff.access import may
from surveys.staff.audit.services import record
from surveys.staff.locks import locked
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from django.contrib.auth.models import User

SELECTED = sentence(
    "Leaves were chosen by looking at these answers, so that their intervals are optimistic."
)


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
    if kind not in ANSWER_KINDS:
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
    if isinstance(settings, ComparisonSettings):
        _require_sight_of(settings, by)
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


def result_of_answers(report: Report, watch: Watch) -> AnswerReport:
    """Compute a report on stored answers. Raises what its kind raises, and NotPossible."""
    settings = ANSWER_KINDS[report.kind].settings(report.settings)
    watch.reach(sentence("Reading answers"), 0.0)
    if isinstance(settings, TreeSettings):
        return _tree(report, settings, watch)
    if isinstance(settings, CloudSettings):
        return _clouds(report, settings, watch)
    return _comparison(report, settings, watch)


def _comparison(report: Report, settings: ComparisonSettings, watch: Watch) -> ComparisonReport:
    compared = _compared(report.revision, settings)
    return report_comparison(compared.groups, compared.scale, compared.asked, settings, watch)


def _compared(revision: Revision, settings: ComparisonSettings) -> Compared:
    if settings.by is not None:
        return groups_by(revision, settings.question, settings.by, settings.metric)
    others = [(other, number_in(revision, settings.question, other)) for other in _others(settings)]
    return surveys_with([(revision, settings.question), *others])


def number_in(revision: Revision, number: int, other: Revision) -> int:
    """The number of the same question in another survey. Raises NotPossible."""
    asked = questionnaire_of(revision).items[number - 1]
    for place, item in enumerate(questionnaire_of(other).items, start=1):
        if item.text == asked.text and is_same_scale(item, asked):
            return place
    title = questionnaire_of(other).title
    raise NotPossible(
        sentence("“{title}” does not ask this question with the same answers.", title=title)
    )


def _others(settings: ComparisonSettings) -> list[Revision]:
    found = []
    today = timezone.now().date()
    for key in settings.surveys:
        survey = Survey.objects.filter(pk=key).first()
        revision = revision_of(survey) if survey else None
        if survey is None or revision is None or is_erased(survey, today):
            raise NotPossible(sentence("One of these surveys has no answers any more."))
        found.append(revision)
    return found


def first_erased(report: Report) -> Revision:
    """Of the surveys whose answers a report holds, the one that promised to be erased first."""
    if report.kind != "comparison":
        return report.revision
    settings = ComparisonSettings.from_data(report.settings)
    dated = [r for r in [report.revision, *_others(settings)] if r.survey.delete_on]
    return min(dated, key=lambda r: str(r.survey.delete_on), default=report.revision)


def _require_sight_of(settings: ComparisonSettings, by: "User") -> None:
    for survey in Survey.objects.filter(pk__in=settings.surveys):
        if not may(by, survey, Ability.READ):
            raise NotAllowed(sentence("You may not read one of these surveys."))


def _clouds(report: Report, settings: CloudSettings, watch: Watch) -> CloudReport:
    clouds = clouds_by(report.revision, settings.questions, settings.by)
    items = questionnaire_of(report.revision).items
    texts = [items[number - 1].text for number in settings.questions]
    return report_clouds(clouds.groups, texts, settings, clouds.notes, watch)


def _tree(report: Report, settings: TreeSettings, watch: Watch) -> TreeReport:
    answers = answers_for_tree(report.revision, settings.question, settings.by)
    return report_tree(answers, settings, (SELECTED,), watch)
