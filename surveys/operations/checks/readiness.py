"""failing: what keeps this server from taking answers, for the health endpoint."""

from collections.abc import Callable

from django.db import Error, connection

from surveys.operations.checks import database, installation


def failing() -> list[str]:
    """The names of what keeps answers from being taken, and nothing more; cheap."""
    checks: dict[str, Callable[[], bool]] = {
        "database": _answers,
        "migrations": _is_migrated,
        "keys": installation.keys_are_there,
        "disk": installation.has_room,
        "pages": installation.static_files_are_there,
    }
    failed = []
    for name, holds in checks.items():
        if not _holds(holds):
            failed.append(name)
            if name in {"database", "migrations"}:
                break
    return failed


def _holds(check: Callable[[], bool]) -> bool:
    try:
        return check()
    except (Error, OSError):
        return False


def _answers() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return True


def _is_migrated() -> bool:
    try:
        database.require_migrated()
    except database.Unmigrated:
        return False
    return True
