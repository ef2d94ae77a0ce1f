"""A database falls back behind keys that are gone: its batch is set aside, the survey goes on."""

import os
import shutil
from contextlib import nullcontext
from functools import partial

import pytest
from django.db import connection, transaction
from django.utils import timezone

from surveys.authoring.services import close
from surveys.collecting import lost_batches, spool
from surveys.collecting.keys import batch_keys, key_directory
from surveys.collecting.queries import set_aside_count
from surveys.collecting.refusals import Unavailable
from surveys.collecting.services import receive
from surveys.models import (
    AuditEntry,
    KeyDirectory,
    Response,
    SetAside,
    Spool,
    SubmissionKey,
    Survey,
    Waiting,
)
from surveys.operations.openings import open_due
from tests.bodies import body_of
from tests.factories import make_open_survey
from tests.fallback import Snapshot
from tests.rivals import at_once

pytestmark = pytest.mark.django_db(transaction=True)
BATCH = 5


@pytest.fixture
def survey(owner, keys) -> Survey:
    return make_open_survey(owner, batch_size=BATCH)


def send(survey: Survey, times: int = 1) -> list[bytes]:
    sent = [body_of(survey.revision) for _ in range(times)]
    for body in sent:
        receive(survey_id=survey.pk, body=body)
    return sent


def fall_back(survey: Survey, *, waiting: int = 3) -> list[bytes]:
    """So many wait again whose batch was stored meanwhile, and whose key is overwritten."""
    sent = send(survey, waiting)
    before = Snapshot()
    send(survey, BATCH)
    before.put_back()
    return sent


def counts() -> tuple[int, int, int]:
    """Set aside, waiting, stored."""
    return SetAside.objects.count(), Waiting.objects.count(), Response.objects.count()


@pytest.mark.both_databases
def test_after_a_fallback_new_answers_are_taken_and_what_no_key_opens_is_set_aside(survey):
    fall_back(survey)
    send(survey, BATCH - 1)
    assert counts() == (3, BATCH - 1, 0)
    send(survey)
    assert counts() == (3, 0, BATCH)
    assert SubmissionKey.objects.count() == 3 + BATCH


def test_a_repeat_of_an_answer_that_was_set_aside_is_acknowledged_and_counts_no_second_time(survey):
    (first, *_) = fall_back(survey)
    receive(survey_id=survey.pk, body=first)
    receive(survey_id=survey.pk, body=first)
    assert counts() == (3, 0, 0)


@pytest.mark.both_databases
def test_a_batch_that_is_whole_and_lost_is_set_aside_by_the_run_of_the_openings(survey):
    fall_back(survey, waiting=BATCH - 1)
    assert open_due(timezone.now()).problems == []
    assert counts() == (BATCH - 1, 0, 0)


def test_a_survey_whose_keys_are_all_gone_goes_on_with_new_ones(survey, keys):
    """Its file went when it closed, and the database fell back to before that."""
    send(survey, 3)
    next(keys.glob("*.keys")).unlink()
    send(survey, BATCH)
    assert counts() == (3, 0, BATCH)


@pytest.mark.parametrize("damage", ["is moved away", "is empty", "is another database's"])
def test_where_the_directory_of_keys_is_not_there_nothing_is_set_aside(
    survey, keys, tmp_path, damage
):
    send(survey, 3)
    keys.rename(tmp_path / "elsewhere")
    if damage != "is moved away":
        keys.mkdir()
    if damage == "is another database's":
        (keys / key_directory.MARK).write_text("00000000-0000-4000-8000-000000000000\n")
    for _ in range(2):
        with pytest.raises(Unavailable):
            send(survey)
    assert counts() == (0, 3, 0)
    if keys.exists():
        shutil.rmtree(keys)
    (tmp_path / "elsewhere").rename(keys)
    send(survey, BATCH - 3)
    assert counts() == (0, 0, BATCH)


def test_a_directory_that_cannot_be_read_sets_nothing_aside(survey, keys, tmp_path):
    send(survey, 3)
    keys.rename(tmp_path / "elsewhere")
    keys.write_bytes(b"not a directory")
    with pytest.raises(Unavailable):
        send(survey)
    assert counts() == (0, 3, 0)


