"""A program of a few lines behind the real worker: every kind of reply that WSGI knows."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

LARGE = bytes(range(256)) * 20_000  # 5 MB
BLOCK = LARGE[:8192]
begun: Counter[str] = Counter()
closed: Counter[str] = Counter()


class Parts:
    """A reply that counts when it is closed, as Django's does to give back its connection."""

    def __init__(self, asker: str, parts: Iterable[bytes]) -> None:
        self.asker, self.parts = asker, iter(parts)

    def __iter__(self) -> Iterator[bytes]:
        return self.parts

    def close(self) -> None:
        closed[self.asker] += 1


def _broken() -> Iterator[bytes]:
    yield BLOCK
    raise RuntimeError


def _end_without_end() -> Iterator[bytes]:
    while True:
        yield BLOCK


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answer by the path; ``/counts`` says how many replies of an asker began and were closed."""
    path, asker = environ["PATH_INFO"], environ["QUERY_STRING"]
    if path == "/counts":
        content = f"{begun[asker]} {closed[asker]}".encode()
        start_response("200 OK", [("Content-Length", str(len(content)))])
        return [content]
    begun[asker] += 1
    return REPLIES[path](environ, start_response)


def _file(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    path = Path(os.environ["FILE_TO_SEND"])
    start_response("200 OK", [("Content-Length", str(path.stat().st_size))])
    reply: Iterable[bytes] = environ["wsgi.file_wrapper"](path.open("rb"))
    return reply


def _reply(
    parts: Callable[[], Iterable[bytes]], status: str = "200 OK", length: int | None = None
) -> Callable[..., Iterable[bytes]]:
    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        headers = [] if length is None else [("Content-Length", str(length))]
        start_response(status, headers)
        return Parts(environ["QUERY_STRING"], parts())

    return answer


REPLIES: dict[str, Callable[..., Iterable[bytes]]] = {
    "/small": _reply(lambda: [b"small"], length=5),
    "/large": _reply(lambda: [LARGE], length=len(LARGE)),
    "/medium": _reply(lambda: [LARGE[:900_000]], length=900_000),
    "/chunks": _reply(lambda: (LARGE[at : at + 9000] for at in range(0, len(LARGE), 9000))),
    "/file": _file,
    "/none": _reply(lambda: [], "204 No Content"),
    "/same": _reply(lambda: [], "304 Not Modified"),
    "/broken": _reply(_broken),
    "/endless": _reply(_end_without_end),
}
