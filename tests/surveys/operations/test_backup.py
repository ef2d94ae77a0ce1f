"""A backup brings back exactly what was there at one instant, on SQLite and on PostgreSQL."""

import io
import json
import os
import shutil
import sqlite3
import stat
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from surveys.authoring.services import launch
from surveys.models import Response, SubmissionKey, Survey, Waiting
from surveys.operations import dumps
from surveys.programs.tokens.texts import digest_of
from tests.conftest import environment
from tests.factories import add_budget, add_text, make_open_survey, make_survey, make_user
from tests.installations import Installation
from tests.postgresql import path_with_programs
from tests.stored import answer
from tests.surveys.programs.holding import token_of

pytestmark = pytest.mark.django_db(transaction=True)
COUNTED = ("surveys_response", "surveys_waiting", "surveys_submissionkey", "auth_user")


@pytest.fixture(autouse=True)
def room(transactional_db, settings, tmp_path, monkeypatch) -> Path:
    """A data directory of this test's own, and the programs of the server's version."""
    settings.BATCH_KEYS_DIR = tmp_path / "data" / "batch-keys"
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "backups").mkdir()
    if connection.vendor == "postgresql":
        connection.ensure_connection()
        monkeypatch.setenv("PATH", path_with_programs(connection.pg_version // 10_000))
    return tmp_path


@pytest.fixture
def survey(room):
    return make_open_survey(make_user(), title="Habits", batch_size=5)


def back_up(room: Path) -> Path:
    out = io.StringIO()
    call_command("backup", str(room / "backups"), stdout=out)
    return Path(out.getvalue().partition(": ")[0])


@pytest.fixture
def second(room) -> Iterator[Installation]:
    """Another installation with an empty database of its own."""
    made = Installation(room)
    yield made
    made.remove()


@pytest.mark.both_databases
def test_a_backup_that_was_made_while_answers_came_in_is_whole(survey, room, second):
    """Every submission that was acknowledged before is in it, none half, none twice."""
    answer(survey, 7)
    acknowledged, stop = [], threading.Event()

    def go_on() -> None:
        while not stop.is_set():
            answer(survey)
            acknowledged.append(1)
        connection.close()

    threads = [threading.Thread(target=go_on) for _ in range(3)]
    for thread in threads:
        thread.start()
    while len(acknowledged) < 5:
        stop.wait(0.01)
    before = 7 + len(acknowledged)
    path = back_up(room)
    stop.set()
    for thread in threads:
        thread.join()
    after = 7 + len(acknowledged)

    done = second.run("restore", str(path))
    assert done.returncode == 0, done.stderr
    responses, waiting, keys = (second.count(table) for table in COUNTED[:3])
    assert responses + waiting == keys
    assert before <= keys <= after
    assert responses >= 5
    restored = "SELECT COUNT(*) FROM surveys_auditentry WHERE action = 'restored a backup'"
    assert second.ask(restored) == 1
    assert SubmissionKey.objects.count() == after  # and the service lost nothing meanwhile


def test_a_backup_has_the_digest_of_a_token_and_never_the_token(survey, room):
    token = token_of(survey.owner, survey, "read")
    with zipfile.ZipFile(back_up(room)) as backup:
        stored = b"".join(map(backup.read, backup.namelist()))
    # PostgreSQL compresses its dump.
    assert digest_of(token).encode() in stored or connection.vendor != "sqlite"
    assert token.encode() not in stored
    assert token[-43:].encode() not in stored


@pytest.mark.audit
def test_after_restoring_it_says_which_answers_cannot_be_read(survey, room, second):
    answer(survey, 8)
    done = second.run("restore", str(back_up(room)))
    assert "5 stored answers" in done.stdout
    assert '3 waiting answers to "Habits" cannot be read' in done.stdout
    assert f"manage.py spool --write-off {survey.pk}" in done.stdout
    given_up = second.run("spool", "--write-off", str(survey.pk), "--yes")
    assert "3 acknowledged submissions" in given_up.stdout
    checked = second.run("doctor")
    assert "answers     every acknowledged answer is stored" in checked.stdout


@pytest.mark.audit
def test_with_the_keys_still_there_what_waits_is_counted(survey, room, second):
    answer(survey, 3)
    path = back_up(room)
    shutil.copytree(room / "data" / "batch-keys", second.data / "batch-keys")
    assert "cannot be read" not in second.run("restore", str(path)).stdout


@pytest.mark.audit
def test_a_restored_database_still_refuses_to_change_promises(survey, room, second):
    second.run("restore", str(back_up(room)))
    assert "triggers    all " in second.run("doctor").stdout
    with pytest.raises((sqlite3.Error, psycopg.Error), match="never changes"):
        second.ask("UPDATE surveys_revision SET document = '{}' RETURNING 1")


@pytest.mark.audit
def test_a_budget_is_restored_and_stays_fixed(room, second):
    draft = make_survey(make_user())
    add_text(draft)
    add_budget(draft)
    launch(survey=draft, by=draft.owner)
    second.run("restore", str(back_up(room)))
    assert second.ask("SELECT COUNT(*) FROM surveys_privacybudget") == 1
    with pytest.raises((sqlite3.Error, psycopg.Error), match="never changes"):
        second.ask("UPDATE surveys_privacybudget SET epsilon = 9 RETURNING 1")


@pytest.mark.audit
def test_restoring_says_that_an_old_ledger_forgets_what_was_released_since(room, second):
    """Otherwise a budget that was spent after the backup could be spent again, unnoticed."""
    draft = make_survey(make_user(), title="Promised")
    add_text(draft)
    add_budget(draft)
    before = second.run("restore", str(back_up(room))).stdout
    assert "ledgers" not in before
    launch(survey=draft, by=draft.owner)
    later = room / "later.zip"
    call_command("backup", str(later), stdout=io.StringIO())
    after = second.run("restore", str(later), "--replace").stdout
    assert "do not contain what reports released after that time" in after
    assert 'These surveys promised a budget: "Promised".' in after


@pytest.mark.both_databases
def test_a_backup_holds_neither_keys_nor_the_secret(survey, room, settings):
    answer(survey, 3)
    path = back_up(room)
    held = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == ["manifest.json", "database"]
        held += b"".join(archive.read(name) for name in archive.namelist())
    keys = [one.read_bytes() for one in settings.BATCH_KEYS_DIR.glob("*.keys")]
    assert len(keys) == 1
    for secret in (*keys, keys[0].hex().encode(), settings.SECRET_KEY.encode()):
        assert secret not in held


def test_a_backup_is_readable_by_its_owner_only_and_leaves_nothing_beside_it(survey, room):
    path = back_up(room)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list((room / "backups").iterdir()) == [path]


@pytest.mark.both_databases
def test_the_description_counts_what_is_inside(survey, room):
    answer(survey, 6)
    with zipfile.ZipFile(back_up(room)) as archive:
        told = json.loads(archive.read("manifest.json"))
    assert (told["format"], told["vendor"]) == (1, connection.vendor)
    assert [told["counts"][table] for table in COUNTED] == [5, 1, 6, 1]
    assert "surveys.0004_freeze_promises" in told["migrations"]
    assert "the keys of batches" in told["left_out"]


def test_a_file_that_is_there_is_never_overwritten(survey, room):
    (room / "kept.zip").write_text("mine")
    with pytest.raises(CommandError, match="Name a new file"):
        call_command("backup", str(room / "kept.zip"))
    assert (room / "kept.zip").read_text() == "mine"


def test_a_place_that_is_not_there_is_refused(room):
    with pytest.raises(CommandError, match="Make the directory first"):
        call_command("backup", str(room / "nowhere" / "b.zip"))


@pytest.mark.parametrize("typed", ["nowhere", "nowhere/"])
def test_a_directory_that_is_not_there_gets_no_file_of_its_name(room, typed):
    """Each night's backup would be refused from the second on, and nobody would find the first."""
    with pytest.raises(CommandError) as refused:
        call_command("backup", f"{room}/{typed}")
    assert str(refused.value) == (
        f"No backup was made. There is no directory {room / 'nowhere'}. "
        "Make the directory first, or name a new file that ends in .zip."
    )
    assert not (room / "nowhere").exists()


@pytest.mark.both_databases
def test_a_disk_that_is_full_leaves_no_half_backup(survey, room, monkeypatch):
    def full(*arguments) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CommandError, match=r"No space left on device\. Choose a place"):
        call_command("backup", str(room / "backups"))
    assert list((room / "backups").iterdir()) == []


@pytest.mark.both_databases
def test_a_database_that_is_not_empty_is_not_overwritten(survey, room):
    path = back_up(room)
    answer(survey, 2)
    with pytest.raises(CommandError, match="not empty"):
        call_command("restore", str(path))
    assert Waiting.objects.count() == 2


@pytest.mark.audit
def test_replacing_brings_back_the_backup_and_nothing_else(survey, room, second):
    answer(survey, 5)
    path = back_up(room)
    answer(survey, 5)
    later = room / "later.zip"
    call_command("backup", str(later), stdout=io.StringIO())
    assert second.run("restore", str(later)).returncode == 0
    assert second.count("surveys_response") == 10
    assert second.run("restore", str(path)).returncode == 1
    done = second.run("restore", "--replace", str(path))
    assert done.returncode == 0, done.stderr
    assert second.count("surveys_response") == 5


@pytest.mark.audit
def test_a_migrated_database_without_anybodys_work_counts_as_empty(survey, room, second):
    path = back_up(room)
    assert second.run("migrate", "-v0").returncode == 0
    assert second.run("restore", str(path)).returncode == 0
    assert second.count("surveys_survey") == 1


def rewrite(path: Path, **changes: object) -> Path:
    """The same backup with another description."""
    changed = path.with_name("changed.zip")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
        told = json.loads(old.read("manifest.json"))
        new.writestr("manifest.json", json.dumps({**told, **changes}))
        new.writestr("database", old.read("database"))
    return changed


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": 2}, "The backup has format 2"),
        ({"vendor": "oracle"}, "of the kind oracle"),
        ({"migrations": ["surveys.9999_future"]}, "made by a newer version"),
        ({"sha256": "0" * 64}, "not the one that the backup describes"),
        ({"made_at": "yesterday"}, "description of itself cannot be read"),
        ({"extra": 1}, "description of itself cannot be read"),
    ],
)
def test_a_backup_that_does_not_fit_is_refused_before_anything_changes(
    survey, room, changes, words
):
    path = rewrite(back_up(room), **changes)
    answer(survey, 2)
    with pytest.raises(CommandError, match=words):
        call_command("restore", "--replace", str(path))
    assert Waiting.objects.count() == 2


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\0" * 5000, bytes(range(256)) * 20])
def test_a_file_that_is_no_backup_is_refused(survey, room, content):
    (room / "x.zip").write_bytes(content)
    with pytest.raises(CommandError, match="not a backup of Deniable"):
        call_command("restore", "--replace", str(room / "x.zip"))
    assert Survey.objects.count() == 1


