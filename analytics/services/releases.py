"""Table releases: planned at no cost, confirmed, charged before the first draw, drawn once."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from analytics import queries
from analytics.kinds.tables.planned import Planned
from analytics.kinds.tables.released import TableRelease, release_tables
from analytics.kinds.tables.settings import TableSettings
from analytics.models import Report
from analytics.privacy.accounting import Adjacency, Budget, Cost
from analytics.privacy.errors import BudgetError
from analytics.privacy.mechanisms import Noise
from analytics.queries import TABLES, cost_of
from analytics.services import ledger
from analytics.services.keeping import begin
from analytics.services.requests import Later, require_answers
from analytics.services.totals import count_totals, require_totals
from analytics.services.watching import ReportProgress
from analytics.sources.survey_tables import asked_of, rows_of
from surveys.models import Revision, Survey
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.messages import sentence
from surveys.results.queries import response_count
from surveys.staff.audit.services import record
from surveys.staff.locks import locked

if TYPE_CHECKING:
    from django.contrib.auth.models import User

# More may answer between the plan and the count, when a refusal would come after the charge.
_MORE = 2


@dataclass(frozen=True)
class Outlook:
    """A release as it would be now, before anything is spent."""

    planned: Planned
    account: queries.Account
    respondents: int

    @property
    def aside(self) -> Cost:
        """What would be set aside for it."""
        return self.planned.cost

    def fits(self, times: int = 1) -> bool:
        """Whether the account can pay for it so many times. Raises BudgetError."""
        needed = sum((self.aside for _ in range(times)), start=Cost())
        return needed <= self.account.left


def outlook_of(survey: Survey, settings: TableSettings, share: Fraction) -> Outlook:
    """Plan a release; no answer is read, they are only counted.

    ``share``, in (0, 1], is the part of the whole budget. Raises NotPossible (a draft, erased or
    no answers, no promise for tables), SettingsError, WorkloadError, StrategyError, BudgetError.
    """
    require_answers(survey)
    revision = Revision.objects.defer("document").get(survey=survey)
    respondents, terms = _counted(revision)
    account = queries.account_of(survey)
    if account is None:  # nothing was promised, which was refused above
        raise BudgetError("budget", None, ledger.NO_PROMISE)
    require_totals(revision, settings)
    planned = _planned(revision, settings, _part(terms.limit, share), respondents, terms)
    return Outlook(planned, account, respondents)


@transaction.atomic
def request_tables(
    *, survey: Survey, settings: TableSettings, share: Fraction, by: "User", later: Later, key: UUID
) -> Report:
    """Set aside what a release costs, and queue it. No answer is read.

    ``key`` is that of a form: sent twice, it asks once. Raises NotAllowed, everything that
    ``outlook_of`` raises, BudgetExceeded.
    """
    survey = locked(survey, by, queries.ability_to_ask(TABLES))
    if earlier := queries.asked_with(survey, by, key):
        return earlier
    outlook = outlook_of(survey, settings, share)
    revision = Revision.objects.defer("document").get(survey=survey)
    first = questionnaire_of(revision).items[settings.questions[0].number - 1]
    report = Report(
        id=queries.key_of_wish(survey, by, key),
        revision=revision,
        question=UUID(first.id),
        kind=TABLES,
        settings=settings.to_data(),
        actor=by.pk,
        beat=timezone.now(),
        **ledger.written(outlook.aside),
    )
    ledger.require_room(ledger.hold(revision), outlook.account.budget, report)
    report.save(force_insert=True)
    entry = {"report": str(report.pk), "kind": TABLES, "settings": settings.to_data()}
    record("report requested", by=by, survey=survey, after=entry | ledger.written(outlook.aside))
    later(report.pk, report.run)
    return report


@dataclass(frozen=True)
class MadeTables:
    """A release and, for the ledger alone, how many respondents it counted."""

    release: TableRelease
    respondents: int

    @property
    def is_private(self) -> bool:
        return self.release.is_private

    @property
    def cost(self) -> Cost:
        return self.release.cost

    @property
    def adjacency(self) -> Adjacency:
        return self.release.adjacency

    def to_document(self) -> dict[str, Any]:
        """What is stored of it: how many were counted only where that is public."""
        return self.release.to_document()


def make_tables(report: Report, noise: Noise, watch: ReportProgress) -> MadeTables:
    """Charge, count and draw. All that can be refused is refused before it is charged.

    Raises NotPossible, SettingsError, WorkloadError, StrategyError, BudgetError, NoiseError,
    Stopped.
    """
    settings = TableSettings.from_data(report.settings)
    ledger.require_vetted(noise)
    respondents, terms = _counted(report.revision)
    planned = _planned(report.revision, settings, cost_of(report), respondents, terms)
    require_totals(report.revision, settings, besides=report.pk)
    begin(report, terms)
    watch.reach(sentence("Counting answers"), 0.2)
    rows = rows_of(report.revision, settings)
    watch.reach(sentence("Drawing noise"), 0.6)
    made = release_tables(planned, rows, noise, terms)
    totals = count_totals(report.revision, settings.totals)
    return MadeTables(replace(made, totals=totals), len(rows))


def _counted(revision: Revision) -> tuple[int, Budget]:
    """How many people answered, and what they were promised. Raises NotPossible, BudgetError."""
    ledger.require_tables(revision)
    respondents = response_count(revision)
    return respondents, ledger.require_terms(revision, respondents, ledger.NOTHING_TO_COUNT)


def _planned(
    revision: Revision, settings: TableSettings, cost: Cost, respondents: int, terms: Budget
) -> Planned:
    """The same plan and the same refusals before it is queued and before it is charged."""
    asked = asked_of(questionnaire_of(revision), settings)
    planned = Planned.of(asked, cost, terms.adjacency)
    planned.plan.require_people(_MORE * respondents)
    return planned


def _part(limit: Cost, share: Fraction) -> Cost:
    """A share of the Gaussian part alone: tables have no thresholds. Raises BudgetError."""
    if not 0 < share <= 1:
        raise BudgetError("share", share, sentence("give a share above 0 and at most 1"))
    return Cost(limit.part(share).mu_squared)
