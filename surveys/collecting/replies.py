"""What the page's script reads of the server: words of a fixed list and numbers, no sentence.

Who has no script reads documents in HTML instead. All replies here are filled up with spaces to one
length, so that their size on the wire says nothing.
"""

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse

from surveys.questionnaire.formats.launched import canonical_bytes
from surveys.questionnaire.refusals import Refused
from surveys.randomized_response.messages import Message

JSON = "application/json"
ROOM = 256  # bytes of each reply; the longest refusal takes about 130


def wants_json(request: HttpRequest) -> bool:
    """Whether the page's script posted this; browsers ask for HTML when they send a form."""
    return request.method == "POST" and JSON in request.headers.get("Accept", "")


def reply_at_the_door(*, is_admitted: bool) -> HttpResponse:
    """``{"reply": "admitted"}`` or ``{"reply": "rejected"}``."""
    return _reply({"reply": "admitted" if is_admitted else "rejected"}, status=200)


def reply_of_refusal(refusal: Refused) -> HttpResponse:
    """``{"reply": "refused", "code", "values", "again"}``.

    ``code`` names the kind of refusal; ``values`` has the whole numbers and ISO days of its reason;
    ``again`` says whether sending the same once more can help.
    """
    members = {
        "reply": "refused",
        "code": _code_of(refusal),
        "values": dict(_values_of(refusal.reason)),
        "again": refusal.can_be_sent_again,
    }
    return _reply(members, status=refusal.status)


def _code_of(refusal: Refused) -> str:
    """The name of its class in lower case, with hyphens: ``too-many-guesses``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", type(refusal).__name__).lower()


def _values_of(reason: str) -> Iterator[tuple[str, int | str]]:
    """Numbers and days of a message and of those within it; texts are left out."""
    if not isinstance(reason, Message):
        return
    for name, value in reason.values.items():
        if isinstance(value, date):
            yield name, value.isoformat()
        elif isinstance(value, str):
            yield from _values_of(value)
        elif isinstance(value, int):
            yield name, value


def _reply(members: dict[str, Any], *, status: int) -> HttpResponse:
    return HttpResponse(canonical_bytes(members).ljust(ROOM), content_type=JSON, status=status)
