"""read_body and read_json: what a program sends, of a limited size and depth, read strictly.

Readers differ in what they make of two entries of one name, of NaN and of large numbers: such
bodies are refused rather than read in one of these ways.
"""

import json
from collections import Counter
from typing import Any

from django.http import HttpRequest, UnreadablePostError

from surveys.definitions.documents import depth_of
from surveys.programs.routing.problems import Problem, bad_body

MOST_BYTES = 2 * 1024 * 1024
DEEPEST = 32
LARGEST_INTEGER = 2**53  # what every program reads exactly


class _Refused(ValueError):
    """Why a document is not read."""


def read_body(request: HttpRequest) -> bytes:
    """The bytes of a JSON document. Raises Problem (413, 415)."""
    if request.content_type != "application/json":
        detail = "The header Content-Type must be application/json."
        raise bad_body(415, "This is no JSON", detail)
    try:
        # Not ``request.body``: its limit is that of forms, which are smaller.
        content = request.read(MOST_BYTES + 1)
    except UnreadablePostError:
        raise bad_body(400, "The body did not arrive whole", "The connection broke.") from None
    if len(content) > MOST_BYTES:
        detail = f"A body has at most {MOST_BYTES} bytes."
        raise bad_body(413, "The body is too large", detail)
    return bytes(content)


def read_json(content: bytes) -> Any:
    """The document in a body. Raises Problem (400)."""
    try:
        text = content.decode()
        # Before it is read: the reader calls itself for each level.
        if depth_of(text) > DEEPEST:
            raise _Refused(f"It is nested more than {DEEPEST} levels deep.")
        return json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer
        )
    except _Refused as problem:
        raise bad_body(400, "The document is not read", str(problem)) from None
    except (ValueError, RecursionError):
        raise bad_body(400, "This is no JSON", "The body is no JSON in UTF-8.") from None


def fields_of(document: Any, names: frozenset[str]) -> dict[str, Any]:
    """An object with none but these names. Raises Problem (422)."""
    if not isinstance(document, dict):
        raise _wrong("", "This must be an object.")
    for name in document:
        if name not in names:
            raise _wrong(f"/{name}", "There is no field of this name.")
    return document


def _wrong(pointer: str, detail: str) -> Problem:
    return bad_body(422, "A field is wrong", detail, pointer)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    twice = [name for name, times in Counter(name for name, _ in pairs).items() if times > 1]
    if twice:
        raise _Refused(f"An object has two entries of the name {twice[0]!r}.")
    return dict(pairs)


def _constant(name: str) -> Any:
    raise _Refused(f"{name} is no number of JSON.")


def _integer(digits: str) -> int:
    # Of thousands of digits the reader would take seconds.
    if len(digits) > 17 or abs(int(digits)) > LARGEST_INTEGER:
        raise _Refused("A whole number is beyond 2 to the power of 53.")
    return int(digits)
