"""Slow readers take no thread: replies leave through the loop, whole and in their order."""

import http.client
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from config.replies import MOST_IN_ALL
from tests import patience
from tests.config.replying import BLOCK, LARGE
from tests.conftest import ROOT, free_port, wait_until_listening

THREADS = 4
FILE = LARGE[:1_080_000]


@dataclass
class Running:
    """gunicorn with one process of the worker, before the program of ``replying``."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=patience.SECONDS)

    def ask(self, path: str, method: str = "GET", **headers: str) -> http.client.HTTPResponse:
        """The reply, read whole; what was read is its ``content``."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience.SECONDS)
        link.request(method, path, headers=headers)
        reply = link.getresponse()
        reply.content = reply.read()
        link.close()
        return reply

    def stall(self, *paths: str) -> socket.socket:
        """A connection that asks for all of these at once and does not read."""
        link = socket.socket()
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        link.settimeout(patience.SECONDS)
        link.connect(("127.0.0.1", self.port))
        link.sendall(b"".join(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode() for path in paths))
        return link

    def memory(self) -> int:
        """Bytes that the process which answers has in memory."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        status = Path(f"/proc/{int(children.read_text())}/status").read_text()
        return 1024 * int(re.search(r"VmRSS:\s*(\d+)", status)[1])

    def counts(self, asker: str) -> tuple[int, int]:
        """How many replies to ``?asker`` began, and how many the program was told to close."""
        begun, closed = self.ask(f"/counts?{asker}").content.split()
        return int(begun), int(closed)

    def wait_for(self, holds: Callable[[], bool]) -> None:
        """Until it does."""
        deadline = time.monotonic() + patience.SECONDS
        while not holds():
            assert time.monotonic() < deadline
            time.sleep(0.01)


@contextmanager
def running(room: Path, *arguments: str) -> Iterator[Running]:
    port, log, file = free_port(), room / "log.txt", room / "file"
    file.write_bytes(FILE)
    command = [
        sys.executable, "-m", "gunicorn", "--workers", "1", "--threads", str(THREADS),
        "--worker-class", "config.patient.PatientWorker", "--no-control-socket",
        "--logger-class", "config.logs.ServerLogger", "--bind", f"127.0.0.1:{port}", *arguments,
        "tests.config.replying",
    ]  # fmt: skip
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "FILE_TO_SEND": str(file)},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until_listening(process, port, log)
        yield Running(port, process, log)
    finally:
        process.terminate()
        process.wait(patience.SECONDS)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("replies")) as server:
        yield server


def read_all(link: socket.socket) -> bytes:
    found = bytearray()
    while part := link.recv(1 << 16):
        found += part
    return bytes(found)


@pytest.mark.parametrize("path", ["/file", "/large", "/chunks", "/endless"])
def test_24_readers_who_ask_again_and_again_and_read_nothing_stop_no_one(site, path):
    with ExitStack() as links:
        for _ in range(24):
            links.enter_context(site.stall(*[path] * 8))
        begun = time.monotonic()
        with ThreadPoolExecutor(4) as people:
            replies = list(people.map(lambda _: site.ask("/small").content, range(40)))
        seconds = time.monotonic() - begun
    assert replies == [b"small"] * 40
    assert seconds < 40 * 1.0


@pytest.mark.audit
def test_600_readers_of_what_waits_in_memory_take_no_more_than_their_bound(tmp_path):
    """64 MiB, and what the allocator keeps beside them."""
    with running(tmp_path, "--worker-connections", "4000") as server, ExitStack() as links:
        assert server.ask("/small").content == b"small"  # so that the process that answers is there
        before = server.memory()
        for _ in range(600):
            links.enter_context(server.stall("/medium"))
        assert server.ask("/small").content == b"small"
        assert MOST_IN_ALL / 2 < server.memory() - before < 2 * MOST_IN_ALL


@pytest.mark.parametrize(
    ("path", "content"),
    [("/small", b"small"), ("/large", LARGE), ("/chunks", LARGE), ("/file", FILE)],
)
def test_every_reply_comes_whole_to_fast_and_slow_readers(site, path, content):
    assert site.ask(path).content == content
    with site.stall(path) as link:
        reply = http.client.HTTPResponse(link)
        reply.begin()
        found = bytearray()
        while part := reply.read(100_000):
            found += part
    assert bytes(found) == content


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        ("/large", "HEAD", 200),
        ("/chunks", "HEAD", 200),
        ("/file", "HEAD", 200),
        ("/none", "GET", 204),
        ("/same", "GET", 304),
    ],
)
def test_replies_without_a_body_end_with_their_header(site, path, method, status):
    with site.connect() as link, link.makefile("rb") as file:
        for asked, tried in ((method, path), ("GET", "/small")):
            link.sendall(f"{asked} {tried} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        assert file.readline().startswith(f"HTTP/1.1 {status} ".encode())
        while file.readline() != b"\r\n":
            pass
        assert read_reply(file) == b"small"


def test_replies_to_requests_sent_at_once_come_in_their_order(site):
    paths = {"/file": FILE, "/small": b"small", "/large": LARGE, "/chunks": LARGE}
    with site.stall(*paths, "/small") as link, link.makefile("rb") as file:
        for content in [*paths.values(), b"small"]:
            assert read_reply(file) == content


def read_reply(file) -> bytes:
    """The body of the next reply on a connection."""
    length, is_chunked = 0, False
    assert file.readline() == b"HTTP/1.1 200 OK\r\n"
    while (line := file.readline().lower()) != b"\r\n":
        name, _, value = line.partition(b":")
        length = int(value) if name == b"content-length" else length
        is_chunked |= name == b"transfer-encoding"
    if not is_chunked:
        return file.read(length)
    found = b""
    while size := int(file.readline(), 16):
        found += file.read(size)
        file.readline()
    file.readline()
    return found


def test_a_request_begins_once_the_last_reply_of_its_connection_has_left(site):
    with site.stall("/file?order", "/file?order"):
        site.wait_for(lambda: site.counts("order")[0] == 1)
        for _ in range(20):
            assert site.counts("order")[0] == 1


def test_old_clients_and_those_who_ask_for_it_are_closed_after_the_whole_reply(site):
    for line in ("HTTP/1.0\r\n", "HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"):
        for path, content in {"/large": LARGE, "/file": FILE}.items():
            with site.connect() as link:
                link.sendall(f"GET {path} {line}\r\n".encode())
                assert read_all(link).partition(b"\r\n\r\n")[2] == content


def test_a_reply_that_fails_half_way_is_cut_off_and_closed(site):
    with site.connect() as link:
        link.sendall(b"GET /broken?broken HTTP/1.1\r\nHost: a\r\n\r\n")
        found = read_all(link)
    assert found.endswith(BLOCK + b"\r\n")
    site.wait_for(lambda: site.counts("broken") == (1, 1))
    assert "RuntimeError" in site.log.read_text()


@pytest.mark.parametrize("path", ["/endless", "/large"])
def test_a_reader_who_vanishes_ends_the_reply_and_leaves_no_line(site, path):
    before = site.log.read_text()
    link = site.stall(f"{path}?gone{path}")
    link.recv(1000)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    link.close()
    site.wait_for(lambda: site.counts(f"gone{path}") == (1, 1))
    assert site.log.read_text() == before


@pytest.mark.audit
def test_a_server_that_stops_lets_replies_leave_and_waits_for_no_reader_for_ever(tmp_path):
    with (
        running(tmp_path, "--graceful-timeout", "6") as server,
        server.stall("/file?slow") as slow,
        server.stall("/endless?endless"),
    ):
        for asker in ("slow", "endless"):
            server.wait_for(lambda asker=asker: server.counts(asker)[0] == 1)
        server.process.send_signal(signal.SIGTERM)
        assert read_all(slow).partition(b"\r\n\r\n")[2] == FILE
        assert server.process.wait(patience.SECONDS) == 0
    assert "SIGKILL" not in server.log.read_text()


@pytest.mark.audit
def test_a_process_that_has_answered_its_share_ends_after_its_last_reply(tmp_path):
    with running(tmp_path, "--max-requests", "3") as server:
        replies = [server.ask("/large").content for _ in range(9)]
        assert replies == [LARGE] * 9
        assert server.log.read_text().count("Autorestarting") >= 2


def test_who_does_not_close_after_the_end_keeps_no_one_waiting(site):
    """gunicorn's own loop waits two seconds for each of them."""
    with ExitStack() as links:
        begun = time.monotonic()
        for _ in range(20):
            link = links.enter_context(site.connect())
            link.sendall(b"GET /small HTTP/1.0\r\n\r\n")
            assert read_all(link).endswith(b"small")
        assert site.ask("/small").content == b"small"
        assert time.monotonic() - begun < 20.0
