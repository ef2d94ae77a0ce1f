"""What waits for readers has bounds: memory of one and of all, threads, time without progress."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from config import replies
from config.replies import Departures, NoReader, Outlet
from tests import patience

CONTENT = bytes(range(256)) * 20_000  # 5 MB
MOST_HELD = 3_000_000


@pytest.fixture
def departures() -> Departures:
    return Departures(most=100, most_waiting=1, most_held=MOST_HELD)


@pytest.fixture
def connect(departures) -> Iterator:
    """A way to open a connection: (outlet, the reader's end)."""
    ends = []

    def opened() -> tuple[Outlet, socket.socket]:
        here, there = socket.socketpair()
        here.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        there.settimeout(patience.SECONDS)
        outlet = Outlet(here, departures)
        outlet.queue.leave = lambda: None
        ends.extend((here, there))
        return outlet, there

    yield opened
    departures.cut_all()
    for end in ends:
        end.close()


class Writer(threading.Thread):
    """A thread that writes one reply; ``problem`` is what it met."""

    def __init__(self, outlet: Outlet, content: bytes) -> None:
        super().__init__(daemon=True)
        self.outlet, self.content = outlet, content
        self.problem: Exception | None = None
        self.start()

    def run(self) -> None:
        try:
            self.outlet.sendall(self.content)
        except OSError as problem:
            self.problem = problem

    def end(self) -> Exception | None:
        """What it met, once it has ended."""
        self.join(patience.SECONDS)
        assert not self.is_alive()
        return self.problem


@contextmanager
def waiting(outlet: Outlet, content: bytes = CONTENT) -> Iterator[Writer]:
    """A thread that waits for the reader of this."""
    writer = Writer(outlet, content)
    with outlet.queue.departures.changed:
        while outlet.queue not in outlet.queue.departures.waiting:
            outlet.queue.departures.changed.wait(0.01)
    yield writer


def read_through(outlet: Outlet, reader: socket.socket, size: int) -> bytes:
    """As the loop sends and the reader reads, by turns."""
    reader.setblocking(False)
    found = bytearray()
    while len(found) < size:
        outlet.queue.send_on()
        with suppress(BlockingIOError):
            found += reader.recv(1 << 16)
    return bytes(found)


def test_what_a_reader_takes_at_once_is_never_kept(departures, connect):
    outlet, reader = connect()
    outlet.sendall(b"small")
    assert (reader.recv(100), departures.in_memory, list(departures.leaving)) == (b"small", 0, [])


def test_a_thread_is_free_although_nobody_reads(departures, connect):
    outlet, reader = connect()
    outlet.sendall(CONTENT[:1_000_000])
    assert 0 < departures.in_memory == outlet.queue.in_memory < 1_000_000
    assert read_through(outlet, reader, 1_000_000) == CONTENT[:1_000_000]
    assert (departures.in_memory, list(departures.leaving)) == (0, [])


def test_no_connection_keeps_more_than_its_bound_and_all_comes_in_its_order(departures, connect):
    outlet, reader = connect()
    with waiting(outlet) as writer:
        assert departures.in_memory == outlet.queue.in_memory == replies.MOST_OF_ONE
        assert read_through(outlet, reader, len(CONTENT)) == CONTENT
        assert writer.end() is None
    assert departures.in_memory == 0


def test_all_together_keep_no_more_than_theirs_and_the_slowest_is_ended(departures, connect):
    slow, *others = outlets = [connect()[0] for _ in range(5)]
    slow.sendall(CONTENT[:1_000_000])
    departures.leaving[slow.queue].begun -= 60.0
    for outlet in others:
        outlet.sendall(CONTENT[:700_000])
        assert sum(one.queue.in_memory for one in outlets) == departures.in_memory <= MOST_HELD
    assert slow.queue.is_cut
    assert not any(outlet.queue.is_cut for outlet in others)
    with pytest.raises(NoReader):
        slow.sendall(b"more")


def test_too_many_replies_that_leave_end_the_slowest(departures, connect):
    departures.most = 3
    outlets = [connect()[0] for _ in range(4)]
    for seconds, outlet in enumerate(outlets):
        outlet.sendall(CONTENT[:100_000])
        if outlet.queue in departures.leaving:
            departures.leaving[outlet.queue].begun -= 60.0 - seconds
    assert [outlet.queue.is_cut for outlet in outlets] == [True, False, False, False]


def test_only_so_many_threads_wait_for_readers(departures, connect):
    """The slowest is ended, and the other goes on."""
    slow, fast = connect(), connect()
    with waiting(slow[0]) as first:
        departures.leaving[slow[0].queue].begun -= 20.0
        with waiting(fast[0]) as second:
            assert isinstance(first.end(), NoReader)
            assert read_through(*fast, len(CONTENT)) == CONTENT
            assert second.end() is None


def test_a_reader_who_takes_nothing_for_30_seconds_is_ended(departures, connect):
    outlet, _ = connect()
    with waiting(outlet) as writer:
        departures.leaving[outlet.queue].progress -= replies.STANDSTILL - 5
        departures.cut_late()
        assert not outlet.queue.is_cut
        departures.leaving[outlet.queue].progress -= 5
        departures.cut_late()
        assert isinstance(writer.end(), NoReader)
    assert (departures.in_memory, list(departures.leaving)) == (0, [])


def test_a_reader_who_trickles_keeps_no_thread_for_long_and_a_slow_one_gets_a_small_reply(
    departures, connect
):
    trickling, slow = connect()[0], connect()[0]
    slow.sendall(CONTENT[:900_000])
    with waiting(trickling) as writer:
        for outlet in (trickling, slow):
            stretch = departures.leaving[outlet.queue]
            stretch.begun -= 60.0
            stretch.sent = 29 * replies.SLOWEST
        departures.cut_late()
        assert isinstance(writer.end(), NoReader)
    assert not slow.queue.is_cut


def test_a_file_leaves_without_memory_and_may_be_closed_by_then(departures, connect, tmp_path):
    (tmp_path / "file").write_bytes(CONTENT)
    outlet, reader = connect()
    with (tmp_path / "file").open("rb") as file:
        outlet.sendall(b"header")
        outlet.sendfile(file, 1000, 3_000_000)
        outlet.sendall(b"end")
    assert departures.in_memory == outlet.queue.in_memory == 3
    expected = b"header" + CONTENT[1000:3_001_000] + b"end"
    assert read_through(outlet, reader, len(expected)) == expected
    assert "file" not in open_files()


def test_a_file_that_became_shorter_ends_the_connection(connect, tmp_path):
    (tmp_path / "file").write_bytes(CONTENT)
    outlet, reader = connect()
    with (tmp_path / "file").open("rb") as file:
        outlet.sendfile(file, 0, len(CONTENT))
    os.truncate(tmp_path / "file", 100_000)
    while not outlet.queue.is_cut:
        outlet.queue.send_on()
        reader.recv(1 << 16)
    assert "file" not in open_files()


def test_a_process_that_ends_frees_all_threads_and_files(departures, connect, tmp_path):
    (tmp_path / "file").write_bytes(CONTENT)
    sending = connect()[0]
    with (tmp_path / "file").open("rb") as file:
        sending.sendfile(file, 0, len(CONTENT))
    with waiting(connect()[0]) as writer:
        departures.cut_all()
        assert isinstance(writer.end(), NoReader)
    assert "file" not in open_files()


def open_files() -> set[str]:
    """The names of the files that this process has open."""
    found = set()
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            found.add(os.path.basename(os.readlink(f"/proc/self/fd/{descriptor}")))
        except FileNotFoundError:  # that of the listing itself
            continue
    return found
