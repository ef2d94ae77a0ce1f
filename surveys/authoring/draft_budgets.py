"""A draft's budget for reports and tables: its promise in words, and reasons against it."""

from collections.abc import Iterable, Iterator

from django.core.exceptions import ValidationError

from surveys.models import PrivacyBudget, Question, Survey
from surveys.questionnaire.budgets import PromisedBudget, as_written
from surveys.wording.odds import odds_words

MUCH = 5  # the largest epsilon that a question may have
TABULATED = (
    Question.Kind.YES_NO,
    Question.Kind.CHOICE,
    Question.Kind.SCALE,
    Question.Kind.NUMBER,
)
_NOTHING_TO_PAY = {
    False: (
        "A budget for reports on free texts is set, but no question asks for a free text: add "
        "one, or delete the budget."
    ),
    True: (
        "A budget for reports and tables is set, but no question asks for a free text or a direct "
        "answer that tables count: add one, or delete the budget."
    ),
}
EXAMPLES = "Smaller is safer. " + "; ".join(
    f"{epsilon}: {odds_words(epsilon)}" for epsilon in (1, 2, 4, 8)
)


def budget_of_draft(survey: Survey) -> PromisedBudget | None:
    """What a draft would promise; None where it promises no protected reports."""
    budget = survey.budgets.first()
    return _promised(budget) if budget else None


def budget_reasons(survey: Survey, questions: Iterable[Question]) -> Iterator[str]:
    """Why a draft cannot be launched with its budget."""
    budget = survey.budgets.first()
    if budget is None:
        return
    if not any(_pays_for(budget, question) for question in questions):
        yield _NOTHING_TO_PAY[budget.pays_for_tables]
    try:
        budget.clean_fields(exclude=["survey"])
    except ValidationError as problem:
        for name, said in problem.message_dict.items():
            yield f"Budget, {name}: {' '.join(said)}"
        return
    yield from _delta_reasons(_promised(budget), survey.planned_responses)


def budget_words(budget: PrivacyBudget) -> str:
    """A budget as odds, and the chance that they do not hold."""
    promised = _promised(budget)
    return (
        f"All reports and tables together: {odds_words(promised.nats)}. This may fail with one "
        f"chance in {promised.one_in:,}."
    )


def budget_hints(survey: Survey) -> Iterator[str]:
    """What the author of a draft should know about its budget once it is saved."""
    budget = survey.budgets.first()
    if budget is None:
        return
    if budget.epsilon > MUCH:
        yield (
            f"All that is published together: {odds_words(float(budget.epsilon))}, and "
            "respondents are told so before they answer. Consider a smaller epsilon."
        )


def _pays_for(budget: PrivacyBudget, question: Question) -> bool:
    """Whether reports or tables of this question could draw on the budget."""
    if question.kind == Question.Kind.TEXT:
        return True
    is_direct = question.design == Question.Design.DIRECT and question.kind in TABULATED
    return is_direct and budget.pays_for_tables


def _promised(budget: PrivacyBudget) -> PromisedBudget:
    return PromisedBudget(
        epsilon=as_written(budget.epsilon),
        delta=as_written(budget.delta),
        adjacency=budget.adjacency,
        source=budget.source,
    )


def _delta_reasons(budget: PromisedBudget, planned: int | None) -> Iterator[str]:
    if planned and budget.may_publish_somebody(planned):
        yield (
            f"With {planned:,} planned responses, the delta of the budget, {budget.delta}, must "
            f"be below 1/{planned}: from there on, a report may publish the whole text of one "
            "respondent. Choose a smaller delta."
        )
