"""`manage.py doctor` finds what is out of order, says what to do, and exits with 1."""

import io
import json
import os
import shutil
import subprocess
import sys
from collections import namedtuple
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.urls import reverse
from django_tasks_db.models import DBTaskResult

from surveys.collecting.keys import key_directory
from surveys.collecting.services import receive
from surveys.fieldwork.tasks import send_mails
from surveys.models import (
    Comment,
    KeyDirectory,
    Mailing,
    Response,
    SetAside,
    SubmissionKey,
    Survey,
)
from surveys.operations.checks import database, installation, rounds
from surveys.operations.checks.findings import Severity
from tests.conftest import ROOT, environment
from tests.factories import make_open_survey, make_survey, make_user
from tests.sixty import make_sixty, random_bodies
from tests.stored import answer

pytestmark = pytest.mark.django_db
Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def service(db, settings, tmp_path):
    """The settings of an installation in service, and a database of its owner's alone."""
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, data_dir=tmp_path)
    settings.BATCH_KEYS_DIR = tmp_path / "batch-keys"
    settings.RECOVERY_KEY = bytes(32)
    settings.ALLOWED_HOSTS = ["survey.example.org"]
    settings.SECURE_SSL_REDIRECT = settings.SECURE_HSTS_PRELOAD = True
    settings.SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    settings.SECURE_HSTS_SECONDS = 3600
    tmp_path.chmod(0o700)
    make_private()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET wal_recycle = off")  # as docs/operating.md has it
            yield settings
            cursor.execute("RESET wal_recycle")
    else:
        yield settings


@pytest.fixture
def survey(service):
    return make_open_survey(make_user(), title="Habits", batch_size=5)


@pytest.mark.both_databases
def test_a_database_that_keeps_what_was_erased_is_named_with_the_remedy(service):
    """PostgreSQL: its log's files, used again as they are, and samples of columns."""
    if connection.vendor == "sqlite":
        assert not {"erasure"} & {one.check for one in rounds.everything()}
        return
    with connection.cursor() as cursor:
        cursor.execute("SET wal_recycle = on")
        assert "ALTER SYSTEM SET wal_recycle = off" in warnings()["erasure"]
        cursor.execute("SET wal_recycle = off")
        assert "erasure" not in warnings() | problems()
        cursor.execute("ALTER TABLE surveys_comment ALTER COLUMN text SET STATISTICS -1")
        survey = make_open_survey(make_user())
        Comment.objects.create(revision=survey.revision, question=1, text="written")
        cursor.execute("ANALYZE surveys_comment")
        assert "surveys_comment.text" in problems()["erasure"]


def make_private() -> None:
    if connection.vendor == "sqlite":
        os.chmod(connection.settings_dict["NAME"], 0o600)


def doctor(*arguments: str) -> tuple[int, str]:
    """Its exit code and what it prints."""
    out = io.StringIO()
    try:
        call_command("doctor", *arguments, stdout=out)
    except SystemExit as left:
        return int(left.code), out.getvalue()
    return 0, out.getvalue()


def problems() -> dict[str, str]:
    return _found(Severity.PROBLEM)


def warnings() -> dict[str, str]:
    return _found(Severity.WARNING)


def _found(level: Severity) -> dict[str, str]:
    found = [one for one in rounds.everything() if one.level == level]
    assert all(one.remedy for one in found)
    return {one.check: f"{one.text}. {one.remedy}" for one in found}


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_sound_installation_has_nothing_but_ok(transactional_db, survey):
    answer(survey, 7)
    code, printed = doctor()
    assert {line.split()[0] for line in printed.splitlines()} == {"ok"}, printed
    assert code == 0
    assert '"Habits" accepts answers' in printed


@pytest.mark.django_db(transaction=True)
def test_an_installation_that_asks_sixty_questions_of_every_kind_is_sound_too(
    transactional_db, service
):
    """P9 over all kinds, rules and arms."""
    survey = make_sixty(make_user(), batch_size=5)
    for body in random_bodies(survey, 3):
        receive(survey_id=survey.pk, body=body)
    code, printed = doctor()
    assert {line.split()[0] for line in printed.splitlines()} == {"ok"}, printed
    assert (code, '"Habits and health" accepts answers' in printed) == (0, True)


def test_it_speaks_to_machines_too(service):
    told = json.loads(doctor("--json")[1])
    assert told["level"] == "ok"
    assert {"check", "level", "what", "remedy"} == set(told["findings"][0])


