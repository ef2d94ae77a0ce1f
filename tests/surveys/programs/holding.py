"""Tokens as tests need them: of a person with a second factor."""

import time
from collections.abc import Iterable

from allauth.account.internal.flows import login
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.test import Client

from surveys.models import Survey
from surveys.programs.tokens.scopes import Scope
from surveys.programs.tokens.services import make_token
from tests.accounts import set_up_app


def token_of(person: User, survey: Survey | None, *scopes: str, days: int = 90) -> str:
    """The text of a new token; the person gets a second factor before, if there is none."""
    if not Authenticator.objects.filter(user=person, type="totp").exists():
        set_up_app(person)
    wanted = [Scope(name) for name in scopes]
    return make_token(survey=survey, name="a script", scopes=wanted, days=days, by=person).text


def show_factor(client: Client, person: User, *, ago: float = 0) -> None:
    """Let the client's session have given the second factor, so many seconds ago."""
    session = client.session
    session[login._AUTHENTICATION_METHODS_USER_SESSION_KEY] = str(person.pk)
    records = [{"method": "mfa", "at": time.time() - ago}]
    session[login.AUTHENTICATION_METHODS_SESSION_KEY] = records
    session.save()


def as_token(text: str) -> dict[str, str]:
    """The header of a request with this token, for a client of tests."""
    return {"Authorization": f"Bearer {text}"}


def without(text: str, stored: Iterable[str]) -> bool:
    """Whether neither the token nor its secret part stands in any of these."""
    return not any(text in one or text[-43:] in one for one in stored)
