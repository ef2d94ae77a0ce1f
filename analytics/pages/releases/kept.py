"""KeptAnswers: answers that never change are rendered once, however often they are asked for.

A release is drawn once, so that its page and its files stay the same. Without this, a flood of
requests for the largest file would keep every thread of the server at work.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

# Of one process: the four files of the largest release took 25 MB.
MOST_BYTES = 64 * 2**20
HEADERS = ("Content-Type", "Content-Disposition")


@dataclass(frozen=True)
class KeptAnswer:
    """The body of an answer and what it says of itself."""

    content: bytes
    headers: dict[str, str]

    def response(self) -> HttpResponse:
        """A response of its own, because middleware writes into it."""
        return HttpResponse(self.content, headers=self.headers)


class KeptAnswers:
    """The answers that were asked for last, ``most`` bytes together. Safe for threads."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most, self._size = most, 0
        self._kept = OrderedDict[Hashable, KeptAnswer]()
        self._lock, self._making = threading.Lock(), threading.Lock()

    def answer(self, key: Hashable, make: Callable[[], HttpResponseBase]) -> HttpResponseBase:
        """What is kept under this key, or what ``make`` returns; one is made at a time.

        Only whole answers are kept, none that says why there is no such file.
        """
        if kept := self._found(key):
            return kept.response()
        with self._making:
            if kept := self._found(key):
                return kept.response()
            response = make()
            if response.status_code != 200:
                return response
            headers = {name: response.headers[name] for name in HEADERS if name in response.headers}
            made = KeptAnswer(_content(response), headers)
            self._keep(key, made)
        return made.response()

    def _found(self, key: Hashable) -> KeptAnswer | None:
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
            return kept

    def _keep(self, key: Hashable, made: KeptAnswer) -> None:
        if len(made.content) > self._most:
            return
        with self._lock:
            self._kept[key] = made
            self._size += len(made.content)
            while self._size > self._most:
                _, oldest = self._kept.popitem(last=False)
                self._size -= len(oldest.content)


def _content(response: HttpResponseBase) -> bytes:
    if isinstance(response, StreamingHttpResponse):
        return b"".join(response)
    return bytes(getattr(response, "content", b""))
