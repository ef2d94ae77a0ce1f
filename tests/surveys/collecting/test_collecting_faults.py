"""Faults while answers come in: each refusal says what to do, and nothing acknowledged is lost.

What many do at the same instant is in ``tests/promises/test_p12_counted_once.py``; the same under
load and kills is ``make bench-faults``.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest
from django.db import OperationalError, connection, connections, transaction
from django.urls import reverse

from surveys.authoring.services import close
from surveys.collecting import spool
from surveys.collecting.keys import batch_keys
from surveys.collecting.refusals import Unavailable
from surveys.collecting.services import receive, redeem, submit
from surveys.collecting.spool import flush
from surveys.models import Invitation, Response, Spool, SubmissionKey, Survey, Waiting
from surveys.models.queries import (
    languages_of,
    launched_revision,
    questionnaire_of,
    questionnaire_of_id,
)
from surveys.questionnaire import tokens
from surveys.questionnaire.submission import Submission, parse
from tests import patience
from tests.bodies import body_of
from tests.factories import invite, make_invited_survey
from tests.faults import refused
from tests.load import HEADERS

pytestmark = pytest.mark.django_db(transaction=True)
SENDERS = {"HTTP_SEC_FETCH_SITE": HEADERS["Sec-Fetch-Site"]}
SEND_AGAIN = "Keep this page open and send your answers again in a minute."


@pytest.fixture
def survey(keys, owner) -> Survey:
    return make_invited_survey(owner, batch_size=5)


@pytest.fixture
def token(survey) -> str:
    return invite(survey, 1)[0]


def post(client, survey: Survey, body: bytes):
    address = reverse("respondent:send", args=[survey.pk])
    return client.post(address, body, HEADERS["Content-Type"], **SENDERS)


def answer(survey: Survey, token: str | None = None) -> bytes:
    return body_of(survey.revision, invitation=token or invite(survey, 1)[0])


def acknowledged(survey: Survey, count: int) -> None:
    for _ in range(count):
        receive(survey_id=survey.pk, body=answer(survey))


def kept() -> tuple[int, int, int]:
    """Stored, waiting, and how many keys are remembered."""
    return Response.objects.count(), Waiting.objects.count(), SubmissionKey.objects.count()


BAD_TOKENS = {
    "cut": (lambda token: token[:-3], "this one has 13", "send again"),
    "mistyped": (lambda token: token[:-1] + "0z"[token[-1] == "0"], "typing mistake", "send again"),
    "guessed": (lambda token: tokens.new_token(), "does not belong to this survey", "send again"),
    "empty": (lambda token: "", "this one has 0", "send again"),
    "not even text": (lambda token: "%FF%FE", "cannot be read", "send again"),
}


@pytest.mark.parametrize("name", BAD_TOKENS)
def test_a_token_that_is_none_of_ours_stores_nothing_and_can_be_corrected(
    client, survey, token, name
):
    spoil, problem, remedy = BAD_TOKENS[name]
    good = answer(survey, token)
    reply = post(client, survey, good.replace(token.encode(), spoil(token).encode()))
    page = reply.content.decode()
    assert reply.status_code == 403
    assert problem in page
    assert remedy in page
    assert kept() == (0, 0, 0)
    assert post(client, survey, good).status_code == 200
    assert kept() == (0, 1, 1)


def test_a_token_of_another_survey_is_refused_and_stays_good_there(client, survey, owner):
    other = make_invited_survey(owner, batch_size=5)
    foreign = invite(other, 1)[0]
    assert post(client, survey, answer(survey, foreign)).status_code == 403
    assert kept() == (0, 0, 0)
    assert post(client, other, answer(other, foreign)).status_code == 200


@pytest.mark.both_databases
def test_a_used_token_is_refused_and_the_first_answer_stays(client, survey, token):
    assert post(client, survey, answer(survey, token)).status_code == 200
    reply = post(client, survey, answer(survey, token))
    assert reply.status_code == 403
    assert "has been used already" in reply.content.decode()
    assert "If you have another invitation" in reply.content.decode()
    assert kept() == (0, 1, 1)


def parsed(survey: Survey, token: str) -> Submission:
    revision = survey.revision
    return parse(
        answer(survey, token), questionnaire=questionnaire_of(revision), revision=str(revision.pk)
    )


@contextmanager
def being_stored(survey: Survey, token: str) -> Iterator[threading.Event]:
    """A submission that another worker has put into the spool and not committed yet."""
    submission, stored, commit = parsed(survey, token), threading.Event(), threading.Event()

    def store() -> None:
        with transaction.atomic():
            assert spool.hold(survey.pk)
            redeem(survey_id=survey.pk, token=token)
            submit(survey.pk, submission)
            stored.set()
            commit.wait(patience.SECONDS)
        connections.close_all()

    worker = threading.Thread(target=store)
    worker.start()
    assert stored.wait(patience.SECONDS)
    yield commit
    worker.join(patience.SECONDS)


def at_the_same_time(act: Callable[[], object]) -> threading.Thread:
    """Begin in another thread."""

    def run() -> None:
        act()
        connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def until_it_waits(thread: threading.Thread) -> None:
    """Until PostgreSQL says that it waits for a lock, or it wrongly went on and has ended.

    SQLite has one writer at a time, so there it cannot do anything else.
    """
    while connection.vendor == "postgresql" and thread.is_alive():
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
            if cursor.fetchone():
                return


@pytest.mark.both_databases
def test_a_close_waits_for_whoever_is_being_stored_and_counts_them(client, survey, token, owner):
    with being_stored(survey, token) as commit:
        closing = at_the_same_time(lambda: close(survey=survey, by=owner))
        until_it_waits(closing)
        commit.set()
        closing.join(patience.SECONDS)
    assert kept() == (1, 0, 1)
    reply = post(client, survey, body_of(survey.revision, invitation=tokens.new_token()))
    assert reply.status_code == 410
    assert "This survey closed on" in reply.content.decode()
    assert "If you still want to take part, ask" in reply.content.decode()


@pytest.mark.both_databases
def test_storing_a_batch_waits_for_whoever_is_being_stored_and_takes_them_along(survey, token):
    with refused("INSERT", "surveys_response"):
        acknowledged(survey, 5)
    with being_stored(survey, token) as commit:
        flushing = at_the_same_time(lambda: flush(survey.pk))
        until_it_waits(flushing)
        commit.set()
        flushing.join(patience.SECONDS)
    assert kept() == (6, 0, 6)


@contextmanager
def full_disk() -> Iterator[None]:
    """SQLite's file may not grow; PostgreSQL reports a full disk where the spool is written."""
    if connection.vendor == "postgresql":
        with refused("INSERT", "surveys_waiting", "could not extend file"):
            yield
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA page_count")
        (pages,) = cursor.fetchone()
        cursor.execute("CREATE TABLE filling (bytes BLOB)")
        cursor.execute(f"PRAGMA max_page_count = {pages + 8}")
        with suppress(OperationalError):
            while True:
                cursor.execute("INSERT INTO filling VALUES (zeroblob(4000))")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA max_page_count = 1073741823")
            cursor.execute("DROP TABLE filling")


