"""Store a draft that was fitted to the database."""

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from surveys.authoring.first_steps.services import KEPT
from surveys.authoring.importing.fitting import FittedDraft
from surveys.authoring.services import record_creation
from surveys.models import Catalogue, Condition, Option, Question, Survey, Translation

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def store(draft: FittedDraft, *, by: "User") -> Survey:
    """A draft of this person's, with all its questions; the last day is left to its author.

    A rating whose catalogue this person does not have is marked unfinished.
    """
    survey = draft.survey
    survey.owner = by
    survey.contact = survey.contact or by.email
    survey.delete_on = timezone.now().date() + KEPT
    survey.save()
    catalogues = {each.name: each for each in Catalogue.objects.filter(owner=by)}
    for question in draft.questions:
        wanted = draft.catalogues.get(question.pk)
        if wanted:
            question.catalogue = catalogues.get(wanted)
            question.unfinished = question.unfinished or (None if question.catalogue else True)
    Question.objects.bulk_create(draft.questions)
    Option.objects.bulk_create(draft.options)
    Condition.objects.bulk_create(draft.conditions)
    Translation.objects.bulk_create(
        Translation(survey=survey, language=language, digest=digest, text=text)
        for (language, digest), text in draft.translations.items()
    )
    record_creation(survey, by=by)
    return survey
