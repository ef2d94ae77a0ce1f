"""What the page's script reads of the server: words of a fixed list and numbers, no sentence.

Who has no script reads documents in HTML instead. All replies of one address and survey are filled
up with spaces to one length, so that their size on the wire says nothing.
"""

from datetime import date
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse

from surveys.collecting.refusals import TooMany
from surveys.collecting.replies.words import code_of, values_named
from surveys.kinds.text.promise import based
from surveys.models import Revision
from surveys.models.queries import launched_revision, questionnaire_of_id
from surveys.questionnaire.formats.launched import canonical_bytes
from surveys.questionnaire.refusals import Refused
from surveys.questionnaire.submission import Submission, body_length, values_length
from surveys.randomized_response.messages import Message

JSON = "application/json"
ROOM = 256  # bytes of each reply at the door; the longest refusal takes about 130
EXCHANGE_ROOM = 512  # of a signature they take 375
ABOUT_THE_BODY = (
    "revision",
    "key",
    "path",
    "invitation",
    "voucher",
)  # its other fields are answers


def wants_json(request: HttpRequest) -> bool:
    """Whether the page's script posted this; browsers ask for HTML when they send a form."""
    return request.method == "POST" and JSON in request.headers.get("Accept", "")


def reply_at_the_door(*, is_admitted: bool) -> HttpResponse:
    """``{"reply": "admitted"}`` or ``{"reply": "rejected"}``."""
    return _reply({"reply": "admitted" if is_admitted else "rejected"}, ROOM)


def signed_in_codes(signed: bytes) -> HttpResponse:
    """``{"reply": "signed", "signed"}``: 256 bytes in base64url, which the page unblinds."""
    return _reply({"reply": "signed", "signed": based(signed)}, EXCHANGE_ROOM)


def receipt_in_codes(submission: Submission) -> HttpResponse:
    """``{"reply": "receipt", "body", "hash", "rows"}``: the words are in the page that sent it."""
    pairs = [pair.split("=") for pair in submission.body.split("&")]
    rows = [pair for pair in pairs if pair[0] not in ABOUT_THE_BODY]
    members = _receipt(submission.body, submission.short_hash, rows)
    return _reply(members, _receipt_bytes(submission.revision_id))


def refusal_in_codes(refusal: Refused, room: int = ROOM) -> HttpResponse:
    """``{"reply": "refused", "code", "values", "again"}``, or ``{"reply": "work", "bits"}``.

    ``values`` has the whole numbers and ISO days that the page's words for ``code`` name; ``again``
    says whether sending the same once more can help.
    """
    if isinstance(refusal, TooMany) and refusal.work_bits:
        return _reply({"reply": "work", "bits": refusal.work_bits}, room, refusal.status)
    code = code_of(refusal)
    values = _values_in(refusal.reason)
    members = {
        "reply": "refused",
        "code": code,
        "values": {name: values[name] for name in values_named(code)},
        "again": refusal.can_be_sent_again,
    }
    return _reply(members, room, refusal.status)


def room_for(survey_id: UUID) -> int:
    """Bytes of each reply to what is sent to this survey: as many as its receipt has."""
    try:
        return _receipt_bytes(launched_revision(survey_id))
    except (Revision.DoesNotExist, OperationalError, InterfaceError):
        return ROOM  # a draft, or the database is away: all replies are alike


@lru_cache(maxsize=128)
def _receipt_bytes(revision_id: UUID) -> int:
    questionnaire = questionnaire_of_id(revision_id)
    names = [name for name in questionnaire.form.names if name not in ABOUT_THE_BODY]
    empty = canonical_bytes(_receipt("", "0" * 16, [[name, ""] for name in names]))
    return max(ROOM, len(empty) + body_length(questionnaire) + values_length(questionnaire))


def _receipt(body: str, short_hash: str, rows: list[list[str]]) -> dict[str, Any]:
    return {"reply": "receipt", "body": body, "hash": short_hash, "rows": rows}


def _values_in(reason: str) -> dict[str, int | str]:
    """Numbers and days of a message and of those within it; texts are left out."""
    found: dict[str, int | str] = {}
    for name, value in reason.values.items() if isinstance(reason, Message) else ():
        if isinstance(value, date):
            found[name] = value.isoformat()
        elif isinstance(value, str):
            found |= _values_in(value)
        elif isinstance(value, int):
            found[name] = value
    return found


def _reply(members: dict[str, Any], room: int, status: int = 200) -> HttpResponse:
    return HttpResponse(canonical_bytes(members).ljust(room), content_type=JSON, status=status)
