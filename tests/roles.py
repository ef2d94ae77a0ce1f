"""Whose Python runs the servers and workers that tests start: this one, or a role's own.

``tests/audit/test_roles_audit.py`` names a role and the interpreter of an environment of its lock
alone, in ``TESTED_ROLE``, and runs that role's tests.
"""

import os
import sys

ROLE, _, PYTHON = os.environ.get("TESTED_ROLE", "").partition(":")
SERVERS, WORKERS = ("web", "staff"), ("worker",)


def server() -> tuple[str, dict[str, str]]:
    """The interpreter that serves, and the variables that name its role."""
    return _named(SERVERS)


def worker() -> tuple[str, dict[str, str]]:
    """The interpreter that runs commands and tasks, and the variables that name its role."""
    return _named(WORKERS)


def _named(roles: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    return (PYTHON, {"DENIABLE_ROLE": ROLE}) if ROLE in roles else (sys.executable, {})
