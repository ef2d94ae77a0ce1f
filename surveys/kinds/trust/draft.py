"""The trust block of a draft: whether respondents believe the protection, and others' honesty."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext

from surveys.authoring.draft.building import common_fields, levels_of, with_device
from surveys.authoring.draft.kinds import DraftKind
from surveys.kinds.number.promise import NumberQuestion, NumberRange
from surveys.models import Question, Survey
from surveys.models.refusals import NotPossible
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.questionnaire.messages import message
from surveys.randomized_response.messages import sentence
from surveys.staff import differences
from surveys.staff.audit.services import record
from surveys.staff.locks import locked
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from django.contrib.auth.models import User

SECTION = "About this survey"
BELIEVED = (
    message("Not at all"),
    message("A little"),
    message("Mostly"),
    message("Completely"),
)
OF_100 = NumberRange("0", "100", 0)
# What the block asks; an author may change the words, and the answers stay.
TEXTS = {
    Question.Kind.TRUST: (
        "How far do you believe that no one can learn your true answers to the protected questions?"
    ),
    Question.Kind.HONEST: (
        "Think of 100 people like you. How many of them answer the protected questions honestly?"
    ),
}


def _trust(question: Question) -> PromisedQuestion:
    levels = levels_of(question, BELIEVED)
    return with_device(question, levels, tuple(range(len(levels))))


def _honest(question: Question) -> NumberQuestion:
    return NumberQuestion(**common_fields(question), number=OF_100)


def trust_reasons(question: Question) -> Iterator[str]:
    """Why it cannot be launched as it is drafted."""
    if question.design != Question.Design.DIRECT:
        yield sentence(
            "A question about trust can only be asked directly. Choose the design “Direct”."
        )


@transaction.atomic
def add_trust_block(*, survey: Survey, by: "User") -> list[Question]:
    """Append both questions to a draft; in a section of their own where it has sections.

    Raises NotAllowed or NotPossible (not a draft, or one of them is there already).
    """
    survey = locked(survey, by, Ability.EDIT)
    if survey.state != Survey.State.DRAFT:
        launched = gettext(
            "The questions of a launched survey cannot be changed, because respondents were "
            "promised these questions."
        )
        raise NotPossible(launched)
    if survey.questions.filter(kind__in=TEXTS).exists():
        raise NotPossible(gettext("This draft already has questions about trust."))
    before = differences.described(survey)
    last = survey.questions.order_by("position").last()
    first = 0 if last is None else last.position + 1
    has_sections = survey.questions.exclude(section="").exists()
    section = SECTION if has_sections else ""
    added = [
        Question.objects.create(
            survey=survey,
            position=position,
            kind=kind,
            text=TEXTS[kind],
            design=Question.Design.DIRECT,
            section=section if position == first else "",
        )
        for position, kind in enumerate(TEXTS, start=first)
    ]
    old, new = differences.between(before, differences.described(survey))
    record("edited", by=by, survey=survey, before=old, after=new)
    return added


DRAFTS = {
    Question.Kind.TRUST: DraftKind(build=_trust, reasons=trust_reasons, is_tabulated=True),
    Question.Kind.HONEST: DraftKind(build=_honest, reasons=trust_reasons, is_tabulated=True),
}
