"""``doctor``: settings, modes of files, writable directories, room on the disk, clock, mail."""

import os
import shutil
import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core import checks
from django.db import connection

from surveys.collecting.keys import batch_keys, key_directory, opening_keys, signing_keys
from surveys.collecting.spool import keys_directory
from surveys.models import Mailing
from surveys.operations.checks.findings import Finding, fine, problem, warning
from surveys.operations.queries import last_known_time
from surveys.trust.bundles import BUNDLES, faults
from surveys.web.static_files import HashedStaticFiles
from surveys.web.upkeep import maintenance

RELEASED = datetime(2026, 1, 1, tzinfo=UTC)
APART = timedelta(seconds=60)
LEAST_FREE_BYTES = 500 * 10**6
# Below it nothing is promised any more: one opening of a large survey writes some 20 MB at once.
FULL_BYTES = 50 * 10**6
LEAST_FREE_SHARE = 0.05


def configured() -> Iterator[Finding]:
    """Whether the settings are those of a service, Django's own checks included."""
    findings = [*_trial_settings(), *_django_checks()]
    yield from findings
    if not findings:
        hosts = ", ".join(settings.ALLOWED_HOSTS)
        yield fine("settings", f"the settings suit a service, reached as {hosts}")


def private() -> Iterator[Finding]:
    """Whether no other account of this machine can read the secret, the keys or the database."""
    findings = [finding for path, most in _private_paths() for finding in _too_open(path, most)]
    yield from findings
    if not findings:
        yield fine("files", "only their owner can open the secret key, the other keys and the data")


def writable() -> Iterator[Finding]:
    """Whether keys of batches can be made; without them no answer is taken."""
    if keys_are_writable():
        yield fine("keys", f"keys can be written to {keys_directory()}")
    else:
        yield problem(
            "keys",
            f"keys cannot be written to {keys_directory()}, so no answer is accepted",
            "Make the account that runs the service the owner of this directory.",
        )


def keys_are_writable() -> bool:
    """Whether a key could be made now, or its directory if there is none yet."""
    existing = next(path for path in (keys_directory(), *keys_directory().parents) if path.exists())
    return existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)


def keys_are_there() -> bool:
    """Whether this server reads and makes the keys that all servers of this database use.

    Raises OSError.
    """
    return keys_are_writable() and not key_directory.is_another()


def roomy() -> Iterator[Finding]:
    """Whether the disks have room."""
    for path in sorted(_disks()):
        usage = shutil.disk_usage(path)
        free = f"{usage.free / 10**9:,.1f} GB ({usage.free / usage.total:.0%}) free at {path}"
        if usage.free < FULL_BYTES:
            yield problem(
                "disk",
                free,
                "Free disk space now. Deniable cannot be relied on to accept any answer until "
                "then.",
            )
        elif usage.free < max(LEAST_FREE_BYTES, LEAST_FREE_SHARE * usage.total):
            yield warning(
                "disk", free, "Free disk space. When this disk is full, no answer is accepted."
            )
        else:
            yield fine("disk", free)


def has_room() -> bool:
    """Whether an answer can still be written, its key and its row alike."""
    return all(shutil.disk_usage(path).free >= FULL_BYTES for path in _disks())


def complete() -> Iterator[Finding]:
    """Whether pages find their style sheets and scripts."""
    if static_files_are_there():
        yield fine("pages", f"style sheets and scripts are in {settings.STATIC_ROOT}")
    else:
        yield problem(
            "pages",
            f"style sheets or scripts are missing in {settings.STATIC_ROOT}, so no page opens",
            "Run manage.py collectstatic and restart the service.",
        )


def bundled() -> Iterator[Finding]:
    """Whether surveys can be launched whose pages need the cryptography of others."""
    found = faults()
    for fault in found:
        yield warning(
            "bundles",
            f"surveys whose pages need this bundle of scripts cannot be launched: {fault}",
            "Build the bundle in the program's folder, then run manage.py collectstatic and "
            "restart the service.",
        )
    if not found:
        yield fine("bundles", ", ".join(f"{one.package} {one.version}" for one in BUNDLES))


def open_again() -> Iterator[Finding]:
    """Whether a maintenance was forgotten."""
    if maintenance.is_ordered():
        since = datetime.fromtimestamp(maintenance.path().stat().st_mtime, UTC)
        yield warning(
            "maintenance",
            f"maintenance is on: every page answers 503 since {since:%Y-%m-%d %H:%M} UTC",
            "When the upgrade is done, run manage.py maintenance off.",
        )
    else:
        yield fine("maintenance", "off")


