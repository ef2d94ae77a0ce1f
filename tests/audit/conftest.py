"""What audits share: an installation whose days pass when a test says so."""

from collections.abc import Iterator

import pytest
from django.db import connection

from tests.installations import Timed
from tests.postgresql import path_with_programs


@pytest.fixture
def place(transactional_db, tmp_path, monkeypatch) -> Iterator[Timed]:
    """A running installation's directory and database, with a superuser."""
    if connection.vendor == "postgresql":
        connection.ensure_connection()
        monkeypatch.setenv("PATH", path_with_programs(connection.pg_version // 10_000))
    made = Timed(tmp_path)
    made.begin()
    yield made
    made.remove()