def test_a_problem_makes_the_exit_code_1_and_a_warning_does_not(service):
    service.ALLOWED_HOSTS = ["localhost"]
    assert doctor()[0] == 0
    service.DEBUG = True
    code, printed = doctor("--json")
    assert (code, json.loads(printed)["level"]) == (1, "problem")


def test_the_settings_of_a_trial_are_named(service):
    service.SECURE_SSL_REDIRECT = False
    assert "without encryption" in problems()["settings"]


def test_a_proxy_whose_addresses_cannot_be_read_is_named_until_a_login_comes_through(
    service, client
):
    """Known from staff's own login: of respondents nothing is kept that could tell it."""
    service.BEHIND_PROXY, service.SECURE_SSL_REDIRECT = True, False
    make_user()
    assert "addresses" not in problems()
    for stated, is_named in {"unknown": True, "203.0.113.7:4711": False}.items():
        through = {"HTTP_X_FORWARDED_FOR": stated, "HTTP_HOST": "survey.example.org"}
        client.post(reverse("login"), {"login": "ada", "password": "correct horse"}, **through)
        client.post(reverse("logout"), **through)
        assert ("X-Forwarded-For" in problems().get("addresses", "")) == is_named


def test_what_django_would_warn_of_is_told(service):
    service.SESSION_COOKIE_SECURE = False
    assert "security.W012" in warnings()["settings"]


@pytest.mark.both_databases
def test_a_migration_that_is_not_applied_is_named(service):
    MigrationRecorder(connection).record_unapplied("surveys", "0004_freeze_promises")
    assert "surveys.0004_freeze_promises" in problems()["migrations"]


def test_a_database_of_a_newer_version_is_recognised(service):
    MigrationRecorder(connection).record_applied("surveys", "9999_from_the_future")
    assert "surveys.9999_from_the_future" in problems()["migrations"]


@pytest.mark.both_databases
def test_every_trigger_that_the_migrations_made_is_watched(service):
    assert database.triggers() == database.expected_triggers()


@pytest.mark.both_databases
@pytest.mark.parametrize("name", ["revision_is_frozen", "survey_is_frozen", "audit_delete"])
def test_a_trigger_that_was_dropped_is_named(service, name):
    table = {"revision_is_frozen": "revision", "survey_is_frozen": "survey"}.get(name, "auditentry")
    of = f" ON surveys_{table}" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {name}{of}")
    assert name in problems()["triggers"]


@pytest.mark.both_databases
def test_a_trigger_that_is_switched_off_counts_as_missing(service):
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ALTER TABLE surveys_revision DISABLE TRIGGER revision_stays")
        else:  # SQLite's cannot be switched off one by one
            cursor.execute("DROP TRIGGER revision_stays")
    assert "revision_stays" in problems()["triggers"]


@pytest.mark.both_databases
def test_weaker_durability_is_named(service):
    weaken, restore, name = "SET LOCAL synchronous_commit = off", "SELECT 1", "synchronous_commit"
    if connection.vendor == "sqlite":
        weaken, restore = "PRAGMA secure_delete = OFF", "PRAGMA secure_delete = ON"
        name = "secure_delete"
    with connection.cursor() as cursor:
        cursor.execute(weaken)
        found = problems()
        cursor.execute(restore)
    assert name in found["durability"]


def test_an_acknowledged_answer_that_is_gone_is_missed(survey):
    answer(survey, 5)
    Response.objects.filter(pk=Response.objects.first().pk).delete()
    assert '1 acknowledged answers to "Habits" are missing' in problems()["answers"]


def test_answers_that_are_being_erased_on_their_day_are_not_missed(survey):
    answer(survey, 5)
    Survey.objects.update(delete_on=datetime.now(UTC).date())
    Response.objects.all().delete()
    assert "answers" not in problems()


def test_an_answer_that_nobody_sent_is_noticed(survey):
    Response.objects.create(revision=survey.revision, answers="")
    assert "1 stored answers were never acknowledged" in problems()["answers"]


def test_answers_from_before_keys_named_their_survey_are_in_order(survey):
    answer(survey, 5)
    SubmissionKey.objects.update(revision=None)
    assert "answers" not in problems()


def test_answers_that_were_given_up_are_not_missed(survey, service):
    answer(survey, 3)
    lose_keys(service)
    call_command("spool", write_off=str(survey.pk), yes=True, stdout=io.StringIO())
    assert not problems()


def lose_keys(service) -> None:
    for path in service.BATCH_KEYS_DIR.glob("*.keys"):
        path.unlink()


