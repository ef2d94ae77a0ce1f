"""An installation of its own: a directory, a database, commands, a server, and a clock.

The clock is libfaketime's: it moves for the processes of the installation alone, which know nothing
of it. Nothing in Deniable sets a time.
"""

import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import psycopg
from django.db import connection

from tests import roles
from tests.conftest import ROOT, environment
from tests.load import Gunicorn, gunicorn


class Installation:
    """Commands over an empty database of its own, as an operator runs them."""

    def __init__(self, room: Path, name: str = "second") -> None:
        self.data = room / name
        self.data.mkdir(mode=0o700, exist_ok=True)
        self.name = name
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
                cursor.execute(f"CREATE DATABASE {name}")

    @property
    def url(self) -> str:
        if connection.vendor == "sqlite":
            return f"sqlite:///{self.data}/deniable.sqlite3"
        ours = connection.settings_dict["NAME"]
        return environment()["DENIABLE_DATABASE_URL"].replace(f"/{ours}", f"/{self.name}")

    @property
    def settings(self) -> dict[str, str]:
        return {"DENIABLE_DATA_DIR": str(self.data), "DENIABLE_DATABASE_URL": self.url}

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """One command."""
        python, role = roles.worker()
        return subprocess.run(
            [python, "manage.py", *arguments],
            cwd=ROOT,
            env={**environment(), **role, **self.settings, **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    def count(self, table: str) -> int:
        return self.ask(f"SELECT COUNT(*) FROM {table}")

    def ask(self, query: str) -> int:
        connect = sqlite3.connect if connection.vendor == "sqlite" else psycopg.connect
        address = self.url.removeprefix("sqlite:///")
        with connect(address) as opened:
            found = opened.execute(query).fetchone()[0]
        opened.close()
        return found

    def remove(self) -> None:
        """Its database, where that is not a file of its directory."""
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(f"DROP DATABASE {self.name} WITH (FORCE)")


def libfaketime() -> str:
    """Where the library is, for programs with threads. Raises RuntimeError that says what to do."""
    program = shutil.which("faketime")
    if program is None:
        raise RuntimeError("libfaketime is missing; on Debian: apt-get install faketime")
    said = subprocess.run(
        [program, "-m", "-f", "+0", "printenv", "LD_PRELOAD"],
        capture_output=True,
        text=True,
        check=True,
    )
    return said.stdout.strip()


class Timed(Installation):
    """An installation whose days pass when a test says so; it begins at noon of tomorrow."""

    def __init__(self, room: Path, name: str = "timed") -> None:
        super().__init__(room, name)
        self.clock = self.data.parent / f"{name}.clock"
        tomorrow = datetime.now(UTC).date() + timedelta(days=1)
        self.set(datetime.combine(tomorrow, time(12), UTC))

    def set(self, moment: datetime) -> None:
        """Its clocks show this moment now, and go on from there."""
        ahead = (moment - datetime.now(UTC)).total_seconds()
        # Whole at any moment: a process that reads it meanwhile would be back in today.
        written = self.clock.with_suffix(".new")
        written.write_text(f"{ahead:+.3f}\n")
        written.replace(self.clock)
        self.now = moment

    def pass_days(self, days: int) -> None:
        """So many days later, at noon."""
        self.set(self.now + timedelta(days=days))

    @property
    def settings(self) -> dict[str, str]:
        """Clocks that only measure how long something takes go on as they are."""
        return {
            **super().settings,
            "LD_PRELOAD": libfaketime(),
            "FAKETIME_TIMESTAMP_FILE": str(self.clock),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
            "PYTHONPATH": str(ROOT / "tests" / "timed"),
        }

    def do(self, *arguments: str, **variables: str) -> str:
        """A command that has to succeed; what it printed."""
        done = self.run(*arguments, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def begin(self) -> None:
        """Tables, static files, and a superuser "ada" with the password of all tests' accounts."""
        self.do("migrate", "--verbosity", "0")
        self.do("collectstatic", "--no-input", "--verbosity", "0")
        self.do(
            *("createsuperuser", "--no-input", "--username", "ada", "--email", ""),
            DJANGO_SUPERUSER_PASSWORD="correct horse",
        )

    @contextmanager
    def served(self, log: Path, *arguments: str, **variables: str) -> Iterator[Gunicorn]:
        """gunicorn over it; any number of answers may come from one address."""
        usual = {"DENIABLE_SUBMISSIONS_PER_HOUR": "0", **self.settings}
        with gunicorn(log, *arguments, **{**usual, **variables}) as server:
            yield server
