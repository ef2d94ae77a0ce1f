"""Accounts of staff: export and erase one, forget its second factors, record refused logins."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.admin.models import LogEntry
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Q

from surveys import PROGRAM
from surveys.models import AccessToken, AuditEntry, Catalogue, Membership, Survey
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.staff.accounts.tokens import revoke
from surveys.staff.audit.services import record

if TYPE_CHECKING:
    from django.db.models import QuerySet

FIELDS = (
    "id",
    "username",
    "first_name",
    "last_name",
    "email",
    "is_active",
    "is_staff",
    "is_superuser",
    "date_joined",
    "last_login",
)


def refuse_login(name: str) -> None:
    """Write down a failed login: about which account, if there is one. Never what was typed."""
    account = User.objects.filter(username__iexact=name).values_list("pk", flat=True).first()
    record("login refused", by=None, after={"account": account})


@transaction.atomic
def export(*, account: User, by: User | None) -> dict[str, Any]:
    """Everything that is stored about an account; ``by`` None is the operator.

    Raises NotAllowed.
    """
    _require_administrator(by)
    record("account exported", by=by, after={"account": account.pk})
    factors = Authenticator.objects.filter(user=account).order_by("pk")
    member = Membership.objects.filter(user=account)
    about = Q(before__account=account.pk) | Q(after__account=account.pk)
    entries = AuditEntry.objects.filter(Q(actor=account.pk) | about)
    data = {
        "surveys_owned": Survey.objects.filter(owner=account).values("id", "title", "state"),
        "catalogues_owned": Catalogue.objects.filter(owner=account).values("id", "name"),
        "memberships": member.values("survey", "survey__title", "role"),
        "second_factors": factors.values("type", "created_at", "last_used_at"),
        "audit_entries": entries.values("at", "actor", "survey", "action", "before", "after"),
        "tokens": AccessToken.objects.filter(person=account).values(
            "name", "survey", "scopes", "letters", "made_on", "last_day", "used_on"
        ),
        "admin_history": _history(account).values("action_time", "object_repr", "change_message"),
    }
    return {
        "program": PROGRAM,
        "profile": _profile(account),
        "sessions": len(list(_sessions(account))),
        **{name: list(rows) for name, rows in data.items()},
    }


@transaction.atomic
def erase(*, account: User, by: User | None) -> None:
    """Delete an account with all that names it; ``by`` None is the operator.

    Entries of the audit log name people by a number only and stay. Raises NotAllowed, or
    NotPossible with the surveys that must be handed over first.
    """
    _require_administrator(by)
    account = User.objects.select_for_update().get(pk=account.pk)
    owned = list(Survey.objects.filter(owner=account).values_list("title", flat=True))
    if owned:
        raise NotPossible(
            f"This account owns {_counted(owned)}. Hand over or delete each of them first, "
            "then erase the account."
        )
    _require_no_catalogues(account)
    record("account erased", by=by, after={"account": account.pk})
    Session.objects.filter(pk__in=list(_sessions(account))).delete()
    _history(account).delete()
    account.delete()


@transaction.atomic
def forget_factors(*, account: User, by: User | None) -> int:
    """Remove a lost second factor: the password alone logs in. Ends all sessions and tokens.

    Returns how many were removed, recovery codes included. Raises NotAllowed.
    """
    _require_administrator(by)
    removed, _ = Authenticator.objects.filter(user=account).delete()
    Session.objects.filter(pk__in=list(_sessions(account))).delete()
    # With the next factor they would act again, for a thief too.
    revoke(AccessToken.objects.filter(person=account), by=by, reason="second factors removed")
    record("second factors removed", by=by, after={"account": account.pk, "removed": removed})
    return removed


def end_other_sessions(*, account: User, kept: str | None) -> None:
    """Log an account out wherever it is logged in but for the session with the key ``kept``.

    Logins end, too, that have given a password and not yet a second factor.
    """
    others = [key for key in _sessions(account) if key != kept]
    Session.objects.filter(pk__in=others).delete()


def _require_administrator(by: User | None) -> None:
    if by is not None and not (by.is_active and by.is_superuser):
        raise NotAllowed("Only an administrator may do this to an account; ask one.")


def _profile(account: User) -> dict[str, Any]:
    return {
        **{name: getattr(account, name) for name in FIELDS},
        "groups": list(account.groups.values_list("name", flat=True)),
        "permissions": list(account.user_permissions.values_list("codename", flat=True)),
        "addresses": list(
            EmailAddress.objects.filter(user=account).values_list("email", flat=True)
        ),
    }


def _history(account: User) -> "QuerySet[LogEntry]":
    """What Django's admin remembers by this account, and what there names it."""
    users = ContentType.objects.get_for_model(User)
    about = Q(content_type=users, object_id=str(account.pk))
    # A membership is shown as "name: role", alone and in its survey's history.
    about |= Q(object_repr__startswith=f"{account.username}: ")
    # As Django writes it into JSON, without the brace before it and what ends it.
    about |= Q(change_message__contains=json.dumps({"object": f"{account.username}: "})[1:-2])
    return LogEntry.objects.filter(Q(user=account) | about)


def _sessions(account: User) -> Iterator[str]:
    """Keys of sessions in which the account is logged in, or half-way through it."""
    # A session is one signed text, of which no query can ask whose it is.
    for session in Session.objects.iterator(2000):
        kept = session.get_decoded()
        half_way = kept.get("account_authentication_methods_user")
        if str(account.pk) in {kept.get(SESSION_KEY), half_way}:
            yield session.pk


def _require_no_catalogues(account: User) -> None:
    names = list(Catalogue.objects.filter(owner=account).values_list("name", flat=True)[:10])
    if names:
        raise NotPossible(
            f"This account owns catalogues: {', '.join(names)}. Make another person the owner of "
            "each of them in the admin, or delete it, then erase the account."
        )


def _counted(titles: list[str]) -> str:
    named = ", ".join(f'"{title}"' for title in titles[:10])
    rest = f" and {len(titles) - 10} more" if len(titles) > 10 else ""
    return f"{len(titles)} survey{'s' if len(titles) > 1 else ''}: {named}{rest}"
