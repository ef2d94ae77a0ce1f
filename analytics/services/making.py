"""A worker makes a queued report: takes it, reads its texts, stores and charges it, or fails.

Nothing is held while it is computed. The result, its expenditure and the end of the report are
written together, and only for the run that is still the current one; a process that dies at any
moment leaves either all of it or nothing. A private report is charged before its first text is read
(``keeping``).
"""

from collections.abc import Callable, Iterator, Mapping
from uuid import UUID

from django.conf import settings as configuration
from django.db import transaction
from django.utils import timezone

from analytics.comparison.checks import ComparisonError, TreeError
from analytics.kinds.documents import TopicReport
from analytics.kinds.making import bags_of, local_partitions, make_report
from analytics.kinds.registry import kind_of
from analytics.kinds.settings import Settings, SettingsError, Stopped
from analytics.models import KeptRelease, Report
from analytics.privacy import accounting
from analytics.privacy.errors import BudgetError, NoiseError
from analytics.privacy.mechanisms import Noise, VettedNoise
from analytics.privacy.records import RecordedNoise
from analytics.queries import TABLES, TREE, cost_of, text_question, texts_of
from analytics.reports.registry import ANSWER_KINDS, kind_named
from analytics.services import ledger
from analytics.services.keeping import Made, StoredReleases, begin
from analytics.services.private_trees import make_private_tree
from analytics.services.releases import make_tables
from analytics.services.versions import code_version
from analytics.services.watching import Discreet, Heart, ReportProgress, of_run
from analytics.sources.executors import ExecutorError
from analytics.sources.survey_texts import partitions_of_question
from analytics.topics.checks import TopicsError
from analytics.workloads.checks import StrategyError, WorkloadError
from surveys.models import Extract, Revision, Survey
from surveys.models.queries import is_erased
from surveys.models.refusals import NotPossible
from surveys.randomized_response.messages import sentence
from surveys.staff.audit.services import record
from surveys.staff.locks import lock_survey
from surveys.wording.language.messages import message_of

# Their texts are numbers and choices of the researcher, never words of an answer.
TOLD = (
    BudgetError,
    ComparisonError,
    NoiseError,
    NotPossible,
    SettingsError,
    StrategyError,
    TopicsError,
    TreeError,
    WorkloadError,
)
UNEXPECTED = sentence(
    "The report was not made, because something unexpected went wrong. Try again. If the report "
    "fails again, show this message to your operator: {failure}"
)
ERASED = sentence("The report was not stored, because the answers were deleted in the meantime.")


class ReportBroke(RuntimeError):
    """A report failed unexpectedly; names the kind of failure and its places, and no values."""


def make(report_id: UUID, run: int, *, noise: Noise | None = None) -> None:
    """Make a queued report and store it, if this is its current run; otherwise do nothing.

    Everything that goes wrong is written into the report. Raises ReportBroke for the unexpected.
    ``noise`` is for tests; only vetted noise is stored.
    """
    report = _take(report_id, run)
    if report is None:
        return
    with Discreet() as tried, Heart(report_id, run):
        kept = StoredReleases(report_id, run)
        _try(report, RecordedNoise(noise or VettedNoise(), kept))
    if tried.failure:
        _fail(report, UNEXPECTED.format(failure=tried.failure))
        raise ReportBroke(tried.failure)


def _take(report_id: UUID, run: int) -> Report | None:
    """Mark the report as being made; a task that comes twice finds nothing to do."""
    # Found and changed in one statement: two workers cannot both take it.
    queued = Report.objects.filter(pk=report_id, run=run, state=Report.State.QUEUED)
    if not queued.update(state=Report.State.RUNNING, beat=timezone.now()):
        return None
    return Report.objects.select_related("revision__survey").get(pk=report_id)


def _try(report: Report, noise: Noise) -> None:
    watch = ReportProgress(report.pk, report.run)
    try:
        # All that can be refused is refused before a text is read.
        _require_answers(report.revision.survey)
        _store(report, MAKERS.get(report.kind, _make_topics)(report, noise, watch))
    except Stopped:  # the report says by itself that it was cancelled or is made by another run
        return
    except TOLD as problem:
        _fail(report, message_of(problem))
    except ExecutorError as problem:
        if problem.argument == "partition":  # told in a worker's words, which may quote a text
            raise
        _fail(report, message_of(problem))


