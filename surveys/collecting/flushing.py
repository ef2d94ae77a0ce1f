"""Flush whole batches beside the requests: a thread of each process that serves respondents.

A flush costs nearly as much for 20 submissions as for some hundreds, most of all the statements
that count answers. So those that come within a second go together: no one is easier to tell among
more than a batch. If a process is killed, its whole batches are flushed by the next submission or
by the next run of the openings.
"""

import logging
import threading
from uuid import UUID

from django.db import Error, close_old_connections, connections

from surveys.collecting import lost_batches, spool
from surveys.collecting.keys.batch_keys import KeyLost

logger = logging.getLogger(__name__)
GATHERING = 1.0  # seconds; what is shown live may be so much older


class Flusher:
    """A thread that flushes the surveys that are named to it, each once, a moment later."""

    def __init__(self, gathering: float) -> None:
        self._gathering = gathering
        self._whole: set[UUID] = set()
        self._is_called = threading.Event()
        self._is_ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="flusher", daemon=True)
        self._thread.start()

    def later(self, survey_id: UUID) -> None:
        """A batch of this survey is whole."""
        if survey_id in self._whole:  # until it is flushed, every submission says so again
            return
        self._whole.add(survey_id)
        self._is_called.set()

    def end(self) -> None:
        """Flush what was named, at once, and end."""
        self._is_ending.set()
        self._is_called.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._is_ending.is_set():
            self._is_called.wait()
            # A wait that ``end`` cuts short, so that a process which ends flushes at once.
            self._is_ending.wait(self._gathering)
            self._is_called.clear()  # before surveys are taken, so that none is missed
            while self._whole:
                flush(self._whole.pop())
            # Django does this between requests, and this thread has none.
            close_old_connections()
        connections.close_all()  # those of this thread


def flush(survey_id: UUID) -> None:
    """Flush now. If this fails, the submission that filled the batch is stored all the same."""
    try:
        lost_batches.going_on(survey_id, lambda: spool.flush(survey_id))
    except (Error, KeyLost, OSError) as problem:
        logger.error("A batch could not be stored yet: %s", type(problem).__name__)


_flushers: list[Flusher] = []


def begin() -> None:
    """From now on this process flushes beside its requests."""
    _flushers.append(Flusher(GATHERING))


def end() -> None:
    """Flush what waits to be flushed, and end the thread."""
    while _flushers:
        _flushers.pop().end()


def flush_soon(survey_id: UUID) -> None:
    """Flush beside the requests, or at once where no thread does it."""
    for flusher in _flushers:
        flusher.later(survey_id)
        return
    flush(survey_id)
