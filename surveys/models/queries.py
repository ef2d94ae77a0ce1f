"""Reads of launched surveys, for every room: revision, Questionnaire (cached), opened answers."""

from datetime import date
from functools import lru_cache
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Coalesce

from surveys.models import (
    Comment,
    Openings,
    Response,
    Revision,
    Survey,
)
from surveys.questionnaire.document import Questionnaire, languages_in


@lru_cache(maxsize=1024)
def launched_revision(survey_id: UUID) -> UUID:
    """The revision of a launched survey, read once per process: a survey is launched once.

    Raises Revision.DoesNotExist.
    """
    return Revision.objects.values_list("pk", flat=True).get(survey=survey_id)


def questionnaire_of(revision: Revision, language: str | None = None) -> Questionnaire:
    """The frozen questionnaire of a revision, in its first language unless told."""
    if language is None:  # the cache tells (key,) from (key, None): it would keep both
        return questionnaire_of_id(revision.pk)
    return questionnaire_of_id(revision.pk, language)


@lru_cache(maxsize=128)
def questionnaire_of_id(revision_id: UUID, language: str | None = None) -> Questionnaire:
    """The frozen questionnaire; read once per process, because a revision never changes.

    Raises MissingText for a language in which it does not read.
    """
    document = Revision.objects.values_list("document", flat=True).get(pk=revision_id)
    return Questionnaire.from_document(document, language)


@lru_cache(maxsize=1024)
def languages_of(revision_id: UUID) -> tuple[str, ...]:
    """The languages in which a launched questionnaire reads; its author's own is the first."""
    document = Revision.objects.values_list("document", flat=True).get(pk=revision_id)
    return languages_in(document)


def revision_of(survey: Survey) -> Revision | None:
    """What was launched; None for a draft."""
    return Revision.objects.filter(survey=survey).defer("document").first()


def is_erased(survey: Survey, today: date) -> bool:
    """Whether answers are gone or are going just now: half of them would say something wrong."""
    if survey.erased_on or survey.state == Survey.State.DRAFT:
        return survey.erased_on is not None
    return survey.delete_on is not None and survey.delete_on <= today


def opened_responses(revision_id: UUID) -> QuerySet[Response]:
    """The rows that exist for readers: those of openings that are done, or that never wait."""
    return Response.objects.filter(revision=revision_id, opening__lte=_last_opening(revision_id))


def opened_comments(revision_id: UUID) -> QuerySet[Comment]:
    """The texts that exist for readers."""
    return Comment.objects.filter(revision=revision_id, opening__lte=_last_opening(revision_id))


def _last_opening(revision_id: UUID) -> Coalesce:
    """The number of the last opening that is done; 0 before the first."""
    return Coalesce(Openings.objects.filter(pk=revision_id).values("done")[:1], 0)
