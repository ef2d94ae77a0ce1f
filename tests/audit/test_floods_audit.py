"""Floods from one address against a server as it runs in service."""

import http.client
import itertools
import secrets
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from django.db import connection
from django.urls import reverse

from surveys.models import SubmissionKey, Survey
from surveys.web.floods import REFUSED_PER_HOUR
from tests import patience
from tests.bodies import body_of
from tests.factories import make_open_survey
from tests.load import HEADERS, gunicorn

pytestmark = [pytest.mark.audit, pytest.mark.django_db(transaction=True)]
GARBAGE, HONEST, SENDERS = 10_000, 100, 4
SENDER, NEIGHBOUR = "127.0.0.1", "127.0.0.2"


@dataclass
class Flood:
    """Several senders at one address who post garbage without a pause until they are stopped."""

    port: int
    path: str
    statuses: Counter[int] = field(default_factory=Counter)
    stopped: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def send(self) -> None:
        link = http.client.HTTPConnection(SENDER, self.port, timeout=patience.SECONDS)
        for number in itertools.count():
            if self.stopped.is_set() and self.statuses.total() >= GARBAGE:
                return
            link.request("POST", self.path, garbage(number), HEADERS)
            reply = link.getresponse()
            reply.read()
            with self.lock:
                self.statuses[reply.status] += 1


def garbage(number: int) -> bytes:
    return [
        b"x",
        secrets.token_bytes(4_000),
        f"revision={secrets.token_hex(16)}&key={secrets.token_hex(16)}&path=browser".encode(),
    ][number % 3]


@contextmanager
def under_flood(port: int, path: str):
    flood = Flood(port, path)
    threads = [threading.Thread(target=flood.send) for _ in range(SENDERS)]
    for thread in threads:
        thread.start()
    try:
        yield flood
    finally:
        flood.stopped.set()
        for thread in threads:
            thread.join()


def timed(port: int, came_from: str, method: str, path: str, body: bytes | None = None):
    """(seconds, status) of one request over a connection of its own."""
    begun = time.monotonic()
    link = http.client.HTTPConnection(
        "127.0.0.1", port, timeout=patience.SECONDS, source_address=(came_from, 0)
    )
    link.request(method, path, body, HEADERS if body else {})
    reply = link.getresponse()
    reply.read()
    link.close()
    return time.monotonic() - begun, reply.status


@pytest.mark.parametrize("came_from", [SENDER, NEIGHBOUR], ids=["same address", "another"])
def test_during_10000_garbage_posts_100_of_100_answers_count_and_no_one_waits(
    owner, tmp_path, capsys, came_from
):
    survey: Survey = make_open_survey(owner)
    start, send = (reverse(f"respondent:{name}", args=[survey.pk]) for name in ("start", "send"))
    waits, statuses = [], []
    first_hour = int(time.time() // 3600)
    with gunicorn(tmp_path / "log.txt", DENIABLE_SUBMISSIONS_PER_HOUR="600") as server:
        for _ in range(10):  # both processes have loaded everything then
            timed(server.port, came_from, "GET", start)
        with under_flood(server.port, send) as flood:
            for _ in range(HONEST):
                opened, _ = timed(server.port, came_from, "GET", start)
                sent, status = timed(server.port, came_from, "POST", send, body_of(survey.revision))
                waits += [opened, sent]
                statuses.append(status)
    waits.sort()
    p95 = waits[int(0.95 * len(waits))]
    with capsys.disabled():
        print(
            f"\n{connection.vendor}: {flood.statuses.total():,} garbage posts "
            f"{dict(flood.statuses)}; median {waits[HONEST]:.3f} s, p95 {p95:.3f} s"
        )
    assert flood.statuses.total() >= GARBAGE
    # Malformed, or for no version of the survey; told why as often as the small limit allows, which
    # begins anew with each hour of the clock.
    explained = flood.statuses[400] + flood.statuses[409]
    hours = 1 + int(time.time() // 3600) - first_hour
    assert REFUSED_PER_HOUR <= explained <= REFUSED_PER_HOUR * hours
    assert flood.statuses[429] == flood.statuses.total() - explained
    assert statuses == [200] * HONEST
    assert SubmissionKey.objects.count() == HONEST
    assert p95 < 1.0
