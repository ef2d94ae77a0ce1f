"""Everything that the server keeps: each row of each table, and the raw bytes of every file."""

import contextlib
import hashlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection


def rows() -> Iterator[str]:
    """Every row of every table, as text; what a session holds is unpacked."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            for row in cursor.fetchall():
                yield f"{table}: {[_text(value) for value in row]}"
    for session in Session.objects.all():
        yield f"session: {session.get_decoded()}"


def files() -> Iterator[tuple[Path, bytes]]:
    """The data directory and, on PostgreSQL, that of the database: tables, WAL and its own log."""
    directories = [Path(settings.STATIC_ROOT).parent]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("CHECKPOINT")
            cursor.execute("SHOW data_directory")
            directories.append(Path(cursor.fetchone()[0]))
    for directory in directories:
        for folder, _, names in os.walk(directory, onerror=_unless_gone):
            for path in (Path(folder) / name for name in names):
                with contextlib.suppress(FileNotFoundError):  # PostgreSQL removes files as it works
                    if path.is_file():
                        yield path, _read(path)


def _unless_gone(problem: OSError) -> None:
    """Other tests' databases, and with them their folders, are dropped side by side with this."""
    if not isinstance(problem, FileNotFoundError):
        raise problem


def forms(mark: str) -> dict[str, bytes]:
    """A mark as it could be written down: plain, or hashed without a secret."""
    plain = mark.encode()
    hashed = {name: hashlib.new(name, plain) for name in ("md5", "sha1", "sha256")}
    return (
        {"plain": plain}
        | {name: made.hexdigest().encode() for name, made in hashed.items()}
        | {f"{name}, binary": made.digest() for name, made in hashed.items()}
    )


def found(marks: list[str], text: bytes) -> list[str]:
    """Which marks are in the text, and how."""
    return [
        f"{mark} ({how})" for mark in marks for how, form in forms(mark).items() if form in text
    ]


def _read(path: Path) -> bytes:
    """SQLite's files through another process: closing them here would end the locks held here."""
    if not str(path).startswith(str(connection.settings_dict["NAME"])):
        return path.read_bytes()
    return subprocess.run(["cat", path], check=True, capture_output=True).stdout


def _text(value: object) -> str:
    return bytes(value).decode("latin-1") if isinstance(value, (bytes, memoryview)) else str(value)