def static_files_are_there() -> bool:
    """Whether every file that pages link to stands where this process looks for it."""
    storage = cast(HashedStaticFiles, staticfiles_storage)
    stored = storage.hashed_files.values()
    return bool(stored) and all(storage.exists(name) for name in stored)


def punctual() -> Iterator[Finding]:
    """Whether the clock is right: days of closing and deletion depend on it."""
    now = datetime.now(UTC)
    other = _database_time() if connection.vendor == "postgresql" else now
    known = max(RELEASED, last_known_time() or RELEASED)
    if known - now > APART:
        yield problem(
            "clock",
            f"this server's clock shows {now:%Y-%m-%d %H:%M} UTC, but {known:%Y-%m-%d} is over "
            "already",
            "Set the clock right, and keep it synchronised (systemd-timesyncd, chrony).",
        )
    elif abs(other - now) > APART:
        yield warning(
            "clock",
            "the database's clock and this server's differ by "
            f"{abs(other - now).total_seconds():,.0f} seconds",
            "Keep the clocks of both machines synchronised (systemd-timesyncd, chrony).",
        )
    else:
        yield fine("clock", f"{now:%Y-%m-%d %H:%M} UTC")


def mailing() -> Iterator[Finding]:
    """Whether invitations can be mailed."""
    if settings.EMAIL_HOST:
        yield fine("mail", f"mail is handed over to {settings.EMAIL_HOST}")
    elif Mailing.objects.exclude(state=Mailing.State.DONE).exists():
        yield problem(
            "mail",
            "a mailing is waiting to be sent, but no mail server is set",
            "Set DENIABLE_EMAIL_URL and DENIABLE_MAIL_FROM, and restart the worker.",
        )
    else:
        yield fine("mail", "no mail server is set: invitations can be printed, but not mailed")


def _trial_settings() -> Iterator[Finding]:
    if settings.DEBUG:
        yield problem(
            "settings",
            "error pages show the program's internal data to every visitor",
            "Unset DENIABLE_DEBUG and restart the service.",
        )
    if not settings.SECURE_SSL_REDIRECT:
        yield problem(
            "settings",
            "pages and answers travel over the network without encryption",
            "Unset DENIABLE_HTTPS, put a proxy with TLS in front of the service, and restart it.",
        )
    if not set(settings.ALLOWED_HOSTS) - {"127.0.0.1", "localhost", "[::1]"}:
        yield warning(
            "settings",
            "only this machine itself can open the pages",
            "Name the host of the site in DENIABLE_ALLOWED_HOSTS and restart the service.",
        )


def _django_checks() -> Iterator[Finding]:
    """What ``manage.py check --deploy`` says; the trial settings are told in our own words."""
    silenced = {"security.W008", "security.W018"}
    if not settings.SECURE_SSL_REDIRECT:
        silenced |= {"security.W004", "security.W012", "security.W016"}
    for message in checks.run_checks(include_deployment_checks=True):
        if message.id in silenced or message.is_silenced():
            continue
        words = f"{message.msg} ({message.id})"
        remedy = message.hint or "Run manage.py check --deploy to see more."
        if message.is_serious():
            yield problem("settings", words, remedy)
        elif message.level >= checks.WARNING:
            yield warning("settings", words, remedy)


def _private_paths() -> Iterator[tuple[Path, int]]:
    """What only its owner may open, and the most open mode that it may have."""
    data_dir = settings.ENVIRONMENT.data_dir
    yield data_dir, 0o700
    yield data_dir / "secret_key", 0o600
    yield keys_directory(), 0o700
    yield from ((path, 0o600) for path in batch_keys.paths(keys_directory()))
    yield from ((path, 0o600) for path in signing_keys.paths(keys_directory()))
    yield opening_keys.directory(), 0o700
    for directory in _database_files() - {data_dir.resolve()}:
        if _mode(directory) & 0o077:
            yield Path(connection.settings_dict["NAME"]), 0o600


def _disks() -> set[Path]:
    """The directories that must have room, those that exist: of data, of keys, of SQLite's file."""
    data_dir = settings.ENVIRONMENT.data_dir
    wanted = {data_dir, keys_directory(), opening_keys.directory()}
    return {path for path in wanted if path.exists()} | _database_files()


def _database_files() -> set[Path]:
    """The directory of SQLite's file; nothing on PostgreSQL."""
    is_file = connection.vendor == "sqlite"
    return {Path(connection.settings_dict["NAME"]).resolve().parent} if is_file else set()


def _too_open(path: Path, most: int) -> Iterator[Finding]:
    if path.exists() and _mode(path) & ~most:
        yield problem(
            "files",
            f"other accounts on this machine can open {path} (mode {_mode(path):04o})",
            f"Run chmod {most:o} {path}",
        )


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _database_time() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        time: datetime = cursor.fetchone()[0]
        return time
