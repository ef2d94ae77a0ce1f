"""Plain SQL for what every submission asks of the database."""

from typing import Any
from uuid import UUID

from django.db import connection
from psycopg import Cursor


def execute(statement: str, values: dict[str, Any]) -> list[Any]:
    """Run plain SQL and return its rows; none if it is not made to return any.

    On PostgreSQL it is planned once for each connection: planning takes longer than running.
    """
    cursor: Any
    if connection.vendor == "sqlite":
        cursor, options = connection.cursor(), {}
    else:
        connection.ensure_connection()
        cursor, options = Cursor(connection.connection), {"prepare": True}
    with connection.wrap_database_errors, cursor:
        cursor.execute(statement, values, **options)
        return cursor.fetchall() if cursor.description else []


def as_stored(key: UUID) -> Any:
    """A key as this database keeps it."""
    return key if connection.features.has_native_uuid_field else key.hex
