"""A program on tables of another version does not start, and says what to do."""

import subprocess
import sys

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from surveys.web.upkeep import tables
from tests.conftest import ROOT, environment

pytestmark = pytest.mark.django_db
NEWER = "9999_from_the_future"


def test_the_names_are_those_that_djangos_loader_finds():
    assert tables.known_migrations() == set(MigrationLoader(None).disk_migrations)


@pytest.mark.both_databases
def test_newer_and_older_tables_are_told_apart_each_with_a_remedy():
    assert tables.compare().is_exact
    recorder = MigrationRecorder(connection)
    recorder.record_applied("surveys", NEWER)
    recorder.record_unapplied("surveys", "0004_freeze_promises")
    recorder.record_applied("removed_app", "0001_initial")  # which no longer matters
    fit = tables.compare()
    assert (fit.missing, fit.unknown) == (["surveys.0004_freeze_promises"], [f"surveys.{NEWER}"])
    (missing, migrate), (unknown, install) = fit.problems
    assert "surveys.0004_freeze_promises" in missing
    assert "manage.py migrate" in migrate
    assert f"newer than this program: it has the migrations surveys.{NEWER}" in unknown
    assert "Install the version" in install


def test_an_empty_database_is_said_in_one_line():
    names = sorted(f"{app}.{name}" for app, name in tables.known_migrations())
    ((what, remedy),) = tables.TablesFit(names, []).problems
    assert what.endswith(f" and {len(names) - 5} more")
    assert len(what) < 300
    assert "manage.py migrate" in remedy


@pytest.mark.both_databases
def test_who_asks_often_pays_one_query_and_sees_a_change_at_once(django_assert_num_queries):
    watch, recorder = tables.TablesWatch(), MigrationRecorder(connection)
    assert watch.fits()
    with django_assert_num_queries(1):
        assert watch.fits()
    recorder.record_applied("surveys", NEWER)
    assert not watch.fits()
    recorder.record_unapplied("surveys", NEWER)
    assert watch.fits()
    recorder.record_unapplied("surveys", "0004_freeze_promises")
    assert not watch.fits()


@pytest.fixture
def newer_tables(transactional_db, tmp_path):
    recorder = MigrationRecorder(connection)
    recorder.record_applied("surveys", NEWER)
    yield
    recorder.record_unapplied("surveys", NEWER)


def started(tmp_path) -> subprocess.CompletedProcess[str]:
    """gunicorn, until it ends."""
    command = [sys.executable, "-m", "gunicorn", "-c", "config/server.py"]
    command += ["--bind", f"unix:{tmp_path}/socket", "--workers", "1", "config.wsgi"]
    data = {"DENIABLE_DATA_DIR": str(tmp_path)}
    return subprocess.run(
        command,
        cwd=ROOT,
        env={**environment(), **data},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_web_service_refuses_to_start_on_newer_tables(newer_tables, tmp_path):
    done = started(tmp_path)
    assert done.returncode == tables.REFUSED
    assert (
        "Deniable does not start: the database is newer than this program: it has the "
        f"migrations surveys.{NEWER}. Install the version of Deniable that made these"
        in done.stderr
    )
    assert "Traceback" not in done.stderr
