"""Store a draft that was fitted to the database."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from surveys.authoring.first_steps.services import KEPT
from surveys.authoring.importing.fitting import FittedDraft
from surveys.authoring.services import begin_edit, record_creation, record_edit
from surveys.definitions.definition import Promises
from surveys.models import Catalogue, Condition, Option, Question, Survey, Translation

if TYPE_CHECKING:
    from django.contrib.auth.models import User


RowsAsRead = tuple[list[tuple[Any, ...]], ...]
# What a definition says of the survey itself.
IN_A_DEFINITION = (
    *("language", "also_in", "title", "introduction", "organisation", "contact", "arms"),
    "explanations",
    *(promise.name for promise in fields(Promises)),
)


def given_to(draft: FittedDraft, owner: "User") -> Survey:
    """The survey as it will be this person's, and not stored yet."""
    survey = draft.survey
    survey.owner = owner
    survey.contact = survey.contact or owner.email
    survey.delete_on = timezone.now().date() + KEPT
    _name_catalogues(draft, owner)
    return survey


@transaction.atomic
def store(draft: FittedDraft, *, by: "User") -> Survey:
    """A draft of this person's, with all its questions; the last day is left to its author.

    A rating whose catalogue this person does not have is marked unfinished.
    """
    survey = given_to(draft, by)
    survey.save()
    _create_rows(draft, survey)
    record_creation(survey, by=by)
    return survey


def rows_of(survey: Survey) -> RowsAsRead:
    """All that a draft is written from, as it is stored now: cheaper than to write it."""
    questions = Question.objects.filter(survey=survey).order_by("pk")
    tables = (
        Survey.objects.filter(pk=survey.pk),
        questions,
        Option.objects.filter(question__survey=survey).order_by("pk"),
        Condition.objects.filter(question__survey=survey).order_by("pk"),
        Translation.objects.filter(survey=survey).order_by("pk"),
    )
    catalogues = Catalogue.objects.filter(pk__in=questions.values("catalogue")).order_by("pk")
    return (*(list(rows.values_list()) for rows in tables), list(catalogues.values_list("name")))


@transaction.atomic
def replace_draft(draft: FittedDraft, *, survey: Survey, as_read: RowsAsRead, by: "User") -> bool:
    """Put a draft in the place of a survey's questions and promises, and say whether it was.

    Nothing is changed unless the survey, which no one else can change meanwhile, is stored as it
    was when it was read. What no definition has stays: owner, days, plan, budgets, keys. Raises
    NotAllowed, or NotPossible if the survey was launched or deleted since.
    """
    before = begin_edit(survey=survey, by=by)
    if rows_of(survey) != as_read:
        return False
    current = Survey.objects.get(pk=survey.pk)
    for name in IN_A_DEFINITION:
        setattr(current, name, getattr(draft.survey, name))
    current.save(update_fields=IN_A_DEFINITION)
    current.questions.all().delete()
    current.translations.all().delete()
    for question in draft.questions:
        question.survey = current
    _name_catalogues(draft, current.owner)
    _create_rows(draft, current)
    record_edit(current, before=before, by=by)
    return True


def _name_catalogues(draft: FittedDraft, owner: "User") -> None:
    """Give ratings the catalogues of this person; one without is marked unfinished."""
    catalogues = {each.name: each for each in Catalogue.objects.filter(owner=owner)}
    for question in draft.questions:
        wanted = draft.catalogues.get(question.pk)
        if wanted:
            question.catalogue = catalogues.get(wanted)
            question.unfinished = question.unfinished or (None if question.catalogue else True)


def _create_rows(draft: FittedDraft, survey: Survey) -> None:
    Question.objects.bulk_create(draft.questions)
    Option.objects.bulk_create(draft.options)
    Condition.objects.bulk_create(draft.conditions)
    Translation.objects.bulk_create(
        Translation(survey=survey, language=language, digest=digest, text=text)
        for (language, digest), text in draft.translations.items()
    )
