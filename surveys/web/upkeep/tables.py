"""TablesFit: whether the migrations of this program and those that its database has are the same.

Names are compared, not migrations: loading those takes a fifth of a second of each start.
"""

import pkgutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from django.apps import apps
from django.db import Error, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

Names = frozenset[tuple[str, str]]  # of an app and of its migration
# Rows are only added or deleted, so that any change of the table changes one of both.
STATE = "SELECT COUNT(*), MAX(id) FROM django_migrations"
# At this exit code gunicorn starts no other process and ends (``Arbiter.APP_LOAD_ERROR``).
REFUSED = 4
MOST_NAMED = 5


@dataclass(frozen=True)
class TablesFit:
    """``missing``: this program's migrations that the database lacks; ``unknown``: the reverse."""

    missing: list[str]
    unknown: list[str]

    @property
    def is_exact(self) -> bool:
        """Whether the program may read and write these tables."""
        return not self.missing and not self.unknown

    @property
    def problems(self) -> list[tuple[str, str]]:
        """What is wrong, each with what to do about it."""
        problems = []
        if self.missing:
            text = f"migrations are not applied yet: {_shortened(self.missing)}"
            problems.append((text, "Make a backup, then run manage.py migrate."))
        if self.unknown:
            text = (
                "the database is newer than this program: it has the migrations "
                f"{_shortened(self.unknown)}"
            )
            remedy = (
                "Install the version of Deniable that made these migrations, or restore a backup "
                "that this version made."
            )
            problems.append((text, remedy))
        return problems


def compare(database: BaseDatabaseWrapper | None = None) -> TablesFit:
    """The program and its database, now. Raises django.db.Error."""
    ours = known_migrations()
    applied = frozenset(MigrationRecorder(database or connection).applied_migrations())
    # Those of apps that were removed do not count.
    labels = {label for label, _ in ours}
    unknown = {(label, name) for label, name in applied - ours if label in labels}
    return TablesFit(_joined(ours - applied), _joined(unknown))


class TablesWatch:
    """Whether they fit, asked often: compared anew only where the database's list changed."""

    def __init__(self) -> None:
        self._fitting: tuple[int, int] | None = None

    def fits(self) -> bool:
        """One small query while nothing changes. Raises django.db.Error."""
        with connection.cursor() as cursor:
            cursor.execute(STATE)
            state = cursor.fetchone()
        if state != self._fitting:
            self._fitting = state if compare().is_exact else None
        return self._fitting is not None


@cache
def known_migrations() -> Names:
    """The names of this program's migrations."""
    known: set[tuple[str, str]] = set()
    for app in apps.get_app_configs():
        name, _ = MigrationLoader.migrations_module(app.label)
        if name and find_spec(name):
            known |= {(app.label, module) for module in _modules(import_module(name))}
    return frozenset(known)


def refuse_others() -> None:
    """End this process if the tables are those of another version; say why and what to do.

    A database that does not answer now is the health page's to say.
    """
    # Of its own, because the thread that starts answers no request and would keep it for ever.
    database = connection.copy()
    try:
        fit = compare(database)
    except Error:
        return
    finally:
        database.close()
    for problem, remedy in fit.problems:
        sys.stderr.write(f"Deniable does not start: {problem}. {remedy}\n")
    if not fit.is_exact:
        sys.exit(REFUSED)


def _modules(package: ModuleType) -> Iterable[str]:
    """As Django's loader takes them."""
    names = (module.name for module in pkgutil.iter_modules(package.__path__) if not module.ispkg)
    return (name for name in names if name[0] not in "_~")


def _shortened(names: list[str]) -> str:
    """An empty database lacks a hundred."""
    rest = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _joined(migrations: Iterable[tuple[str, str]]) -> list[str]:
    return sorted(f"{app}.{name}" for app, name in migrations)
