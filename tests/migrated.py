"""The migrated database, kept until the program changes: migrations cost four seconds each time.

It stands beside the compiled tests, under a digest of all that it is made from, so that an older
one is never taken. Of processes that test side by side the first makes it and the others wait.
"""

import contextlib
import hashlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.db import connection

from benchmarks.structure import PRODUCT, ROOT

KEPT = ROOT / "tests" / "__pycache__"


def place() -> Path:
    """Where the database of this program stands, or will."""
    KEPT.mkdir(exist_ok=True)
    ending = {"sqlite": "sqlite3", "postgresql": "sql"}[connection.vendor]
    return KEPT / f"migrated-{_digest()}.{ending}"


@cache
def _digest() -> str:
    found = hashlib.sha256(f"{sys.version} {sqlite3.sqlite_version}".encode())
    for path in _made_from():
        found.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return found.hexdigest()[:16]


def _made_from() -> Iterator[Path]:
    """Migrations, what they read, and the versions of the libraries that have some."""
    for folder in PRODUCT:
        yield from sorted((ROOT / folder).rglob("*.py"))
    yield ROOT / "config" / "requirements.lock"


def keep(target: Path) -> None:
    """Write the database that was just migrated; those of earlier programs go."""
    for old in KEPT.glob("migrated-*"):
        if _digest() not in old.name:
            old.unlink(missing_ok=True)
    unfinished = target.with_name(f"{target.name}.part")
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        with (  # all of it, also what stands in the write-ahead log alone
            contextlib.closing(sqlite3.connect(name)) as made,
            contextlib.closing(sqlite3.connect(unfinished)) as copy,
        ):
            made.backup(copy)
    else:
        _run("pg_dump", "--no-owner", "--file", str(unfinished), url_of(name))
    unfinished.rename(target)


def take(source: Path) -> None:
    """Make the database of this process from it."""
    name = connection.creation._get_test_db_name()  # which has no public name before it is made
    if connection.vendor == "sqlite":
        shutil.copyfile(source, name)
        return
    psql = ("psql", "--quiet", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", "--output", os.devnull)
    for command in (f'DROP DATABASE IF EXISTS "{name}"', f'CREATE DATABASE "{name}"'):
        _run(*psql, "--command", command, url_of("postgres"))
    _run(*psql, "--file", str(source), url_of(name))


def _run(program: str, *arguments: str) -> None:
    from tests.postgresql import programs  # which runs on SQLite need not load

    subprocess.run([str(programs() / program), *arguments], check=True)


def url_of(name: str) -> str:
    """A database of the PostgreSQL that was started for the tests."""
    server = os.environ["DENIABLE_DATABASE_URL"]
    return re.sub(r"(postgres\w*://[^/]*/)[^?]*", rf"\g<1>{name}", server)
