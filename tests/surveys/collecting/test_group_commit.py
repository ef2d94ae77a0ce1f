"""Submissions that come at once to a process on SQLite are committed together, or fail together."""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from django.db import connection, connections

from surveys.collecting import spool
from surveys.collecting.refusals import Unavailable
from surveys.collecting.services import receive
from surveys.models import SubmissionKey, Survey, Waiting
from tests.bodies import body_of
from tests.factories import make_open_survey
from tests.faults import refused
from tests.patience import SECONDS

# PostgreSQL has no line of its own: it takes many writers at once.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_database]


@pytest.fixture
def survey(owner) -> Survey:
    survey = make_open_survey(owner, batch_size=50)
    receive(survey_id=survey.pk, body=body_of(survey.revision))  # this process knows the batch
    return survey


def all_in_line(survey: Survey, bodies: list[bytes]) -> tuple[list[Future[None]], list[str]]:
    """Send side by side, while somebody writes until all wait; and the statements of all."""
    statements: list[str] = []

    def send(body: bytes) -> None:
        connection.ensure_connection()
        connection.connection.set_trace_callback(statements.append)
        try:
            receive(survey_id=survey.pk, body=body)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(bodies)) as pool, spool._line._writing:
        sent = [pool.submit(send, body) for body in bodies]
        deadline = time.monotonic() + SECONDS
        while len(spool._line._entries) < len(bodies) and time.monotonic() < deadline:
            threading.Event().wait(0.01)
    return sent, statements


def counts() -> tuple[int, int]:
    return SubmissionKey.objects.count(), Waiting.objects.count()


def test_those_that_wait_for_one_writer_are_one_transaction(survey):
    sent, statements = all_in_line(survey, [body_of(survey.revision) for _ in range(4)])
    assert [one.exception() for one in sent] == [None] * 4
    assert [one for one in statements if one in ("BEGIN IMMEDIATE", "COMMIT")] == [
        "BEGIN IMMEDIATE",
        "COMMIT",
    ]
    assert counts() == (5, 5)


def test_a_body_that_stands_twice_in_the_line_counts_once(survey):
    body = body_of(survey.revision)
    sent, _ = all_in_line(survey, [body, body, body_of(survey.revision)])
    assert [one.exception() for one in sent] == [None] * 3
    assert counts() == (3, 3)


def test_what_the_database_refuses_is_refused_to_all_and_nothing_is_stored(survey):
    with refused("INSERT", "surveys_waiting"):
        sent, _ = all_in_line(survey, [body_of(survey.revision) for _ in range(3)])
    assert [type(one.exception()) for one in sent] == [Unavailable] * 3
    assert counts() == (1, 1)
    receive(survey_id=survey.pk, body=body_of(survey.revision))
    assert counts() == (2, 2)


def test_what_a_thread_took_that_ended_is_stored_by_who_sent_it(survey):
    body = body_of(survey.revision)
    with ThreadPoolExecutor(1) as pool, spool._line._writing:
        sent = pool.submit(receive, survey_id=survey.pk, body=body)
        deadline = time.monotonic() + SECONDS
        while not spool._line._entries and time.monotonic() < deadline:
            threading.Event().wait(0.01)
        spool._line._entries.clear()  # as a thread does that is ended with the line in its hands
        spool._line._writing.release()
        try:
            sent.result(SECONDS)
        finally:
            spool._line._writing.acquire()
        pool.submit(connections.close_all).result(SECONDS)
    assert counts() == (2, 2)
