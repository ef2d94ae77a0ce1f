"""Reads for respondents' pages: the survey to answer, how many answers wait."""

from uuid import UUID

from surveys.models import (
    Survey,
    Waiting,
)


def survey_to_answer(survey_id: UUID) -> Survey:
    """A survey with its revision, in any state. Raises Survey.DoesNotExist."""
    surveys = Survey.objects.select_related("revision").defer("revision__document")
    return surveys.get(pk=survey_id)


def waiting_count(revision_id: UUID) -> int:
    """How many submissions wait in the spool for their batch."""
    return Waiting.objects.filter(revision=revision_id).count()
