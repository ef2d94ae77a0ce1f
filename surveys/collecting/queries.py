"""Reads: the survey to answer, how many answers wait, how many of a survey were set aside."""

from dataclasses import dataclass
from datetime import date
from uuid import UUID

from surveys.models import (
    Invitation,
    Revision,
    SetAside,
    Survey,
    Waiting,
)
from surveys.models.plain_sql import as_stored, read, read_day
from surveys.models.queries import languages_of, launched_revision, questionnaire_of_id
from surveys.models.refusals import NotOpen
from surveys.models.surveys import takes_answers
from surveys.questionnaire import tokens
from surveys.questionnaire.short_names import keys_named
from surveys.web.locales import locale_in

STANDING = "SELECT state, close_on, delete_on FROM surveys_survey WHERE id = %(survey)s"


def survey_to_answer(survey_id: UUID) -> Survey:
    """A survey with its revision, in any state. Raises Survey.DoesNotExist."""
    surveys = Survey.objects.select_related("revision").defer("revision__document")
    return surveys.get(pk=survey_id)


def last_day_of_open(survey_id: UUID, today: date) -> date | None:
    """The last day of a survey that takes answers, if it has one.

    Raises Survey.DoesNotExist or NotOpen. Every page asks this anew, and nothing else.
    """
    for state, *days in read(STANDING, {"survey": as_stored(survey_id)}):
        close_on, delete_on = (day and read_day(day) for day in days)
        if takes_answers(state, close_on, delete_on, today):
            return close_on
    raise NotOpen(survey_to_answer(survey_id), was_sent=False)


def survey_named(typed: str) -> UUID:
    """The key of the survey by invitation with this short name. Raises Survey.DoesNotExist.

    Surveys that are open to all have none: their address is what keeps strangers out.
    """
    keys = keys_named(typed)
    if keys is None:
        raise Survey.DoesNotExist
    invited = Survey.objects.filter(invitation_only=True, pk__range=keys)
    survey_ids = list(invited.values_list("pk", flat=True)[:2])
    if len(survey_ids) != 1:
        raise Survey.DoesNotExist
    return survey_ids[0]


def offered_language(survey_id: UUID, wanted: str) -> str:
    """The wanted language if the survey reads in it, else its first one.

    Where nothing is launched a page only says so, which it does in any language.
    """
    try:
        offered = languages_of(launched_revision(survey_id))
    except Revision.DoesNotExist:
        return wanted
    return wanted if wanted in offered else offered[0]


def locale_of(survey_id: UUID, language: str) -> str:
    """What Django speaks on this survey's pages in this language; the language for a draft's."""
    try:
        return locale_in(questionnaire_of_id(launched_revision(survey_id), language), language)
    except Revision.DoesNotExist:
        return language


def is_unused(survey_id: UUID, token: str) -> bool:
    """Whether this is an invitation to the survey that still counts."""
    digest = tokens.digest(token)
    return Invitation.objects.filter(pk=digest, survey=survey_id, redeemed=False).exists()


def waiting_count(revision_id: UUID) -> int:
    """How many submissions wait in the spool for their batch."""
    return Waiting.objects.filter(revision=revision_id).count()


@dataclass(frozen=True)
class SetAsideCount:
    """How many answers were set aside, as all may know it.

    ``at_least`` is in steps of a batch while the survey is open, and exact afterwards.
    """

    at_least: int
    step: int
    is_exact: bool

    @property
    def is_any(self) -> bool:
        """Whether there are any."""
        return not self.is_exact or self.at_least > 0

    @property
    def in_words(self) -> str:
        """For commands and the audit log."""
        if self.is_exact:
            return f"{self.at_least:,} answer{'' if self.at_least == 1 else 's'}"
        if self.at_least < self.step:
            return f"fewer than {self.step:,} answers"
        return f"at least {self.at_least:,} answers"


def set_aside_count(survey: Survey) -> SetAsideCount:
    """How many acknowledged answers to a survey no key opens; see ``lost_batches``."""
    count = SetAside.objects.filter(revision__survey=survey).count()
    if not count or survey.state != Survey.State.OPEN:
        return SetAsideCount(count, 1, is_exact=True)
    step = questionnaire_of_id(launched_revision(survey.pk)).batch_size
    return SetAsideCount(count // step * step, step, is_exact=False)
