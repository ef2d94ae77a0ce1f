"""While a worker makes a report: its Progress, its Heart that beats, its failure in short."""

import logging
import threading
import time
from collections import deque
from traceback import walk_tb
from types import TracebackType
from uuid import UUID

from django.db import DatabaseError, connection
from django.db.models import QuerySet
from django.utils import timezone

from analytics.kinds.settings import Stopped
from analytics.models import Report

logger = logging.getLogger(__name__)

BEAT = 30.0  # seconds; a tenth of the patience of those who wait for it
ASK_AGAIN = 1.0  # seconds between two looks at whether a report is still wanted
# The innermost places of a failure: enough to find it, and short enough for a page.
_PLACES = 6


def of_run(report: UUID, run: int) -> "QuerySet[Report]":
    """The report, as long as this run is the one that makes it."""
    return Report.objects.filter(pk=report, run=run, state=Report.State.RUNNING)


class ReportProgress:
    """Writes each stage as it begins, in a statement of its own: a page shows it at once."""

    def __init__(self, report: UUID, run: int) -> None:
        self._report, self._run = report, run
        # Not the time of day, which may be set while a report is made.
        self._asked = time.monotonic()

    def beat(self) -> None:
        """Between blocks of texts: at most once a second, raises Stopped as ``reach`` does."""
        now = time.monotonic()
        if now - self._asked < ASK_AGAIN:
            return
        self._asked = now
        if not of_run(self._report, self._run).exists():
            raise Stopped

    def reach(self, stage: str, fraction: float) -> None:
        """A stage begins. Raises Stopped if the report was cancelled or another run makes it."""
        done = min(max(fraction, 0.0), 1.0)
        mine = of_run(self._report, self._run)
        if not mine.update(stage=stage, fraction=done, beat=timezone.now()):
            raise Stopped


class Heart:
    """Says now and then that a run is alive, however long a stage takes.

    A thread with a connection to the database of its own; it ends with the process.
    """

    def __init__(self, report: UUID, run: int, pause: float = BEAT) -> None:
        self._report, self._run, self._pause = report, run, pause
        self._ended = threading.Event()
        # A daemon: a worker that has to end does not wait for the next beat.
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> "Heart":
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._ended.set()
        self._thread.join()

    def _beat(self) -> None:
        try:
            while not self._ended.wait(self._pause):
                of_run(self._report, self._run).update(beat=timezone.now())
        except DatabaseError as problem:
            # The report itself may still come through; if not, it is repeated.
            logger.error("A report's sign of life failed: %s", type(problem).__name__)
        finally:
            connection.close()


class Discreet:
    """Keeps what went wrong inside a ``with`` block as a type and places, without its words.

    An exception's text, and those of all that led to it, may quote what people wrote. So no
    exception passes: ``failure`` says what happened, and is "" if nothing did. What ends the
    process (SystemExit, KeyboardInterrupt) passes.
    """

    failure = ""

    def __enter__(self) -> "Discreet":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if not isinstance(problem, Exception):
            return False
        steps = [(frame.f_code, line) for frame, line in walk_tb(traceback)]
        places = [f"{c.co_filename.rpartition('/')[2]}:{line} {c.co_name}" for c, line in steps]
        name = f"{type(problem).__module__}.{type(problem).__qualname__}"
        kept = deque(places, maxlen=_PLACES)
        self.failure = f"{name.removeprefix('builtins.')} ({' > '.join(kept)})"
        return True
