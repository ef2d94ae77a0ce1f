"""CommitLine: submissions that come to one process at once share a transaction of SQLite.

SQLite has one writer at a time, and most of what it does for a submission is the commit. One thread
writes; those that wait for it meanwhile stand in a line, and the next one of them stores all.
"""

import threading
from collections import deque
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, Error, connection, connections


@dataclass(eq=False)
class _Entry:
    """Values to store, and what became of them."""

    values: dict[str, Any]
    answer: int | None = None
    problem: Error | None = None
    is_done: bool = False


class CommitLine:
    """Stores values by two statements: ``first`` says a number, or no row, and then not ``then``.

    All that stands in the line is committed or fails together.
    """

    def __init__(self, first: str, then: str) -> None:
        self._statements = first, then
        self._entries: deque[_Entry] = deque()
        self._writing = threading.Lock()

    def add(self, values: dict[str, Any]) -> int | None:
        """What ``first`` said of these values, once they are durable. Raises Error."""
        entry = _Entry(values)
        self._entries.append(entry)
        with self._writing:
            if not entry.is_done:
                self._store(self._taken_with(entry))
        if entry.problem:
            raise entry.problem
        return entry.answer

    def _taken_with(self, own: _Entry) -> list[_Entry]:
        """The whole line; ``own`` is missing in it only if the thread that took it was ended."""
        line = [self._entries.popleft() for _ in range(len(self._entries))]
        return line if own in line else [own, *line]

    def _store(self, entries: list[_Entry]) -> None:
        """Commit these, or note for each of them why it was not to be."""
        try:
            answers = self._committed(entries)
        except Error as problem:
            connection.close()  # the next that this thread stores begins with a sound one
            for entry in entries:
                entry.problem, entry.is_done = problem, True
            return
        for entry, answer in zip(entries, answers, strict=True):
            entry.answer, entry.is_done = answer, True

    def _committed(self, entries: list[_Entry]) -> list[int | None]:
        """A transaction of SQLite itself: Django's takes a tenth of a submission's time."""
        own = connections[DEFAULT_DB_ALIAS]  # once: finding a thread's own costs as much as BEGIN
        own.ensure_connection()
        database = own.connection
        with own.wrap_database_errors:
            database.execute("BEGIN IMMEDIATE")
            try:
                answers = [self._inserted(database, entry.values) for entry in entries]
                database.execute("COMMIT")
            finally:
                if database.in_transaction:  # something failed; SQLite itself may have undone it
                    database.execute("ROLLBACK")
        return answers

    def _inserted(self, database: Any, values: dict[str, Any]) -> int | None:
        first, then = self._statements
        for (number,) in database.execute(first, values).fetchall():
            database.execute(then, values)
            return int(number)
        return None
