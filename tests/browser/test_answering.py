"""A respondent's way in a real browser, on both paths."""

import pytest
from playwright.sync_api import expect

from surveys import services
from surveys.models import Response, SubmissionKey
from tests.browser import answering
from tests.browser.answering import OWN_COIN, answer_all, heading, press, raw, step

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_whole_way_stores_what_the_receipt_shows(page, server, survey):
    answering.answer_whole_survey(page, server, survey)
    assert heading(page) == "This is everything that was sent"
    codes = [field.partition("=")[2] for field in raw(page).split("&")]
    response = Response.objects.get()
    assert response.answers == "".join(codes[3:])
    assert not response.own_coin
    assert page.get_by_text("they are the same").is_visible()
    expect(page.locator("h1")).to_be_focused()
