"""Table releases: planned at no cost, confirmed, charged before the first draw, drawn once."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
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
from analytics.privacy.accounting import Adjacency, Cost
from analytics.privacy.errors import BudgetError
from analytics.privacy.mechanisms import Noise
from analytics.queries import TABLES, cost_of
from analytics.services import ledger
from analytics.services.keeping import begin
from analytics.services.requests import Later, require_answers
from analytics.services.watching import Progress
from analytics.sources.survey_tables import asked_of, respondents_of, rows_of
from surveys.models import Revision, Survey
from surveys.models.queries import questionnaire_of
from surveys.models.refusals import NotPossible
from surveys.randomized_response.errors import StatisticsError
from surveys.staff.acts import Act, Section
from surveys.staff.audit.services import record
from surveys.staff.locks import locked
from surveys.wording.texts import RELEASE_AUDIENCE

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
    ledger.require_tables(revision)
    respondents = respondents_of(revision)
    terms = ledger.require_terms(revision, respondents, ledger.NO_ANSWER)
    account = queries.account_of(survey)
    if account is None:  # nothing was promised, which was refused above
        raise BudgetError("budget", None, ledger.NO_PROMISE)
    cost = _part(terms.limit, share)
    asked = asked_of(questionnaire_of(revision), settings)
    planned = Planned.of(asked, cost, terms.adjacency)
    planned.plan.require_people(_MORE * respondents)
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


def make_tables(report: Report, noise: Noise, watch: Progress) -> MadeTables:
    """Charge, count and draw. All that can be refused is refused before it is charged.

    Raises NotPossible, SettingsError, WorkloadError, StrategyError, BudgetError, NoiseError,
    Stopped.
    """
    settings = TableSettings.from_data(report.settings)
    ledger.require_vetted(noise)
    ledger.require_tables(report.revision)
    respondents = respondents_of(report.revision)
    terms = ledger.require_terms(report.revision, respondents, ledger.NO_ANSWER)
    asked = asked_of(questionnaire_of(report.revision), settings)
    planned = Planned.of(asked, cost_of(report), terms.adjacency)
    planned.plan.require_people(_MORE * respondents)
    begin(report, terms)
    watch.reach("Counting answers", 0.2)
    rows = rows_of(report.revision, settings)
    watch.reach("Drawing noise", 0.6)
    return MadeTables(release_tables(planned, rows, noise, terms), len(rows))


@dataclass(frozen=True)
class PublishTables(Act):
    """Release tables of a survey: what is published cannot be taken back."""

    settings: TableSettings
    share: Fraction
    key: UUID
    later: Later

    name = "publish-tables"
    button = "Publish them for good"

    @property
    def title(self) -> str:
        return f"Publish these tables of “{self.survey}”?"

    def problems(self) -> list[str]:
        try:
            outlook = outlook_of(self.survey, self.settings, self.share)
            if not outlook.fits():
                return ["More than is left of the budget. Give the release less of it."]
        except (NotPossible, StatisticsError) as problem:
            return [str(problem)]
        return []

    def sections(self) -> list[Section]:
        outlook = outlook_of(self.survey, self.settings, self.share)
        return [
            Section("What is published", tuple(_published(outlook, self.settings))),
            Section("What it costs, for good", tuple(_spent(outlook))),
        ]

    def state(self) -> Any:
        """What is asked, and what was spent before: another release meanwhile asks again."""
        account = queries.account_of(self.survey)
        spent = account and ledger.written(account.spent + account.reserved)
        return [self.settings.to_data(), str(self.share), spent]

    def do(self, by: "User") -> str:
        request_tables(
            survey=self.survey,
            settings=self.settings,
            share=self.share,
            by=by,
            later=self.later,
            key=self.key,
        )
        return "The release is asked for and paid. Its page shows it once it is drawn."


def _part(limit: Cost, share: Fraction) -> Cost:
    """A share of the Gaussian part alone: tables have no thresholds. Raises BudgetError."""
    if not 0 < share <= 1:
        raise BudgetError("share", share, "give a share above 0 and at most 1")
    return Cost(limit.part(share).mu_squared)


def _published(outlook: Outlook, settings: TableSettings) -> Iterator[str]:
    asked = outlook.planned.asked
    for table in asked.tables:
        yield asked.title(table)
    yield f"{asked.numbers:,} numbers in all, each with its margin of error."
    if settings.is_public:
        yield "All people who have the address of its page can read and download it."
    else:
        yield "Only staff of this survey can open its page; they can pass its files on."
    yield RELEASE_AUDIENCE
    yield "Noise is drawn once. The numbers cannot be changed, drawn anew or taken back."


def _spent(outlook: Outlook) -> Iterator[str]:
    account, cost = outlook.account, outlook.aside
    before, after = account.spent + account.reserved, account.spent + account.reserved + cost
    yield f"This release by itself: epsilon {_rounded_up(account, cost)}."
    if before.mu_squared:
        yield f"Spent or set aside before: epsilon {_rounded_up(account, before)}."
    promised = account.budget.epsilon
    yield f"Spent then: epsilon {_rounded_up(account, after)} of {promised:g}, for good."


def _rounded_up(account: queries.Account, cost: Cost) -> str:
    """Never told as less than it is, nor as more than was promised."""
    epsilon = math.ceil(100 * account.epsilon(cost)) / 100
    return f"{min(epsilon, account.budget.epsilon):.2f}"
