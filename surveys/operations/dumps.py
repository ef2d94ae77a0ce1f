"""The engine of a backup: dump and load a whole database, SQLite or PostgreSQL by its programs.

SQLite through its online backup interface, PostgreSQL through its own programs: both are safe
while answers come in, and both put a dump in place in one transaction.
"""

import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

from django.db import connection, transaction
from psycopg.conninfo import make_conninfo

PATIENCE = 20  # seconds that a lock may take on PostgreSQL; SQLite's are in the settings

Counts = dict[str, int]
Query = Callable[[str], list[Any]]


class Unusable(RuntimeError):
    """A dump cannot be made or used here; the message says what to do."""


class Engine(Protocol):
    """What a kind of database can do. Every method raises Unusable."""

    def save(self, target: Path) -> Counts:
        """Write a dump, and return how many rows each table has in it."""

    def check(self, source: Path, counts: Counts) -> None:
        """Look at a dump without touching the database."""

    def load(self, source: Path) -> None:
        """Put a dump in place of everything that is there, in one transaction."""

    def rows(self, source: Path, table: str, columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """These columns of every row of a table in a dump, as the database writes them."""


class SQLite:
    """A dump is a database file in one piece."""

    def save(self, target: Path) -> Counts:
        connection.ensure_connection()
        with closing(sqlite3.connect(target)) as copy:
            # All pages in one step: writers go on beside it, and it sees one instant.
            connection.connection.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, no companions
            return count(lambda query: copy.execute(query).fetchall())

    def check(self, source: Path, counts: Counts) -> None:
        with closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as copy:
            try:
                is_intact = copy.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
                counted = count(lambda query: copy.execute(query).fetchall())
            except sqlite3.DatabaseError as problem:
                raise Unusable(
                    f"The database inside the backup is damaged ({problem})."
                ) from problem
        if not is_intact or counted != counts:
            raise Unusable(
                "The database inside the backup is damaged, or is not the one that the backup "
                "describes."
            )

    def load(self, source: Path) -> None:
        connection.ensure_connection()
        with closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as copy:
            try:
                copy.backup(connection.connection, progress=_give_up)
            except (sqlite3.Error, TimeoutError) as problem:
                raise Unusable(
                    f"The database could not be replaced ({problem}). Stop the service and the "
                    "worker, and run this command again."
                ) from problem

    def rows(self, source: Path, table: str, columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
        quoted = ", ".join(map(connection.ops.quote_name, columns))
        query = f"SELECT {quoted} FROM {connection.ops.quote_name(table)}"  # noqa: S608 - quoted names
        with closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as copy:
            try:
                for row in copy.execute(query):
                    yield tuple(map(str, row))
            except sqlite3.DatabaseError as problem:
                raise Unusable(
                    f"The database inside the backup lacks a table or a column ({problem})."
                ) from problem


class PostgreSQL:
    """A dump is an archive of pg_dump's custom format."""

    def save(self, target: Path) -> Counts:
        program = _program("pg_dump")
        with transaction.atomic(durable=True), connection.cursor() as cursor:
            # One snapshot for the counts and for pg_dump, which is another process: both see one
            # instant.
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SELECT pg_export_snapshot()")
            snapshot = cursor.fetchone()[0]
            counts = count(_query)
            options = ["--format=custom", "--no-owner", "--no-privileges"]
            _run([program, *options, f"--snapshot={snapshot}", f"--file={target}", _database()])
        return counts

    def check(self, source: Path, counts: Counts) -> None:
        _run([_program("pg_restore"), "--list", f"--file={os.devnull}", str(source)])

    def load(self, source: Path) -> None:
        script, clear = source.with_suffix(".sql"), source.with_suffix(".clear")
        options = ["--no-owner", "--no-privileges", f"--file={script}"]
        _run([_program("pg_restore"), *options, str(source)])
        clear.write_text(f"SET lock_timeout = '{PATIENCE}s';\n{CLEAR}")
        # One transaction: where the script fails, what was there before is there still.
        options = ["--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1"]
        files = [f"--file={clear}", f"--file={script}"]
        _run([_program("psql"), *options, *files, _database()])

    def rows(self, source: Path, table: str, columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
        script = source.with_suffix(f".{table}")
        options = ["--data-only", f"--table={table}", f"--file={script}"]
        _run([_program("pg_restore"), *options, str(source)])
        yield from _copied(script, columns)


def _copied(script: Path, columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """These columns of the rows between COPY and its end, in a script of pg_restore."""
    with script.open() as lines:
        head = next((line for line in lines if line.startswith("COPY ")), "")
        names = head.partition("(")[2].partition(")")[0].split(", ")
        if not set(columns) <= set(names):
            raise Unusable("The database inside the backup lacks a table or a column.")
        places = [names.index(column) for column in columns]
        for line in lines:
            if line == "\\.\n":
                return
            cells = line.rstrip("\n").split("\t")
            yield tuple(cells[index] for index in places)


# Only what this account owns in its own schema, so that it needs no other right.
CLEAR = """
SET client_min_messages = warning;
DO $$
DECLARE one text;
BEGIN
  FOR one IN SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
    WHERE schemaname = current_schema()
  LOOP EXECUTE 'DROP TABLE ' || one || ' CASCADE'; END LOOP;
  FOR one IN SELECT p.oid::regprocedure FROM pg_proc p
    WHERE p.pronamespace = current_schema()::regnamespace AND NOT EXISTS
      (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
  LOOP EXECUTE 'DROP FUNCTION ' || one || ' CASCADE'; END LOOP;
END $$;
"""
ENGINES: dict[str, Engine] = {"sqlite": SQLite(), "postgresql": PostgreSQL()}
TABLES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
    "postgresql": "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()",
}


def engine() -> Engine:
    """For the database that is configured."""
    return ENGINES[connection.vendor]


def count_here() -> Counts:
    """How many rows each table of the configured database has."""
    return count(_query)


def count(query: Query) -> Counts:
    """How many rows each table has, where ``query`` asks."""
    names = sorted(name for (name,) in query(TABLES[connection.vendor]))
    # Names are our own tables'; quoted all the same.
    quote = connection.ops.quote_name
    return {name: query(f"SELECT COUNT(*) FROM {quote(name)}")[0][0] for name in names}  # noqa: S608


def _query(text: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(text)
        return list(cursor.fetchall())


def _give_up(status: int, remaining: int, total: int) -> None:
    """SQLite has waited as long as the connection is patient; Python would go on for ever."""
    if status in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        raise TimeoutError("another program is using the database")


def _program(name: str) -> str:
    """Where PostgreSQL's program is, if it is new enough for the server. Raises Unusable."""
    connection.ensure_connection()
    needed = connection.connection.info.server_version // 10_000
    remedy = (
        f"Install PostgreSQL's client programs of version {needed} or newer (on Debian: "
        f"postgresql-client-{needed}) and put their directory first in PATH."
    )
    path = shutil.which(name)
    if path is None:
        raise Unusable(f"{name} is missing. {remedy}")
    match = re.search(r"\(PostgreSQL\) (\d+)", _run([path, "--version"]))
    if not match or int(match[1]) < needed:
        version = match[1] if match else "unknown"
        raise Unusable(
            f"{path} has version {version}, but the server has version {needed}. {remedy}"
        )
    return path


def _database() -> str:
    """Where to connect, without the password: a command line can be read by others."""
    connection.ensure_connection()
    return f"--dbname={make_conninfo(**connection.connection.info.get_parameters())}"


def _run(command: list[str]) -> str:
    connection.ensure_connection()
    password = connection.connection.info.password
    environment = {**os.environ, **({"PGPASSWORD": password} if password else {})}
    done = subprocess.run(  # noqa: S603 - our own words, no shell
        command, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        words = done.stderr.strip().partition("\n")[0]
        raise Unusable(
            f"{Path(command[0]).name} failed: {words}. Nothing was changed. If another program "
            "holds a lock, stop the service and the worker, and run this command again."
        )
    return done.stdout
