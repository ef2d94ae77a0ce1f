"""SharedCounts: how often each name came within the hour, counted by all processes together.

A name is an HMAC under a random key that is overwritten with every hour. Key and counts live in
memory that has no name on any disk, so no backup holds them. gunicorn's first process loads this
module (``config/server.py``); its workers inherit the memory.
"""

import fcntl
import hashlib
import hmac
import mmap
import os
import secrets
import struct
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

HOUR = 3600
# A count-min sketch (Cormode and Muthukrishnan 2005): a name is counted too often only if others
# share all four of its places. Names without end need no more room: 1 MiB.
ROWS, SLOTS = 4, 1 << 16
_HEAD = struct.Struct("<Q32s")  # the hour and its key
_COUNT = struct.Struct("<I")
_MOST = 2**32 - 1


class SharedCounts:
    """Safe for threads, and for processes that are forked from the one that made it."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._threads = threading.Lock()
        self._file = _nameless_file()
        size = _HEAD.size + ROWS * SLOTS * _COUNT.size
        os.ftruncate(self._file, size)
        self._memory = mmap.mmap(self._file, size)

    def count(self, name: str) -> int:
        """One more time; returns how often it was within the clock's hour, this time included."""
        with self._held():
            places = self._places(name)
            counts = [self._at(index) for index in places]
            times = min(min(counts) + 1, _MOST)
            for index, there in zip(places, counts, strict=True):
                if there < times:
                    _COUNT.pack_into(self._memory, index, times)
            return times

    def seen(self, name: str) -> int:
        """How often it was within this hour, without counting this time."""
        with self._held():
            return min(self._at(index) for index in self._places(name))

    def _at(self, index: int) -> int:
        times: int = _COUNT.unpack_from(self._memory, index)[0]
        return times

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Alone among threads, and among processes: a lock that ends with the one that has it."""
        # The file's lock belongs to the process: it does not keep its own threads apart.
        with self._threads:
            fcntl.lockf(self._file, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN)

    def _places(self, name: str) -> list[int]:
        hour, key = _HEAD.unpack_from(self._memory)
        now = int(self._clock() // HOUR)
        if hour != now:
            key = self._forget(now)
        digest = hmac.digest(key, name.encode(), hashlib.sha256)
        slots = struct.unpack_from(f"<{ROWS}H", digest)
        return [_HEAD.size + (row * SLOTS + slot) * _COUNT.size for row, slot in enumerate(slots)]

    def _forget(self, hour: int) -> bytes:
        """A fresh key over the old one, and no counts."""
        key = secrets.token_bytes(32)
        self._memory[:] = _HEAD.pack(hour, key).ljust(len(self._memory), b"\0")
        return key


def _nameless_file() -> int:
    """Memory that processes share; where the system has none without a file, one without a name."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("counts")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


counts = SharedCounts()
