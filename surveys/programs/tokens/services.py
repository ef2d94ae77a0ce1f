"""Make a token, revoke one or all, and write down the first use of a day."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from surveys.models import AccessToken, Survey
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.programs.tokens import scopes as scoped
from surveys.programs.tokens.queries import token_shown, tokens_for, tokens_of
from surveys.programs.tokens.scopes import NEEDS, OF_DRAFTS, Scope
from surveys.programs.tokens.texts import digest_of, letters_of, new_token, tokens_in
from surveys.staff.access import has_second_factor, may
from surveys.staff.accounts.tokens import described, revoke
from surveys.staff.audit.services import record
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet

USUAL_DAYS, MOST_DAYS = 90, 365
MOST_TOKENS = 50  # of one person


@dataclass(frozen=True)
class NewToken:
    """A token that was made, and its text, which is shown now and never again."""

    token: AccessToken
    text: str


@transaction.atomic
def make_token(
    *, survey: Survey | None, name: str, scopes: Collection[Scope], days: int, by: "User"
) -> NewToken:
    """Make a token for one survey, or without one for this person's drafts.

    Raises NotAllowed, or NotPossible (no second factor, no scope, too many days or tokens).
    """
    wanted = frozenset(scopes)
    # Two requests at once would both count one token too few.
    by = get_user_model().objects.select_for_update().get(pk=by.pk)
    today = timezone.now().date()
    _check_person(by, today)
    _check_scopes(survey, wanted, by)
    if not 1 <= days <= MOST_DAYS:
        raise NotPossible(
            gettext("Choose a number of days from 1 to {most}.").format(most=MOST_DAYS)
        )
    text = _unused_text()
    token = AccessToken.objects.create(
        person=by,
        survey=survey,
        name=name,
        scopes=scoped.written(wanted),
        letters=letters_of(text),
        digest=digest_of(text),
        made_on=today,
        last_day=today + timedelta(days=days - 1),
    )
    record("token made", by=by, survey=survey, after=described(token))
    return NewToken(token, text)


def _check_person(by: "User", today: date) -> None:
    if not by.is_active:
        raise NotAllowed(gettext("Your account is not active. Ask an administrator."))
    if not has_second_factor(by):
        raise NotPossible(
            gettext(
                "Set up a second factor first, because a program with a token can do what you can "
                "do."
            )
        )
    # Those whose last day has passed stay listed, and open nothing.
    if tokens_of(by).filter(last_day__gte=today).count() >= MOST_TOKENS:
        raise NotPossible(
            gettext("You already have {most} tokens. Revoke a token that you do not need.").format(
                most=MOST_TOKENS
            )
        )


def _check_scopes(survey: Survey | None, scopes: frozenset[Scope], by: "User") -> None:
    if not scopes:
        raise NotPossible(gettext("Choose what the program may do."))
    if survey is None and not scopes <= OF_DRAFTS:
        raise NotPossible(gettext("Drafts have no answers. Choose a survey to download answers."))
    if survey is not None and not all(may(by, survey, NEEDS[scope]) for scope in scopes):
        raise NotAllowed(
            gettext(
                "Your role in “{survey}” does not allow this access. Ask the owner of the survey."
            ).format(survey=survey)
        )


def _unused_text() -> str:
    while True:
        text = new_token()
        if not AccessToken.objects.filter(letters=letters_of(text)).exists():
            return text


@transaction.atomic
def revoke_own(*, token_id: UUID, by: "User") -> str:
    """Revoke a token of one's own; its name. Raises NotPossible."""
    return _revoke_one(tokens_of(by), token_id, by)


@transaction.atomic
def revoke_of_survey(*, survey: Survey, token_id: UUID, by: "User") -> str:
    """Revoke a token that reaches this survey; its name. Raises NotAllowed, NotPossible."""
    _check_owner(survey, by)
    return _revoke_one(tokens_for(survey), token_id, by)


@transaction.atomic
def revoke_all_own(*, by: "User") -> int:
    """Revoke all tokens of one's own; how many there were."""
    return revoke(tokens_of(by), by=by)


@transaction.atomic
def revoke_all_of_survey(*, survey: Survey, by: "User") -> int:
    """Revoke all tokens that reach this survey alone; how many there were. Raises NotAllowed."""
    _check_owner(survey, by)
    return revoke(tokens_for(survey), by=by)


@transaction.atomic
def revoke_leaked(address: str) -> int:
    """Revoke every token that stands in an address, which servers on its way have logged.

    Returns how many there were. What has the letters of a token and another end revokes nothing.
    """
    shown = (token_shown(text) for text in set(tokens_in(address)))
    leaked = [token.pk for token in shown if token]
    return revoke(AccessToken.objects.filter(pk__in=leaked), by=None, reason="in an address")


def record_use(token: AccessToken, resource: str, *, survey: Survey | None, today: date) -> None:
    """Write down the first use of a day of a resource by a token; later ones write nothing."""
    entry = f"{resource}@{survey.pk.hex[:8]}" if survey and token.survey_id is None else resource
    # Without a transaction: on SQLite each one waits for the one writer, as submissions do.
    if token.used_on != today or entry not in token.used_for.split():
        _write_use(token, entry, resource, survey=survey, today=today)


@transaction.atomic
def _write_use(
    token: AccessToken, entry: str, resource: str, *, survey: Survey | None, today: date
) -> None:
    # Two requests at once: the second waits, and sees what the first has written.
    locked = AccessToken.objects.select_for_update().filter(pk=token.pk).first()
    if locked is None:
        return
    used = locked.used_for.split() if locked.used_on == today else []
    if entry in used:
        return
    # Of a token that reaches many drafts the oldest use is forgotten, and written down once more.
    kept = " ".join([*used, entry][-12:])
    AccessToken.objects.filter(pk=token.pk).update(used_on=today, used_for=kept)
    after = {"token": token.letters, "resource": resource}
    record("token used", by=token.person, survey=survey, after=after)


def _check_owner(survey: Survey, by: "User") -> None:
    if not may(by, survey, Ability.RULE):
        raise NotAllowed(
            gettext(
                "You are not allowed to do this in “{survey}”. Ask the owner of the survey."
            ).format(survey=survey)
        )


def _revoke_one(tokens: "QuerySet[AccessToken]", token_id: UUID, by: "User") -> str:
    token = tokens.filter(pk=token_id).first()
    if token is None:
        raise NotPossible(gettext("Nothing was changed, because this token was already revoked."))
    revoke(tokens.filter(pk=token_id), by=by)
    return token.name
