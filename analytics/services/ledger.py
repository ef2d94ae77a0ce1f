"""The writes of a survey's ledger: open and lock its account, spend what a report was charged.

Reports are asked for with an eye on what earlier ones showed, and are charged what they used of
what was set aside for them. Costs may depend on earlier results as long as their sum stays within
the limit: privacy filters for Gaussian DP (Koskela, Tobaben and Honkela 2023, "Individual privacy
accounting with Gaussian differential privacy", theorem 8).

Rows are locked in one order, so that no two wait for each other: survey, account, report.
"""

from dataclasses import asdict
from fractions import Fraction
from typing import Protocol

from analytics.models import Budget, Expenditure, Report
from analytics.privacy import accounting
from analytics.privacy.accounting import Adjacency, Cost
from analytics.privacy.errors import BudgetError, BudgetExceeded, NoiseError
from analytics.queries import cost_of, reserved, spent, terms_of
from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.models.refusals import NotPossible
from surveys.randomized_response.messages import sentence

NO_PROMISE = sentence(
    "Respondents of this survey were not promised a privacy budget, so there is no budget to "
    "spend. Only internal reports are possible, which must not be published."
)
TEXTS_ALONE = sentence(
    "Respondents of this survey were promised a budget only for reports on texts. Tables cannot "
    "use this budget, because the meaning of a promise does not change after launch."
)


RELEASED_ALONE = sentence(
    "Direct answers of this survey are shown only in the tables of its openings. These tables "
    "were planned and charged at launch, and no other table can be released. Open the tables of "
    "the openings."
)
NOTHING_TO_COUNT = sentence("There is no answer yet that tables could count. Wait for answers.")
NO_TEXT = sentence("No text to this question is stored yet. Wait for answers.")


class Drawn(Protocol):
    """Noise, or what was drawn with it."""

    @property
    def is_private(self) -> bool: ...


class Payable(Drawn, Protocol):
    """A result that is charged. ``cost`` is in terms of ``adjacency``."""

    @property
    def cost(self) -> Cost: ...

    @property
    def adjacency(self) -> Adjacency | None: ...


def require_terms(
    revision: Revision, respondents: int, nothing: str = NO_TEXT
) -> accounting.Budget:
    """What was promised. Raises NotPossible, BudgetError (delta at least 1 in the respondents)."""
    if not respondents:
        raise NotPossible(nothing)
    terms = terms_of(revision, respondents)
    if terms is None:
        raise NotPossible(NO_PROMISE)
    return terms


def require_tables(revision: Revision) -> None:
    """Raises NotPossible unless respondents were promised that the budget limits tables too.

    Also where tables are released at openings alone.
    """
    promised = questionnaire_of(revision).budget
    if promised is None:
        raise NotPossible(NO_PROMISE)
    if not promised.pays_for_tables:
        raise NotPossible(TEXTS_ALONE)
    if questionnaire_of(revision).releases:
        raise NotPossible(RELEASED_ALONE)


def require_vetted(drawn: Drawn) -> None:
    """Raises NoiseError for the noise of a test."""
    if not drawn.is_private:
        raise NoiseError("noise", "a test's", "a report is stored only with vetted noise")


def require_signal(terms: accounting.Budget, cost: Cost) -> None:
    """Raises TopicsError where such a report would show nothing but noise."""
    from analytics.topics.private.nmf import check_signal  # loads the topic models

    # Noise is calibrated to add-or-remove-one; replacing one costs twice its mu^2 (Cost.under).
    plain = cost if terms.adjacency is Adjacency.ADD_OR_REMOVE else cost.part(Fraction(1, 2))
    check_signal(terms.respondents, plain.mu)


def hold(revision: Revision) -> Budget:
    """Lock the account until the transaction ends; opened on the promised terms at first.

    Raises NotPossible if nothing was promised.
    """
    promised = questionnaire_of(revision).budget
    if promised is None:
        raise NotPossible(NO_PROMISE)
    # Created first, because a row that is not there cannot be locked.
    Budget.objects.get_or_create(revision=revision, defaults=asdict(promised))
    return Budget.objects.select_for_update().get(revision=revision)


def require_room(account: Budget, terms: accounting.Budget, report: Report) -> None:
    """Raises BudgetExceeded unless everything that is set aside can be paid with this report.

    The account must be held.
    """
    revision = account.revision
    others = reserved(revision, besides=report.pk)
    # What this report was charged in an earlier run is not charged again.
    terms.charge(spent(revision, besides=report.pk) + others, cost_of(report))


def spend(account: Budget, report: Report, result: Payable, respondents: int) -> Expenditure:
    """Charge a report what it released of these respondents, at most what was set aside for it.

    The account must be held. Raises NoiseError, BudgetError: then it must not be stored.
    """
    require_vetted(result)
    # It was charged all that was set aside when it began; here it pays what it used of that.
    cost, aside = result.cost, cost_of(report)
    if not cost <= aside:
        raise BudgetExceeded(
            "cost",
            str(cost),
            f"only {aside} was set aside for this report",
        )
    # Of those who were counted: more may have written since the report was asked for.
    terms = terms_of(account.revision, respondents)
    if terms is None:
        raise NotPossible(NO_PROMISE)
    if result.adjacency is not terms.adjacency:
        remedy = f"charges are kept under the promised one, {terms.adjacency}"
        raise BudgetError("adjacency", result.adjacency, remedy)
    terms.charge(spent(account.revision, besides=report.pk), cost)
    return Expenditure.objects.create(
        budget=account, report=report, actor=report.actor, **written(cost)
    )


def written(cost: Cost) -> dict[str, str]:
    """An amount as the tables keep it: every digit, without an exponent."""
    return {
        "mu_squared": f"{cost.mu_squared:f}",
        "threshold_delta": f"{cost.threshold_delta:f}",
    }