def test_a_lost_key_is_a_problem_that_names_the_command(survey, service):
    answer(survey, 3)
    lose_keys(service)
    words = problems()["spool"]
    assert '3 waiting answers to "Habits" cannot be read' in words
    assert f"manage.py spool --write-off {survey.pk}" in words


def test_answers_that_were_set_aside_are_a_warning_that_names_the_command(survey, service):
    row = {"revision": survey.revision, "batch": uuid4(), "ciphertext": b"sealed"}
    SetAside.objects.create(**row)
    SubmissionKey.objects.create(digest="0" * 64, revision=survey.revision)
    words = warnings()["spool"]
    assert 'answers to "Habits" are set aside' in words
    assert "fewer than 5 answers" in words
    assert f"manage.py spool --recover {survey.pk} --key FILE" in words
    assert not problems()


def test_another_directory_of_keys_than_before_is_a_problem(survey, service):
    (service.BATCH_KEYS_DIR / key_directory.MARK).unlink(missing_ok=True)
    KeyDirectory.objects.update_or_create(id=1, defaults={"mark": uuid4()})
    words = problems()["keys"]
    assert "is not the directory of keys that belongs to this database" in words
    assert "manage.py spool --new-directory" in words


def test_a_batch_that_is_stuck_is_a_problem(survey, monkeypatch):
    monkeypatch.setattr("surveys.collecting.services.flush_soon", lambda survey_id: None)
    monkeypatch.setattr("surveys.collecting.flushing.GATHERING", 0)
    answer(survey, 5)
    assert "manage.py spool --flush" in problems()["spool"]


def test_a_key_that_belongs_to_no_batch_is_a_warning(survey, service):
    answer(survey)
    (service.BATCH_KEYS_DIR / "left.keys").write_bytes(bytes(32))
    os.chmod(service.BATCH_KEYS_DIR / "left.keys", 0o600)
    assert "left.keys" in warnings()["spool"]
    assert not problems()


@pytest.mark.parametrize(
    ("path", "mode"), [(".", 0o755), ("secret_key", 0o640), ("batch-keys", 0o750)]
)
def test_files_that_others_can_open_are_named_with_the_remedy(
    survey, service, tmp_path, path, mode
):
    answer(survey)
    (tmp_path / "secret_key").touch(mode=0o600)
    (tmp_path / path).chmod(mode)
    assert f"{mode:04o}" in problems()["files"]
    assert "chmod" in problems()["files"]


def test_a_place_for_keys_that_is_no_directory_is_a_problem(service, tmp_path):
    (tmp_path / "batch-keys").touch(mode=0o600)
    assert "no answer is accepted" in problems()["keys"]


def test_a_disk_that_fills_up_is_a_warning(service, monkeypatch):
    for total, free in ((10**13, 4 * 10**11), (10**9, 4 * 10**8)):
        usage = Usage(total, total - free, free)
        monkeypatch.setattr(shutil, "disk_usage", lambda path, usage=usage: usage)
        assert "Free disk space" in warnings()["disk"]


@pytest.mark.parametrize("free", [0, 49 * 10**6])
def test_a_disk_without_room_for_an_opening_is_a_problem(service, monkeypatch, free):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(10**12, 10**12 - free, free))
    assert "Free disk space now" in problems()["disk"]
    assert "disk" not in warnings()


def test_a_maintenance_that_was_forgotten_is_a_warning(service, tmp_path):
    service.MAINTENANCE_FILE = tmp_path / "maintenance"
    assert "maintenance" not in warnings()
    call_command("maintenance", "on", stdout=io.StringIO())
    assert "manage.py maintenance off" in warnings()["maintenance"]


def test_a_clock_that_is_behind_what_happened_is_a_problem(survey, monkeypatch):
    monkeypatch.setattr(installation, "RELEASED", datetime.now(UTC) + timedelta(days=365))
    assert "Set the clock" in problems()["clock"]


@pytest.mark.both_databases
def test_a_database_whose_clock_is_apart_is_a_warning(service, monkeypatch):
    monkeypatch.setattr(installation, "APART", timedelta(microseconds=-1))
    monkeypatch.setattr(installation, "last_known_time", lambda: None)
    expected = {"clock"} if connection.vendor == "postgresql" else set()
    assert set(warnings()) & {"clock"} >= expected


