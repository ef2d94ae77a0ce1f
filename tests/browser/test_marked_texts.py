"""Emphasis and lists as a browser shows them, and the words alone where the page repeats them."""

import pytest
from playwright.sync_api import expect

from surveys.models import Survey
from tests import accessible
from tests.browser import answering
from tests.browser.answering import give, heading, press, step
from tests.factories import add_question, launched, make_survey

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
HELP = "*Please* think of:\n- work\n- <b>home</b>\n\n1. Rest.\n2. **Then** answer."


@pytest.fixture
def survey(owner) -> Survey:
    draft = make_survey(owner, marked_up=True, introduction=HELP)
    notes = {"kind": "info", "design": "direct", "help": HELP}
    add_question(draft, text="Before you *begin*", **notes)
    add_question(draft, text="Do you **not** own a *car*?", design="direct", help=HELP)
    return launched(draft)


def test_marks_are_elements_on_the_screen_and_words_before_send(page, server, survey):
    answering.go_to_questions(page, server, survey)
    assert step(page).locator("em").all_inner_texts() == ["begin", "Please"]
    accessible.check_narrow(page, "a page of information with lists")
    press(page, "Continue")
    assert heading(page) == "Do you not own a car?"
    assert step(page).locator(".hint li").all_inner_texts() == [
        "work",
        "<b>home</b>",
        "Rest.",
        "Then answer.",
    ]
    accessible.check_narrow(page, "a question with emphasis and lists")
    give(page, "No")
    press(page, "Continue")
    expect(page.locator(".answers li").last).to_contain_text("Do you not own a car?")
    answering.send(page)
    assert "Do you not own a car?" in page.locator("main").inner_text()
