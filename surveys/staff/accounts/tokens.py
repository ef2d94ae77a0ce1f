"""revoke: forget tokens of programs, each with an entry of its own in the audit log."""

from typing import TYPE_CHECKING, Any

from django.db import transaction

from surveys.models import AccessToken
from surveys.staff.audit.services import record

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet

SWITCHED_OFF = "account switched off"  # a reason


@transaction.atomic
def revoke(tokens: "QuerySet[AccessToken]", *, by: "User | None", reason: str = "") -> int:
    """Forget these; how many there were. ``reason`` says what led to it, if no person did."""
    # PostgreSQL locks no outer side of a join, and nothing of surveys or people is read here.
    keys = list(tokens.order_by().values_list("pk", flat=True))
    listed = list(AccessToken.objects.select_for_update().filter(pk__in=keys))
    for token in listed:
        after = {"reason": reason} if reason else None
        record("token revoked", by=by, survey=token.survey, before=described(token), after=after)
    AccessToken.objects.filter(pk__in=[token.pk for token in listed]).delete()
    return len(listed)


def described(token: AccessToken) -> dict[str, Any]:
    """For the audit log: the letters, which are no secret, and never the name or the text."""
    return {
        "token": token.letters,
        "account": token.person_id,
        "scopes": token.scopes,
        "last_day": token.last_day.isoformat(),
    }
