"""A site of a benchmark's own: an empty database with all tables, and the settings of service."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.machines import Postgresql, Sqlite

if TYPE_CHECKING:
    from django.contrib.auth.models import User

DATABASES = {"sqlite": Sqlite, "postgresql": Postgresql}
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "config.settings",
    "DENIABLE_HTTPS": "off",
    "DENIABLE_REQUIRE_MFA": "off",
}


@dataclass(frozen=True)
class Site:
    """Where it is: a folder for data and logs, removed at the end, and the database."""

    directory: Path
    database: Sqlite | Postgresql


@contextmanager
def site(kind: str, **settings: str) -> Iterator[Site]:
    """A site with a database of this kind, which is that of this process and of its children."""
    with tempfile.TemporaryDirectory(prefix="deniable-") as name:
        directory = Path(name)
        directory.chmod(0o755)  # the database server runs as another user
        database = DATABASES[kind](directory)
        places = {"DENIABLE_DATA_DIR": name, "DENIABLE_DATABASE_URL": database.url}
        os.environ.update(SETTINGS | places | settings)
        try:
            _make_tables()
            yield Site(directory, database)
        finally:
            database.stop()


def _make_tables() -> None:
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)


def make_owner(name: str = "bench") -> "User":
    """A member of staff, who owns what is measured."""
    from django.contrib.auth.models import User

    return User.objects.create_user(name, is_staff=True)


def cookie_of(user: "User") -> str:
    """What the browser of this person sends after logging in."""
    from django.conf import settings
    from django.test import Client

    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    return f"{name}={client.cookies[name].value}"