def _fail(report: Report, words: str) -> None:
    of_run(report.pk, report.run).update(
        state=Report.State.FAILED,
        problem=words,
        finished_at=timezone.now(),
    )


def _make_topics(report: Report, noise: Noise, watch: ReportProgress) -> Made:
    kind, settings = kind_of(report.kind), Settings.from_data(report.settings)
    question = text_question(report.revision.survey, report.question)
    if question is None or not question.comments:
        raise NotPossible(sentence("The texts to this question are no longer stored."))
    terms = _terms(report, question.comments, noise) if kind.is_private else None
    if terms is not None:
        begin(report, terms)
    watch.reach(sentence("Reading texts"), 0.0)
    if terms is None:
        return Made(_internal(report, question.number, settings, watch))
    with partitions_of_question(
        report.revision, question.number, settings, scheduler(), beat=watch.beat
    ) as partitions:
        result = make_report(
            kind.name,
            partitions,
            settings,
            budget_terms=terms,
            cost=cost_of(report),
            noise=noise,
            watch=watch,
        )
    return Made(result, result.respondents)


def _internal(
    report: Report, number: int, settings: Settings, watch: ReportProgress
) -> TopicReport:
    """All in this process, with the keys of the comments, which it shows as examples."""
    keys: list[str] = []
    bags = bags_of(_collecting(texts_of(report.revision, number), keys), settings)
    partitions = local_partitions([bags], report.kind, settings)
    return make_report(report.kind, partitions, settings, watch=watch, keys=keys)


def _collecting(rows: Iterator[tuple[UUID, str]], keys: list[str]) -> Iterator[str]:
    """The texts of (key, text), with their keys put aside."""
    for key, text in rows:
        keys.append(str(key))
        yield text


def scheduler() -> str | None:
    """The cluster that counts, if the operator named one."""
    return str(configuration.DASK_SCHEDULER) if configuration.DASK_SCHEDULER else None


def _terms(report: Report, respondents: int, noise: Noise) -> accounting.Budget:
    ledger.require_vetted(noise)
    terms = ledger.require_terms(report.revision, respondents)
    ledger.require_signal(terms, cost_of(report))
    return terms


def _make_of_answers(report: Report, noise: Noise, watch: ReportProgress) -> Made:
    kind = ANSWER_KINDS[report.kind]
    settings = kind.settings(report.settings)
    watch.reach(sentence("Reading answers"), 0.0)
    return Made(kind.make(report.revision, settings, watch))


# All others are topics.
MAKERS: Mapping[str, Callable[[Report, Noise, ReportProgress], Made]] = {
    **dict.fromkeys(ANSWER_KINDS, _make_of_answers),
    TABLES: make_tables,
    TREE: make_private_tree,
}


@transaction.atomic
def _store(report: Report, made: Made) -> None:
    """Store and charge a result. Raises Stopped if the report is not this run's any more."""
    survey = lock_survey(report.revision.survey)
    # Again, now that the survey is held: they may have been erased while the report was made.
    _require_answers(survey)
    account = ledger.hold(report.revision) if kind_named(report.kind).pays else None
    mine = of_run(report.pk, report.run)
    if mine.select_for_update().defer("document").first() is None:
        raise Stopped
    document = made.result.to_document()
    if account is None:
        # An internal result goes where retention finds it.
        mine.update(
            extract=Extract.objects.create(revision=_first_erased(report), document=document)
        )
    else:
        paid = ledger.spend(account, report, made.result, made.respondents)
        mine.update(document=document)
        # A report that is stored is never drawn again, so that no noise is kept beside it.
        KeptRelease.objects.filter(report=report.pk).delete()
        cost = ledger.written(cost_of(paid))
        record("report charged", by=None, survey=survey, after={"report": str(report.pk), **cost})
    mine.update(
        state=Report.State.DONE,
        stage="",
        fraction=1.0,
        problem="",
        finished_at=timezone.now(),
        code_version=code_version(),
    )


def _first_erased(report: Report) -> Revision:
    """Of the surveys whose answers a report holds, the one that promised to be erased first."""
    kind = ANSWER_KINDS.get(report.kind)
    if kind is None:
        return report.revision
    return kind.kept_with(report.revision, kind.settings(report.settings))


def _require_answers(survey: Survey) -> None:
    """Half of the answers, or an extract of what was just erased, would break a promise."""
    if is_erased(survey, timezone.now().date()):
        raise NotPossible(ERASED)
