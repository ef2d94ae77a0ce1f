"""The server's settings, with every connection that its Python code opens written to its log.

Batches are flushed within the request that fills them, so that a test finds the rows of a survey
with batches of one as soon as the receipt is there; ``test_flushing.py`` is about the thread.
"""

import sys
from typing import Any

from config.server import *  # noqa: F403

OPENING = {"socket.connect", "socket.getaddrinfo", "socket.sendto"}


def _write_down(event: str, arguments: tuple[object, ...]) -> None:
    if event in OPENING:
        print("OPENED", event, *arguments[-2:], file=sys.stderr, flush=True)


def post_worker_init(worker: Any) -> None:
    """Begin no thread beside the requests."""


sys.addaudithook(_write_down)
