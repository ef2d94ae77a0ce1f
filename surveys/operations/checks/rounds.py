"""Which checks are made when: everything for doctor, the cheap ones for the health endpoint."""

from collections.abc import Callable, Iterator
from itertools import chain

from django.db import Error, connection

from surveys.operations.checks import (
    counted,
    database,
    duties,
    installation,
    opening_keys,
    others,
    rated,
    shared,
)
from surveys.operations.checks.findings import Check, Finding, Level, problem
from surveys.operations.checks.spools import a_key_is_missing

HERE: tuple[Check, ...] = (
    installation.configured,
    installation.private,
    installation.writable,
    installation.roomy,
    installation.complete,
)
IN_THE_DATABASE: tuple[Check, ...] = (
    database.guarded,
    database.durable,
    database.whole,
    database.balanced,
    rated.counted,
    counted.as_stored,
    duties.spooled,
    duties.keys_in_use,
    shared.shared,
    opening_keys.openable,
    opening_keys.prompt,
    duties.working,
    duties.on_time,
    installation.punctual,
    installation.mailing,
)


def everything() -> Iterator[Finding]:
    """Every check. Those that need the tables are made only if the tables are there."""
    for check in HERE:
        yield from _made(check)
    for gate in (database.reachable, database.migrated):
        found = list(_made(gate))
        yield from found
        if any(finding.level == Level.PROBLEM for finding in found):
            return
    theirs = (module.CHECKS for module in others.modules())
    for check in chain(IN_THE_DATABASE, *theirs):
        yield from _made(check)


def failing() -> list[str]:
    """The names of what keeps answers from being taken, and nothing more; cheap."""
    checks: dict[str, Callable[[], bool]] = {
        "database": _answers,
        "migrations": _is_migrated,
        "keys": installation.keys_are_writable,
        "disk": installation.has_room,
        "pages": installation.static_files_are_there,
        "spool": lambda: not a_key_is_missing(),
    }
    failed = []
    for name, holds in checks.items():
        if not _holds(holds):
            failed.append(name)
            if name in {"database", "migrations"}:
                break
    return failed


def _made(check: Check) -> Iterator[Finding]:
    """A check that cannot be made is a finding too."""
    try:
        yield from check()
    except (Error, OSError) as reason:
        words = str(reason).strip().partition("\n")[0]
        yield problem(
            check.__name__,
            f"could not be checked: {words}",
            "Put that right and run manage.py doctor again.",
        )


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
