"""Bodies that no page of sixty questions would write: refused with the reason, nothing stored."""

import html
import re

import pytest
from django.urls import reverse

from surveys.collecting.pages import FORM
from surveys.models import Comment, Response, Survey, Waiting
from tests.sixty import make_sixty, random_bodies

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database,
    pytest.mark.usefixtures("_static_files"),
]
UNKNOWN = "An answer is not one of those that this survey offers."
UNREADABLE = "This submission could not be read."
WRITTEN = "QQ" + 532 * "A"  # a text of 100 characters at most: "A"
NO_CAR = {"arm": "00", "q003": "00"}
# Fields of a body that is accepted, and how one that is refused differs from it.
CASES = {
    "a question of another arm": (
        NO_CAR,
        {"q052": "01"},
        "Question 52 is not asked of people in the group that was drawn",
    ),
    "a text of another arm": (
        {"arm": "01"},
        {"q055": WRITTEN},
        "Question 55 is not asked of people in the group that was drawn",
    ),
    "a question that a rule hides": (
        NO_CAR,
        {"q009": "01"},
        "Question 9 is not asked of people with these answers",
    ),
    "a text that a rule hides": (
        NO_CAR,
        {"q012": WRITTEN},
        "Question 12 is not asked of people with these answers",
    ),
    "no answer where it is asked": (
        NO_CAR,
        {"q011": "...."},
        "Question 11 is asked of people with these answers, and has none",
    ),
    "one option drawn twice": ({}, {"q019s01": "0101", "q019s02": "0101"}, UNKNOWN),
    "too many ticks": (
        {},
        {f"q015s0{n}": f"0{n}0{int(n < 4)}" for n in range(1, 5)},
        "3 options are ticked, of which at most 2",
    ),
    "a rank given twice": (
        {},
        {f"q026s0{n}": f"0{n}00" for n in range(1, 4)},
        "two things have the same place",
    ),
    "an unknown arm": ({}, {"arm": "03"}, UNKNOWN),
    "no arm": ({}, {"arm": "--"}, UNKNOWN),
    "an unknown way through a family": ({}, {"q039": "07"}, UNKNOWN),
    "an answer to a follow-up": ({}, {"q040": "00"}, UNREADABLE),
    "an answer to a page": ({}, {"q002": "01"}, UNREADABLE),
    "that a question was not asked which all send": ({}, {"q047": "--"}, UNKNOWN),
}


@pytest.fixture
def survey(owner) -> Survey:
    return make_sixty(owner)


def send(client, survey: Survey, fields: dict[str, str]) -> tuple[int, str]:
    body = "&".join(f"{name}={value}" for name, value in fields.items())
    same_origin = {"Sec-Fetch-Site": "same-origin"}
    address = reverse("respondent:send", args=[survey.pk])
    reply = client.post(address, body, content_type=FORM, headers=same_origin)
    words = html.unescape(re.sub(r"<[^>]+>", " ", reply.content.decode()))
    return reply.status_code, " ".join(words.split())


def test_what_no_page_writes_is_refused_with_the_reason_and_nothing_is_stored(client, survey):
    bodies = [body.decode() for body in random_bodies(survey, 60)]
    bodies = [dict(field.split("=") for field in body.split("&")) for body in bodies]
    for name, (like, changes, reason) in CASES.items():
        fields = next(one for one in bodies if like.items() <= one.items())
        status, words = send(client, survey, {**fields, **changes})
        assert (status, reason in words) == (400, True), (name, status, words)
    for table in (Response, Comment, Waiting):
        assert not table.objects.exists()
    for body in bodies[:3]:
        assert send(client, survey, body)[0] == 200
    assert Response.objects.count() == 3
