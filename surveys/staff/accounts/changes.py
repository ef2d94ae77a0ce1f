"""Audit entries of accounts and groups: created, changed, deleted, by staff or operators.

Accounts go by their keys: a name or an address written here could never be erased again.
"""

from typing import Any

from django.contrib.auth.models import Group, User
from django.db import models

from surveys.models import Membership
from surveys.staff.audit.services import record
from surveys.staff.differences import Values, changed

OPEN_FIELDS = ("is_active", "is_staff", "is_superuser")
# That these changed is written down; what they say is not.
KEPT_BACK = ("username", "first_name", "last_name", "email", "password")


def described(holder: User | Group) -> Values:
    """An account or a group as it is stored now, before anybody changes it."""
    stored = type(holder)._default_manager.get(pk=holder.pk)
    return _account(stored) if isinstance(stored, User) else _group(stored)


def record_creation(holder: User | Group, *, by: User) -> None:
    """Write down that the caller's transaction made an account or a group."""
    _record(holder, "created", by, after=_told(described(holder)))


def record_change(holder: User | Group, *, before: Values, by: User) -> None:
    """Write down what the caller's transaction changed since it asked ``described``."""
    old, new = changed(before, described(holder))
    if old or new:
        _record(holder, "changed", by, before=_told(old, "not kept"), after=_told(new, "changed"))


def record_deletion(holder: User | Group, *, by: User) -> None:
    """Write down that the caller's transaction is about to delete an account or a group."""
    _record(holder, "deleted", by, before=_told(described(holder)))


def _record(holder: User | Group, change: str, by: Any, **states: Values) -> None:
    name = "account" if isinstance(holder, User) else "group"
    named = {state: {name: holder.pk, **values} for state, values in states.items()}
    record(f"{name} {change}", by=by, before=named.get("before"), after=named.get("after"))


def _told(values: Values, kept_back: str | None = None) -> Values:
    """Without what must not be written down; ``kept_back`` stands in its place."""
    shown = {name: value for name, value in values.items() if name not in KEPT_BACK}
    hidden = {name: kept_back for name in values if name in KEPT_BACK and kept_back}
    return {**shown, **hidden}


def _account(user: User) -> Values:
    fields = {name: getattr(user, name) for name in (*OPEN_FIELDS, *KEPT_BACK)}
    joined = Membership.objects.filter(user=user).order_by("survey")
    return {
        **fields,
        "groups": list(user.groups.order_by("name").values_list("name", flat=True)),
        "permissions": _permissions(user.user_permissions),
        "surveys": [f"{member.survey_id}: {member.role}" for member in joined],
    }


def _group(group: Group) -> Values:
    return {"name": group.name, "permissions": _permissions(group.permissions)}


def _permissions(granted: "models.Manager[Any]") -> list[str]:
    names = granted.values_list("content_type__app_label", "codename")
    return sorted(f"{app}.{name}" for app, name in names)
