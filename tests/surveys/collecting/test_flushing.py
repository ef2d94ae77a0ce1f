"""Whole batches are flushed beside the requests that filled them, together, and never lost."""

import threading
import time

import pytest
from django.db import connection
from django.utils import timezone

from surveys.collecting import flushing
from surveys.models import Response, Waiting
from surveys.operations.openings import open_due
from tests.patience import SECONDS
from tests.stored import answer

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.both_databases,
    pytest.mark.survey(batch_size=5),
]
NEVER = 10_000.0  # seconds: longer than any test


@pytest.fixture
def flush_later(monkeypatch):
    """Let this process flush beside its requests, so many seconds after a batch is whole."""

    def begin(gathering: float) -> None:
        monkeypatch.setattr(flushing, "GATHERING", gathering)
        flushing.begin()

    yield begin
    flushing.end()


def counts() -> tuple[int, int]:
    return Waiting.objects.count(), Response.objects.count()


def test_what_comes_while_a_whole_batch_waits_goes_with_it(survey, flush_later):
    flush_later(NEVER)
    answer(survey, 13)
    assert counts() == (13, 0)
    flushing.end()
    assert counts() == (0, 13)


def test_a_batch_is_flushed_by_itself_and_so_is_the_next(survey, flush_later):
    flush_later(0.0)
    for stored in (5, 10):
        answer(survey, 5)
        deadline = time.monotonic() + SECONDS
        while counts() != (0, stored) and time.monotonic() < deadline:
            threading.Event().wait(0.01)
        assert counts() == (0, stored)


def test_fewer_than_a_batch_stay(survey, flush_later):
    flush_later(0.0)
    answer(survey, 4)
    flushing.end()
    assert counts() == (4, 0)


def test_a_batch_that_a_killed_process_left_goes_with_the_next_submission(survey, flush_later):
    flush_later(NEVER)
    answer(survey, 6)
    flushing._flushers.pop()  # as kill -9 does: the thread is never heard of again
    answer(survey, 1)
    assert counts() == (0, 7)


def test_or_with_the_next_run_of_the_openings(survey, flush_later):
    flush_later(NEVER)
    answer(survey, 6)
    flushing._flushers.pop()
    assert open_due(timezone.now()).problems == []
    assert counts() == (0, 6)


def test_the_thread_leaves_no_connection_behind_when_it_ends(survey, flush_later):
    flush_later(NEVER)
    answer(survey, 5)
    flushing.end()
    if connection.vendor == "postgresql":
        # A process of the database ends a moment after its connection was closed.
        deadline = time.monotonic() + SECONDS
        while connections_of_this_database() > 1:
            assert time.monotonic() < deadline


def connections_of_this_database() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()")
        return int(cursor.fetchone()[0])
