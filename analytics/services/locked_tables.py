"""Locked tables and the budget: why a draft's does not pay for them; charged at the close, once.

What opening their totals costs follows from the launched document. From the launch on it is set
aside (``queries.reserved``); it is spent in the transaction that makes their lists of ballots
available, since from then on trustees can open them without this server. Of tables whose ballots
were destroyed nothing is spent.
"""

import math
from collections.abc import Collection, Iterator
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from uuid import UUID

from django.utils import timezone

from analytics import queries
from analytics.kinds.registry import LOCKED
from analytics.models import Expenditure, Report
from analytics.privacy import gaussian
from analytics.privacy.accounting import (
    LARGEST_EPSILON,
    THRESHOLD_SHARE,
    Adjacency,
    Budget,
)
from analytics.reports.released import ChargedTables
from analytics.services import ledger
from analytics.sources.locked_tables import locked_cost
from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.plans.budgets import PromisedBudget
from surveys.questionnaire.plans.tallies import tables_of
from surveys.randomized_response.messages import Message, sentence
from surveys.staff.audit.services import record

# What a draft without a budget reads about.
USUAL = PromisedBudget("1", "0.000001", Adjacency.REPLACE.value, "all")
NARROW = sentence(
    "The noise of locked table {table} is below 1, which is too little to hide a single person. "
    "Give this table a noise of at least 1."
)
NO_BUDGET = sentence(
    "Opening the totals of locked answers needs a budget for free texts and tables of answers. "
    "Set a budget with “One respondent's answers replaced by other answers”. At a delta of "
    "{delta}, epsilon must be at least {epsilon}."
)
SMALL_BUDGET = sentence(
    "The budget is too small for the totals of locked answers and everything else that is "
    "planned. At a delta of {delta}, epsilon must be at least {epsilon}. Increase epsilon, or "
    "give the tables more noise."
)
# The head of the file of ballots has their exact number, and audit.json that of all responses: a
# person who is added or left out is seen in both, with any noise in the totals.
EXACT_NUMBER = sentence(
    "The budget promises to hide whether one person more or fewer answered. But the file of "
    "locked answers says exactly how many people answered. Set a budget with “One respondent's "
    "answers replaced by other answers”, or leave the table of locked answers empty for each "
    "question."
)
NO_EPSILON = sentence(
    "No budget is large enough for the totals of locked answers and everything else that is "
    "planned. Give the tables more noise, or plan less."
)


def reasons(questionnaire: Questionnaire) -> Iterator[str]:
    """Why what was promised does not pay for the totals of locked answers."""
    tables = tables_of(questionnaire.tally)
    narrow = [table for table in tables if Fraction(table.sigma) < 1]
    if narrow:
        yield from (NARROW.format(table=table.table) for table in narrow)
        return
    promised = questionnaire.budget
    if promised is None or not promised.pays_for_tables:
        yield _least(NO_BUDGET, questionnaire, USUAL)
        return
    adjacency = Adjacency(promised.adjacency)
    if adjacency is Adjacency.ADD_OR_REMOVE:
        yield EXACT_NUMBER
        return
    cost = locked_cost(questionnaire, adjacency)
    # One respondent: how many there will be is not known yet.
    terms = Budget(promised.nats, float(promised.delta), 1, adjacency)
    if not cost <= terms.limit.part(_left_share(questionnaire)):
        yield _least(SMALL_BUDGET, questionnaire, promised)


def _left_share(questionnaire: Questionnaire) -> Fraction:
    """Of the budget, what tables at openings leave."""
    plan = questionnaire.releases
    return Fraction(100 - plan.share, 100) if plan else Fraction(1)


def _least(words: Message, questionnaire: Questionnaire, terms: PromisedBudget) -> str:
    """The least epsilon, rounded up to hundredths, that pays at this delta."""
    cost = locked_cost(questionnaire, Adjacency(terms.adjacency))
    share = _left_share(questionnaire)
    delta = Fraction(terms.delta)
    if not share or Fraction(cost.threshold_delta) > share * delta * THRESHOLD_SHARE:
        return NO_EPSILON
    mu = math.sqrt(Fraction(cost.mu_squared) / share)
    exact = gaussian.epsilon_of(mu, float(delta * (1 - THRESHOLD_SHARE)))
    epsilon = (Decimal(exact) + Decimal("1e-6")).quantize(Decimal("0.01"), ROUND_CEILING)
    if epsilon > LARGEST_EPSILON:
        return NO_EPSILON
    return words.format(delta=terms.delta, epsilon=epsilon)


def charge(revision_id: UUID, tables: Collection[int]) -> None:
    """Spend what opening these tables costs, in the caller's transaction; a second time nothing.

    It was set aside at launch, so that it is there. Raises BudgetExceeded if the ledger was changed
    by hand.
    """
    revision = Revision.objects.select_related("survey").defer("document").get(pk=revision_id)
    account = ledger.hold(revision)
    # Of two closes at once, the second waits at the account, and finds what the first has spent.
    if queries.locked_charges().filter(revision=revision).exists():
        return
    questionnaire = questionnaire_of(revision)
    cost = locked_cost(questionnaire, Adjacency(account.adjacency), tables)
    terms = ledger.require_terms(revision, 1)
    terms.charge(queries.spent(revision), cost)
    amounts = ledger.written(cost)
    chosen = [one for one in tables_of(questionnaire.tally) if one.table in tables]
    charged = tuple((one.table, one.cells, one.sigma) for one in chosen)
    report = Report.objects.create(
        revision=revision,
        question=UUID(questionnaire.items[chosen[0].questions[0] - 1].id),
        kind=LOCKED.name,
        settings={"tables": sorted(tables)},
        state=Report.State.DONE,
        fraction=1,
        is_charged=True,
        finished_at=timezone.now(),
        document=ChargedTables(charged, cost).to_document(),
        **amounts,
    )
    Expenditure.objects.create(budget=account, report=report, **amounts)
    entry = {"report": str(report.pk), "tables": sorted(tables), **amounts}
    record("locked tables charged", by=None, survey=revision.survey, after=entry)
