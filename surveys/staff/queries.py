"""Who may see which survey, and what the audit log says."""

from collections.abc import Iterable
from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import Count, Q, QuerySet

from surveys.models import (
    AuditEntry,
    Membership,
    Survey,
)
from surveys.staff.roles import ALLOWED, Ability, Role, roles_with

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


def role_of(user: "User | AnonymousUser", survey: Survey) -> Role | None:
    """What this person is in this survey; None for all others."""
    if not user.is_authenticated or not user.is_active:
        return None
    if user.is_superuser or survey.owner_id == user.pk:
        return Role.OWNER
    role = Membership.objects.filter(survey=survey, user=user).values_list("role", flat=True)
    return Role(role[0]) if role else None


def may(user: "User | AnonymousUser", survey: Survey, ability: Ability) -> bool:
    """Whether this person may do this in this survey."""
    role = role_of(user, survey)
    return role is not None and ability in ALLOWED[role]


def surveys_for(user: "User", ability: Ability = Ability.READ) -> QuerySet[Survey]:
    """The surveys in which this person has an ability, with their number of responses."""
    return (
        _visible(user, ability)
        .select_related("owner", "revision")
        .annotate(response_count=Count("revision__responses"))
        .order_by("title", "pk")
    )


def editable_among(user: "User", surveys: Iterable[Survey]) -> frozenset[UUID]:
    """The keys of those surveys whose draft or plan this person may change."""
    keys = [survey.pk for survey in surveys]
    return frozenset(_visible(user, Ability.EDIT).filter(pk__in=keys).values_list("pk", flat=True))


def account_named(username: str) -> "User | None":
    """The account with this user name, however its letters were encoded."""
    accounts = get_user_model()
    return accounts.objects.filter(username=accounts.normalize_username(username)).first()


def members_of(survey: Survey) -> QuerySet[Membership]:
    """All besides the owner who have a role in a survey, by name."""
    return survey.memberships.select_related("user").order_by("user__username")


def _visible(user: "User", ability: Ability) -> QuerySet[Survey]:
    if not user.is_active:
        return Survey.objects.none()
    if user.is_superuser:
        return Survey.objects.all()
    joined = Membership.objects.filter(user=user, role__in=roles_with(ability)).values("survey")
    return Survey.objects.filter(Q(owner=user) | Q(pk__in=joined))


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


def search_surveys(user: "User", text: str) -> QuerySet[Survey]:
    """The surveys that this person may see whose title contains the text, without documents."""
    return surveys_for(user).filter(title__icontains=text).defer("revision__document")
