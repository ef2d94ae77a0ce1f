"""The door: a code that cannot count is refused before the first question, and nothing is kept."""

import json
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from surveys.authoring.services import close
from surveys.collecting import door
from surveys.collecting.pages import FORM
from surveys.collecting.services import receive
from surveys.models import Invitation, Survey
from surveys.questionnaire import tokens
from surveys.web import floods
from surveys.web.counts import SharedCounts
from tests.bodies import body_of
from tests.factories import invite, make_invited_survey, make_open_survey
from tests.posting import post
from tests.surveys.fieldwork.mailing import everything_stored

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("_static_files"),
    pytest.mark.survey(make=make_invited_survey),
]
OWN = {"Sec-Fetch-Site": "same-origin"}
REFUSED = "This code cannot be used for this survey."


@pytest.fixture(autouse=True)
def _no_guesses_yet(monkeypatch) -> None:
    monkeypatch.setattr(floods, "counts", SharedCounts())


def knock(survey: Survey, typed: str, path: str = "browser"):
    address = reverse("respondent:door", args=[survey.pk])
    body = f"path={path}&invitation={typed.replace(' ', '+')}"
    return Client().post(address, body.encode(), content_type=FORM, headers=OWN)


def is_admitted(survey: Survey, token: str) -> bool:
    page = knock(survey, token, "owncoin").content.decode()
    word = json.loads(knock(survey, token).content)["reply"]
    assert {"admitted": True, "rejected": False}[word] is (REFUSED not in page)
    assert ("shoplifted" in page) is (REFUSED not in page)
    return word == "admitted"


def answer(survey: Survey, token: str) -> None:
    receive(survey_id=survey.pk, body=body_of(survey.revision, invitation=token))


def let_a_day_pass(survey: Survey) -> None:
    yesterday = timezone.now().date() - timedelta(days=1)
    Survey.objects.filter(pk=survey.pk).update(announced_on=yesterday)
    door._renewed.clear()


def refused_codes(survey: Survey) -> dict[str, str]:
    used, fresh = invite(survey, 2)
    (foreign,) = invite(make_invited_survey(survey.owner), 1)
    answer(survey, used)
    let_a_day_pass(survey)
    wrong = "0z"[fresh[-1] == "0"]
    return {"used": used, "foreign": foreign, "cut": fresh[:-1], "mistyped": fresh[:-1] + wrong}


def test_used_foreign_cut_and_mistyped_codes_are_refused_alike_and_before_any_question(survey):
    codes = refused_codes(survey)
    assert not any(is_admitted(survey, code) for code in codes.values())
    assert len({knock(survey, code).content for code in codes.values()}) == 1
    (fresh,) = invite(survey, 1)
    assert is_admitted(survey, fresh)
    assert is_admitted(survey, tokens.grouped(fresh).upper())


def test_no_reply_of_a_path_is_longer_than_another(survey):
    codes = [*refused_codes(survey).values(), *invite(survey, 1), "", "x" * 200, "%3Cb%3E"]
    for path in ("browser", "owncoin"):
        replies = [knock(survey, code, path) for code in codes]
        assert {(one.status_code, len(one.content)) for one in replies} == {
            (200, len(replies[0].content))
        }
        assert not any(one.cookies for one in replies)


def test_a_check_marks_stores_and_writes_nothing(survey, caplog):
    codes = [*refused_codes(survey).values(), *invite(survey, 1)]
    before = everything_stored()
    with CaptureQueriesContext(
        connection,
    ) as asked:
        for code in codes:
            knock(survey, code)
            knock(survey, code, "owncoin")
    assert {query["sql"].split()[0] for query in asked} == {"SELECT"}
    assert everything_stored() == before
    assert caplog.records == []


def test_what_was_used_today_is_refused_at_send_and_at_the_door_from_tomorrow(survey):
    early, late = invite(survey, 2)
    assert is_admitted(survey, early)
    answer(survey, early)
    assert is_admitted(survey, early), "the door says nothing about today"
    let_a_day_pass(survey)
    assert not is_admitted(survey, early)
    answer(survey, late)
    assert not is_admitted(survey, early)
    assert is_admitted(survey, late), "the first answer of a day is not told either"
    let_a_day_pass(survey)
    assert not is_admitted(survey, late)


def test_the_renewal_is_made_once_a_day_and_never_for_an_earlier_day(survey):
    early, late = invite(survey, 2)
    answer(survey, early)
    tomorrow = timezone.now().date() + timedelta(days=1)
    Survey.objects.filter(pk=survey.pk).update(announced_on=tomorrow)  # the clock was set back
    door._renewed.clear()
    answer(survey, late)
    assert not Invitation.objects.filter(announced=True).exists()
    assert Survey.objects.get(pk=survey.pk).announced_on == tomorrow


def test_the_page_for_ones_own_coin_asks_for_the_code_and_nothing_else(survey):
    page = Client().get(reverse("respondent:own-coin", args=[survey.pk])).content.decode()
    assert "Your invitation code" in page
    assert "shoplifted" not in page
    (token,) = invite(survey, 1)
    asked = knock(survey, tokens.grouped(token), "owncoin").content.decode()
    assert f'type="hidden" name="invitation" value="{token}"' in asked


def test_guesses_are_limited_by_network_and_right_codes_are_none(survey, monkeypatch):
    monkeypatch.setattr(floods, "GUESSES_PER_HOUR", 3)
    (token,) = invite(survey, 1)
    for _ in range(5):
        assert knock(survey, token).status_code == 200
        assert knock(survey, token[:-1]).status_code == 200
    for _ in range(3):
        assert knock(survey, tokens.new_token()).status_code == 200
    refused = knock(survey, tokens.new_token())
    assert refused.status_code == 429
    assert "Too many wrong codes" in refused.content.decode()
    kept = post(survey, body_of(survey.revision, invitation=tokens.new_token()))
    assert kept.status_code == 429
    assert "Send again" in kept.content.decode()
    assert knock(survey, token).status_code == 200  # however many others guess behind one address
    body = body_of(survey.revision, invitation=token)
    assert post(survey, body).status_code == 200
    assert Invitation.objects.get().redeemed


def test_codes_that_are_tried_at_send_are_guesses_too(survey, monkeypatch):
    monkeypatch.setattr(floods, "GUESSES_PER_HOUR", 1)
    for status in (403, 429):
        body = body_of(survey.revision, invitation=tokens.new_token())
        assert post(survey, body).status_code == status


def test_there_is_no_door_without_invitations_and_none_after_the_close(survey, owner):
    (token,) = invite(survey, 1)
    assert knock(make_open_survey(owner), token).status_code == 400
    close(survey=survey, by=owner)
    assert knock(survey, token).status_code == 410


@pytest.mark.parametrize("body", [b"invitation=x", b"path=pigeon&invitation=x", b"%FF=1"])
def test_what_is_no_code_at_all_is_refused(survey, body):
    address = reverse("respondent:door", args=[survey.pk])
    assert Client().post(address, body, content_type=FORM, headers=OWN).status_code == 400
