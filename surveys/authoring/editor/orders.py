"""Orders of a draft's questions: by numbers that people type, as a block; written as one move."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext_lazy

from surveys.authoring.draft.layout import section_members
from surveys.authoring.services import keep_quotes
from surveys.models import Question, Survey
from surveys.models.refusals import NotPossible
from surveys.staff.audit.services import record
from surveys.staff.locks import locked
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from django.contrib.auth.models import User

LAUNCHED = gettext_lazy(
    "The order of questions in a launched survey cannot be changed, because respondents were "
    "promised this order."
)
LOSES_RULE = gettext_lazy(
    "“{question}” begins a section with a rule. If you move or delete only this question, the "
    "other questions of the section lose the rule. Move the whole section, or first empty “The "
    "section is asked if” on the page of this question."
)
CHANGED = gettext_lazy(
    "Nothing was moved, because another person added, moved or deleted a question since you "
    "opened this list. The list below is up to date."
)


def renumbered(order: Sequence[UUID], numbers: Mapping[UUID, int]) -> list[UUID]:
    """The order in which each of these questions has its number, from 1; the others stay in turn.

    Where two have the same number, the one that stood before comes first. A number beyond the
    last is the last.
    """
    wishes = sorted(
        (number, position) for position, key in enumerate(order) if (number := numbers.get(key))
    )
    moved = {position for _, position in wishes}
    placed: dict[int, UUID] = {}
    for number, position in wishes:
        placed[_nearest_free(number - 1, placed, len(order))] = order[position]
    others = iter([key for position, key in enumerate(order) if position not in moved])
    return [
        placed[position] if position in placed else next(others) for position in range(len(order))
    ]


def _nearest_free(position: int, occupied: Collection[int], size: int) -> int:
    """The place itself, the next one that is free, or else the last one before it."""
    ways = [*range(position, size), *range(min(position, size) - 1, -1, -1)]
    return next(candidate for candidate in ways if candidate not in occupied)


def together(order: Sequence[UUID], chosen: Collection[UUID], number: int) -> list[UUID]:
    """The order in which the chosen questions follow each other, the first at this number."""
    block = [key for key in order if key in chosen]
    others = [key for key in order if key not in chosen]
    position = min(number - 1, len(others))
    return [*others[:position], *block, *others[position:]]


def _keep_section_rules(
    questions: Mapping[UUID, Question], shown: Sequence[UUID], order: Sequence[UUID]
) -> None:
    """Raises NotPossible where a section's rule would leave the questions that have it."""
    after = section_members([questions[key] for key in order])
    for start, others in section_members([questions[key] for key in shown]).items():
        stay = set(others).intersection(after[start])
        before_it = set(order[: order.index(start)]).intersection(others)
        if questions[start].section_shape and others and (before_it or not stay):
            raise NotPossible(LOSES_RULE.format(question=questions[start].text))


@transaction.atomic
def arrange_questions(
    *, survey: Survey, shown: Sequence[UUID], order: Sequence[UUID], by: "User"
) -> None:
    """Give a draft's questions this order, if they still stand as they were shown.

    Raises NotAllowed, or NotPossible (not a draft, changed since, or a text whose quotes get too
    long).
    """
    draft = locked(survey, by, Ability.EDIT)
    if draft.state != Survey.State.DRAFT:
        raise NotPossible(str(LAUNCHED))
    questions = {question.pk: question for question in draft.questions.all()}
    if list(questions) != list(shown) or set(order) != set(questions):
        raise NotPossible(str(CHANGED))
    _keep_section_rules(questions, shown, order)
    for position, key in enumerate(order):
        questions[key].position = position
    Question.objects.bulk_update(questions.values(), ["position"])
    keep_quotes(draft, shown)
    if list(order) != list(shown):
        old_numbers = {key: number for number, key in enumerate(shown, start=1)}
        after = {"order": [old_numbers[key] for key in order]}
        record(
            "moved",
            by=by,
            survey=draft,
            before={"order": sorted(old_numbers.values())},
            after=after,
        )