def sent_until_refused(client, survey: Survey, bodies: list[bytes]) -> tuple[int, bytes]:
    """How many were acknowledged, and the body that was not."""
    for count, body in enumerate(bodies):
        reply = post(client, survey, body)
        if reply.status_code != 200:
            assert reply.status_code == 503
            assert SEND_AGAIN in reply.content.decode()
            assert "They count once, however often they are sent." in reply.content.decode()
            return count, body
    raise AssertionError("The disk was not full.")


@pytest.mark.both_databases
def test_on_a_full_disk_nothing_acknowledged_is_lost_and_the_rest_goes_through_later(
    client, survey, owner
):
    bodies = [answer(survey, token) for token in invite(survey, 60)]
    with full_disk():
        count, refused = sent_until_refused(client, survey, bodies)
        redeemed = Invitation.objects.filter(redeemed=True).count()
    assert (redeemed, SubmissionKey.objects.count()) == (count, count)
    assert post(client, survey, refused).status_code == 200
    close(survey=survey, by=owner)
    assert kept() == (count + 1, 0, count + 1)


@contextmanager
def absent_database() -> Iterator[None]:
    """Somebody else holds SQLite's only pen; PostgreSQL ends the connection under our feet."""
    other = connection.copy()
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout = 50")
        with other.cursor() as cursor:
            cursor.execute("BEGIN IMMEDIATE")
    else:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            (pid,) = cursor.fetchone()
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
    try:
        yield
    finally:
        other.close()
        connection.close()


