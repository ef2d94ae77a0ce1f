"""Bodies that no page of sixty questions would write: refused with the reason, nothing stored."""

import html
import re

import pytest

from surveys.models import Comment, Response, SubmissionKey, Survey, Waiting
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.submission import parse
from tests import posting
from tests.sixty import make_sixty, random_bodies

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database,
    pytest.mark.usefixtures("_static_files"),
    pytest.mark.survey(make=make_sixty),
]
UNKNOWN = "one of them is not an answer that this survey offers."
UNREADABLE = "These answers were not stored: they could not be read."
WRITTEN = "QQ" + 532 * "A"  # a text of 100 characters at most: "A"
NO_CAR = {"arm": "00", "q003": "00"}
# Fields of a body that is accepted, and how one that is refused differs from it.
CASES = {
    "a question of another arm": (
        NO_CAR,
        {"q052": "01"},
        "question 52 is answered, but your group is not asked this question",
    ),
    "a text of another arm": (
        {"arm": "01"},
        {"q055": WRITTEN},
        "question 55 is answered, but your group is not asked this question",
    ),
    "a question that a rule hides": (
        NO_CAR,
        {"q009": "01"},
        "question 9 is answered, but your other answers show that it is not for you",
    ),
    "a text that a rule hides": (
        NO_CAR,
        {"q012": WRITTEN},
        "question 12 is answered, but your other answers show that it is not for you",
    ),
    "no answer where it is asked": (
        NO_CAR,
        {"q011": "...."},
        "question 11 is not answered, but your other answers show that it is for you",
    ),
    "one option drawn twice": ({}, {"q019s01": "0101", "q019s02": "0101"}, UNKNOWN),
    "too many ticks": (
        {},
        {f"q015s0{n}": f"0{n}0{int(n < 4)}" for n in range(1, 5)},
        "3 options are ticked, but at most 2",
    ),
    "a rank given twice": (
        {},
        {f"q026s0{n}": f"0{n}00" for n in range(1, 4)},
        "two items have the same rank",
    ),
    "an unknown arm": ({}, {"arm": "03"}, UNKNOWN),
    "no arm": ({}, {"arm": "--"}, UNKNOWN),
    "an unknown way through a family": ({}, {"q039": "07"}, UNKNOWN),
    "an answer to a follow-up": ({}, {"q040": "00"}, UNREADABLE),
    "an answer to a page": ({}, {"q002": "01"}, UNREADABLE),
    "that a question was not asked which all send": ({}, {"q047": "--"}, UNKNOWN),
    "a text for an answer that was not chosen": (
        {"q005": "00"},
        {"q006": WRITTEN},
        "question 6 is answered, but your other answers show that it is not for you",
    ),
    "an option of which there is none": ({}, {"q018s01": "0901"}, UNKNOWN),
    "an option without a number": ({}, {"q018s01": "0001"}, UNKNOWN),
    "an option that is half drawn": ({}, {"q018s01": "01--"}, UNKNOWN),
    "an option that is as wide as two": ({}, {"q018s01": "01010201"}, UNREADABLE),
    "that no option was drawn where one is": ({}, {"q018s01": "----"}, UNKNOWN),
    "ticks of which some are declined": (
        {},
        {"q015s01": "0102", "q015s02": "0200", "q015s03": "0300", "q015s04": "0400"},
        "one question is answered, and also marked",
    ),
    "a pair twice the size": ({}, {"q025s01": "0701"}, UNKNOWN),
    "a number below its range": ({}, {"q004": "17"}, UNKNOWN),
    "a number that chance had to round": ({}, {"q022": "50"}, UNKNOWN),
    "a day after its range": ({}, {"q023": "2026-02-01"}, UNKNOWN),
    "a day of no calendar": ({}, {"q023": "2025-02-31"}, UNKNOWN),
    "a field of no question": ({}, {"q061": "00"}, UNREADABLE),
    "another arm in the field of a question": ({}, {"q051": "0001"}, UNKNOWN),
}
# The same of bodies that were filled in by hand.
BY_HAND = {
    "no answer where it is asked": (
        NO_CAR,
        {"q011": ""},
        "Please answer question 11: your other answers show that it is for you.",
    ),
    "a question that no coin can ask": ({}, {"q022": "01"}, UNKNOWN),
    "a part of a question that no coin can ask": ({}, {"q019s01": "0101"}, UNKNOWN),
    "too many ticks": (
        {},
        {f"q015s0{n}": f"0{n}0{int(n < 4)}" for n in range(1, 5)},
        "3 options are ticked, but at most 2",
    ),
    "no group": ({}, {"arm": "--"}, UNKNOWN),
    "a number above its range": ({}, {"q004": "100"}, "Write a number from 18 to 99"),
    "a day of no calendar": ({}, {"q023": "2025-02-31"}, "Write a date from 2025-03-15"),
}
# Bodies with the right fields that are not written as a page writes them.
DISTORTED = {
    "a field twice": lambda body: body.replace("&q004=", "&q003=01&q004="),
    "the arm twice": lambda body: body.replace("&arm=", "&arm=00&arm="),
    "a field left out": lambda body: re.sub("&q003=..", "", body),
    "two fields in another order": lambda body: re.sub("(&q003=..)(&q004=[^&]*)", r"\2\1", body),
    "a slot too many": lambda body: body.replace("&q019s01=", "&q018s02=0101&q019s01="),
    "the fields of nobody": lambda body: "a=1",
}


