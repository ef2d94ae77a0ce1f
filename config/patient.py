"""PatientWorker: gunicorn's threads wait for no one; senders and readers may be slow.

gunicorn's own worker gives a connection to a thread at its first byte, and the thread then waits
for the rest of the request and until its reply is read: as many slow senders or readers as there
are threads stop everyone. Here one loop collects header and body of all connections, under
deadlines and within limits, a thread takes the whole of it, and the reply leaves through the loop.
"""

import re
import selectors
import socket
import time
from contextlib import suppress
from functools import partial
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

from config.replies import MOST_IN_ALL, SLOWEST, Departures, Outlet

HEADER_SECONDS = 10.0
BODY_SECONDS = 30.0
LARGEST_HEADER = 16 * 1024
LARGEST_BODY = 1024 * 1024  # as DATA_UPLOAD_MAX_MEMORY_SIZE
LARGEST_UPLOAD = 24 * 1024 * 1024  # the largest file that a form takes, and a little more
MOST_WAITING = 64 * 1024 * 1024  # bytes of all that arrives, for each process
AT_ONCE = 64 * 1024
# An end is announced, and then the other side has so long to close first: otherwise what it sent
# meanwhile would be answered by a reset, which takes back the reply (RFC 9112, 9.6).
END_SECONDS = 2.0
ENDS_BEFORE = 3  # seconds before its process would be killed; the loop looks once a second
MOST_AFTER_END = 64 * 1024  # bytes that are thrown away meanwhile
END_OF_HEADER = b"\r\n\r\n"
LENGTH = re.compile(rb"(?im)^content-length[ \t]*:[ \t]*([^\r\n]*)")
CHUNKED = re.compile(rb"(?im)^transfer-encoding[ \t]*:[^\r\n]*chunked")
UPLOAD = re.compile(rb"(?im)^content-type[ \t]*:[ \t]*multipart/form-data")
OF_PROGRAMS = re.compile(rb"[A-Z]+ /api/")
LARGEST_DOCUMENT = 2 * 1024 * 1024 + 1024  # what a program sends, and a little more, to be refused
REFUSALS = {
    408: b"Request Timeout",
    411: b"Length Required",
    413: b"Content Too Large",
    431: b"Request Header Fields Too Large",
}


class RequestRefused(Exception):
    """What arrives is never given to a thread; ``status`` says why."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def missing_bytes(arrived: bytes | bytearray) -> int | None:
    """How many bytes of the first request are still missing; None if its header is incomplete.

    Negative where the next request has begun to arrive. What gunicorn refuses at once counts as
    complete. Raises Refused for more than is taken, or a body without a length.
    """
    end = arrived.find(END_OF_HEADER)
    if end > LARGEST_HEADER or (end < 0 and len(arrived) > LARGEST_HEADER):
        raise RequestRefused(431)
    if end < 0:
        return None
    header = bytes(arrived[: end + 2])
    if CHUNKED.search(header):
        raise RequestRefused(411)
    lengths = LENGTH.findall(header)
    length = int(lengths[0]) if len(lengths) == 1 and lengths[0].isdigit() else 0
    if length > _most(header):
        raise RequestRefused(413)
    return end + len(END_OF_HEADER) + length - len(arrived)


def _most(header: bytes) -> int:
    """How many bytes a body may have, by the header of its request."""
    if OF_PROGRAMS.match(header):
        return LARGEST_DOCUMENT
    return LARGEST_UPLOAD if UPLOAD.search(header) else LARGEST_BODY


class Arriving(TConn):
    """A connection with what has arrived of its next request, and an outlet for the reply."""

    sock: Outlet

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.arrived = bytearray()
        self.finished: Any = None  # what became of the request, while its reply leaves
        self.is_leaving = False
        self.thrown_away = 0
        self.request = b""
        self.deadline = 0.0
        self.data_ready = True  # no thread waits for the first byte

    def expect(self) -> None:
        """The next request has to begin and to bring its header in time."""
        self.deadline = time.monotonic() + HEADER_SECONDS
        self.has_header = False

    def is_whole(self) -> bool:
        """Whether a request is there; then it is cut off from what follows. Raises Refused."""
        missing = missing_bytes(self.arrived)
        if missing is None:
            return False
        if missing > 0:
            if not self.has_header:
                self.has_header = True
                self.deadline = time.monotonic() + BODY_SECONDS + missing / SLOWEST
            return False
        size = len(self.arrived) + missing
        self.request = bytes(self.arrived[:size])
        del self.arrived[:size]
        return True

    def init(self) -> None:
        """Called by the thread: the parser finds the request without the socket."""
        super().init()
        if self.request:
            self.parser.unreader.unread(self.request)
            self.request = b""

    def refuse(self, status: int) -> None:
        """Answer without a thread, as far as the sender takes it."""
        line = b"HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        with suppress(OSError):  # gone, or not reading: it is closed either way
            self.sock.raw.send(line % (status, REFUSALS[status]))

    def close(self, graceful: bool = False) -> None:
        """At once; ``Ending`` is the graceful way."""
        with suppress(OSError):
            self.sock.raw.close()


class Ending:
    """Connections whose end was announced: they close once the other side has, or soon."""

    def __init__(self, worker: "PatientWorker", *, most: int) -> None:
        self.worker, self.most = worker, most
        self.conns: dict[Arriving, None] = {}

    def begin(self, conn: Arriving) -> None:
        """Announce the end. gunicorn's own way would make the loop wait for this one visitor."""
        try:
            conn.sock.raw.shutdown(socket.SHUT_WR)
        except OSError:  # gone
            self.worker.close(conn)
            return
        conn.deadline = time.monotonic() + END_SECONDS
        self.conns[conn] = None
        throw_away = partial(self._throw_away, conn)
        self.worker.poller.register(conn.sock, selectors.EVENT_READ, throw_away)
        if len(self.conns) > self.most:
            self._close(next(iter(self.conns)))

    def close_late(self, now: float) -> None:
        """Those who had the time."""
        for conn in [ending for ending in self.conns if ending.deadline < now]:
            self._close(conn)

    def _throw_away(self, conn: Arriving, _: Any) -> None:
        content = _arrived(conn)
        if content is None:
            return
        conn.thrown_away += len(content)
        if not content or conn.thrown_away > MOST_AFTER_END:
            self._close(conn)

    def _close(self, conn: Arriving) -> None:
        del self.conns[conn]
        self.worker.poller.unregister(conn.sock)
        self.worker.close(conn)


