"""note_start: keep since which day this version of the program answers.

People who compare a survey's page have to know which version to compare it with, and since when.
The day is all that is kept.
"""

from contextlib import suppress

from django.db import Error
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

from surveys import VERSION

KNOWN = "SELECT 1 FROM surveys_programversion WHERE version = %s"
# Processes of one server start at once, and one of them is first.
ADDED = """INSERT INTO surveys_programversion (version, since) VALUES (%s, %s)
ON CONFLICT (version) DO NOTHING"""


def note_version(database: BaseDatabaseWrapper) -> None:
    """Add this version with today's date in UTC, once.

    A database that does not take it now is the health page's to say; the next start adds the day.
    """
    with suppress(Error), database.cursor() as cursor:
        cursor.execute(KNOWN, [VERSION])
        if cursor.fetchone() is None:
            cursor.execute(ADDED, [VERSION, timezone.now().date().isoformat()])


def note_start(database: BaseDatabaseWrapper) -> None:
    """The same over a connection of its own, which is closed."""
    note_version(database)
    database.close()
