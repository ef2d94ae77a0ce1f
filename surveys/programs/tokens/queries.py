"""Reads of tokens: the one that a program shows, those of a person, those of a survey."""

from datetime import date
from typing import TYPE_CHECKING

from django.db.models import QuerySet
from django.utils.crypto import constant_time_compare

from surveys.models import AccessToken, Survey
from surveys.programs.tokens.texts import digest_of, letters_of
from surveys.staff.access import has_second_factor, surveys_for

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def token_shown(text: str) -> AccessToken | None:
    """The stored token that this is the text of; None for all other texts."""
    letters = letters_of(text)
    tokens = AccessToken.objects.select_related("person").filter(letters=letters)
    token = tokens.first() if letters else None
    # The letters are no secret: how much of the rest is right must not show in the time it takes.
    if token is None or not constant_time_compare(token.digest, digest_of(text)):
        return None
    return token


def may_act(token: AccessToken, today: date) -> bool:
    """Whether a program may act with it now.

    Its person may have lost the account, the second factor or the role since it was made.
    """
    if token.is_over(today) or not token.person.is_active or not has_second_factor(token.person):
        return False
    return token.survey_id is None or reached(token).exists()


def reached(token: AccessToken) -> QuerySet[Survey]:
    """The surveys that it reaches, if its person still sees them."""
    surveys = surveys_for(token.person)
    if token.survey_id is None:
        return surveys.filter(owner=token.person, state=Survey.State.DRAFT)
    return surveys.filter(pk=token.survey_id)


def tokens_of(person: "User") -> QuerySet[AccessToken]:
    """What this person's programs have, by name."""
    return AccessToken.objects.filter(person=person).select_related("survey")


def tokens_for(survey: Survey) -> QuerySet[AccessToken]:
    """All tokens that reach one survey alone, of whichever person."""
    tokens = AccessToken.objects.filter(survey=survey).select_related("person")
    return tokens.order_by("person__username", "name", "pk")
