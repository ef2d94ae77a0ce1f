"""status.json: what may change after the launch, and which versions of the program answered."""

import json
from datetime import date, timedelta

import pytest
from django.db import connection
from django.db.utils import ConnectionHandler
from django.utils import timezone

from surveys import VERSION
from surveys.authoring.services import close
from surveys.collecting.published.status import status_file
from surveys.models import ProgramVersion
from surveys.web.upkeep import maintenance, versions
from tests.factories import make_survey

pytestmark = pytest.mark.django_db


def status(client, survey, language="en"):
    reply = client.get(f"/{language}/s/{survey.pk}/status.json")
    assert (reply.status_code, reply.headers["Content-Type"]) == (200, "application/json")
    assert not reply.cookies
    return json.loads(reply.content)


def test_it_says_the_survey_its_last_day_its_state_and_the_versions(client, survey):
    ProgramVersion.objects.create(version="0.9.0", since=date(2026, 1, 2))
    ProgramVersion.objects.create(version="0.10.0", since=date(2026, 1, 2))
    assert status(client, survey) == {
        "survey": str(survey.pk),
        "last_day": None,
        "state": "open",
        "versions": [
            {"version": "0.9.0", "since": "2026-01-02"},
            {"version": "0.10.0", "since": "2026-01-02"},
        ],
    }


def test_the_day_after_the_last_one_it_is_closed(client, survey):
    survey.close_on = timezone.now().date() + timedelta(days=9)
    survey.save()
    assert status(client, survey)["last_day"] == survey.close_on.isoformat()
    for days, state in ((0, "open"), (1, "closed")):
        said = json.loads(status_file(survey, survey.close_on + timedelta(days=days)))
        assert said["state"] == state


def test_a_closed_survey_still_says_so(client, survey):
    close(survey=survey, by=survey.owner)
    assert status(client, survey)["state"] == "closed"


@pytest.mark.usefixtures("_static_files")
def test_a_draft_has_none(client, owner):
    reply = client.get(f"/en/s/{make_survey(owner).pk}/status.json")
    assert reply.status_code != 200
    assert b"last_day" not in reply.content


def test_each_version_is_kept_with_the_day_of_its_first_start_alone():
    for _ in range(3):
        versions.note_version(connection)
    kept = ProgramVersion.objects.get()
    assert (kept.version, kept.since) == (VERSION, timezone.now().date())
    ProgramVersion.objects.update(since=date(2026, 1, 2))
    versions.note_version(connection)
    assert ProgramVersion.objects.get().since == date(2026, 1, 2)
    assert {field.name for field in ProgramVersion._meta.concrete_fields} == {
        "id",
        "version",
        "since",
    }


def test_a_process_that_started_during_an_upgrade_says_so_once_it_answers(settings, tmp_path):
    settings.MAINTENANCE_FILE = tmp_path / "maintenance"
    maintenance.begin()
    assert maintenance.is_on()
    assert not ProgramVersion.objects.exists()
    maintenance.end()
    assert not maintenance.is_on()
    assert ProgramVersion.objects.get().version == VERSION


@pytest.mark.parametrize("name", ["missing/deniable.sqlite3", "empty.sqlite3"])
def test_a_database_that_is_not_there_yet_keeps_no_server_from_starting(tmp_path, name):
    handler = ConnectionHandler(
        {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": tmp_path / name}}
    )
    versions.note_start(handler["default"])
    assert not ProgramVersion.objects.exists()
