"""A draft's budget for reports and tables, and tables alone: promises in words, reasons against."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from surveys.authoring.draft.building import is_picked
from surveys.authoring.draft.kinds import draft_kind
from surveys.authoring.draft.openings import opening_of
from surveys.models import PrivacyBudget, Question, Survey, releasing
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.plans.budgets import PromisedBudget, as_written
from surveys.questionnaire.plans.schedules import ReleasePlan
from surveys.randomized_response.messages import sentence
from surveys.wording.language.numbers import grouped
from surveys.wording.odds import odds_words

MOST_RELEASES = 366  # a year of daily openings
MUCH = 5  # the largest epsilon that a question may have
_NOTHING_TO_PAY = {
    False: (
        sentence(
            "A budget for reports on free texts is set, but no question asks for a free text. Add "
            "such a question, or delete the budget."
        )
    ),
    True: (
        sentence(
            "A budget for reports and tables is set, but no question asks for a free text or for "
            "a direct answer that tables count. Add such a question, or delete the budget."
        )
    ),
}


def budget_of_draft(budget: PrivacyBudget | None) -> PromisedBudget | None:
    """What a draft would promise; None where it promises no protected reports."""
    return _promised(budget) if budget else None


def budget_reasons(
    budget: PrivacyBudget | None, survey: Survey, questions: Iterable[Question]
) -> Iterator[str]:
    """Why a draft cannot be launched with its budget."""
    if budget is None:
        return
    if not any(_pays_for(budget, question) for question in questions):
        yield _NOTHING_TO_PAY[budget.pays_for_tables]
    try:
        budget.clean_fields(exclude=["survey"])
    except ValidationError as problem:
        for name, problems in problem.message_dict.items():
            yield sentence("Budget, {name}: {said}", name=name, said=" ".join(problems))
        return
    yield from _delta_reasons(_promised(budget), survey.planned_responses)


def budget_examples() -> str:
    """What epsilons mean, before one is chosen."""
    odds = "; ".join(f"{epsilon}: {odds_words(epsilon)}" for epsilon in (1, 2, 4, 8))
    return gettext("A smaller epsilon is safer. {odds}").format(odds=odds)


def budget_words(budget: PrivacyBudget) -> str:
    """A budget as odds, and the chance that they do not hold."""
    promised = _promised(budget)
    return gettext(
        "All reports and tables together: {odds}. This limit may fail, with a chance of one in "
        "{one_in}."
    ).format(odds=odds_words(promised.nats), one_in=grouped(promised.one_in))


def budget_hints(survey: Survey) -> Iterator[str]:
    """What the author of a draft should know about its budget once it is saved."""
    budget = survey.budgets.first()
    if budget is None:
        return
    if budget.epsilon > MUCH:
        yield (
            gettext(
                "Everything that is published, taken together: {odds}. Respondents read this "
                "before they answer. Consider a smaller epsilon."
            ).format(odds=odds_words(float(budget.epsilon)))
        )


def releases_of(survey: Survey, today: date) -> ReleasePlan | None:
    """What a draft promises of tables alone, if it is launched today; None without a last day.

    None also where direct answers are shown as they are given. The number of openings is that of
    the dates as they are now: days that are added later release nothing more.
    """
    if survey.released_together is None or survey.close_on is None:
        return None
    days = opening_of(survey).first_days(survey.close_on, today, MOST_RELEASES + 1)
    return ReleasePlan(len(days), survey.release_share or 100, survey.released_together)


def release_reasons(
    budget: PrivacyBudget | None, survey: Survey, questions: Sequence[Question]
) -> Iterator[str]:
    """Why a draft cannot promise that direct answers come to light as released tables alone."""
    if survey.released_together is None:
        return
    if not opening_of(survey).is_sealed:
        yield sentence(
            "A live survey cannot show direct answers only in released tables, because every "
            "batch would need tables of its own. Open answers at the close, or every few days."
        )
    yield from _release_budget_reasons(budget)
    if not any(_is_counted(one) for one in questions if not one.counted_table):
        yield sentence(
            "You chose to show direct answers only in released tables, but the survey has no "
            "direct question that tables can count. Add such a question, or show direct answers "
            "unchanged."
        )
    if releasing.registered() is None:
        yield sentence(
            "This installation cannot release tables. Show direct answers as they are given."
        )


def plan_reasons(questionnaire: Questionnaire) -> Iterator[str]:
    """Why its tables cannot be released at its openings: too many, too large, or not of tables."""
    plan, releaser = questionnaire.releases, releasing.registered()
    if plan is None or releaser is None:
        return
    if plan.openings > MOST_RELEASES:
        yield sentence(
            "Tables can be released at up to {most_releases} openings, but this survey has more "
            "openings. Leave more days between openings, or choose an earlier last day.",
            most_releases=MOST_RELEASES,
        )
        return
    if questionnaire.routes.has_rules:
        yield sentence(
            "The rules of this survey depend on direct answers. People who see which questions "
            "a person was asked would learn this person's direct answers exactly. Ask all people "
            "every question, or show direct answers unchanged."
        )
        return
    counted = [item for _, item in questionnaire.numbered.tabulated]
    uncounted = [item for item in questionnaire.row.hidden if item not in counted]
    for item in uncounted:
        yield sentence(
            "Tables cannot count the answers to “{text}”, because these answers are sent as "
            "given. Protect these answers by a design, or show direct answers unchanged.",
            text=item.text,
        )
    if not uncounted:
        yield from releaser.reasons(questionnaire)


def _release_budget_reasons(budget: PrivacyBudget | None) -> Iterator[str]:
    if budget is None or not budget.pays_for_tables:
        yield sentence(
            "All released tables are charged to a privacy budget. To show direct answers only "
            "in released tables, set a budget for free texts and tables of answers."
        )
    elif budget.adjacency != PrivacyBudget.Adjacency.REPLACE:
        yield sentence(
            "Each opening shows how many people answered. To show direct answers only in "
            "released tables, choose “One respondent's answers replaced by other answers” in the "
            "field “what reports hide” of the budget."
        )


def _pays_for(budget: PrivacyBudget, question: Question) -> bool:
    """Whether reports or tables of this question could draw on the budget."""
    return draft_kind(question).is_text or (budget.pays_for_tables and _is_counted(question))


def _is_counted(question: Question) -> bool:
    """Whether tables can count its answers, which are sent as given."""
    is_direct = question.design == Question.Design.DIRECT
    return is_direct and draft_kind(question).is_tabulated and not is_picked(question)


def _promised(budget: PrivacyBudget) -> PromisedBudget:
    return PromisedBudget(
        epsilon=as_written(budget.epsilon),
        delta=as_written(budget.delta),
        adjacency=budget.adjacency,
        source=budget.source,
    )


def _delta_reasons(budget: PromisedBudget, planned: int | None) -> Iterator[str]:
    if planned and budget.may_publish_somebody(planned):
        yield sentence(
            "The delta of the budget is {delta}. With {planned:,} planned responses, the delta "
            "must be below 1/{planned}. Otherwise a report may publish the whole text of one "
            "respondent. Choose a smaller delta.",
            planned=planned,
            delta=budget.delta,
        )