def send(client, survey: Survey, fields: dict[str, str]) -> tuple[int, str]:
    return post(client, survey, "&".join(f"{name}={value}" for name, value in fields.items()))


def post(client, survey: Survey, body: str) -> tuple[int, str]:
    reply = posting.post(survey, body, client)
    words = html.unescape(re.sub(r"<[^>]+>", " ", reply.content.decode()))
    return reply.status_code, " ".join(words.split())


def fields_of(body: bytes) -> dict[str, str]:
    return dict(field.split("=") for field in body.decode().split("&"))


def require_nothing_stored() -> None:
    for table in (Response, Comment, Waiting, SubmissionKey):
        assert not table.objects.exists()


@pytest.mark.parametrize(("cases", "own_coin"), [(CASES, False), (BY_HAND, True)])
def test_what_no_page_writes_is_refused_with_the_reason_and_nothing_is_stored(
    client, survey, cases, own_coin
):
    bodies = [fields_of(body) for body in random_bodies(survey, 60, own_coin=own_coin)]
    for name, (like, changes, reason) in cases.items():
        fields = next(one for one in bodies if like.items() <= one.items())
        status, words = send(client, survey, {**fields, **changes})
        assert (status, reason in words) == (400, True), (name, status, words)
    require_nothing_stored()
    for body in bodies[:3]:
        assert send(client, survey, body)[0] == 200
    assert Response.objects.count() == 3


def test_bodies_that_are_written_otherwise_are_refused(client, survey):
    (body,) = random_bodies(survey, 1)
    for name, distort in DISTORTED.items():
        distorted = distort(body.decode())
        assert distorted != body.decode(), name
        status, words = post(client, survey, distorted)
        assert (status, UNREADABLE in words) == (400, True), (name, words)
    require_nothing_stored()


def test_what_a_rule_hides_is_left_out_of_what_was_filled_in_by_hand(client, survey):
    """As the page would do, where a person without the script overlooked it."""
    bodies = (fields_of(body) for body in random_bodies(survey, 60, own_coin=True))
    fields = next(one for one in bodies if NO_CAR.items() <= one.items())
    assert send(client, survey, {**fields, "q009": "01", "q012": "A+car", "q052": "01"})[0] == 200
    revision = str(survey.revision.pk)
    questionnaire = questionnaire_of(survey.revision)
    body = "&".join(f"{name}={value}" for name, value in fields.items()).encode()
    meant = parse(body, questionnaire=questionnaire, revision=revision)
    assert Response.objects.get().answers == meant.answers
    assert not Comment.objects.filter(question=12).exists()
