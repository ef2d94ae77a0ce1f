"""Outlet: what a thread writes leaves through the loop as fast as its reader takes it.

A thread writes to an outlet as to a socket. What the reader does not take at once stays in memory,
a file stays on its disk, and the thread is free; the loop sends the rest. Only a reply that is too
large for memory keeps its thread, and no more than ``most_waiting`` of them do at a time.
"""

import errno
import os
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

MOST_OF_ONE = 1024 * 1024  # bytes of a connection that wait in memory
MOST_IN_ALL = 64 * 1024 * 1024  # likewise of all connections of all processes of a server
STANDSTILL = 30.0  # seconds without progress
# Bytes a second of a reply that has kept a thread for longer than STANDSTILL, and of a long body.
SLOWEST = 50_000
# What the system takes beyond what is on its way: more would be memory that is not counted, and
# progress that is not seen.
UNSENT = 128 * 1024
AT_ONCE = 256 * 1024
ABORT = struct.pack("ii", 1, 0)  # SO_LINGER: the system forgets what it has not sent


class NoReader(BrokenPipeError):
    """The reader is gone, was too slow, or can never have what was announced."""

    def __init__(self) -> None:
        super().__init__(errno.EPIPE, "no reader")


class Stretch:
    """From the first byte that had to wait to the last that left: how fast its reader is."""

    def __init__(self) -> None:
        self.begun = self.progress = time.monotonic()
        self.sent = 0

    def took(self, size: int) -> None:
        """The reader took so many bytes just now."""
        self.sent += size
        self.progress = time.monotonic()

    def speed(self, now: float) -> float:
        """Bytes a second. Who has only begun is fast: nothing is known of such a reader."""
        return (self.sent + UNSENT) / max(now - self.begun, 1e-3)

    def is_too_slow(self, now: float) -> bool:
        """Whether a thread has waited too long for it."""
        return now - self.begun > STANDSTILL + self.sent / SLOWEST


class FilePart:
    """Bytes of a file that stays open until they have left."""

    def __init__(self, file: int, offset: int, size: int) -> None:
        self.file, self.offset, self.size = os.dup(file), offset, size

    def send(self, to: socket.socket) -> int:
        """How many bytes the system took. Raises NoReader if the file has become shorter."""
        sent = os.sendfile(to.fileno(), self.file, self.offset, min(self.size, AT_ONCE))
        if not sent:
            raise NoReader
        self.offset, self.size = self.offset + sent, self.size - sent
        return sent

    def close(self) -> None:
        os.close(self.file)


class Memory:
    """Bytes that wait for their reader."""

    def __init__(self) -> None:
        self.content = bytearray()

    @property
    def size(self) -> int:
        return len(self.content)

    def send(self, to: socket.socket) -> int:
        """How many bytes the system took."""
        with memoryview(self.content) as view:
            sent = to.send(view[:AT_ONCE])
        del self.content[:sent]
        return sent

    def close(self) -> None:
        self.content.clear()


class Departures:
    """All replies of a process that wait for their readers, under one lock."""

    def __init__(self, *, most: int, most_waiting: int, most_held: int) -> None:
        self.changed = threading.Condition()
        self.leaving: dict[Queue, Stretch] = {}
        self.waiting: dict[Queue, None] = {}  # those that keep a thread
        self.most, self.most_waiting, self.most_held = most, most_waiting, most_held
        self.in_memory = 0  # bytes

    def begin(self, queue: "Queue") -> None:
        """One more has a reader to wait for. Called with the lock."""
        self.leaving[queue] = Stretch()
        if len(self.leaving) > self.most:
            self.cut_slowest(self.leaving)

    def wait_for(self, queue: "Queue", has_room: Callable[[], bool]) -> None:
        """The calling thread waits for this reader. Called with the lock; others have it then."""
        self.waiting[queue] = None
        kept = [waiting for waiting in self.waiting if waiting in self.leaving]
        if len(kept) > self.most_waiting:
            self.cut_slowest(kept)
        self.changed.wait_for(has_room)
        del self.waiting[queue]

    def make_room(self, size: int) -> None:
        """End the slowest until so many bytes more may wait. Called with the lock."""
        while self.in_memory + size > self.most_held:
            self.cut_slowest([leaving for leaving in self.leaving if leaving.in_memory])

    def cut_slowest(self, among: Iterable["Queue"]) -> None:
        """End the reply whose reader took the fewest bytes a second. Called with the lock."""
        now = time.monotonic()
        min(among, key=lambda leaving: self.leaving[leaving].speed(now)).cut()

    def cut_late(self) -> None:
        """End what stands still, and what keeps a thread for a reader that is too slow."""
        with self.changed:
            now = time.monotonic()
            for queue, stretch in list(self.leaving.items()):
                stands = now - stretch.progress > STANDSTILL
                if stands or (queue in self.waiting and stretch.is_too_slow(now)):
                    queue.cut()

    def cut_all(self) -> None:
        """The process ends: no thread waits any more."""
        with self.changed:
            for queue in list(self.leaving):
                queue.cut()