def test_a_file_of_keys_that_this_server_does_not_see_yet_is_not_gone(survey, monkeypatch):
    """On a disk that servers share a new name may appear late; trying to make it asks the disk."""
    send(survey, 3)
    open_file, link, asked = os.open, os.link, []

    def late(path, *arguments, **named):
        if str(path).endswith(".keys") and not asked:
            raise FileNotFoundError(path)
        return open_file(path, *arguments, **named)

    def ask(source, target):
        asked.append(target)
        link(source, target)

    monkeypatch.setattr(os, "open", late)
    monkeypatch.setattr(os, "link", ask)
    send(survey)
    assert asked
    assert counts() == (0, 4, 0)


def test_an_installation_from_before_marks_gets_one_where_a_key_of_its_own_is(survey, keys):
    fall_back(survey)
    KeyDirectory.objects.all().delete()
    (keys / key_directory.MARK).unlink()
    send(survey)
    assert counts() == (3, 1, 0)
    assert KeyDirectory.objects.get().mark == key_directory.mark_in(keys)


def test_an_installation_from_before_marks_gets_none_where_no_key_of_its_own_is(survey, keys):
    send(survey, 3)
    KeyDirectory.objects.all().delete()
    for path in keys.iterdir():
        path.unlink()
    with pytest.raises(Unavailable):
        send(survey)
    assert counts() == (0, 3, 0)
    assert not KeyDirectory.objects.exists()


@pytest.mark.both_databases
def test_several_servers_that_notice_at_once_set_a_batch_aside_once(survey):
    fall_back(survey)
    at_once(*[partial(send, survey)] * 4)
    assert counts() == (3, 4, 0)
    spool = Spool.objects.get()
    assert not lost_batches.lost_rows(spool)
    for _ in range(2):
        open_due(timezone.now())
    assert AuditEntry.objects.filter(action="set answers aside").count() == 1


@pytest.mark.both_databases
def test_a_batch_is_set_aside_while_another_process_has_the_survey_and_waits_for_the_spool(survey):
    """Who needs both takes the survey first: the other order, once, would stop both."""
    fall_back(survey)
    is_shared = connection.vendor == "postgresql"  # SQLite has one writer, who has everything

    @transaction.atomic
    def set_aside() -> int:
        if is_shared:
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '2s'")
        return lost_batches.set_aside(survey.pk)

    with transaction.atomic() if is_shared else nullcontext():
        Survey.objects.select_for_update(of=("self",)).get(pk=survey.pk)
        assert at_once(set_aside) == [3]


@pytest.mark.both_databases
def test_rows_that_the_key_that_is_there_does_not_open_are_set_aside_alone(survey):
    """The batch got a key anew after one fallback, and another brought back rows of the first."""
    send(survey, 2)
    Waiting.objects.filter(pk=Waiting.objects.first().pk).update(ciphertext=bytes(60))
    send(survey, BATCH - 1)
    assert counts() == (1, 0, BATCH)


def test_a_key_that_is_back_in_its_file_opens_what_was_set_aside(survey, keys):
    path = batch_keys.path_of(keys, Spool.objects.get().batch)
    kept = path.read_bytes()
    fall_back(survey)
    send(survey, 2)
    path.write_bytes(kept)
    send(survey)  # the key of the batch that waited is gone now, and is set aside in its place
    assert counts() == (2, 4, 0)
    send(survey)
    assert counts() == (2, 0, BATCH)


def test_how_many_were_set_aside_is_told_in_steps_until_the_close_and_then_exactly(survey, owner):
    told = []
    for waiting in (4, 2):
        fall_back(survey, waiting=waiting)
        send(survey)
        assert open_due(timezone.now()).problems == []
        told.append(set_aside_count(survey).in_words)
    assert told == ["fewer than 5 answers", "at least 5 answers"]
    entries = AuditEntry.objects.filter(action="set answers aside").order_by("at")
    assert [entry.after for entry in entries] == [{"at_least": 0}, {"at_least": 5}]
    close(survey=survey, by=owner)
    survey.refresh_from_db()
    assert set_aside_count(survey).in_words == "7 answers"


def test_closing_stores_what_can_be_read_and_keeps_what_was_set_aside(survey, owner):
    fall_back(survey)
    send(survey, 2)
    close(survey=survey, by=owner)
    assert counts() == (3, 0, 2)


def test_a_spool_in_which_all_can_be_read_is_left_alone(survey):
    send(survey, 3)
    assert lost_batches.set_aside(survey.pk) == 0
    assert counts() == (0, 3, 0)
    assert spool.flush(survey.pk) == 0
