"""Table releases: planned at no cost, confirmed, charged before the first draw, drawn once."""

from dataclasses import dataclass, replace
from fractions import Fraction
from uuid import UUID

from analytics import queries
from analytics.kinds.tables.planned import PlannedTables
from analytics.kinds.tables.released import release_tables
from analytics.kinds.tables.settings import TableSettings
from analytics.models import Report
from analytics.privacy.accounting import Budget, Cost
from analytics.privacy.errors import BudgetError
from analytics.privacy.mechanisms import Noise
from analytics.queries import cost_of
from analytics.services import ledger
from analytics.services.keeping import Made, begin
from analytics.services.totals import count_totals, require_totals
from analytics.services.watching import ReportProgress
from analytics.services.wishes import Grantable, Wish, gaussian_part, require_answers, require_share
from analytics.sources.survey_tables import asked_of, rows_of
from surveys.models import Revision, Survey
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.messages import sentence
from surveys.results.queries import response_count

# More may answer between the plan and the count, when a refusal would come after the charge.
_MORE = 2


@dataclass(frozen=True)
class Outlook:
    """A release as it would be now, before anything is spent."""

    planned: PlannedTables
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
    planned = _planned(revision, settings, gaussian_part(terms.limit, share), respondents, terms)
    return Outlook(planned, account, respondents)


def ask_tables(wish: Wish) -> Grantable:
    """What a release comes to. Raises everything that ``outlook_of`` raises."""
    outlook = outlook_of(wish.survey, wish.settings, require_share(wish))
    revision = Revision.objects.defer("document").get(survey=wish.survey)
    first = questionnaire_of(revision).items[wish.settings.questions[0].number - 1]
    return Grantable(revision, UUID(first.id), outlook.account.budget, outlook.aside)


def make_tables(report: Report, noise: Noise, watch: ReportProgress) -> Made:
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
    return Made(replace(made, totals=totals), len(rows))


def _counted(revision: Revision) -> tuple[int, Budget]:
    """How many people answered, and what they were promised. Raises NotPossible, BudgetError."""
    ledger.require_tables(revision)
    respondents = response_count(revision)
    return respondents, ledger.require_terms(revision, respondents, ledger.NOTHING_TO_COUNT)


def _planned(
    revision: Revision, settings: TableSettings, cost: Cost, respondents: int, terms: Budget
) -> PlannedTables:
    """The same plan and the same refusals before it is queued and before it is charged."""
    asked = asked_of(questionnaire_of(revision), settings)
    planned = PlannedTables.of(asked, cost, terms.adjacency)
    planned.plan.require_people(_MORE * respondents)
    return planned
