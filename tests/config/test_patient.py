"""Slow senders take no thread: a request is whole before one does, or refused in time.

Slow readers take none either: ``test_slow_readers`` has what else is to be said of them.
"""

import http.client
import io
import shutil
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from django.conf import settings

from config import patient
from config.patient import RequestRefused, missing_bytes
from surveys.collecting.pages import FORM
from surveys.models import Response
from tests import patience
from tests.bodies import body_of
from tests.factories import make_open_survey
from tests.load import gunicorn, send_all

UPLOAD = b"Content-Type: multipart/form-data; boundary=x\r\n"
HEAD = b"POST / HTTP/1.1\r\nHost: a\r\n"
SLOW_HEADER = b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "
SLOW_BODY = HEAD + b"Content-Length: 4000\r\n\r\nrevision="
# As large as the index of the documentation's search.
LARGE_FILE = "search/large.json"
# Who sends this does not read.
SLOW_READER = f"GET /docs/{LARGE_FILE} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode() * 8


@pytest.mark.parametrize(
    ("arrived", "missing"),
    [
        (b"", None),
        (b"GET / HTTP/1.1\r\nHost: a\r\n", None),
        (b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", 0),
        (HEAD + b"Content-Length: 10\r\n\r\n", 10),
        (HEAD + b"CONTENT-length:10\r\n\r\n1234567890", 0),
        (HEAD + b"Content-Length: 4\r\n\r\n123456", -2),
        (HEAD + b"Content-Length: 4\r\nContent-Length: 9\r\n\r\n", 0),  # gunicorn refuses it
        (HEAD + b"Content-Length: x\r\n\r\n", 0),
        (HEAD + b"X-Note: Content-Length: 9\r\n\r\n", 0),
        (HEAD + UPLOAD + b"Content-Length: 2000000\r\n\r\n", 2_000_000),
        (b"PUT /api/v1/x HTTP/1.1\r\nContent-Length: 2097152\r\n\r\n", 2 * 1024**2),
    ],
)
def test_what_is_missing_of_a_request(arrived, missing):
    assert missing_bytes(arrived) == missing


@pytest.mark.parametrize(
    ("arrived", "status"),
    [
        (b"GET / HTTP/1.1\r\n" + b"X" * patient.LARGEST_HEADER, 431),
        (HEAD + b"Content-Length: 2000000\r\n\r\n", 413),
        (b"PUT /api/v1/x HTTP/1.1\r\nContent-Length: 3000000\r\n\r\n", 413),
        (HEAD + b"Content-Type: multipart/form-data\r\nContent-Length: 99000000\r\n\r\n", 413),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", 411),
    ],
)
def test_what_no_thread_should_read_is_refused(arrived, status):
    with pytest.raises(RequestRefused) as refused:
        missing_bytes(arrived)
    assert refused.value.status == status


@pytest.mark.one_database
@pytest.mark.django_db(transaction=True)
def test_slow_readers_headers_and_bodies_stop_no_one(owner, server, large_file):
    port = int(server.url.rpartition(":")[2])
    with ExitStack() as links:
        for start in (SLOW_READER, SLOW_HEADER, SLOW_BODY):
            come_slowly(links, port, start, times=20)
        meet_honest_people(owner, port, people=4, honest=20, patient_for=5.0)
    assert Response.objects.count() == 20


@pytest.mark.audit
@pytest.mark.one_database
@pytest.mark.django_db(transaction=True)
def test_200_slow_readers_headers_and_bodies_stop_no_one(owner, tmp_path, large_file, capsys):
    """First the readers come, then the headers too, then the bodies too."""
    with gunicorn(tmp_path / "log.txt") as server, ExitStack() as links, capsys.disabled():
        for start in (SLOW_READER, SLOW_HEADER, SLOW_BODY):
            come_slowly(links, server.port, start, times=200)
            meet_honest_people(owner, server.port, people=4, honest=100, patient_for=1.0)
    # A server that has ended has stored its whole batches.
    assert Response.objects.count() == 300


def come_slowly(links: ExitStack, port: int, start: bytes, *, times: int) -> None:
    """So many slow connections; of a reply each reads the first line, to know that it has begun."""
    for _ in range(times):
        link = socket.create_connection(("127.0.0.1", port), timeout=patience.SECONDS)
        links.enter_context(link).sendall(start)
        if start == SLOW_READER:
            assert link.recv(15) == b"HTTP/1.1 200 OK"


@pytest.fixture
def large_file(_static_files) -> Iterator[None]:
    """``LARGE_FILE``, among the documentation."""
    path = settings.DOCUMENTATION / LARGE_FILE
    path.parent.mkdir(parents=True)
    path.write_bytes(b"x" * 1_080_000)
    yield
    shutil.rmtree(settings.DOCUMENTATION)


def meet_honest_people(owner, port: int, *, people: int, honest: int, patient_for: float) -> None:
    """All who are slow stay while honest people open the survey and answer it.

    ``patient_for`` is how many seconds 95 of 100 of them wait at most; without a worker that
    collects requests and sends replies they would wait for as long as the slow ones stay.
    """
    survey = make_open_survey(owner)
    for _ in range(10):  # each process has loaded everything then
        seconds_to_open(port, survey)
    with ThreadPoolExecutor(people) as pool:
        waits = sorted(pool.map(lambda _: seconds_to_open(port, survey), range(honest)))
    bodies = [body_of(survey.revision) for _ in range(honest)]
    outcome = send_all(f"/en/s/{survey.pk}/send/", port, bodies, people=people)
    assert waits[int(0.95 * len(waits))] < patient_for, waits
    assert (len(outcome.acknowledged), outcome.sent_again) == (honest, 0)
    print(f"median {waits[len(waits) // 2]:.3f} s, p95 {waits[int(0.95 * len(waits))]:.3f} s")


def seconds_to_open(port: int, survey) -> float:
    start = time.monotonic()
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=patience.SECONDS)
    link.request("GET", f"/en/s/{survey.pk}/")
    assert link.getresponse().read()
    link.close()
    return time.monotonic() - start


@pytest.mark.one_database
@pytest.mark.django_db(transaction=True)
def test_requests_on_one_connection_are_answered_in_their_order_however_they_are_cut(server):
    """Two at once, a third in pieces: what came with the last is not forgotten."""
    host, port = server.url.removeprefix("http://").split(":")
    get = f"GET /source/ HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode()
    post = (
        f"POST /en/s/x/send/ HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: {FORM}\r\n"
        "Content-Length: 5\r\n\r\nabcde"
    ).encode()
    with socket.create_connection((host, int(port)), timeout=patience.SECONDS) as link:
        link.sendall(get + post[:20])
        link.sendall(post[20:-3])
        link.sendall(post[-3:] + get)
        replies = Replies(link.makefile("rb", buffering=0))
        statuses = [status_of_next(replies) for _ in range(3)]
    assert statuses == [200, 404, 200]


class Replies(io.BufferedReader):
    """One buffer for all replies of a connection: what is read ahead belongs to the next one."""

    def makefile(self, _mode: str) -> "Replies":
        return self

    def close(self) -> None:
        """http.client ends its file with each reply."""


def status_of_next(replies: Replies) -> int:
    reply = http.client.HTTPResponse(replies)
    reply.begin()
    reply.read()
    return reply.status
