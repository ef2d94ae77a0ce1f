"""Copies: of a survey as a new draft, and of questions into a draft. New keys, never data."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Max, Model, Q, QuerySet
from django.utils.translation import gettext

from surveys.models import (
    Condition,
    Option,
    PrivacyBudget,
    Question,
    Survey,
    TallyTable,
    Translation,
)
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.questionnaire.logic.quotes import renumbered
from surveys.staff import differences
from surveys.staff.access import may
from surveys.staff.audit.services import record
from surveys.staff.locks import locked
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from django.contrib.auth.models import User

TITLE = "Copy of {}"
# The days of a survey were meant for its own fieldwork, and may have passed.
COPIED_OF_SURVEY = (*Survey.PROMISED, *Survey.PLAN, "planned_failure")
Row = TypeVar("Row", bound=Model)


@transaction.atomic
def copy_survey(*, survey: Survey, by: "User") -> Survey:
    """A new draft that asks the same, owned by who copies; drafts, open and closed ones alike.

    It has keys of its own; no days, answers, invitations, or members. Raises NotAllowed or
    NotPossible (deleted meanwhile).
    """
    source = locked(survey, by, Ability.EDIT)
    kept: dict[str, Any] = {name: getattr(source, name) for name in COPIED_OF_SURVEY}
    kept["title"] = TITLE.format(source.title)[: Survey._meta.get_field("title").max_length]
    copy = Survey.objects.create(owner=by, **kept)
    keys = {source.pk: copy.pk}
    PrivacyBudget.objects.bulk_create(_again(row, keys) for row in source.budgets.all())
    TallyTable.objects.bulk_create(_again(row, keys) for row in source.locked_tables.all())
    _copy_questions(list(source.questions.all()), copy, first=0)
    Translation.objects.bulk_create(_again(row, keys) for row in source.translations.all())
    record("copied", by=by, survey=source, after={"copy": str(copy.pk)})
    made = {**differences.described_flat(copy), "copied from": str(source.pk)}
    record("created", by=by, survey=copy, after=made)
    return copy


@transaction.atomic
def copy_questions(*, questions: Sequence[Question], to: Survey, by: "User") -> list[Question]:
    """Append copies of questions of any surveys that this person may edit to a draft.

    A condition is copied if the question that it reads is among them or in that draft.
    Raises NotAllowed or NotPossible (not a draft).
    """
    survey = locked(to, by, Ability.EDIT)
    if survey.state != Survey.State.DRAFT:
        raise NotPossible(
            gettext(
                "The questions of a launched survey cannot be changed, because respondents were "
                "promised these questions."
            )
        )
    for source in {question.survey for question in questions}:
        if not may(by, source, Ability.EDIT):
            raise NotAllowed(
                gettext(
                    "Nothing was copied, because you may not copy from “{survey}”. Ask the owner "
                    "of that survey."
                ).format(survey=source)
            )
    before = differences.described(survey)
    last = survey.questions.aggregate(last=Max("position"))["last"]
    copies = _copy_questions(questions, survey, first=0 if last is None else last + 1)
    _keep_quotes(questions, copies, survey)
    old, new = differences.between(before, differences.described(survey))
    record("edited", by=by, survey=survey, before=old, after=new)
    return copies


def _copy_questions(questions: Sequence[Question], to: Survey, *, first: int) -> list[Question]:
    """Copies with their options and conditions, at positions from ``first`` on."""
    keys = {question.survey_id: to.pk for question in questions}
    keys |= {question.pk: uuid4() for question in questions}
    copies = [_again(question, keys) for question in questions]
    names = {(name or "").casefold() for name in to.questions.values_list("name", flat=True)}
    for position, (question, copy) in enumerate(zip(questions, copies, strict=True), start=first):
        copy.pk, copy.position = keys[question.pk], position
        folded = (copy.name or "").casefold()
        if folded in names:  # files could not tell the two apart
            copy.name = None
        names.add(folded)
    Question.objects.bulk_create(copies)
    options = Option.objects.filter(question__in=questions)
    Option.objects.bulk_create(_again(option, keys) for option in options)
    Condition.objects.bulk_create(_again(row, keys) for row in _conditions(questions, to))
    return copies


def _keep_quotes(questions: Sequence[Question], copies: Sequence[Question], to: Survey) -> None:
    """Let copies quote the copies of what they quoted; 0 where that was not copied."""
    new = {key: n for n, key in enumerate(to.questions.values_list("pk", flat=True), start=1)}
    new |= {old.pk: new[copy.pk] for old, copy in zip(questions, copies, strict=True)}
    for old, copy in zip(questions, copies, strict=True):
        keys = old.survey.questions.values_list("pk", flat=True)
        copy.text = renumbered(
            old.text, {number: new.get(key, 0) for number, key in enumerate(keys, start=1)}
        )
    Question.objects.bulk_update(copies, ["text"])


def _conditions(questions: Sequence[Question], to: Survey) -> QuerySet[Condition]:
    """Those whose source is copied too, or stands in the draft already."""
    known = Q(source__in=questions) | Q(source__survey=to)
    return Condition.objects.filter(known, question__in=questions)


def _again(row: Row, keys: Mapping[UUID, UUID]) -> Row:
    """A row with a key of its own and all values of another; not saved.

    ``keys`` says which rows it belongs to or names in the place of others.
    """
    fields = [field for field in row._meta.concrete_fields if not field.primary_key]
    values = {field.attname: getattr(row, field.attname) for field in fields}
    linked = {field.attname for field in fields if field.is_relation}
    return type(row)(
        **{name: keys.get(old, old) if name in linked else old for name, old in values.items()}
    )
