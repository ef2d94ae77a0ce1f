"""start_address: where respondents begin, as pages of staff, mailings and sheets link to it."""

from uuid import UUID

from django.urls import reverse
from django.utils.translation import override


def start_address(survey_id: UUID, language: str) -> str:
    """The first page of respondents in this language: the survey's own, not the linking page's."""
    with override(language):
        return reverse("respondent:start", args=[survey_id])
