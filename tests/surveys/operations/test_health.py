"""`/health/` says whether answers can be taken, and nothing else."""

import shutil
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

import dj_database_url
import pytest
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.db import connection, connections
from django.db.migrations.recorder import MigrationRecorder
from django.db.utils import ConnectionHandler

from surveys.collecting.services import receive
from tests.bodies import body_of
from tests.factories import make_open_survey

pytestmark = pytest.mark.django_db
Usage = namedtuple("Usage", "total used free")


@pytest.fixture(autouse=True)
def keys(settings, tmp_path):
    settings.BATCH_KEYS_DIR = tmp_path / "keys"
    return settings.BATCH_KEYS_DIR


@pytest.fixture
def waiting(owner):
    survey = make_open_survey(owner, batch_size=5)
    receive(survey_id=survey.pk, body=body_of(survey.revision))
    return survey


def test_a_healthy_service_says_ok_in_plain_text_and_sets_no_cookie(client, waiting):
    reply = client.get("/health/")
    assert (reply.status_code, reply.content) == (200, b"ok\n")
    assert reply["Content-Type"] == "text/plain"
    assert reply["Cache-Control"] == "no-store"
    assert not reply.cookies


def test_asking_often_is_cheap(client, waiting, django_assert_num_queries):
    client.get("/health/")
    with django_assert_num_queries(2):
        client.get("/health/")


def test_head_is_answered_and_nothing_else_is_accepted(client, db):
    assert client.head("/health/").status_code == 200
    for method in ("post", "put", "delete", "patch"):
        assert getattr(client, method)("/health/").status_code == 405


def test_keys_out_of_reach_fail_and_no_survey_is_named(client, waiting, keys, tmp_path):
    """A directory that is not mounted, and the empty one that stands there instead."""
    keys.rename(tmp_path / "elsewhere")
    assert client.get("/health/").content == b"failing: keys\n"
    keys.mkdir()
    reply = client.get("/health/")
    assert (reply.status_code, reply.content) == (503, b"failing: keys\n")


def test_a_key_of_one_survey_that_is_gone_takes_no_server_out(client, waiting, keys):
    next(keys.glob("*.keys")).unlink()
    assert client.get("/health/").content == b"ok\n"
    receive(survey_id=waiting.pk, body=body_of(waiting.revision))
    assert client.get("/health/").content == b"ok\n"


def test_keys_that_cannot_be_made_fail(client, db, keys):
    keys.touch()
    reply = client.get("/health/")
    assert (reply.status_code, reply.content) == (503, b"failing: keys\n")


def test_a_full_disk_fails(client, db, monkeypatch):
    usage = Usage(10**12, 10**12 - 10**7, 10**7)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    assert client.get("/health/").content == b"failing: disk\n"


def test_a_missing_script_fails(client, db):
    script = Path(settings.STATIC_ROOT) / staticfiles_storage.stored_name(
        "surveys/collecting/send.js"
    )
    aside = script.rename(script.with_suffix(".aside"))
    try:
        assert client.get("/health/").content == b"failing: pages\n"
    finally:
        aside.rename(script)
    assert client.get("/health/").content == b"ok\n"


def test_a_missing_migration_fails_until_it_is_applied(client, db):
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("surveys", "0004_freeze_promises")
    assert client.get("/health/").content == b"failing: migrations\n"
    recorder.record_applied("surveys", "0004_freeze_promises")
    assert client.get("/health/").content == b"ok\n"


@pytest.fixture
def nowhere(db: None) -> Iterator[None]:
    """For the time of the test the database is one that does not answer."""
    real = connections["default"]
    away = dj_database_url.parse("postgresql://nobody:secret@127.0.0.1:9/nothing")
    connections["default"] = ConnectionHandler({"default": away})["default"]
    yield
    connections["default"] = real


def test_a_database_that_does_not_answer_fails_without_details(client, nowhere):
    reply = client.get("/health/")
    assert (reply.status_code, reply.content) == (503, b"failing: database\n")
