"""What the page's script reads at the door: JSON of one length, without a sentence."""

import json
from datetime import timedelta

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from surveys.authoring.services import close
from surveys.collecting.pages import FORM
from surveys.collecting.refusals import TooMany, TooManyGuesses, Updating
from surveys.collecting.replies import ROOM, reply_of_refusal
from surveys.models import Survey
from surveys.models.refusals import NotOpen
from surveys.questionnaire.refusals import (
    BadInvitation,
    HiddenAnswered,
    Refused,
    TooManyTicks,
    WrongDraw,
)
from surveys.web import floods
from surveys.web.counts import SharedCounts
from tests.factories import invite, make_invited_survey

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
        "code": "not-open",
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
        TooMany(18),
        TooManyGuesses(was_sent=True),
        Updating(was_sent=True),
        HiddenAnswered(60, by_arm=True),
        WrongDraw(60, 59, can_be_corrected=False),
        TooManyTicks(10, 9),
        BadInvitation(),
    ]


def test_refusals_carry_a_code_numbers_and_days_and_no_sentence(survey):
    for refusal in refusals(survey):
        reply = reply_of_refusal(refusal)
        assert (reply.status_code, len(reply.content)) == (refusal.status, ROOM)
        said = json.loads(reply.content)
        assert set(said) == {"reply", "code", "values", "again"}
        assert " " not in reply.content.decode().rstrip()
    numbers = [json.loads(reply_of_refusal(one).content)["values"] for one in refusals(survey)]
    assert numbers[4:7] == [
        {"number": 60},
        {"count": 60, "asked": 59},
        {"count": 10, "most": 9},
    ]
