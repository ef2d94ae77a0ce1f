"""Reads for respondents' pages: the survey to answer, how many answers wait."""

from uuid import UUID

from surveys.models import (
    Invitation,
    Revision,
    Survey,
    Waiting,
)
from surveys.models.queries import languages_of, launched_revision
from surveys.questionnaire import tokens
from surveys.questionnaire.short_names import keys_named


def survey_to_answer(survey_id: UUID) -> Survey:
    """A survey with its revision, in any state. Raises Survey.DoesNotExist."""
    surveys = Survey.objects.select_related("revision").defer("revision__document")
    return surveys.get(pk=survey_id)


def survey_named(typed: str) -> UUID:
    """The key of the survey by invitation with this short name. Raises Survey.DoesNotExist.

    Surveys that are open to all have none: their address is what keeps strangers out.
    """
    keys = keys_named(typed)
    if keys is None:
        raise Survey.DoesNotExist
    invited = Survey.objects.filter(invitation_only=True, pk__range=keys)
    found = list(invited.values_list("pk", flat=True)[:2])
    if len(found) != 1:
        raise Survey.DoesNotExist
    return found[0]


def offered_language(survey_id: UUID, wanted: str) -> str:
    """The wanted language if the survey reads in it, else its first one.

    Where nothing is launched a page only says so, which it does in any language.
    """
    try:
        offered = languages_of(launched_revision(survey_id))
    except Revision.DoesNotExist:
        return wanted
    return wanted if wanted in offered else offered[0]


def is_unused(survey_id: UUID, token: str) -> bool:
    """Whether this is an invitation to the survey that still counts."""
    digest = tokens.digest(token)
    return Invitation.objects.filter(pk=digest, survey=survey_id, redeemed=False).exists()


def waiting_count(revision_id: UUID) -> int:
    """How many submissions wait in the spool for their batch."""
    return Waiting.objects.filter(revision=revision_id).count()
