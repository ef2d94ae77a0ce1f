"""PatientWorker: gunicorn's threads get a request once it is there; its sender may be slow.

gunicorn's own worker gives a connection to a thread at its first byte, and the thread then waits
for the rest: as many slow senders as there are threads stop everyone. Here one loop collects header
and body of all connections, under deadlines and within limits, and a thread takes the whole of it.
"""

import re
import selectors
import time
from contextlib import suppress
from functools import partial
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

HEADER_SECONDS = 10.0
BODY_SECONDS = 30.0
SLOWEST = 50_000  # bytes a second that a body beyond BODY_SECONDS must come with
LARGEST_HEADER = 16 * 1024
LARGEST_BODY = 1024 * 1024  # as DATA_UPLOAD_MAX_MEMORY_SIZE
LARGEST_UPLOAD = 24 * 1024 * 1024  # the largest file that a form takes, and a little more
MOST_WAITING = 64 * 1024 * 1024  # bytes of all that arrives, for each process
AT_ONCE = 64 * 1024
# A thread reads what is there; where gunicorn expects more than was announced, it gives up.
THREAD_SECONDS = 20.0
END_OF_HEADER = b"\r\n\r\n"
LENGTH = re.compile(rb"(?im)^content-length[ \t]*:[ \t]*([^\r\n]*)")
CHUNKED = re.compile(rb"(?im)^transfer-encoding[ \t]*:[^\r\n]*chunked")
UPLOAD = re.compile(rb"(?im)^content-type[ \t]*:[ \t]*multipart/form-data")
REFUSALS = {
    408: b"Request Timeout",
    411: b"Length Required",
    413: b"Content Too Large",
    431: b"Request Header Fields Too Large",
}


class Refused(Exception):
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
        raise Refused(431)
    if end < 0:
        return None
    header = bytes(arrived[: end + 2])
    if CHUNKED.search(header):
        raise Refused(411)
    lengths = LENGTH.findall(header)
    length = int(lengths[0]) if len(lengths) == 1 and lengths[0].isdigit() else 0
    if length > (LARGEST_UPLOAD if UPLOAD.search(header) else LARGEST_BODY):
        raise Refused(413)
    return end + len(END_OF_HEADER) + length - len(arrived)


class Arriving(TConn):
    """A connection with what has arrived of its next request."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.arrived = bytearray()
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
        self.sock.settimeout(THREAD_SECONDS)
        if self.request:
            self.parser.unreader.unread(self.request)
            self.request = b""

    def refuse(self, status: int) -> None:
        """Answer without a thread, as far as the sender takes it."""
        line = b"HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        with suppress(OSError):  # gone, or not reading: it is closed either way
            self.sock.send(line % (status, REFUSALS[status]))


class PatientWorker(ThreadWorker):
    """gthread, with requests that are whole before a thread takes them."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.arriving: dict[Arriving, None] = {}  # in the order in which they began

    def accept(self, listener: Any) -> None:
        try:
            sock, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        self.nr_conns += 1
        self._collect(Arriving(self.cfg, sock, address, listener.getsockname()))

    def on_client_socket_readable(self, conn: Arriving, client: Any) -> None:
        """The next request of a connection that was kept."""
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self._collect(conn)

    def finish_request(self, conn: Arriving, fs: Any) -> None:
        super().finish_request(conn, fs)
        if conn.arrived and conn in self.keepalived_conns:  # a next one came with the last
            self.on_client_socket_readable(conn, conn.sock)

    def murder_pending(self) -> None:
        """What did not arrive in time goes."""
        super().murder_pending()
        now = time.monotonic()
        for conn in [one for one in self.arriving if one.deadline < now]:
            self._drop(conn, 408)

    def _collect(self, conn: Arriving) -> None:
        conn.sock.setblocking(False)
        conn.expect()
        self.arriving[conn] = None
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._receive, conn))
        if conn.arrived:
            self._look(conn)
        if len(self.arriving) > self.worker_connections // 2:
            self._drop(next(iter(self.arriving)), 408)

    def _receive(self, conn: Arriving, client: Any) -> None:
        try:
            content = client.recv(AT_ONCE)
        except BlockingIOError:
            return
        except OSError:
            content = b""
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
        except Refused as refusal:
            self._drop(conn, refusal.status)
            return
        if sum(len(one.arrived) for one in self.arriving) > MOST_WAITING:
            self._drop(max(self.arriving, key=lambda one: len(one.arrived)), 413)

    def _stop_collecting(self, conn: Arriving) -> None:
        del self.arriving[conn]
        self.poller.unregister(conn.sock)

    def _drop(self, conn: Arriving, status: int = 0) -> None:
        self._stop_collecting(conn)
        if status and conn.arrived:
            conn.refuse(status)
        self.nr_conns -= 1
        conn.close()
