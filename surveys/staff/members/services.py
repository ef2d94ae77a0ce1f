"""Writes of members: add, change role, remove, hand over a survey."""

from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext

from surveys.models import Membership, Survey
from surveys.models.refusals import NotPossible
from surveys.staff.audit.services import record
from surveys.staff.locks import locked
from surveys.staff.queries import account_named
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def add_member(*, survey: Survey, username: str, role: str, by: "User") -> Membership:
    """Give a user a role. Raises NotAllowed or NotPossible (unknown, inactive, there already)."""
    survey = locked(survey, by, Ability.RULE)
    user = _account(username)
    if user.pk == survey.owner_id:
        raise NotPossible(
            gettext(
                "{user} was not added: {user} owns this survey and may do everything in it."
            ).format(user=user)
        )
    if survey.memberships.filter(user=user).exists():
        raise NotPossible(
            gettext(
                "{user} is already a member. To change the role, use the list of members."
            ).format(user=user)
        )
    member = Membership.objects.create(survey=survey, user=user, role=_role(role))
    record("member added", by=by, survey=survey, after=_described(member))
    return member


@transaction.atomic
def change_role(*, survey: Survey, member_id: UUID, role: str, by: "User") -> Membership:
    """Give a member another role. Raises NotAllowed or NotPossible (no member any more)."""
    survey = locked(survey, by, Ability.RULE)
    member = _member(survey, member_id)
    before = _described(member)
    if member.role != _role(role):
        member.role = role
        member.save(update_fields=["role"])
        record("role changed", by=by, survey=survey, before=before, after=_described(member))
    return member


@transaction.atomic
def remove_member(*, survey: Survey, member_id: UUID, by: "User") -> Membership:
    """Take a member's role away. Raises NotAllowed or NotPossible (no member any more)."""
    survey = locked(survey, by, Ability.RULE)
    member = _member(survey, member_id)
    record("member removed", by=by, survey=survey, before=_described(member))
    Membership.objects.filter(pk=member.pk).delete()
    return member


@transaction.atomic
def hand_over(*, survey: Survey, username: str, by: "User") -> "User":
    """Make another user the owner; the one who was stays as an editor.

    Raises NotAllowed or NotPossible (unknown, inactive, not staff, owns it already).
    """
    survey = locked(survey, by, Ability.RULE)
    user, before = _account(username), survey.owner
    if user.pk == before.pk:
        raise NotPossible(gettext("{user} owns this survey already.").format(user=user))
    if not user.is_staff:
        raise NotPossible(
            gettext(
                "{user} cannot become the owner, because {user} cannot open the admin, where "
                "surveys are launched and closed. First ask an administrator to make this account "
                "a staff account."
            ).format(user=user)
        )
    Membership.objects.filter(survey=survey, user__in=[user, before]).delete()
    Membership.objects.create(survey=survey, user=before, role=Membership.Role.EDITOR)
    Survey.objects.filter(pk=survey.pk).update(owner=user)
    record(
        "handed over", by=by, survey=survey, before={"owner": before.pk}, after={"owner": user.pk}
    )
    return user


def _account(username: str) -> "User":
    user = account_named(username)
    if user is None:
        raise NotPossible(
            gettext(
                'There is no account with the user name "{username}". Check the spelling, '
                "including capital letters, or ask an administrator to create the account."
            ).format(username=username)
        )
    if not user.is_active:
        raise NotPossible(
            gettext(
                "{user} is not active and cannot log in. Ask an administrator to "
                "activate the account."
            ).format(user=user)
        )
    return user


def _member(survey: Survey, member_id: UUID) -> Membership:
    member = survey.memberships.select_related("user").filter(pk=member_id).first()
    if member is None:
        raise NotPossible(
            gettext("Nothing was changed, because this member was removed in the meantime.")
        )
    return member


def _role(role: str) -> str:
    if role not in Membership.Role.values:
        raise NotPossible(gettext("Choose editor or analyst."))
    return role


def _described(member: Membership) -> dict[str, Any]:
    return {"account": member.user_id, "role": member.role}
