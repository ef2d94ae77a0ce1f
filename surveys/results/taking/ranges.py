"""file_in_parts: a file whose download may be interrupted and resumed (RFC 9110, section 14).

One range at a time, as browsers and download programs ask; of several the whole file is sent. The
validator is the file's own random name, so that a part never continues another file.
"""

import re
from collections.abc import Callable, Iterator

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from surveys.web.requests import RESUMABLE

# No file has a length of more digits, and longer numbers take time to read.
RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
Span = tuple[int, int]  # first and last byte
Read = Callable[[int, int], Iterator[bytes]]


def part_asked_for(request: HttpRequest, name: str, size: int) -> Span | None:
    """The first and last byte that the reply has; None if it has none."""
    return None if request.method == "HEAD" else _asked(request, name, size)


def file_in_parts(
    request: HttpRequest, name: str, size: int, read: Read, *, content_type: str
) -> HttpResponse | StreamingHttpResponse:
    """The whole file, the part that is asked for (206), or that there is no such part (416).

    ``read`` is asked for the bytes from one place to another, both included.
    """
    span = _asked(request, name, size)
    reply: HttpResponse | StreamingHttpResponse
    if span is None:
        reply = HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})
    else:
        first, last = span
        reply = StreamingHttpResponse(read(first, last), content_type=content_type)
        reply.headers["Content-Length"] = str(last - first + 1)
        if last - first + 1 < size:
            reply.status_code = 206
            reply.headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    reply.headers["Accept-Ranges"] = "bytes"
    reply.headers["ETag"] = f'"{name}"'
    setattr(reply, RESUMABLE, True)
    return reply


def _asked(request: HttpRequest, name: str, size: int) -> Span | None:
    """The span that is asked for; None if the file has no such bytes."""
    full = (0, size - 1)
    match = RANGE.fullmatch(request.headers.get("Range", ""))
    if match is None or match[1] == match[2] == "":
        return full
    # Another file than the one that was begun: parts of both would be put together.
    if request.headers.get("If-Range", f'"{name}"') != f'"{name}"':
        return full
    if not match[1]:
        length = min(int(match[2]), size)
        return (size - length, size - 1) if length else None
    first, last = int(match[1]), int(match[2] or size)
    return (first, min(last, size - 1)) if first <= last and first < size else None
