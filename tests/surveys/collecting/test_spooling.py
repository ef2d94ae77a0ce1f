"""Submissions wait encrypted, are stored as whole batches in random order, and survive faults."""

import secrets
from datetime import timedelta
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.urls import reverse
from django.utils import timezone

from surveys.authoring.services import close
from surveys.collecting import spool as spooling
from surveys.collecting.keys import batch_keys
from surveys.collecting.queries import waiting_count
from surveys.collecting.refusals import OtherAnswers, Unavailable, UnknownInvitation, UsedInvitation
from surveys.collecting.services import receive
from surveys.collecting.spool import flush
from surveys.models import (
    Comment,
    Invitation,
    Mailing,
    Response,
    SetAside,
    SpentBatch,
    Spool,
    SubmissionKey,
    Survey,
    Waiting,
)
from surveys.models.queries import questionnaire_of
from surveys.models.refusals import NotOpen
from surveys.operations import retention
from tests.bodies import body_of
from tests.factories import invite, make_invited_survey, make_open_survey
from tests.faults import refused
from tests.stored import answer

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.survey(batch_size=5),
]


@pytest.mark.both_databases
def test_answers_wait_until_a_batch_is_whole(survey):
    answer(survey, 4)
    assert (Waiting.objects.count(), Response.objects.count()) == (4, 0)
    assert waiting_count(survey.revision.pk) == 4
    answer(survey)
    assert (Waiting.objects.count(), Response.objects.count()) == (0, 5)
    answer(survey, 6)
    assert (Waiting.objects.count(), Response.objects.count()) == (1, 10)


@pytest.mark.both_databases
def test_a_connection_keeps_its_plan_of_what_adds_a_submission(survey):
    """On PostgreSQL, where planning takes longer; SQLite's module keeps its statements."""
    answer(survey, 2)  # the first of a process does not know the batch yet
    known = planned()
    answer(survey, 2)
    assert planned() == known
    assert bool(known) == (connection.vendor == "postgresql")


@pytest.mark.both_databases
def test_a_process_keeps_no_text_of_a_statement_that_has_values_in_it(survey):
    """psycopg keeps the last 100 while it may ask for plans; what is planned has $1 for a value."""
    answer(survey, 5)
    assert Response.objects.count() == 5
    assert all(b"$1" in text for text in texts_kept())


def texts_kept() -> list[bytes]:
    """The statements that this connection's driver keeps. SQLite's keeps them without values."""
    if connection.vendor == "sqlite":
        return []
    prepared = connection.connection._prepared
    return [text for text, _ in (*prepared._counts, *prepared._names)]


def planned() -> list[str]:
    """The names of the server's own plans of what adds a submission, of this connection."""
    if connection.vendor == "sqlite":
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_prepared_statements WHERE statement ^@ 'WITH held'")
        return sorted(name for (name,) in cursor.fetchall())


@pytest.mark.both_databases
def test_closing_stores_what_waits_and_ends_the_spool(survey, owner):
    answer(survey, 3)
    batch = Spool.objects.get().batch
    close(survey=survey, by=owner)
    assert (Waiting.objects.count(), Response.objects.count()) == (0, 3)
    assert not Spool.objects.exists()
    assert batch not in batch_keys.kept(settings.BATCH_KEYS_DIR)
    assert flush(survey.pk) == 0


def test_surveys_wait_apart(survey, owner):
    other = make_open_survey(owner, batch_size=5)
    answer(survey, 4)
    answer(other, 4)
    assert Response.objects.count() == 0
    answer(other)
    assert Response.objects.filter(revision=other.revision).count() == 5
    assert Waiting.objects.filter(revision=survey.revision).count() == 4


@pytest.mark.both_databases
def test_texts_are_stored_apart_and_empty_ones_nowhere(owner):
    survey = make_invited_survey(owner, batch_size=5)
    words = questionnaire_of(survey.revision).items[1]
    texts = ["eins", "", "Zwei\nZeilen", "🙂" * 100, ""]
    for token, text in zip(invite(survey, 5), texts, strict=True):
        body = body_of(survey.revision, ["01", words.encode(text)], invitation=token)
        receive(survey_id=survey.pk, body=body)
    assert sorted(Comment.objects.values_list("question", "text")) == [
        (2, text) for text in sorted(filter(None, texts))
    ]
    assert set(Response.objects.values_list("answers", flat=True)) == {"01"}
    assert [item.text for item, _ in questionnaire_of(survey.revision).row.offsets]


