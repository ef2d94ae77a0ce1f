"""A backup of each released version is restored and migrated by this one, and nothing is lost."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import DatabaseError, connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from analytics.models import Expenditure
from surveys.authoring.services import close
from surveys.models import AnswerCount, Revision, Survey
from surveys.operations import backups
from surveys.operations.checks import counted, database
from surveys.operations.checks.findings import Severity
from tests.postgresql import path_with_programs
from tests.versions.facts import facts

HERE = Path(__file__).parent
VERSIONS = sorted(path.name for path in HERE.iterdir() if (path / "sqlite.zip").exists())


@pytest.fixture(scope="module", params=VERSIONS)
def migrated(request, django_db_setup, django_db_blocker, tmp_path_factory) -> Iterator[Any]:
    """A version's database, restored beside the tests' own and migrated: its connection."""
    backup = HERE / request.param / f"{connection.vendor}.zip"
    name = str(tmp_path_factory.mktemp("older") / "older.sqlite3")
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patched:
        if connection.vendor == "postgresql":
            connection.ensure_connection()
            patched.setenv("PATH", path_with_programs(connection.pg_version // 10_000))
            name = f"{connection.settings_dict['NAME']}_older"
            _execute(f"CREATE DATABASE {name}")
        older = type(connections["default"])({**connection.settings_dict, "NAME": name}, "default")
        with _in_place(older):
            backups.restore(backup, replace=False)
            call_command("migrate", interactive=False, verbosity=0)
        yield older
        older.close()
        if connection.vendor == "postgresql":
            _execute(f"DROP DATABASE {name}")


@pytest.fixture
def known(migrated, request, db, settings, tmp_path) -> Iterator[dict[str, Any]]:
    """What was known of the database that is in place now; changes are rolled back."""
    version = request.node.callspec.params["migrated"]
    found = json.loads((HERE / version / f"{connection.vendor}.json").read_text())
    settings.BATCH_KEYS_DIR = tmp_path
    for name, content in found["keys"].items():
        file = name if Path(name).suffix else f"{name}.key"  # as the first version wrote them
        (tmp_path / file).write_bytes(bytes.fromhex(content))
    with _in_place(migrated), transaction.atomic():
        yield found["facts"]
        transaction.set_rollback(True)


@contextmanager
def _in_place(other: BaseDatabaseWrapper) -> Iterator[None]:
    """Make this the connection that everything uses."""
    ours = connections["default"]
    connections["default"] = other
    ContentType.objects.clear_cache()
    try:
        yield
    finally:
        connections["default"] = ours
        ContentType.objects.clear_cache()


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _nearly(value: Any) -> Any:
    """The same data; sums of floats may be taken in another order."""
    if isinstance(value, dict):
        return {key: _nearly(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_nearly(one) for one in value]
    return pytest.approx(value, rel=1e-9, abs=1e-9) if isinstance(value, float) else value


def test_surveys_estimates_rankings_texts_and_ledgers_are_as_they_were(known):
    now = facts()
    log, logged = now.pop("audit log"), known.pop("audit log")
    assert log[: len(logged)] == logged
    # Tables that came later have nothing of before, or what migrations worked out for them.
    now["rows"] = {table: count for table, count in now["rows"].items() if table in known["rows"]}
    assert now == _nearly(known)


def test_every_row_of_every_table_can_be_read(known):
    found = {
        model._meta.db_table: list(model._default_manager.all()) for model in apps.get_models()
    }
    kept = known["rows"].keys() & found.keys()
    assert {table: len(found[table]) for table in kept} == {
        table: known["rows"][table] for table in kept
    }


def test_its_answers_were_counted_when_it_was_migrated(known):
    assert AnswerCount.objects.exists()
    assert [one.level for one in counted.as_stored()] == [Severity.OK]


def test_all_triggers_of_this_version_are_there(known):
    assert database.expected_triggers() <= database.triggers()


@pytest.mark.parametrize(
    "change",
    [
        lambda: Revision.objects.update(document={}),
        lambda: Survey.objects.filter(state="open").update(title="Another"),
        lambda: Expenditure.objects.update(mu_squared="0"),
        lambda: Expenditure.objects.first().delete(),
    ],
    ids=["the questionnaire", "the promises", "the ledger", "a line of the ledger"],
)
def test_what_was_promised_then_still_cannot_be_changed(known, change):
    with pytest.raises(DatabaseError), transaction.atomic():
        change()


def test_a_survey_that_was_open_then_counts_what_waited_when_it_is_closed(known):
    before = known["surveys"]
    waited = [title for title, survey in before.items() if survey.get("waiting")]
    assert len(waited) >= 2
    for survey in Survey.objects.filter(title__in=waited):
        close(survey=survey, by=survey.owner)
    after = facts()["surveys"]
    for title in waited:
        assert after[title]["waiting"] == 0
        assert after[title]["responses"] == before[title]["responses"] + before[title]["waiting"]
