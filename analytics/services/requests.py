"""What staff do with reports: request, cancel, repeat, open, rename topics; in the audit log."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from analytics import queries
from analytics.kinds.registry import check_kind, kind_of
from analytics.kinds.settings import PlainSettings, Settings, SettingsError
from analytics.models import Budget, Report
from analytics.privacy.accounting import Budget as Terms
from analytics.privacy.errors import BudgetError
from analytics.reports.kind import Kind
from analytics.reports.registry import KINDS, kind_named
from analytics.services import ledger
from analytics.services.wishes import Wish, asker_of, require_answers, require_question
from surveys.models import Extract, Survey
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.randomized_response.messages import sentence
from surveys.results.queries import response_count
from surveys.staff.access import may
from surveys.staff.audit.services import record
from surveys.staff.locks import locked

if TYPE_CHECKING:
    from django.contrib.auth.models import User

# Queues a run of a report: (report, number of the run).
Later = Callable[[UUID, int], None]
LONGEST_NAME = 100


@transaction.atomic
def request_report(
    *,
    survey: Survey,
    kind: str,
    settings: PlainSettings,
    by: "User",
    later: Later,
    question: UUID | str | None = None,
    share: Fraction | None = None,
    key: UUID | None = None,
) -> Report:
    """Set aside what a report may cost, and queue it. No answer is read.

    ``key`` is that of a form: what the same person asks with the same key is asked once, however
    often it comes (a double click, a form sent again), and the first report is returned.

    ``question`` is the key of the free-text question of a report on texts; ``share``, in (0, 1],
    is the part of the whole budget that a kind that pays may cost, and None for any other.

    Raises NotAllowed; NotPossible (a draft, erased answers, no text or answer, no promised budget,
    no such question); SettingsError, WorkloadError, StrategyError, TreeError (what was chosen);
    BudgetError (share, delta at least 1 in the respondents); BudgetExceeded; TopicsError (too few
    respondents for so small a cost).
    """
    chosen = _kind_asked(kind, settings)
    survey = locked(survey, by, chosen.asked_by)
    # With the survey held: of two copies of a form the second one meets the first one's report.
    if key is not None and (earlier := queries.asked_with(survey, by, key)):
        return earlier
    asked = asker_of(chosen)(Wish(survey, chosen, settings, by, question, share))
    if not chosen.pays:
        _refuse_share(share)
    report = Report(
        id=uuid4() if key is None else queries.key_of_wish(survey, by, key),
        revision=asked.revision,
        question=asked.question,
        kind=chosen.name,
        settings=settings.to_data(),
        actor=by.pk,
        beat=timezone.now(),
        **asked.amounts,
    )
    if asked.terms is not None:
        # Before the report is stored: what is set aside by then is that of all others.
        _require_room(ledger.hold(asked.revision), asked.terms, report)
    report.save(force_insert=True)
    entry = {"report": str(report.pk), "kind": report.kind, "settings": report.settings}
    after = _described(report) if chosen.is_of_texts else entry | asked.amounts
    record("report requested", by=by, survey=survey, after=after)
    later(report.pk, report.run)
    return report


@transaction.atomic
def cancel_report(*, report: Report, by: "User") -> None:
    """Give up a report that is not made yet; its worker ends at the next stage.

    Raises NotAllowed, NotPossible (it is made, failed or cancelled already).
    """
    survey = locked(report.revision.survey, by, queries.ability_to_ask(report.kind))
    current = _hold(report)
    if current.state not in queries.PENDING:
        words = current.get_state_display().lower()
        raise NotPossible(
            gettext(
                "Nothing was cancelled, because this report is not being made ({words})."
            ).format(words=words)
        )
    Report.objects.filter(pk=current.pk).update(
        state=Report.State.CANCELLED, finished_at=timezone.now(), stage="", problem=""
    )
    record("report cancelled", by=by, survey=survey, after={"report": str(current.pk)})


@transaction.atomic
def repeat_report(*, report: Report, by: "User", later: Later) -> Report:
    """Try once more to make a report that failed, was cancelled, or whose worker is gone.

    What an earlier run may still bring is dropped, so nothing is charged twice. Raises NotAllowed,
    NotPossible (it is made, or being made) and everything that ``request_report`` raises.
    """
    survey = locked(report.revision.survey, by, queries.ability_to_ask(report.kind))
    require_answers(survey)
    kind = kind_named(report.kind)
    # The account before the report, as all services lock them, so that no two wait for each other.
    if kind.pays:
        account = ledger.hold(report.revision)
    current = _hold(report)
    now = timezone.now()
    _require_repeatable(current, is_lost=queries.is_lost(current, now))
    if kind.pays:
        _require_room(account, _terms_again(current), current)
    elif kind.is_of_texts:
        require_question(survey, current.question)
    _queue_again(current, later)
    record("report repeated", by=by, survey=survey, after=_described(current))
    return current


@transaction.atomic
def rename_topics(*, report: Report, names: Sequence[str], by: "User") -> None:
    """Name the topics of a report, in their order; "" for a topic without a name.

    Names of an internal report may repeat what people wrote: they go with its result, and the audit
    log says only that they were given. Raises NotAllowed, NotPossible (not made, erased),
    SettingsError (a name).
    """
    survey = locked(report.revision.survey, by, queries.ability_to_ask(report.kind))
    current = _hold(report)
    result = queries.result_of(current)
    if result is None:
        raise NotPossible(
            gettext("Topics can be named only if the report is finished and still exists.")
        )
    before, chosen = queries.names_of(current), _checked_names(names, len(result.topics))
    if chosen == before:
        return
    after: dict[str, Any] = {"report": str(current.pk)}
    if current.extract is None:
        Report.objects.filter(pk=current.pk).update(names=chosen)
        record(
            "topics named",
            by=by,
            survey=survey,
            before=after | {"names": before},
            after=after | {"names": chosen},
        )
        return
    document = current.extract.document | {"names": chosen}
    Extract.objects.filter(pk=current.extract.pk).update(document=document)
    record("topics named", by=by, survey=survey, after=after)


@transaction.atomic
def open_report(*, report: Report, by: "User") -> Any:
    """A report's result, for a look at it; None if there is none (yet, or any more).

    A look at one that is for curators alone is written into the audit log. Raises NotAllowed,
    DocumentError.
    """
    _require_sight(report, by)
    result = queries.result_of(report)
    if result is not None and not kind_named(report.kind).is_open:
        entry = {"report": str(report.pk)}
        record("internal report seen", by=by, survey=report.revision.survey, after=entry)
    return result


@transaction.atomic
def record_download(*, report: Report, file: str, by: "User") -> None:
    """Write down who takes a report away, and as what kind of file. Raises NotAllowed."""
    _require_sight(report, by)
    entry = {"report": str(report.pk), "file": file}
    record("topic report downloaded", by=by, survey=report.revision.survey, after=entry)


def queue_lost(report: Report, later: Later) -> None:
    """A further run of a report whose worker is gone; what it may cost is still set aside.

    The caller holds the report.
    """
    _queue_again(report, later)
    entry = {"report": str(report.pk), "run": report.run}
    record("report repeated", by=None, survey=report.revision.survey, after=entry)


def _queue_again(report: Report, later: Later) -> None:
    # Tasks and workers of earlier runs have the old number, and find nothing to do.
    report.run += 1
    report.state, report.stage, report.fraction, report.problem = Report.State.QUEUED, "", 0.0, ""
    report.beat, report.finished_at = timezone.now(), None
    report.save(
        update_fields=["run", "state", "stage", "fraction", "problem", "beat", "finished_at"]
    )
    later(report.pk, report.run)


def _kind_asked(name: str, settings: PlainSettings) -> Kind:
    """The kind of this name, if people may ask for it so. Raises SettingsError."""
    kind = KINDS.get(name)
    if kind is None or kind.draws_at_openings:
        known = ", ".join(kind.name for kind in KINDS.values() if not kind.draws_at_openings)
        raise SettingsError("kind", name, sentence("give one of {kinds}", kinds=known))
    if isinstance(settings, Settings):
        check_kind(kind_of(name), settings)
    return kind


def _require_room(account: Budget, terms: Terms, report: Report) -> None:
    """What is set aside for a report can be paid, and shows something of texts."""
    ledger.require_room(account, terms, report)
    if kind_named(report.kind).is_of_texts:
        ledger.require_signal(terms, queries.cost_of(report))


def _terms_again(report: Report) -> Terms:
    """What was promised, by how many respondents there are by now. Raises NotPossible."""
    if kind_named(report.kind).counts_answers:
        respondents = response_count(report.revision)
        return ledger.require_terms(report.revision, respondents, ledger.NOTHING_TO_COUNT)
    asked = require_question(report.revision.survey, report.question)
    return ledger.require_terms(report.revision, asked.comments)


def _refuse_share(share: Fraction | None) -> None:
    if share is not None:
        raise BudgetError(
            "share", share, gettext("an internal report costs nothing, so leave out the share")
        )


def _require_repeatable(report: Report, *, is_lost: bool) -> None:
    if report.state == Report.State.DONE:
        raise NotPossible(
            gettext(
                "This report is already finished. To spend more of the budget, request a new "
                "report."
            )
        )
    if report.state in queries.PENDING and not is_lost:
        raise NotPossible(
            gettext("This report is being made at the moment. Cancel the report first.")
        )


def _require_sight(report: Report, by: "User") -> None:
    if not may(by, report.revision.survey, queries.ability_to_see(report.kind)):
        raise NotAllowed(
            gettext("You are not allowed to see this report. Ask the owner of the survey.")
        )


def _hold(report: Report) -> Report:
    """The report as it stands, held until the transaction ends. Reports are never deleted."""
    return Report.objects.select_for_update().get(pk=report.pk)


def _checked_names(names: Sequence[str], topics: int) -> list[str]:
    if len(names) > topics:
        raise SettingsError(
            "names",
            len(names),
            gettext("give at most one name for each of the {topics} topics of the report").format(
                topics=topics
            ),
        )
    return [_checked_name(name) for name in names]


def _checked_name(name: str) -> str:
    text = " ".join(name.split())
    if len(text) > LONGEST_NAME or not text.isprintable():
        remedy = gettext("write at most {longest_name} visible characters").format(
            longest_name=LONGEST_NAME
        )
        raise SettingsError("name", text[:LONGEST_NAME], remedy)
    return text


def _described(report: Report) -> dict[str, Any]:
    """A report without anything that people wrote; its settings are the researcher's own."""
    return {
        "report": str(report.pk),
        "question": str(report.question),
        "kind": report.kind,
        "run": report.run,
        **ledger.written(queries.cost_of(report)),
    }