@pytest.mark.both_databases
def test_while_the_database_is_away_it_says_so_and_afterwards_the_same_body_counts_once(survey):
    body = answer(survey)
    with absent_database(), pytest.raises(Unavailable) as refusal:
        receive(survey_id=survey.pk, body=body)
    assert refusal.value.remedy.startswith(SEND_AGAIN)
    assert kept() == (0, 0, 0)
    for _ in range(2):
        receive(survey_id=survey.pk, body=body)
    assert kept() == (0, 1, 1)


@contextmanager
def unreachable_database() -> Iterator[None]:
    """No connection can be made: there is no such database."""
    settings = connection.settings_dict
    name = settings["NAME"]
    connection.close()
    settings["NAME"] = "/nowhere/at/all"
    try:
        yield
    finally:
        settings["NAME"] = name


def forget_what_was_read() -> None:
    """As a process that has just started."""
    for read in (launched_revision, questionnaire_of_id, languages_of):
        read.cache_clear()


@pytest.mark.both_databases
def test_a_process_that_started_without_its_database_advises_to_send_again(client, survey, token):
    """197 of 4,475 repeats were answered with an error of ours while PostgreSQL came and went."""
    body = answer(survey, token)
    forget_what_was_read()
    with unreachable_database():
        reply = post(client, survey, body)
    assert reply.status_code == 503
    assert SEND_AGAIN in reply.content.decode()
    assert f'value="{token}"' in reply.content.decode()
    for _ in range(2):
        assert post(client, survey, body).status_code == 200
    assert kept() == (0, 1, 1)


@pytest.mark.both_databases
def test_pages_ask_to_come_again_while_the_database_is_away(client, survey):
    client.raise_request_exception = False  # as a server answers
    client.force_login(survey.owner)
    page = reverse("respondent:start", args=[survey.pk])
    forget_what_was_read()
    with unreachable_database():
        replies = [client.get(address) for address in (page, reverse("surveys:list"))]
    for reply in replies:
        assert reply.status_code == 503
        assert reply.headers["Retry-After"] == "60"
        assert "Please try again in a minute." in reply.content.decode()
    assert client.get(page).status_code == 200


@pytest.mark.both_databases
def test_a_receipt_whose_words_cannot_be_read_says_that_the_same_counts_once(client, survey, token):
    """The answers were stored, and the database went before the words of the receipt were read."""
    body = answer(survey, token)
    forget_what_was_read()
    languages_of(launched_revision(survey.pk))
    questionnaire_of_id(survey.revision.pk)  # to read answers with; a receipt is in a language

    def go_away(execute, sql, *args):
        if "document" in sql:
            raise OperationalError("the connection is lost")
        return execute(sql, *args)

    with connection.execute_wrapper(go_away):
        reply = post(client, survey, body)
    assert reply.status_code == 503
    assert SEND_AGAIN in reply.content.decode()
    assert post(client, survey, body).status_code == 200
    assert kept() == (0, 1, 1)


def test_without_a_place_for_keys_nothing_is_acknowledged(client, survey, token, keys):
    keys.write_text("not a directory")
    reply = post(client, survey, answer(survey, token))
    assert reply.status_code == 503
    assert SEND_AGAIN in reply.content.decode()
    assert kept() == (0, 0, 0)
    assert not Invitation.objects.filter(redeemed=True).exists()


def test_a_lost_key_refuses_new_answers_in_words_and_keeps_their_invitations_good(
    client, survey, token, keys
):
    acknowledged(survey, 3)
    (lost,) = keys.glob("*.keys")
    put_away = lost.rename(keys / "elsewhere")
    body = answer(survey, token)
    reply = post(client, survey, body)
    assert reply.status_code == 503
    assert SEND_AGAIN in reply.content.decode()
    assert kept() == (0, 3, 3)
    put_away.rename(lost)
    assert post(client, survey, body).status_code == 200
    assert kept() == (0, 4, 4)


def test_the_invitation_of_a_refused_submission_is_not_used_up(client, survey, token):
    good = answer(survey, token)
    assert post(client, survey, good + b"&x=1").status_code == 400
    assert post(client, survey, good).status_code == 200


@pytest.mark.both_databases
def test_a_batch_that_fails_at_the_last_moment_keeps_its_key_and_is_stored_later(survey, keys):
    """The spool's new batch is the last thing that is written."""
    with refused("UPDATE", "surveys_spool"):
        acknowledged(survey, 6)
        assert kept() == (0, 6, 6)
        batch = Spool.objects.get().batch
        assert batch_keys.is_kept(keys, batch)
    acknowledged(survey, 1)
    assert kept() == (7, 0, 7)
    assert not batch_keys.is_kept(keys, batch)
