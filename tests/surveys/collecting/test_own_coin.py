"""The page for people who flip their own coin: what it takes, what it keeps, when it is offered."""

import re
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from surveys.collecting.pages import FORM
from surveys.models import Question, Response, Survey
from tests.factories import (
    add_question,
    add_text,
    body_of,
    launched,
    make_lists,
    make_survey,
)

pytestmark = [pytest.mark.usefixtures("_static_files"), pytest.mark.one_database]
OWN = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def hours(owner) -> Survey:
    """A protected question, a number with two decimal places, a text."""
    draft = make_survey(owner)
    add_question(draft)
    add_question(
        draft,
        text="How many hours?",
        kind=Question.Kind.NUMBER,
        design=Question.Design.DIRECT,
        minimum=Decimal(0),
        maximum=Decimal(24),
        decimal_places=2,
    )
    add_text(draft)
    return launched(draft)


def send(survey: Survey, body: bytes):
    address = reverse("respondent:send", args=[survey.pk])
    return Client().post(address, body, content_type=FORM, headers=OWN)


def fields_on(page: str) -> dict[str, str]:
    """The fields of the page's form, with what they would send."""
    found = dict(re.findall(r'<input[^>]*? name="(\w+)"[^>]*? value="([^"]*)"', page))
    areas = re.findall(r'<textarea[^>]*? name="(\w+)"[^>]*>\n?([^<]*)<', page)
    return {**found, **dict(areas)}


@pytest.mark.parametrize("typed", ["7.5", "7%2C5", "07.50"])
def test_a_number_counts_however_it_is_written(hours, typed):
    reply = send(hours, body_of(hours.revision, ["00", typed, ""], own_coin=True))
    assert reply.status_code == 200
    assert Response.objects.get().answers == "0007.50"


def test_a_refused_number_keeps_all_answers_and_can_be_corrected(hours):
    key = "0123456789abcdef" * 2
    codes = ["01", "25", "As+I+said%2C+no"]
    reply = send(hours, body_of(hours.revision, codes, own_coin=True, key=key))
    page = reply.content.decode()
    assert (reply.status_code, Response.objects.count()) == (400, 0)
    assert "How many hours?" in page
    assert "Write a number from 0.00 to 24.00" in page
    kept = fields_on(page)
    assert kept["key"] == key
    assert (kept["q001"], kept["q002"], kept["q003"]) == ("01", "25", "As I said, no")
    assert re.search(r'<input[^>]* name="q002"[^>]* aria-invalid="true"', page)
    assert 'type="hidden" name="q001"' in page
    corrected = body_of(hours.revision, ["01", "2,5".replace(",", "%2C"), codes[2]], own_coin=True)
    assert send(hours, corrected).status_code == 200
    assert Response.objects.get().answers == "0102.50"


def test_a_text_that_is_too_long_is_kept_to_be_shortened(hours):
    reply = send(hours, body_of(hours.revision, ["01", "7", "a" * 101], own_coin=True))
    page = reply.content.decode()
    assert (reply.status_code, Response.objects.count()) == (400, 0)
    assert fields_on(page)["q003"] == "a" * 101
    assert "What else?" in page


def test_the_page_asks_for_a_number_in_words_that_fit_it(hours, survey):
    asked = Client().get(reverse("respondent:own-coin", args=[hours.pk])).content.decode()
    assert "such as 12.5." in asked
    assert "such as\n12.50" in asked or "such as 12.50" in asked
    whole = Client().get(reverse("respondent:own-coin", args=[survey.pk])).content.decode()
    assert "such as 69." in whole
    assert "Whole numbers only." in whole


def page_of(survey: Survey, name: str) -> str:
    return Client().get(reverse(f"respondent:{name}", args=[survey.pk])).content.decode()


def test_a_path_that_asks_nothing_is_not_offered_and_sends_nothing(owner, hours):
    lists = make_lists(owner)
    assert "own-coin/" in page_of(hours, "start")
    assert "<button>" in page_of(hours, "own-coin")
    assert "own-coin/" not in page_of(lists, "start")
    assert "use your own coin" not in page_of(lists, "how-it-works")
    asks_nothing = page_of(lists, "own-coin")
    assert "<form" not in asks_nothing
    assert "<button" not in asks_nothing
    assert "This survey cannot be answered with a coin of your own" in asks_nothing
    reply = send(lists, body_of(lists.revision, own_coin=True))
    assert (reply.status_code, Response.objects.count()) == (400, 0)
    assert "asks nothing" in reply.content.decode()