@pytest.mark.parametrize(
    ("dates", "words"),
    [
        ({"close_on": date(2026, 1, 2)}, "should be closed"),
        ({"delete_on": date(2026, 1, 2)}, "should be erased"),
    ],
)
def test_a_survey_past_its_dates_means_that_retention_does_not_run(survey, dates, words):
    Survey.objects.update(**dates)
    assert f'"Habits" {words}' in problems()["retention"]


def test_retention_has_a_day(survey):
    today = datetime.now(UTC).date()
    Survey.objects.update(close_on=today - timedelta(days=1), delete_on=today)
    assert "retention" not in problems()


@pytest.mark.parametrize(
    ("run_after", "is_late"), [(None, True), (-60, True), (-5, False), (60, False)]
)
def test_tasks_that_wait_long_after_their_time_mean_that_no_worker_runs(
    service, run_after, is_late
):
    now = datetime.now(UTC)
    after = None if run_after is None else now + timedelta(minutes=run_after)
    send_mails.using(run_after=after).enqueue(str(uuid4()), 1, "https://survey.example.org/")
    assert "worker" not in problems()
    DBTaskResult.objects.update(enqueued_at=now - timedelta(minutes=61))
    assert ("1 tasks have waited" in problems().get("worker", "")) == is_late


def test_each_queue_without_a_worker_is_named_with_the_service_to_start(service):
    long_ago = datetime.now(UTC) - timedelta(minutes=11)
    send_mails.enqueue(str(uuid4()), 1, "https://survey.example.org/")
    DBTaskResult.objects.update(enqueued_at=long_ago, queue_name="reports")
    words = problems()["worker"]
    assert "in the queue reports" in words
    assert "systemctl start deniable-reports" in words
    assert "--queue-name reports" in words
    DBTaskResult.objects.update(queue_name="default")
    assert "systemctl start deniable-worker" in problems()["worker"]
    DBTaskResult.objects.update(queue_name="of_another_version")
    assert "manage.py db_worker --queue-name of_another_version" in problems()["worker"]


def test_a_mailing_without_a_mail_server_is_a_problem(service, owner):
    service.EMAIL_HOST = ""
    Mailing.objects.create(survey=make_survey(owner), subject="Hello", message="…")
    assert "DENIABLE_EMAIL_URL" in problems()["mail"]


def test_a_title_cannot_break_the_lines(survey):
    strange = make_open_survey(make_user("bob"), title="One\nok \x1b[2J two", batch_size=5)
    printed = doctor()[1]
    assert "\x1b" not in printed
    assert sum(str(strange.title)[-3:] in line for line in printed.splitlines()) == 1


def run(**variables: str) -> subprocess.CompletedProcess[str]:
    """The real command, as an operator runs it."""
    return subprocess.run(
        [sys.executable, "manage.py", "doctor"],
        cwd=ROOT,
        env={**environment(), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.django_db(transaction=True)
def test_the_real_command_finds_a_real_installation_sound(transactional_db, tmp_path):
    make_private()
    tmp_path.chmod(0o700)
    (tmp_path / "static").symlink_to(settings.STATIC_ROOT)
    done = run(
        DENIABLE_DATA_DIR=str(tmp_path),
        DENIABLE_HTTPS="on",
        DENIABLE_ALLOWED_HOSTS="survey.example.org",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "problem" not in done.stdout


def test_a_database_that_does_not_answer_is_a_problem_without_a_traceback(tmp_path):
    done = run(
        DENIABLE_DATA_DIR=str(tmp_path),
        DENIABLE_DATABASE_URL="postgresql://nobody:hush@127.0.0.1:9/nothing",
    )
    assert done.returncode == 1
    assert "check that DENIABLE_DATABASE_URL" in done.stdout
    assert "Traceback" not in done.stderr
    assert "hush" not in done.stdout + done.stderr


@pytest.mark.audit
def test_a_damaged_sqlite_file_is_a_problem(tmp_path):
    url = {
        "DENIABLE_DATA_DIR": str(tmp_path),
        "DENIABLE_DATABASE_URL": f"sqlite:///{tmp_path}/damaged.sqlite3",
    }
    command = [sys.executable, "manage.py", "migrate", "-v0"]
    subprocess.run(command, cwd=ROOT, env={**environment(), **url}, check=True)
    damage(tmp_path / "damaged.sqlite3")
    done = run(**url)
    assert done.returncode == 1, done.stdout
    assert "Traceback" not in done.stderr, done.stderr
    assert "integrity" in done.stdout or "malformed" in done.stdout, done.stdout


def damage(path: Path) -> None:
    """Nonsense over the second half of the file."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2)
        file.write(b"\xa5" * (size // 2))
