"""A draft's budget for reports on free texts: its promise in words, and reasons against it."""

from collections.abc import Iterable, Iterator

from django.core.exceptions import ValidationError

from surveys.models import PrivacyBudget, Question, Survey
from surveys.questionnaire.text_budgets import TextBudget, as_written
from surveys.wording.odds import odds_words

MUCH = 5  # the largest epsilon that a question may have
EXAMPLES = "Smaller is safer. " + "; ".join(
    f"{epsilon}: {odds_words(epsilon)}" for epsilon in (1, 2, 4, 8)
)


def text_budget_of(survey: Survey) -> TextBudget | None:
    """What a draft would promise; None where it promises no protected reports."""
    budget = survey.budgets.filter(source=PrivacyBudget.Source.TEXT).first()
    return _promised(budget) if budget else None


def budget_reasons(survey: Survey, questions: Iterable[Question]) -> Iterator[str]:
    """Why a draft cannot be launched with its budget."""
    budget = survey.budgets.filter(source=PrivacyBudget.Source.TEXT).first()
    if budget is None:
        return
    if not any(question.kind == Question.Kind.TEXT for question in questions):
        yield (
            "A budget for reports on free texts is set, but no question asks for a free text: add "
            "one, or delete the budget."
        )
    try:
        budget.clean_fields(exclude=["survey"])
    except ValidationError as problem:
        for name, said in problem.message_dict.items():
            yield f"Budget for reports on free texts, {name}: {' '.join(said)}"
        return
    yield from _delta_reasons(_promised(budget), survey.planned_responses)


def budget_words(budget: PrivacyBudget) -> str:
    """A budget as odds, and the chance that they do not hold."""
    promised = _promised(budget)
    return (
        f"All reports together: {odds_words(promised.nats)}. This may fail with one chance in "
        f"{promised.one_in:,}."
    )


def budget_hints(survey: Survey) -> Iterator[str]:
    """What the author of a draft should know about its budget once it is saved."""
    budget = survey.budgets.filter(source=PrivacyBudget.Source.TEXT).first()
    if budget is None:
        return
    if budget.epsilon > MUCH:
        yield (
            f"All reports on free texts together: {odds_words(float(budget.epsilon))}, and "
            "respondents are told so before they write. Consider a smaller epsilon."
        )


def _promised(budget: PrivacyBudget) -> TextBudget:
    return TextBudget(
        epsilon=as_written(budget.epsilon),
        delta=as_written(budget.delta),
        adjacency=budget.adjacency,
    )


def _delta_reasons(budget: TextBudget, planned: int | None) -> Iterator[str]:
    if planned and budget.may_publish_somebody(planned):
        yield (
            f"With {planned:,} planned responses, the delta of the budget for reports on free "
            f"texts, {budget.delta}, must be below 1/{planned}: from there on, a report may "
            "publish the whole text of one respondent. Choose a smaller delta."
        )
