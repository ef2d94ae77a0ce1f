"""problem_reply: a refusal as programs read it (RFC 9457), with what to do about it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse

PROBLEM_TYPE = "application/problem+json"
PROGRAMS = "/api/"  # below these addresses programs read, and no page stands


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong in what was sent: where (RFC 6901, or the name of a parameter)."""

    pointer: str
    detail: str


def is_of_programs(request: HttpRequest) -> bool:
    """Whether this address is read by programs."""
    return request.path.startswith(PROGRAMS)


def problem_reply(
    status: int,
    title: str,
    remedy: str,
    *,
    faults: Sequence[Fault] = (),
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """A refusal; ``pointer`` is where the first fault is, ``errors`` has all of them."""
    content: dict[str, object] = {
        "type": "about:blank",
        "status": status,
        "title": title,
        "remedy": remedy,
    }
    if faults:
        content["detail"] = faults[0].detail
        content["pointer"] = faults[0].pointer
        content["errors"] = [{"pointer": fault.pointer, "detail": fault.detail} for fault in faults]
    text = json.dumps(content, ensure_ascii=False)
    return HttpResponse(text, status=status, content_type=PROBLEM_TYPE, headers=headers)
