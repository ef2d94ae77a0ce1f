"""Permits: a share of a survey's budget for one report on texts that only its keys open.

The server cannot read such texts, so the report is made where they are opened. A permit is charged
whole when it is given, and is a file ledger that holds exactly that: a report that is never handed
in stays paid for. What holders of keys read or count besides is not bound by it.
"""

import hashlib
import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from analytics import queries
from analytics.files.ledgers import FileLedger, LedgerPermit, written
from analytics.kinds.documents import TopicReport
from analytics.kinds.registry import KINDS
from analytics.kinds.settings import SettingsError
from analytics.models import Expenditure, Report
from analytics.privacy.errors import BudgetError
from analytics.services import ledger
from analytics.services.wishes import no_such_text, require_answers
from surveys.models import Revision, Survey
from surveys.models.queries import opened_sealed_texts, questionnaire_of
from surveys.models.refusals import NotPossible
from surveys.randomized_response.messages import sentence
from surveys.results.exports import sealed_texts
from surveys.results.queries import response_count
from surveys.staff.audit.services import record
from surveys.staff.locks import locked

if TYPE_CHECKING:
    from django.contrib.auth.models import User

MOST_BYTES = 5_000_000


@transaction.atomic
def give_permit(
    *,
    survey: Survey,
    question: int,
    kind: str,
    share: Fraction,
    by: "User",
    key: UUID | None = None,
) -> Report:
    """Charge a share, in (0, 1], of the budget for a private report on a question's sealed texts.

    The permit names the file that has them now, after the close. ``question`` counts from 1;
    ``key`` is that of a form: sent again it gives the same permit. Raises NotAllowed, NotPossible
    (no such question, texts are readable or not there yet, no promised budget), SettingsError (no
    private kind), BudgetError, BudgetExceeded, TopicsError.
    """
    if not 0 < share <= 1:
        raise BudgetError("share", share, sentence("give a share above 0 and at most 1"))
    survey = locked(survey, by, queries.ability_to_ask(_private(kind)))
    if key is not None and (earlier := queries.asked_with(survey, by, key)):
        return earlier
    require_answers(survey)
    revision = Revision.objects.get(survey=survey)
    digest = hashlib.sha256(_file_of(revision, question).encode()).hexdigest()
    terms = ledger.require_terms(revision, response_count(revision))
    cost = terms.limit.part(share)
    ledger.require_signal(terms, cost)
    report = Report(
        id=uuid4() if key is None else queries.key_of_wish(survey, by, key),
        revision=revision,
        question=UUID(questionnaire_of(revision).items[question - 1].id),
        kind=kind,
        settings={"permit": {"question": question, "share": str(share), "texts": digest}},
        state=Report.State.DONE,
        is_charged=True,
        actor=by.pk,
        **ledger.written(cost),
    )
    account = ledger.hold(revision)
    ledger.require_room(account, terms, report)
    report.save(force_insert=True)
    Expenditure.objects.create(budget=account, report=report, actor=by.pk, **ledger.written(cost))
    entry = {"report": str(report.pk), "kind": kind, **report.settings["permit"]}
    record("permit given", by=by, survey=survey, after=entry | ledger.written(cost))
    return report


def permit_file(report: Report) -> str:
    """The file ledger that holds what was charged. Raises NotPossible where it is closed."""
    _require_open(report)
    terms = queries.terms_of(report.revision)
    if terms is None:
        raise NotPossible(ledger.NO_PROMISE)
    permit = LedgerPermit(str(report.pk), **report.settings["permit"])
    return written(FileLedger(terms.epsilon, terms.delta, terms.adjacency, (), permit))


@transaction.atomic
def close_permit(*, report: Report, content: bytes, by: "User") -> None:
    """Keep the report that a permit paid for, as ``manage.py topics`` wrote it, for good.

    Raises NotAllowed, NotPossible (closed before; no such report, or a dearer one).
    """
    survey = locked(report.revision.survey, by, queries.ability_to_ask(report.kind))
    # The survey is held: of two that come at once, the second finds the permit closed.
    current = Report.objects.select_for_update().get(pk=report.pk)
    _require_open(current)
    made = _report_in(content)
    _require_paid(current, made)
    Report.objects.filter(pk=current.pk).update(
        document=made.to_document(), finished_at=timezone.now()
    )
    record("permit closed", by=by, survey=survey, after={"report": str(current.pk)})


def _private(kind: str) -> str:
    known = [one.name for one in KINDS.values() if one.is_private]
    if kind not in known:
        remedy = gettext("give one of {kinds}").format(kinds=", ".join(known))
        raise SettingsError("kind", kind, remedy)
    return kind


def _file_of(revision: Revision, question: int) -> str:
    """What is downloaded of a question's sealed texts. Raises NotPossible."""
    if questionnaire_of(revision).seals is None:
        raise NotPossible(
            gettext("No permit is needed, because this server can read the texts of this survey.")
        )
    texts = sealed_texts(revision, question)
    if texts is None:
        raise no_such_text()
    if not opened_sealed_texts(revision.pk, question).exists():
        raise NotPossible(
            gettext(
                "The locked texts are available after the survey has closed. Wait for the close."
            )
        )
    return texts


def _require_open(report: Report) -> None:
    if not queries.is_permit(report):
        raise NotPossible(gettext("No permit was given for this report."))
    if report.document is not None:
        raise NotPossible(
            gettext("This permit is closed, because its report was already handed in.")
        )


def _report_in(content: bytes) -> TopicReport:
    """The private report of a file. Raises NotPossible."""
    try:
        if len(content) > MOST_BYTES:
            raise ValueError(len(content))
        document: Any = json.loads(content, parse_constant=_no_number)
        made = TopicReport.from_document(document["report"])
    except (KeyError, TypeError, ValueError, RecursionError):
        raise NotPossible(
            gettext(
                "This file is not a report of this program. Hand in the .json file that the "
                "command wrote."
            )
        ) from None
    if not made.is_private or made.clusterings or any(topic.examples for topic in made.topics):
        raise NotPossible(gettext("This report is not private. It must not be published."))
    return made


def _no_number(written: str) -> None:
    """NaN and infinities, which JSON does not have."""
    raise ValueError(written)


def _require_paid(permit: Report, made: TopicReport) -> None:
    terms = queries.terms_of(permit.revision)
    if made.kind != permit.kind:
        raise NotPossible(
            gettext(
                "This permit is for another kind of report. Hand in a report that was made with "
                "this permit."
            )
        )
    if terms is None or made.adjacency is not terms.adjacency or not made.cost.mu_squared:
        raise NotPossible(
            gettext(
                "This report was not made with this permit. Hand in a report that was made with "
                "this permit."
            )
        )
    if not made.cost <= queries.cost_of(permit):
        raise NotPossible(
            gettext(
                "This report cost more than the permit allows. Hand in a report that stays within "
                "the permit."
            )
        )
