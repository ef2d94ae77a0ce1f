"""Every check in its order, for doctor; the cheap ones are those of ``readiness``."""

from collections.abc import Iterator
from itertools import chain

from django.db import Error

from surveys.operations.checks import (
    counted,
    database,
    duties,
    installation,
    logins,
    opening_keys,
    others,
    shared,
    signing_keys,
)
from surveys.operations.checks.findings import Check, Finding, Severity, problem

HERE: tuple[Check, ...] = (
    installation.configured,
    installation.private,
    installation.writable,
    installation.roomy,
    installation.complete,
    installation.bundled,
    installation.open_again,
)
IN_THE_DATABASE: tuple[Check, ...] = (
    database.guarded,
    database.durable,
    database.erasable,
    database.intact,
    database.balanced,
    counted.ratings,
    counted.as_stored,
    duties.keys_at_hand,
    duties.spooled,
    duties.keys_in_use,
    shared.shared,
    opening_keys.openable,
    opening_keys.prompt,
    opening_keys.destroyed,
    opening_keys.on_hold,
    signing_keys.exchangeable,
    duties.working,
    duties.on_time,
    logins.addressed,
    installation.punctual,
    installation.mailing,
)


def everything() -> Iterator[Finding]:
    """Every check. Those that need the tables are made only if the tables are there."""
    for check in HERE:
        yield from _made(check)
    for gate in (database.reachable, database.migrated):
        findings = list(_made(gate))
        yield from findings
        if any(finding.level == Severity.PROBLEM for finding in findings):
            return
    theirs = (module.CHECKS for module in others.modules())
    for check in chain(IN_THE_DATABASE, *theirs):
        yield from _made(check)


def _made(check: Check) -> Iterator[Finding]:
    """A check that cannot be made is a finding too."""
    try:
        yield from check()
    except (Error, OSError) as reason:
        words = str(reason).strip().partition("\n")[0]
        yield problem(
            check.__name__,
            f"this check could not be made: {words}",
            "Solve this problem, then run manage.py doctor again.",
        )
