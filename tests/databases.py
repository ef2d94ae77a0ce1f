"""The database of a test run: a migrated one, emptied between tests that commit."""

import fcntl
import os
from collections.abc import Callable, Iterator
from typing import IO, TypeVar

import pytest
from django.core.management import call_command
from django.db import connection
from pytest_django import DjangoDbBlocker

from surveys.models import Survey
from tests import factories, migrated

M = TypeVar("M")
# Which models and permissions there are: migrations fill them, and no test changes them.
OF_MODELS = ("django_content_type", "auth_permission")
THIS_TEST = "PYTEST_CURRENT_TEST"
# The first of the tests for which something was made that stands in the database.
MADE: set[str] = set()


@pytest.fixture(scope="session")
def turn() -> Iterator[IO[str]]:
    """A lock until the database is there: the others wait for the first, who migrates."""
    place = migrated.place()
    with place.with_name(f"{place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_modify_db_settings: None, turn: IO[str]) -> bool:
    """Whether this process starts with a copy of what was migrated before."""
    if not migrated.place().exists():
        return False
    migrated.take(migrated.place())
    return True


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_setup: None, django_db_keepdb: bool, django_db_blocker: DjangoDbBlocker, turn: IO[str]
) -> None:
    """Between tests tables are emptied, but for those that migrations fill."""
    if not django_db_keepdb:
        migrated.keep(migrated.place())
    fcntl.flock(turn, fcntl.LOCK_UN)
    operations = type(connection.ops)
    if connection.vendor == "sqlite":
        operations.sql_flush = _without_triggers(operations.sql_flush)
    with django_db_blocker.unblock():
        operations.sql_flush = _keeping_models(operations.sql_flush, _known_models())


@pytest.fixture(scope="module")
def made_once(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[Callable[[Callable[[], M]], M]]:
    """Makes and commits what all tests of a file begin with; the tables are emptied after the last.

    What a test itself stores is rolled back as usual. Those that commit come last, and find only
    what was made for themselves.
    """

    def make(function: Callable[[], M]) -> M:
        MADE.add(os.environ[THIS_TEST])
        with django_db_blocker.unblock():
            return function()

    yield make
    _forget_made(django_db_blocker)


@pytest.fixture(autouse=True)
def nothing_made_for_others(
    request: pytest.FixtureRequest, django_db_blocker: DjangoDbBlocker
) -> None:
    """A test that commits does not find what was made for others, which are rolled back."""
    if _commits(request) and os.environ[THIS_TEST] not in MADE:
        _forget_made(django_db_blocker)


def _commits(request: pytest.FixtureRequest) -> bool:
    marked = request.node.get_closest_marker("django_db")
    is_marked = marked is not None and marked.kwargs.get("transaction", False)
    return is_marked or "transactional_db" in request.fixturenames


def _forget_made(django_db_blocker: DjangoDbBlocker) -> None:
    if MADE:
        with django_db_blocker.unblock():
            call_command("flush", interactive=False, verbosity=0)
        MADE.clear()


@pytest.fixture(scope="module")
def launched_survey(made_once: Callable[[Callable[[], M]], M]) -> Survey:
    """What all tests of a file begin with that take ``kept.survey``; a file may have another."""
    return made_once(lambda: factories.make_open_survey(factories.make_user()))


def _known_models() -> list[tuple[int]]:
    """How many rows stand in the tables that say which models and permissions there are."""
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(f"SELECT count(*) FROM {name}" for name in OF_MODELS))
        return cursor.fetchall()


def _keeping_models(sql_flush, complete: list[tuple[int]]):
    """Empty what holds rows alone: a test fills a few tables, and Django would empty all of them.

    Filling anew those that say which models there are is five sixths of its work.
    """

    def flush(self, style, tables, **options):
        if _known_models() != complete:
            return sql_flush(self, style, tables, **options)
        filled = _filled([table for table in tables if table not in OF_MODELS])
        if self.connection.vendor == "postgresql":
            self.execute_sql_flush(_deletions(filled))
        elif filled:
            self.execute_sql_flush(sql_flush(self, style, filled, **options))
        return []  # so that Django has nothing to fill

    return flush


HOLDS_ROWS = {
    "sqlite": "SELECT '{0}' WHERE EXISTS (SELECT 1 FROM {0})",
    # Also of a test that was rolled back: they stand in the file, and new ones would among them.
    "postgresql": "SELECT '{0}' WHERE pg_relation_size('{0}') > 0",
}


def _filled(tables: list[str]) -> list[str]:
    """Those that hold a row."""
    each = HOLDS_ROWS[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(each.format(table) for table in tables))
        return [table for (table,) in cursor.fetchall()]


def _deletions(tables: list[str]) -> list[str]:
    """For PostgreSQL, which takes ten times as long to truncate all tables that refer to these.

    Those that no other refers to are truncated: new rows would be written between deleted ones, and
    tests look at the order in which answers and invitations stand. Neither our triggers, which
    refuse it, nor those of foreign keys look at it.
    """
    referred = _referred()
    emptied = (f"{'DELETE FROM' if one in referred else 'TRUNCATE'} {one}" for one in tables)
    return ["SET LOCAL session_replication_role = replica", *emptied]


def _referred() -> set[str]:
    """The tables to which another one refers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT confrelid::regclass::text FROM pg_constraint")
        return {table for (table,) in cursor.fetchall()}


def _without_triggers(sql_flush):
    """SQLite's tables are emptied by DELETE, which our triggers refuse."""

    def flush(self, style, tables, **options):
        with connection.cursor() as cursor:
            cursor.execute("SELECT name, sql, tbl_name FROM sqlite_master WHERE type = 'trigger'")
            triggers = [(name, sql) for name, sql, table in cursor.fetchall() if table in tables]
        dropped = [f"DROP TRIGGER {name}" for name, _ in triggers]
        return [*dropped, *sql_flush(self, style, tables, **options), *(sql for _, sql in triggers)]

    return flush
