"""The audit log: who did what, when, and what changed. Rows are only ever added."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from surveys.models import AuditEntry, Survey

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def record(
    action: str,
    *,
    by: "User | None",
    survey: Survey | None = None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """Add an entry in the caller's transaction; ``by`` None is Deniable itself.

    Name people by their key and never write down an address, an answer or a token.
    """
    AuditEntry.objects.create(
        actor=by.pk if by else None,
        survey=survey.pk if survey else None,
        action=action,
        before=before,
        after=after,
    )
