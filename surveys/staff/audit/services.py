"""Record an entry in the audit log: who did what, when, before and after. Rows are only added."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from surveys.models import AuditEntry, Survey
from surveys.models.refusals import NotAllowed
from surveys.staff.access import may
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from django.contrib.auth.models import User

DOWNLOADS = {
    "responses": Ability.READ,
    "break-down": Ability.READ,
    "weighted estimates": Ability.READ,
    "regression": Ability.READ,
    "picture": Ability.READ,
    "report": Ability.READ,
    "deposit": Ability.READ,
    "ranking": Ability.READ,
    "texts": Ability.RULE,
    "locked answers": Ability.RULE,
    "locked totals": Ability.READ,
    "trustee's file": Ability.RULE,
    "audit log": Ability.RULE,
}


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


def record_download(
    download: str,
    *,
    survey: Survey | None,
    by: "User",
    after: Mapping[str, Any] | None = None,
) -> None:
    """Write down who takes which of ``DOWNLOADS`` away; of no survey: of all. Raises NotAllowed.

    ``after`` says which of several files it is.
    """
    allowed = may(by, survey, DOWNLOADS[download]) if survey else by.is_superuser
    if not allowed:
        raise NotAllowed(f"You may not download the {download}; ask the survey's owner.")
    record(f"{download} downloaded", by=by, survey=survey, after=after)