def test_a_file_that_is_missing_is_refused(room):
    with pytest.raises(CommandError, match="No such file"):
        call_command("restore", str(room / "missing.zip"))


@pytest.mark.both_databases
def test_a_backup_that_was_cut_or_changed_is_refused(survey, room):
    path = back_up(room)
    whole = path.read_bytes()
    middle = len(whole) // 2
    for damaged in (whole[:middle], whole[:middle] + bytes(64) + whole[middle + 64 :]):
        path.write_bytes(damaged)
        with pytest.raises(CommandError, match="damaged"):
            call_command("restore", "--replace", str(path))
    assert Survey.objects.count() == 1


@pytest.mark.parametrize("noise", [b"\0", b"\xff", b"\x55"])
def test_a_backup_that_was_changed_anywhere_is_refused_in_words(survey, room, noise):
    """What unpacks damaged bytes finds several kinds of mistakes in them."""
    path = back_up(room)
    whole = path.read_bytes()
    for start in range(60, len(whole) // 2, len(whole) // 24):
        path.write_bytes(whole[:start] + 64 * noise + whole[start + 64 :])
        with pytest.raises(CommandError, match="damaged"):
            call_command("restore", "--replace", str(path))


@pytest.mark.both_databases
def test_a_dump_that_fails_half_way_leaves_the_database_as_it_was(survey, room, monkeypatch):
    answer(survey, 2)
    with zipfile.ZipFile(back_up(room)) as archive:
        whole = archive.read("database")
    answer(survey)  # what is there differs from what is loaded
    held = dumps.count_here()
    if connection.vendor == "sqlite":
        whole = whole[: len(whole) * 3 // 4]
    else:  # everything is dropped and loaded when the last statement fails
        real = shutil.which("pg_restore")
        (room / "bin").mkdir()
        find = (
            'file=/dev/null; for one; do case "$one" in --file=*) file="${one#--file=}"; esac; done'
        )
        program(room / "bin" / "pg_restore", f'{find}; {real} "$@"; echo "SELECT 1/0;" >> "$file"')
        monkeypatch.setenv("PATH", f"{room / 'bin'}:{os.environ['PATH']}")
    (room / "half").write_bytes(whole)
    with pytest.raises(dumps.Unusable, match=r"division by zero|malformed|could not be replaced"):
        dumps.engine().load(room / "half")
    assert dumps.count_here() == held
    answer(survey, 2)
    assert Response.objects.count() == 5


@pytest.mark.both_databases
def test_a_database_that_is_in_use_is_not_replaced(survey, room, monkeypatch):
    """Somebody is in the middle of a transaction: nothing is torn away below them."""
    path = back_up(room)
    monkeypatch.setattr(dumps, "PATIENCE", 1)
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout = 300")
    with in_use(), pytest.raises(CommandError, match="top the service and the worker"):
        call_command("restore", "--replace", str(path))
    connection.close()
    answer(survey, 5)
    assert Response.objects.count() == 5


@contextmanager
def in_use() -> Iterator[None]:
    """Another program's open transaction that has written to a table."""
    url = environment()["DENIABLE_DATABASE_URL"]
    connect = sqlite3.connect if connection.vendor == "sqlite" else psycopg.connect
    other = connect(url.removeprefix("sqlite:///"))
    other.execute("UPDATE surveys_survey SET closed_on = NULL")
    yield
    other.rollback()
    other.close()


@pytest.mark.both_databases
def test_missing_or_old_programs_are_named_with_what_to_install(survey, room, monkeypatch):
    monkeypatch.setenv("PATH", str(room))
    if connection.vendor == "sqlite":
        assert back_up(room).exists()  # it needs no program at all
        return
    with pytest.raises(CommandError, match=r"pg_dump is missing\. Install PostgreSQL's client"):
        call_command("backup", str(room / "backups"))
    program(room / "pg_dump", "echo 'pg_dump (PostgreSQL) 9.6.1'")
    with pytest.raises(CommandError, match="has version 9, but the server has version"):
        call_command("backup", str(room / "backups"))
    assert list((room / "backups").iterdir()) == []


def program(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


@pytest.mark.both_databases
def test_the_databases_password_is_in_no_command_line(survey, room, monkeypatch):
    """Others on the machine can read command lines; an environment they cannot."""
    monkeypatch.setitem(connection.settings_dict, "PASSWORD", "hush-hush")
    connection.close()
    seen = room / "seen"
    seen.touch()
    if connection.vendor == "postgresql":
        real = shutil.which("pg_dump")
        (room / "bin").mkdir()
        program(room / "bin" / "pg_dump", f'echo "$PGPASSWORD: $*" >> {seen}; exec {real} "$@"')
        monkeypatch.setenv("PATH", f"{room / 'bin'}:{os.environ['PATH']}")
    back_up(room)
    connection.close()
    for line in seen.read_text().splitlines():
        password, _, words = line.partition(": ")
        assert password == "hush-hush"
        assert "hush" not in words
    assert bool(seen.read_text()) == (connection.vendor == "postgresql")
