"""P5: what answers a submission is never compressed, because its compressed size would tell."""

import gzip

import pytest
from django.urls import reverse

from surveys.authoring.services import close
from surveys.collecting.pages import FORM
from surveys.models import Question
from tests.bodies import body_of
from tests.factories import (
    add_question,
    invite,
    launched,
    make_invited_survey,
    make_open_survey,
    make_survey,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_static_files")]
CODINGS = {"Accept-Encoding": "gzip, deflate, br, zstd"}
ORIGIN = {"Sec-Fetch-Site": "same-origin"}
MOST_BYTES = 60 * 1024  # of a start page on the wire


def opened(client, survey, name="start", **codings):
    return client.get(reverse(f"respondent:{name}", args=[survey.pk]), headers=codings)


def posted(client, survey, name, body):
    address = reverse(f"respondent:{name}", args=[survey.pk])
    return client.post(address, body, content_type=FORM, headers={**CODINGS, **ORIGIN})


@pytest.mark.parametrize("name", ["start", "own-coin", "how-it-works"])
def test_pages_that_are_opened_are_compressed_for_browsers_that_take_it(client, owner, name):
    survey = make_open_survey(owner)
    page = opened(client, survey, name, **CODINGS)
    assert page.headers["Content-Encoding"] == "gzip"
    assert survey.title.encode() in gzip.decompress(page.content)
    for codings in ("", "identity", "br", "gzip;q=0", "gzip; q=0.0, br"):
        plain = opened(client, survey, name, **{"Accept-Encoding": codings})
        assert "Content-Encoding" not in plain.headers, codings
        assert survey.title.encode() in plain.content
        assert plain.headers["Vary"] == page.headers["Vary"] == "Accept-Encoding"


def test_one_page_is_one_set_of_bytes_for_all_people_and_takes_nothing_from_its_address(
    client, owner
):
    survey = make_open_survey(owner)
    address = reverse("respondent:start", args=[survey.pk])
    pages = [client.get(address + query, headers=CODINGS) for query in ("", "", "?a=Yes", "?q=x")]
    assert len({page.content for page in pages}) == 1


def test_receipts_have_one_length_and_no_coding_whatever_they_say(client, owner):
    draft = make_survey(owner)
    alike = ["a" * 40, "qz8vR#kw2YpLx0dN5mT7uB3cFhJ9gSeA1oI4WbE"]  # one compresses, one does not
    add_question(draft, *alike, kind=Question.Kind.CHOICE, design="direct", text="Which?")
    survey = launched(draft)
    replies = [posted(client, survey, "send", body_of(survey.revision, [c])) for c in ("00", "01")]
    assert [reply.status_code for reply in replies] == [200, 200]
    assert len({len(reply.content) for reply in replies}) == 1
    assert not any("Content-Encoding" in reply.headers for reply in replies)


def test_refusals_and_the_door_have_no_coding_either(client, owner):
    survey = make_invited_survey(owner)
    (token,) = invite(survey, 1)
    replies = [
        posted(client, survey, "send", b"q001=00"),
        posted(client, survey, "door", f"path=owncoin&invitation={token}".encode()),
        posted(client, survey, "door", b"path=owncoin&invitation=0"),
    ]
    close(survey=survey, by=owner)
    replies.append(posted(client, survey, "send", body_of(survey.revision, invitation=token)))
    assert {reply.status_code for reply in replies} == {400, 200, 410}
    assert not any("Content-Encoding" in reply.headers for reply in replies)


def test_the_start_page_of_sixty_questions_is_light_on_the_wire(client, owner):
    draft = make_survey(owner)
    for number in range(60):
        options = [f"Answer {letter} to question {number}" for letter in "abcdefg"]
        text = f"Question about the habit number {number}, asked in a sentence as long as most are?"
        add_question(draft, *options, kind=Question.Kind.CHOICE, text=text, help="Of last year.")
    page = opened(client, launched(draft), **CODINGS)
    assert 5_000 < len(page.content) <= MOST_BYTES / 2
    assert len(gzip.decompress(page.content)) > MOST_BYTES
