"""What the page's script reads: JSON of one length for each address, without a sentence."""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from surveys.authoring.services import close
from surveys.collecting.pages import FORM
from surveys.collecting.refusals import TooMany, TooManyGuesses, Updating
from surveys.collecting.replies.codes import ROOM, refusal_in_codes
from surveys.collecting.replies.words import code_of, refusal_words
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.models.refusals import NotOpen
from surveys.questionnaire.plans.vouchers import VoucherPlan
from surveys.questionnaire.refusals import (
    BadInvitation,
    HiddenAnswered,
    Refused,
    TooManyTicks,
    WrongDraw,
)
from surveys.web import floods
from surveys.web.counts import SharedCounts
from tests.factories import invite, make_invited_survey, make_survey
from tests.sixty import make_sixty, random_bodies

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("_static_files"),
    pytest.mark.survey(make=make_invited_survey),
]


@pytest.fixture(autouse=True)
def _no_guesses_yet(monkeypatch) -> None:
    monkeypatch.setattr(floods, "counts", SharedCounts())


def knock(survey: Survey, body: str, method: str = "post") -> HttpResponse:
    address = reverse("respondent:door", args=[survey.pk])
    headers = {"Sec-Fetch-Site": "same-origin", "Accept": "application/json"}
    return Client().generic(method, address, body.encode(), content_type=FORM, headers=headers)


def test_the_door_answers_with_one_word(survey):
    (token,) = invite(survey, 1)
    replies = {code: knock(survey, f"path=browser&invitation={code}") for code in (token, "", "x")}
    words = {code: json.loads(reply.content) for code, reply in replies.items()}
    assert words == {
        token: {"reply": "admitted"},
        "": {"reply": "rejected"},
        "x": {"reply": "rejected"},
    }
    assert {reply.headers["Content-Type"] for reply in replies.values()} == {"application/json"}


def test_all_replies_of_the_door_are_equally_long_also_refusals(survey, owner):
    (token,) = invite(survey, 1)
    admitted = knock(survey, f"path=browser&invitation={token}")
    malformed = knock(survey, "path=pigeon&invitation=x")
    close(survey=survey, by=owner)
    closed = knock(survey, f"path=browser&invitation={token}")
    assert [one.status_code for one in (admitted, malformed, closed)] == [200, 400, 410]
    assert {len(one.content) for one in (admitted, malformed, closed)} == {ROOM}


def test_a_closed_survey_says_on_which_day_and_nothing_that_its_owner_wrote(survey, owner):
    close(survey=survey, by=owner)
    today = timezone.now().date().isoformat()
    assert json.loads(knock(survey, "path=browser&invitation=x").content) == {
        "reply": "refused",
        "code": "not-open-closed",
        "values": {"day": today},
        "again": False,
    }


def test_who_asks_for_a_page_gets_one(survey, owner):
    close(survey=survey, by=owner)
    address = reverse("respondent:start", args=[survey.pk])
    page = Client().get(address, headers={"Accept": "application/json"})
    assert "This survey closed on" in page.content.decode()


def refusals(survey: Survey) -> list[Refused]:
    ends = timezone.now().date() + timedelta(days=1)
    last = Survey(state=Survey.State.OPEN, close_on=ends, contact="Ask <b>us</b> " * 20)
    return [
        NotOpen(last),
        TooMany(),
        TooManyGuesses(was_sent=True),
        Updating(was_sent=True),
        HiddenAnswered(60, by_arm=True),
        WrongDraw(60, 59, can_be_corrected=False),
        TooManyTicks(10, 9),
        BadInvitation(),
    ]


def test_refusals_carry_a_code_and_the_values_of_its_words_and_no_sentence(survey):
    for refusal in refusals(survey):
        reply = refusal_in_codes(refusal)
        assert (reply.status_code, len(reply.content)) == (refusal.status, ROOM)
        said = json.loads(reply.content)
        assert set(said) == {"reply", "code", "values", "again"}
        assert " " not in reply.content.decode().rstrip()
    codes = [json.loads(refusal_in_codes(one).content) for one in refusals(survey)]
    ends = (timezone.now().date() + timedelta(days=1)).isoformat()
    assert [(one["code"], one["values"]) for one in codes] == [
        ("not-open-ended", {"day": ends}),
        ("too-many", {}),
        ("too-many-guesses", {}),
        ("updating", {}),
        ("hidden-answered-by-arm", {"number": 60}),
        ("refused", {}),
        ("refused", {}),
        ("bad-invitation", {}),
    ]


def test_where_work_is_asked_the_reply_says_how_much():
    reply = refusal_in_codes(TooMany(18))
    assert (reply.status_code, len(reply.content)) == (429, ROOM)
    assert json.loads(reply.content) == {"reply": "work", "bits": 18}


def every_refusal(kind: type[Refused] = Refused) -> Iterator[type[Refused]]:
    yield kind
    for other in kind.__subclasses__():
        yield from every_refusal(other)


def test_a_page_has_words_for_every_refusal_of_the_program(survey):
    """Those that no page can cause are said as “could not be read”, or as the nearest above."""
    vouched = replace(questionnaire_of(survey.revision), vouchers=VoucherPlan())
    words = {one.code: one for one in refusal_words(vouched)}
    made = [kind.__new__(kind) for kind in every_refusal()]
    assert {code_of(one) for one in made} | {"not-open-closed", "not-open-ended"} <= {*words}
    assert all(one.reason and one.remedy for one in words.values())
    braces = {code: re.findall(r"{(\w+)}", one.reason + one.remedy) for code, one in words.items()}
    assert braces == {code: list(one.values) for code, one in words.items()}


def sent(survey: Survey, body: bytes) -> HttpResponse:
    address = reverse("respondent:send", args=[survey.pk])
    headers = {"Sec-Fetch-Site": "same-origin", "Accept": "application/json"}
    return Client().post(address, body, content_type=FORM, headers=headers)


@pytest.mark.survey(make=make_sixty)
def test_a_receipt_has_the_body_its_hash_and_each_answer_as_it_was_sent(survey):
    (body,) = random_bodies(survey, 1)
    said = json.loads(sent(survey, body).content)
    fields = [pair.split("=") for pair in body.decode().split("&")]
    assert said == {
        "reply": "receipt",
        "body": body.decode(),
        "hash": hashlib.sha256(body).hexdigest()[:16],
        "rows": [pair for pair in fields if pair[0] == "arm" or pair[0].startswith("q")],
    }
    again = sent(survey, body)
    assert json.loads(again.content) == said


@pytest.mark.survey(make=make_sixty)
@pytest.mark.parametrize("paths", [20, pytest.param(1000, marks=pytest.mark.audit)])
def test_receipts_and_refusals_of_send_are_equally_long(survey, owner, paths):
    *sent_bodies, body = random_bodies(survey, paths)
    replies = [sent(survey, one) for one in sent_bodies]
    assert {reply.status_code for reply in replies} == {200}
    replies += [sent(survey, one) for one in (body.replace(b"=browser", b"=pigeons"), body * 9)]
    close(survey=survey, by=owner)
    replies.append(sent(survey, body))
    assert {reply.status_code for reply in replies} == {200, 400, 413, 410}
    assert len({len(reply.content) for reply in replies}) == 1


def test_a_draft_refuses_in_codes_too(owner):
    draft = make_survey(owner)
    reply = sent(draft, b"x=1")
    assert (reply.status_code, len(reply.content)) == (410, ROOM)
    assert json.loads(reply.content)["code"] == "not-open"
