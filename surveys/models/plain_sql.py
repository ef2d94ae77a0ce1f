"""Plain SQL for what every visitor causes, where building a query costs more than asking it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from functools import cache
from typing import Any
from uuid import UUID

from django.db import (
    DEFAULT_DB_ALIAS,
    InterfaceError,
    OperationalError,
    connection,
    connections,
)


def execute(statement: str, values: dict[str, Any]) -> list[Any]:
    """Run plain SQL and return its rows; none if it is not made to return any.

    On PostgreSQL it is planned once for each connection: planning takes longer than running. Not
    behind a pooler, which may run it on a connection that has no such plan.
    """
    own = connections[DEFAULT_DB_ALIAS]  # once: each look at a thread's own costs more than most
    if is_sqlite():
        with own.cursor() as cursor:
            return _rows(cursor, statement, values)
    from psycopg import Cursor  # a tenth of each start, which SQLite does not need

    own.ensure_connection()
    with own.wrap_database_errors, Cursor(own.connection) as cursor, _planning(own):
        return _rows(cursor, statement, values)


def _rows(cursor: Any, statement: str, values: dict[str, Any]) -> list[Any]:
    cursor.execute(statement, values)
    return cursor.fetchall() if cursor.description else []


@contextmanager
def _planning(own: Any) -> Iterator[None]:
    """Let the database plan a statement at its first run and keep the plan, and then no other.

    While psycopg may ask for plans, it keeps the texts of the last 100 statements, and Django
    writes values into them: a process would hold the answers of 100 batches for each thread.
    """
    may_plan = not own.settings_dict["DISABLE_SERVER_SIDE_CURSORS"]  # said of a pooler
    own.connection.prepare_threshold = 0 if may_plan else None
    try:
        yield
    finally:
        own.connection.prepare_threshold = None  # as Django has it


def read(statement: str, values: dict[str, Any]) -> list[Any]:
    """The same for a statement that only reads; a connection that the server ended is made anew.

    Django asks a kept connection whether it is sound, which is a journey to the server for each
    request; to read again where one was not costs nothing as long as all is well.
    """
    own = connections[DEFAULT_DB_ALIAS]
    try:
        return execute(statement, values)
    except (OperationalError, InterfaceError):
        if own.in_atomic_block:
            raise
        own.close()
        return execute(statement, values)


def as_stored(key: UUID) -> Any:
    """A key as this database keeps it, as ``UUIDField`` writes it."""
    return key.hex if is_sqlite() else key


def read_day(day: date | str) -> date:
    """A day as this database gives it back: SQLite has none, and keeps it as text."""
    return date.fromisoformat(day) if isinstance(day, str) else day


@cache
def is_sqlite() -> bool:
    """Asked once per process: each look at a thread's connection costs more than the rest."""
    return connection.vendor == "sqlite"