class Queue:
    """What waits of a connection's replies. Threads add to it and the loop sends it.

    ``leave`` asks the loop, from any thread, to send what waits. The loop alone closes ``raw``.
    """

    leave: Callable[[], None]

    def __init__(self, raw: socket.socket, departures: Departures) -> None:
        self.raw, self.departures = raw, departures
        self.parts: deque[Memory | FilePart] = deque()
        self.in_memory = 0  # bytes
        self.is_cut = False

    def send_now(self, send: Callable[[], int]) -> int:
        """How many bytes the system takes now; none while others wait, which the loop sends.

        Raises OSError if the reader is gone or was too slow.
        """
        if self.is_cut:
            raise NoReader
        if self.parts:
            return 0
        try:
            return send()
        except BlockingIOError:
            return 0

    def add(self, content: memoryview) -> None:
        """These bytes, in memory; waits until there is room. Raises NoReader."""
        with self.departures.changed:
            while content:
                if self.in_memory >= MOST_OF_ONE:
                    self.departures.wait_for(self, self._has_room)
                size = min(len(content), MOST_OF_ONE - self.in_memory)
                self.departures.make_room(size)
                self._last_memory().content += content[:size]
                self._count(size)
                content = content[size:]

    def add_file(self, part: FilePart) -> None:
        """A part of a file, which stays on its disk. Raises NoReader."""
        with self.departures.changed:
            self._add(part)

    def send_on(self) -> bool:
        """Called by the loop: send what the reader takes now. Whether nothing is left."""
        with self.departures.changed:
            try:
                self._send_first()
            except BlockingIOError:
                return False
            except OSError:
                self.cut()
            if self in self.departures.waiting and self._has_room():
                self.departures.changed.notify_all()
            return not self.parts

    def cut(self) -> None:
        """Nothing more leaves; the thread that writes learns of it, and the loop closes. Locked."""
        self.is_cut = True
        self._count(-self.in_memory)
        while self.parts:
            self.parts.popleft().close()
        self.departures.leaving.pop(self, None)
        with suppress(OSError):  # gone
            self.raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
            self.raw.shutdown(socket.SHUT_RDWR)
        self.departures.changed.notify_all()

    def _has_room(self) -> bool:
        """Half of it, so that a thread is not woken for each packet; nothing is held once cut."""
        return self.in_memory <= MOST_OF_ONE // 2

    def _last_memory(self) -> Memory:
        last = self.parts[-1] if self.parts else None
        if not isinstance(last, Memory):
            last = Memory()
            self._add(last)
        return last

    def _add(self, part: Memory | FilePart) -> None:
        """Behind what waits. Raises NoReader if it was cut, or is the slowest of too many."""
        if self.is_cut:
            part.close()
            raise NoReader
        self.parts.append(part)
        if self not in self.departures.leaving:
            self.departures.begin(self)
            if self.is_cut:
                raise NoReader
            self.leave()

    def _send_first(self) -> None:
        if not self.parts:
            return
        part = self.parts[0]
        sent = part.send(self.raw)
        self.departures.leaving[self].took(sent)
        if isinstance(part, Memory):
            self._count(-sent)
        if not part.size:
            self.parts.popleft().close()
        if not self.parts:
            del self.departures.leaving[self]

    def _count(self, more: int) -> None:
        self.in_memory += more
        self.departures.in_memory += more


class Outlet:
    """A connection's socket as its thread sees it: reads nothing, and hardly ever waits."""

    def __init__(self, raw: socket.socket, departures: Departures) -> None:
        self.raw, self.queue = raw, Queue(raw, departures)
        raw.setblocking(False)
        with suppress(OSError):  # a socket of the machine itself knows no such limit
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT)

    def fileno(self) -> int:
        return self.raw.fileno()

    def recv(self, size: int) -> bytes:
        """The end: a request is whole before a thread has it."""
        return b""

    def gettimeout(self) -> float:
        return 0.0

    def settimeout(self, seconds: float | None) -> None:
        """Nothing here waits for as long as a thread would."""

    def setblocking(self, flag: bool) -> None:
        """Likewise."""

    def shutdown(self, how: int) -> None:
        """The loop ends a connection, once what was written has left."""
        raise OSError

    def close(self) -> None:
        """Likewise."""

    def send(self, content: bytes) -> int:
        self.sendall(content)
        return len(content)

    def sendall(self, content: bytes) -> None:
        """Everything, at once or later. Raises OSError if its reader is gone or was too slow."""
        sent = self.queue.send_now(lambda: self.raw.send(content))
        if sent < len(content):
            self.queue.add(memoryview(content)[sent:])

    def sendfile(self, file: Any, offset: int, count: int) -> int:
        """Likewise a part of a file, which may be closed afterwards."""
        part = FilePart(file.fileno(), offset, count)
        try:
            self.queue.send_now(lambda: part.send(self.raw))
        except OSError:
            part.close()
            raise
        if part.size:
            self.queue.add_file(part)
        else:
            part.close()
        return count
