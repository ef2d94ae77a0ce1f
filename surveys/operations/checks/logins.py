"""``doctor``: can limits tell networks apart? The newest login of staff says so.

Submissions are counted in memory alone, and nothing about a respondent may leave it. Staff log in
through the same proxy, and their logins are written down anyway.
"""

from collections.abc import Iterator

from django.conf import settings

from surveys.models import AuditEntry
from surveys.operations.checks.findings import Finding, fine, problem

LOGIN = "logged in"


def addressed() -> Iterator[Finding]:
    """Whether the address of the newest login could be read."""
    newest = AuditEntry.objects.filter(action=LOGIN).first()
    if newest is None:
        yield fine("addresses", "not known before the first login")
    elif newest.after:
        yield problem("addresses", *_unreadable())
    else:
        yield fine("addresses", "of the newest login: it could be read")


def _unreadable() -> tuple[str, str]:
    """(what, remedy)."""
    state = "no address could be read at the newest login, so limits count all visitors together"
    if settings.BEHIND_PROXY:
        return state, (
            "Let the proxy send the visitor's address alone in X-Forwarded-For, as "
            "deploy/nginx.conf does, and log in once more."
        )
    return state, (
        "Let gunicorn listen on an address, or set DENIABLE_BEHIND_PROXY where a proxy states the "
        "visitor's; restart, and log in once more."
    )
