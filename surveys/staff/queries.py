"""Reads for staff: a user's role, surveys they may see, members; audit entries, account names."""

from collections.abc import Iterable
from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import QuerySet

from surveys.models import (
    AuditEntry,
    Membership,
    Survey,
)

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def account_named(username: str) -> "User | None":
    """The account with this user name, however its letters were encoded."""
    accounts = get_user_model()
    return accounts.objects.filter(username=accounts.normalize_username(username)).first()


def members_of(survey: Survey) -> QuerySet[Membership]:
    """All besides the owner who have a role in a survey, by name."""
    return survey.memberships.select_related("user").order_by("user__username")


def audit_entries(
    survey_id: UUID | None = None, *, action: str = "", actor: str = ""
) -> QuerySet[AuditEntry]:
    """The audit log, newest first: of one survey or of everything, of one action or person.

    ``actor`` is the key of an account, or "0" for what Deniable did by itself.
    """
    entries = AuditEntry.objects.all()
    if survey_id:
        entries = entries.filter(survey=survey_id)
    if action:
        entries = entries.filter(action=action)
    if actor:
        entries = (
            entries.filter(actor=int(actor)) if int(actor) else entries.filter(actor__isnull=True)
        )
    return entries


def audit_actions(survey_id: UUID | None = None) -> list[str]:
    """Every action that the log knows, by name."""
    entries = audit_entries(survey_id).order_by("action")
    return list(entries.values_list("action", flat=True).distinct())


def audit_actors(survey_id: UUID | None = None) -> list[int | None]:
    """The keys of all whom the log knows; None is Deniable itself."""
    entries = audit_entries(survey_id).order_by("actor")
    return list(entries.values_list("actor", flat=True).distinct())


def account_names(keys: Iterable[int]) -> dict[int, str]:
    """User names of the accounts that still exist."""
    accounts = get_user_model().objects.filter(pk__in=set(keys))
    return dict(accounts.values_list("pk", "username"))


def survey_titles(keys: Iterable[UUID]) -> dict[UUID, str]:
    """Titles of the surveys that still exist."""
    return dict(Survey.objects.filter(pk__in=set(keys)).values_list("pk", "title"))
