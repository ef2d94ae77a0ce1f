"""``doctor``: what several servers on one database have to share, and this one may not have."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core import signing
from django.db import connection
from django.db.models import Exists, OuterRef
from django.utils import timezone

from surveys.collecting.keys import batch_keys
from surveys.collecting.spool import keys_directory
from surveys.models import Export, Spool, Waiting
from surveys.models.queries import questionnaire_of_id
from surveys.operations.checks.findings import Finding, fine, warning
from surveys.results.taking import files
from surveys.results.taking.queries import KEPT

SIGNED_AS = "django.contrib.sessions.SessionStore"  # the salt of what Django keeps of a login
LOGINS = 20  # the newest


def shared() -> Iterator[Finding]:
    """The secret, the directory of keys, the directory of exports."""
    findings = [*_secret(), *_keys(), *_exports()]
    yield from findings
    if not findings:
        yield fine(
            "shared",
            f"nothing that the servers of one database have to share is missing here{_limits()}",
        )


def _limits() -> str:
    """What is shared by no setting: no address may reach the database that servers share."""
    if connection.vendor == "sqlite" or not settings.SUBMISSIONS_PER_HOUR:
        return ""
    return (
        "; each server counts submissions separately: with n servers, divide the value of "
        "DENIABLE_SUBMISSIONS_PER_HOUR by n on each server"
    )


def _secret() -> Iterator[Finding]:
    """Logins that are kept are signed with the secret of the server that made them."""
    current = Session.objects.filter(expire_date__gt=timezone.now()).order_by("-expire_date")
    kept = list(current.values_list("session_data", flat=True)[:LOGINS])
    if kept and not any(map(_is_signed_here, kept)):
        yield warning(
            "shared",
            "people are logged in under another DENIABLE_SECRET_KEY than this server's",
            "Give all servers of this database the same key. If you changed the key just now, "
            "this warning ends as soon as people log in again.",
        )


def _is_signed_here(kept: str) -> bool:
    try:
        signing.loads(kept, salt=SIGNED_AS)
    except signing.BadSignature:
        return False
    return True


def _keys() -> Iterator[Finding]:
    """Each open survey's file of keys was made at its launch, or with its first answer."""
    directory = keys_directory()
    waits = Exists(Waiting.objects.filter(revision=OuterRef("revision")))
    spools = Spool.objects.annotate(waits=waits)
    missing = sum(
        not batch_keys.is_kept(directory, spool.batch) and _has_a_key(spool) for spool in spools
    )
    if missing:
        yield warning(
            "shared",
            f"{directory} lacks the keys of {missing:,} open survey{'s' if missing > 1 else ''}",
            "If another server serves this database, mount its DENIABLE_BATCH_KEYS_DIR on this "
            "server before this server accepts answers: every server has to read what another "
            "server seals.",
        )


def _has_a_key(spool: Any) -> bool:
    """Not yet if it was launched before there were openings, and nothing waits in it."""
    return spool.waits or questionnaire_of_id(spool.revision_id).opening is not None


def _exports() -> Iterator[Finding]:
    finished = Export.objects.filter(finished_at__gt=timezone.now() - KEPT, problem="")
    keys = list(finished.values_list("pk", flat=True))
    if keys and not any(map(files.is_there, keys)):
        yield warning(
            "shared",
            f"{files.directory()} has none of the {len(keys):,} files that were written for staff",
            "Let all servers and the worker share DENIABLE_EXPORTS_DIR.",
        )
