"""Several who do something at the same moment."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connections

Result = TypeVar("Result")


def at_once(*acts: Callable[[], Result]) -> list[Result]:
    """Let all begin together, each in a thread with connections to the database of its own.

    Returns what they return, in their order. If any of them raised, raises the first such error
    after all have ended, so that no thread fails unseen.
    """
    start = threading.Barrier(len(acts))

    def run(act: Callable[[], Result]) -> Result:
        start.wait()
        try:
            return act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))
