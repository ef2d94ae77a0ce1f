"""The server's settings, with every connection that its Python code opens written to its log."""

import sys

from config.server import *  # noqa: F403

OPENING = {"socket.connect", "socket.getaddrinfo", "socket.sendto"}


def _write_down(event: str, arguments: tuple[object, ...]) -> None:
    if event in OPENING:
        print("OPENED", event, *arguments[-2:], file=sys.stderr, flush=True)


sys.addaudithook(_write_down)