class PatientWorker(ThreadWorker):
    """gthread, with requests that are whole before a thread takes them, and replies that leave."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.arriving: dict[Arriving, None] = {}  # in the order in which they began
        # Half of all connections may be arriving. With the others that visitors alone keep open,
        # there is always room for a next one.
        self.max_keepalived = self.worker_connections // 10
        self.ending = Ending(self, most=self.max_keepalived)
        # Two threads are always for those who read.
        self.departures = Departures(
            most=self.worker_connections // 4,
            most_waiting=max(1, self.cfg.threads - 2),
            most_held=MOST_IN_ALL // max(1, self.cfg.workers),  # each process has its part
        )

    def run(self) -> None:
        # gunicorn waits as long as it lets its processes wait, and then kills: one that waited to
        # the end for a reader would be killed before it has stored the batches that are whole.
        self.cfg.set("graceful_timeout", max(1, self.cfg.graceful_timeout - ENDS_BEFORE))
        try:
            super().run()
        finally:
            self.departures.cut_all()

    def accept(self, listener: Any) -> None:
        try:
            sock, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        self.nr_conns += 1
        outlet = Outlet(sock, self.departures)
        conn = Arriving(self.cfg, outlet, address, listener.getsockname())
        outlet.queue.leave = partial(self.method_queue.defer, self._leave, conn)
        self._collect(conn)

    def on_client_socket_readable(self, conn: Arriving, client: Any) -> None:
        """The next request of a connection that was kept."""
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self._collect(conn)

    def finish_request(self, conn: Arriving, fs: Any) -> None:
        """What follows a request waits until the reply has left."""
        conn.finished = fs
        if not conn.is_leaving:
            self._finish(conn)

    def murder_pending(self) -> None:
        """What did not arrive, leave or end in time goes."""
        super().murder_pending()
        self.departures.cut_late()
        now = time.monotonic()
        for conn in [arriving for arriving in self.arriving if arriving.deadline < now]:
            self._drop(conn, 408)
        self.ending.close_late(now)

    def _collect(self, conn: Arriving) -> None:
        conn.expect()
        self.arriving[conn] = None
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._receive, conn))
        if conn.arrived:
            self._look(conn)
        if len(self.arriving) > self.worker_connections // 2:
            self._drop(next(iter(self.arriving)), 408)

    def _receive(self, conn: Arriving, _: Any) -> None:
        content = _arrived(conn)
        if content is None:
            return
        if not content:
            self._drop(conn)
            return
        conn.arrived += content
        self._look(conn)

    def _look(self, conn: Arriving) -> None:
        try:
            if conn.is_whole():
                self._stop_collecting(conn)
                self.enqueue_req(conn)
                return
        except RequestRefused as refusal:
            self._drop(conn, refusal.status)
            return
        if sum(len(arriving.arrived) for arriving in self.arriving) > MOST_WAITING:
            self._drop(max(self.arriving, key=lambda arriving: len(arriving.arrived)), 413)

    def _stop_collecting(self, conn: Arriving) -> None:
        del self.arriving[conn]
        self.poller.unregister(conn.sock)

    def _drop(self, conn: Arriving, status: int = 0) -> None:
        self._stop_collecting(conn)
        if status and conn.arrived:
            conn.refuse(status)
        self.close(conn)

    def _leave(self, conn: Arriving) -> None:
        """A thread wrote more than the reader took; the loop sends it as it can."""
        if not conn.is_leaving and conn.sock.queue.parts:
            conn.is_leaving = True
            self.poller.register(conn.sock, selectors.EVENT_WRITE, partial(self._send, conn))

    def _send(self, conn: Arriving, _: Any) -> None:
        if not conn.sock.queue.send_on():
            return
        self.poller.unregister(conn.sock)
        conn.is_leaving = False
        if conn.finished:
            self._finish(conn)

    def _finish(self, conn: Arriving) -> None:
        finished, conn.finished = conn.finished, None
        if conn.sock.queue.is_cut:
            self.close(conn)
        elif finished.cancelled() or not finished.result():
            self.ending.begin(conn)
        else:
            super().finish_request(conn, finished)
            if conn.arrived and conn in self.keepalived_conns:  # a next one came with the last
                self.on_client_socket_readable(conn, conn.sock)

    def close(self, conn: Arriving) -> None:
        """At once; what was not sent yet is the system's to send."""
        self.nr_conns -= 1
        conn.close()


def _arrived(conn: Arriving) -> bytes | None:
    """What came in; None if nothing did, empty at the end."""
    try:
        return conn.sock.raw.recv(AT_ONCE)
    except BlockingIOError:
        return None
    except OSError:
        return b""