@pytest.mark.both_databases
def test_a_refused_invitation_leaves_no_trace_of_the_submission(owner):
    survey = make_invited_survey(owner, batch_size=5)
    (used,) = invite(survey, 1)
    (foreign,) = invite(make_invited_survey(owner), 1)
    receive(survey_id=survey.pk, body=body_of(survey.revision, invitation=used))
    for token, refusal in (
        (used, UsedInvitation),
        (foreign, UnknownInvitation),
    ):
        with pytest.raises(refusal):
            receive(survey_id=survey.pk, body=body_of(survey.revision, invitation=token))
    assert SubmissionKey.objects.count() == Waiting.objects.count() == 1
    assert not Invitation.objects.exclude(survey=survey).filter(redeemed=True).exists()


def test_a_repeat_is_acknowledged_and_uses_no_second_invitation(owner):
    survey = make_invited_survey(owner, batch_size=5)
    first, second = invite(survey, 2)
    key = secrets.token_hex(16)
    body = body_of(survey.revision, invitation=first, key=key)
    for _ in range(2):
        receive(survey_id=survey.pk, body=body)
    with pytest.raises(OtherAnswers):
        receive(survey_id=survey.pk, body=body_of(survey.revision, invitation=second, key=key))
    assert Waiting.objects.count() == 1
    assert Invitation.objects.filter(redeemed=True).count() == 1


def test_keys_out_of_reach_refuse_new_answers_and_keep_what_waits(survey, settings, tmp_path):
    """What becomes of a key that is gone for certain: ``test_lost_batches``."""
    answer(survey, 3)
    within_reach, settings.BATCH_KEYS_DIR = settings.BATCH_KEYS_DIR, tmp_path / "not mounted"
    with pytest.raises(Unavailable) as refusal:
        answer(survey)
    assert "send your answers again" in refusal.value.remedy
    assert (Waiting.objects.count(), SubmissionKey.objects.count()) == (3, 3)
    settings.BATCH_KEYS_DIR = within_reach
    answer(survey, 2)
    assert Response.objects.count() == 5


@pytest.mark.both_databases
def test_a_batch_that_cannot_be_stored_loses_nothing_and_is_stored_later(survey):
    """The disk refuses responses, not the spool: what was acknowledged goes on waiting."""
    answer(survey, 4)
    with refused("INSERT", "surveys_response"):
        answer(survey, 2)
        assert (Waiting.objects.count(), Response.objects.count()) == (6, 0)
        with pytest.raises(DatabaseError), transaction.atomic():
            flush(survey.pk)
    answer(survey)
    assert (Waiting.objects.count(), Response.objects.count()) == (0, 7)


@pytest.mark.both_databases
def test_a_batch_is_stored_with_the_key_that_sealed_it_or_not_at_all(survey):
    answer(survey, 4)
    spool = Spool.objects.get()
    batch_keys.destroy(settings.BATCH_KEYS_DIR, spool.batch)
    batch_keys.create(settings.BATCH_KEYS_DIR, spool.batch)
    answer(survey)
    assert Response.objects.count() == 0
    assert (SetAside.objects.count(), Waiting.objects.count()) == (4, 1)


def test_what_waits_is_equally_long_whatever_was_answered(owner):
    survey = make_invited_survey(owner, batch_size=100)
    words = questionnaire_of(survey.revision).items[1]
    for token, text in zip(invite(survey, 3), ("", "kurz", "🙂" * 100), strict=True):
        body = body_of(survey.revision, ["00", words.encode(text)], invitation=token)
        receive(survey_id=survey.pk, body=body)
    (token,) = invite(survey, 1)
    own = body_of(survey.revision, ["01", "typed+by+hand"], own_coin=True, invitation=token)
    receive(survey_id=survey.pk, body=own)
    assert len({len(bytes(row.ciphertext)) for row in Waiting.objects.all()}) == 1
    assert spooling.keys_directory() == settings.BATCH_KEYS_DIR


