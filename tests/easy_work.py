"""The server's settings, above whose limit a page works for a moment, not for a second.

What is asked for in service stands in ``surveys/web/floods.py``.
"""

from typing import Any

from config.server import *  # noqa: F403

BITS = 12  # some thousand hashes


def post_worker_init(worker: Any) -> None:
    """Ask for less work. No thread flushes batches: requests do."""
    from surveys.web import floods

    floods.LEAST_BITS = BITS
