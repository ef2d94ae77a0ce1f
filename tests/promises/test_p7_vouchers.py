"""P7 with vouchers: what is kept of a code and what is kept of answers have nothing in common."""

import hashlib
import json
from dataclasses import dataclass

import pytest
from django.test import Client
from django.urls import reverse

from surveys.collecting.pages import FORM
from surveys.kinds.text.promise import based, unbased
from surveys.models import Survey
from surveys.questionnaire import tokens
from tests.factories import invite
from tests.posting import SAME_ORIGIN
from tests.traces import files, rows
from tests.vouching import Request, make_vouched_survey

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.both_databases,
    pytest.mark.usefixtures("_static_files"),
    pytest.mark.survey(make=make_vouched_survey),
]
FROM_THE_SCRIPT = {**SAME_ORIGIN, "Accept": "application/json"}


@dataclass(frozen=True)
class Person:
    """One who has answered: all that a network would have seen of it, and what the page drew."""

    token: str
    request: Request
    signed: bytes
    voucher: str
    replies: tuple[bytes, bytes]


def post(survey: Survey, name: str, body: bytes) -> bytes:
    address = reverse(f"posted:{name}", args=[survey.pk])
    reply = Client().post(address, body, content_type=FORM, headers=FROM_THE_SCRIPT)
    assert reply.status_code == 200
    return reply.content


def answered(survey: Survey, token: str, codes: list[str] | None = None) -> Person:
    request = Request.drawn(survey)
    asked = f"path=browser&invitation={token}&blinded={based(request.blinded)}"
    first = post(survey, "exchange", asked.encode())
    signed = unbased(json.loads(first)["signed"])
    voucher = request.voucher(signed)
    second = post(survey, "send", request.body(voucher, codes))
    return Person(token, request, signed, voucher, (first, second))


def where(content: str) -> set[str]:
    """The tables that hold it."""
    return {row.partition(":")[0] for row in rows() if content in row}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_each_trace_of_a_code_and_of_answers_stands_in_one_table(survey):
    one = [answered(survey, token) for token in invite(survey, 6)][2]
    assert where(tokens.digest(one.token)) == {"surveys_invitation"}
    assert where(sha256(one.request.blinded)) == {"surveys_invitation"}
    assert where(sha256(one.request.key)) == {"surveys_submissionkey"}


def test_what_passed_between_page_and_server_is_kept_nowhere(survey):
    one = [answered(survey, token) for token in invite(survey, 6)][2]
    passed = [one.request.blinded, one.signed, unbased(one.voucher), one.request.key]
    marks = [one.token.encode()]
    for content in passed:
        marks += [content, content.hex().encode(), based(content).encode()]
    kept = "\n".join(rows()).encode("utf-8", "surrogateescape")
    assert not [mark for mark in marks if mark in kept]
    for path, content in files():
        assert not [mark for mark in marks if mark in content], path


def test_bodies_and_replies_are_equally_long_for_all_answers(survey):
    people = [
        answered(survey, token, [code, based(text.encode().ljust(400, b"\0"))])
        for token, (code, text) in zip(
            invite(survey, 4), [("00", ""), ("01", "x"), ("02", "ä" * 100), ("00", "🙂" * 100)],
            strict=True,
        )
    ]  # fmt: skip
    for place in (0, 1):
        assert len({len(person.replies[place]) for person in people}) == 1
    assert len({len(person.request.body(person.voucher)) for person in people}) == 1
