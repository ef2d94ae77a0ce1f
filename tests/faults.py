"""Faults that the database itself makes, for a while."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

MAKE = {
    "sqlite": [
        "CREATE TRIGGER fault BEFORE {event} ON {table} BEGIN SELECT RAISE(ABORT, '{words}'); END"
    ],
    "postgresql": [
        "CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " RAISE EXCEPTION '{words}' USING ERRCODE = 'disk_full'; END $$",
        "CREATE TRIGGER fault BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION fault()",
    ],
}
UNDO = {
    "sqlite": ["DROP TRIGGER fault"],
    "postgresql": ["DROP TRIGGER fault ON {table}", "DROP FUNCTION fault()"],
}


@contextmanager
def refused(event: str, table: str, words: str = "the disk is broken") -> Iterator[None]:
    """No row of the table can be inserted, updated or deleted (the event)."""
    _execute(MAKE, event=event, table=table, words=words)
    try:
        yield
    finally:
        _execute(UNDO, table=table)


def _execute(steps: dict[str, list[str]], **names: str) -> None:
    with connection.cursor() as cursor:
        for step in steps[connection.vendor]:
            cursor.execute(step.format(**names))
