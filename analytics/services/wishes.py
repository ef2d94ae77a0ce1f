"""What a request for a report comes to, kind by kind, before it is queued. No answer is read."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext

from analytics import queries
from analytics.kinds.settings import SettingsError
from analytics.privacy.accounting import Budget, Cost
from analytics.privacy.errors import BudgetError
from analytics.queries import AskedText
from analytics.reports.kind import Kind
from analytics.reports.registry import ANSWER_KINDS
from analytics.services import ledger
from surveys.models import Revision, Survey
from surveys.models.queries import is_erased, questionnaire_of
from surveys.models.refusals import NotPossible
from surveys.randomized_response.messages import sentence

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@dataclass(frozen=True)
class Wish:
    """What a person asks for; ``share``, in (0, 1], is the part of the whole budget it may cost."""

    survey: Survey
    kind: Kind
    settings: Any
    by: "User"
    question: UUID | str | None
    share: Fraction | None


@dataclass(frozen=True)
class Grantable:
    """A wish that can be granted: the question that names its report, and what it may cost.

    ``aside`` is in terms of ``terms``; both are None of a report that spends no budget.
    """

    revision: Revision
    question: UUID
    terms: Budget | None = None
    aside: Cost | None = None

    @property
    def amounts(self) -> dict[str, str]:
        """What is set aside, as the tables keep it."""
        return ledger.written(self.aside) if self.aside else {}


def asker_of(kind: Kind) -> Callable[[Wish], Grantable]:
    """What works out the wishes of a kind."""
    if kind.is_of_texts:
        return _ask_topics
    if not kind.pays:
        return _ask_answers
    # Both load the noise library, which takes half a second: no other page waits for it.
    if kind.is_of_tables:
        from analytics.services.releases import ask_tables

        return ask_tables
    from analytics.services.private_trees import ask_private_tree

    return ask_private_tree


def _ask_topics(wish: Wish) -> Grantable:
    asked = require_question(wish.survey, wish.question)
    revision = Revision.objects.defer("document").get(survey=wish.survey)
    if not wish.kind.pays:
        return Grantable(revision, asked.key)
    share = require_share(wish)
    terms = ledger.require_terms(revision, asked.comments)
    return Grantable(revision, asked.key, terms, terms.limit.part(share))


def _ask_answers(wish: Wish) -> Grantable:
    require_answers(wish.survey)
    revision = Revision.objects.get(survey=wish.survey)
    items = questionnaire_of(revision).items
    number = wish.settings.question
    if not 1 <= number <= len(items):
        remedy = sentence("questions have the numbers 1 to {most}", most=len(items))
        raise SettingsError("question", number, remedy)
    ANSWER_KINDS[wish.kind.name].check(wish.settings, wish.by)
    return Grantable(revision, UUID(items[number - 1].id))


def require_share(wish: Wish) -> Fraction:
    """The part of the budget that was chosen. Raises BudgetError."""
    if wish.share is None:
        remedy = gettext("choose which part of the budget the report may cost")
        raise BudgetError("share", wish.share, remedy)
    return wish.share


def gaussian_part(limit: Cost, share: Fraction) -> Cost:
    """A share of the Gaussian part alone: counts have no thresholds. Raises BudgetError."""
    if not 0 < share <= 1:
        raise BudgetError("share", share, sentence("give a share above 0 and at most 1"))
    return Cost(limit.part(share).mu_squared)


def require_answers(survey: Survey) -> None:
    """Raises NotPossible for a draft, and where the answers were erased."""
    if survey.state == Survey.State.DRAFT:
        raise NotPossible(
            gettext("Reports can be made only for launched surveys. Launch the survey first.")
        )
    if is_erased(survey, timezone.now().date()):
        raise NotPossible(
            gettext("No report can be made, because the answers to this survey were deleted.")
        )


def no_such_text() -> NotPossible:
    """Why there is nothing to report on: the question is none of the survey's free texts."""
    return NotPossible(
        gettext(
            "This survey does not have this free-text question. Choose a question from the list."
        )
    )


def require_question(survey: Survey, key: UUID | str | None) -> AskedText:
    """The free-text question of this key, with a text stored. Raises NotPossible."""
    require_answers(survey)
    try:
        question = queries.text_question(survey, UUID(str(key)))
    except ValueError:
        question = None
    if question is None:
        raise no_such_text()
    if not question.comments:
        raise NotPossible(gettext("No text to this question is stored yet. Wait for answers."))
    return question
