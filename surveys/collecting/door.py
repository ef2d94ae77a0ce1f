"""The door: whether an invitation would be let in, asked before the first question.

It only reads, and says of an invitation that it was used as it stood when the day began (UTC). So
who tries another person's code learns on which day they answered at most, and never in which order
people did. What is announced is renewed by the first submission of a day, before it redeems its own
invitation; until then nothing was redeemed since the day began, and the live state is that of then.
"""

from datetime import date
from enum import Enum
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from surveys.models import Invitation, Survey
from surveys.questionnaire import tokens

_renewed: dict[UUID, date] = {}


class CodeStanding(Enum):
    """What the door finds of a code."""

    ADMITTED = "admitted"
    USED = "used"
    UNKNOWN = "unknown"


def standing_of(survey_id: UUID, token: str) -> CodeStanding:
    """Of a canonical token, in one query, so that nothing comes between what it reads."""
    invitations = Invitation.objects.filter(pk=tokens.digest(token), survey=survey_id)
    row = invitations.values_list("redeemed", "announced", "survey__announced_on").first()
    if row is None:
        return CodeStanding.UNKNOWN
    redeemed, announced, renewed_on = row
    is_renewed = renewed_on is not None and renewed_on >= timezone.now().date()
    was_used = announced if is_renewed else redeemed
    return CodeStanding.USED if was_used else CodeStanding.ADMITTED


def renew(survey_id: UUID) -> None:
    """Announce what was used before today, unless that was done; before today's first redemption.

    The survey's row is updated first, so of two processes one waits for the other and does nothing.
    """
    today = timezone.now().date()
    if _renewed.get(survey_id) == today:
        return
    before = Q(announced_on=None) | Q(announced_on__lt=today)
    with transaction.atomic():
        if Survey.objects.filter(before, pk=survey_id).update(announced_on=today):
            used = Invitation.objects.filter(survey=survey_id, redeemed=True, announced=False)
            used.update(announced=True)
    # Not before the commit: if that fails, the next submission renews.
    _renewed[survey_id] = today