def test_closing_keeps_how_many_were_invited_and_how_many_came(owner):
    survey = make_invited_survey(owner, batch_size=5)
    mailing = Mailing.objects.create(survey=survey, subject="s", message="{link}", undelivered=2)
    for token in invite(survey, 9)[:3]:
        receive(survey_id=survey.pk, body=body_of(survey.revision, invitation=token))
    close(survey=survey, by=owner)
    survey.refresh_from_db()
    assert (survey.invited, survey.redeemed) == (7, 3)
    assert not Invitation.objects.exists()
    assert not Mailing.objects.filter(pk=mailing.pk).exists()


def test_other_answers_under_a_used_key_are_refused_and_the_first_ones_count(survey):
    key = secrets.token_hex(16)
    first, second = (
        body_of(survey.revision, [code, "00", "00", "00", "00", "00", "018"], key=key)
        for code in ("00", "01")
    )
    receive(survey_id=survey.pk, body=first)
    for _ in range(2):
        with pytest.raises(OtherAnswers) as refusal:
            receive(survey_id=survey.pk, body=second)
    assert "open the survey anew" in refusal.value.remedy
    receive(survey_id=survey.pk, body=first)
    assert Waiting.objects.count() == 1


def test_a_key_of_another_survey_gets_no_receipt(survey, owner):
    key, other = secrets.token_hex(16), make_open_survey(owner, batch_size=5)
    receive(survey_id=survey.pk, body=body_of(survey.revision, key=key))
    with pytest.raises(OtherAnswers):
        receive(survey_id=other.pk, body=body_of(other.revision, key=key))
    close(survey=other, by=owner)
    with pytest.raises(NotOpen):
        receive(survey_id=other.pk, body=body_of(other.revision, key=key))


@pytest.mark.parametrize(("field", "days"), [("close_on", 1), ("delete_on", 0)])
def test_after_its_last_day_a_survey_takes_no_answers_even_before_it_is_closed(
    survey, client, field, days
):
    day = timezone.now().date() - timedelta(days=days)
    Survey.objects.filter(pk=survey.pk).update(**{field: day})
    with pytest.raises(NotOpen) as refusal:
        answer(survey)
    assert f"ended on {day}" in refusal.value.reason
    assert client.get(reverse("respondent:start", args=[survey.pk])).status_code == 410
    assert not Waiting.objects.exists()


def test_a_repeat_gets_no_receipt_while_keys_are_out_of_reach(survey, settings, tmp_path):
    body = body_of(survey.revision)
    receive(survey_id=survey.pk, body=body)
    settings.BATCH_KEYS_DIR = tmp_path / "not mounted"
    with pytest.raises(Unavailable):
        receive(survey_id=survey.pk, body=body)


def test_a_key_that_a_crash_left_behind_is_destroyed_by_the_hourly_run(survey):
    directory, foreign = settings.BATCH_KEYS_DIR, uuid4()
    answer(survey, 4)
    batch = Spool.objects.get().batch
    path = batch_keys.path_of(directory, batch)
    before = path.read_bytes()
    answer(survey)
    path.write_bytes(before)  # as if it had been killed before
    batch_keys.create(directory, foreign)  # of another database with the same directory
    retention.keep_dates(now=timezone.now())
    assert batch not in batch_keys.kept(directory)
    assert {foreign, Spool.objects.get().batch} <= batch_keys.kept(directory)
    assert not SpentBatch.objects.exists()


def test_a_spent_key_that_a_crash_left_behind_is_never_used_again(survey):
    answer(survey, 4)
    batch = Spool.objects.get().batch
    path = batch_keys.path_of(settings.BATCH_KEYS_DIR, batch)
    before = path.read_bytes()
    answer(survey)
    path.write_bytes(before)
    answer(survey, 5)
    assert Spool.objects.get().batch != batch
    assert batch not in batch_keys.kept(settings.BATCH_KEYS_DIR)
    answer(survey, 5)
    assert Response.objects.count() == 15


@pytest.mark.both_databases
def test_a_whole_batch_that_nobody_stored_is_stored_by_the_hourly_run(survey):
    answer(survey, 4)
    with refused("INSERT", "surveys_response"):
        answer(survey)
    assert Waiting.objects.count() == 5
    retention.keep_dates(now=timezone.now())
    assert (Waiting.objects.count(), Response.objects.count()) == (0, 5)
