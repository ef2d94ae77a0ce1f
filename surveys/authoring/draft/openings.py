"""From a draft's choice to an OpeningPlan, and the reasons why a choice cannot be kept."""

from collections.abc import Iterator, Sequence
from datetime import date

from django.utils.translation import gettext

from surveys.authoring.draft.reasons import Reason
from surveys.models import Question, Survey
from surveys.questionnaire.plans.openings import (
    DAY,
    OpeningPlan,
    days_that_would_do,
    least_planned,
)
from surveys.wording.language.numbers import grouped

Opening = Survey.Opening


def opening_of(survey: Survey) -> OpeningPlan:
    """What a draft promises about openings; its opening key is made at launch."""
    usual = Opening.CLOSE if survey.invitation_only else Opening.EVERY
    return OpeningPlan(
        when=Opening(survey.opening or usual).value,
        days=survey.opening_days,
        hour=survey.opening_hour,
        below_k=survey.below_k,
    )


def openings_planned(survey: Survey, today: date) -> int | None:
    """How many openings there are if a draft is launched today; None if none can be planned."""
    plan = opening_of(survey)
    if not plan.is_sealed or survey.close_on is None:
        return None
    return plan.looks_between(survey.close_on, today)


def opening_reasons(survey: Survey, questions: Sequence[Question], today: date) -> Iterator[str]:
    """Why these openings cannot be promised."""
    plan = opening_of(survey)
    if not plan.is_sealed:
        if survey.invitation_only:
            yield Reason(
                gettext(
                    "A survey with invitations cannot be live, because a person who hands out "
                    "invitations could single out one person's answers. Open answers at the "
                    "close."
                ),
                "opening",
            )
        return
    if survey.close_on is None:
        yield Reason(
            gettext(
                "Choose a last day, because sealed answers are opened after the last day. Only a "
                "live survey needs no last day."
            ),
            "close_on",
        )
        return
    if survey.delete_on and survey.delete_on <= survey.close_on + DAY:
        yield Reason(
            gettext(
                "The answers would be deleted on the day on which they are opened. Leave at least "
                "one day between opening and deletion."
            ),
            "delete_on",
        )
    if plan.when == Opening.EVERY:
        yield from _period_reasons(survey, plan, survey.close_on, today)
    elif any(question.adaptive for question in questions):
        yield gettext(
            "To show well-rated items more often, the survey needs answers that are opened "
            "before the close. Open answers every few days, or show all items equally often."
        )


def _period_reasons(
    survey: Survey, plan: OpeningPlan, last_day: date, today: date
) -> Iterator[str]:
    """Fewer than two batches in a period would put off one opening after the other."""
    open_for = max((last_day + DAY - today).days, 1)
    planned, least = survey.planned_responses, survey.batch_size
    if not planned:
        yield Reason(
            gettext(
                "Enter how many responses you plan. If answers are opened every few days, each "
                "opening needs at least {least} answers."
            ).format(least=2 * least),
            "planned_responses",
        )
        return
    if planned >= least_planned(plan.days, open_for, least):
        return
    days = days_that_would_do(planned, open_for, least)
    remedy = (
        gettext("open answers every {days} days").format(days=days)
        if days
        else gettext("open answers at the close")
    )
    words = gettext(
        "Each opening needs at least {least} responses. With {planned} planned responses in "
        "{open_for} days, fewer would come within {days} days. What you can do: {remedy}."
    )
    yield Reason(
        words.format(
            planned=grouped(planned),
            open_for=grouped(open_for),
            least=2 * least,
            days=plan.days,
            remedy=remedy,
        ),
        "opening",
    )
