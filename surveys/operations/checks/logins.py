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
        yield fine(
            "addresses",
            "unknown until the first login: whether the addresses of visitors can be read",
        )
    elif newest.after:
        yield problem("addresses", *_unreadable())
    else:
        yield fine("addresses", "the visitor's address could be read at the newest login")


def _unreadable() -> tuple[str, str]:
    """(what, remedy)."""
    state = "no address could be read at the newest login, so limits count all visitors together"
    if settings.BEHIND_PROXY:
        return state, (
            "Configure the proxy so that X-Forwarded-For contains only the visitor's address, as "
            "in deploy/nginx.conf. Then log in once more."
        )
    return state, (
        "Let gunicorn listen on an address, or, if a proxy states the address of each visitor, "
        "set DENIABLE_BEHIND_PROXY. Restart the service, and log in once more."
    )
