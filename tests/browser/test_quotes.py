"""Quotes: an answer stands in the words of a later question, on the person's own screen alone."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from surveys.models import Question, Survey
from tests import accessible
from tests.browser import answering
from tests.browser.answering import give, heading, press, raw, step
from tests.factories import TRAVEL, add_question, add_text, launched, make_survey

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
WHY = "Did you lie about {your answer to question 1} to {the friend of question 2}?"
PLAIN = "Did you lie about your answer to question 1 to the friend of question 2?"
MARKUP = "<b>Eve</b> & \u202eEve"


@pytest.fixture
def survey(owner) -> Survey:
    draft = make_survey(owner)
    choice, direct = Question.Kind.CHOICE, Question.Design.DIRECT
    add_question(draft, *TRAVEL, text="How do you travel?", kind=choice, design=direct)
    add_text(draft, text="What do you call a friend?", longest=60)
    add_question(draft, text=WHY)
    return launched(draft)


def test_answers_are_filled_in_as_text_and_follow_a_change(page, server, survey):
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.post_data or ""))
    answering.go_to_questions(page, server, survey)
    give(page, "Bicycle")
    press(page, "Continue")
    step(page).get_by_role("textbox").fill(MARKUP)
    press(page, "Continue")
    assert heading(page) == f"Did you lie about Bicycle to {MARKUP}?"
    assert step(page).locator("[data-quoted]").all_inner_texts() == ["Bicycle", MARKUP]
    assert step(page).locator("[data-quoted] *").count() == 0
    accessible.check_narrow(page, "a question with quotes")
    give(page, "No")
    press(page, "Continue")
    shown = page.locator(".answers li").nth(2)
    expect(shown).to_contain_text(f"Did you lie about Bicycle to {MARKUP}?")
    page.get_by_role("button", name="Change Question 1").click()
    give(page, "Prefer not to say")
    press(page, "Back to the list")
    expect(shown).to_contain_text("Did you lie about your answer to question 1 to <b>Eve</b>")
    answering.send(page)
    assert "Bicycle" not in "".join(sent)
    body = dict(field.split("=") for field in raw(page).split("&"))
    assert body["q001"] == "04"
    assert PLAIN in " ".join(page.locator("main").inner_text().split())


def test_without_the_script_the_words_of_the_author_stand_there(client, survey, owner):
    for name in ("own-coin", "how-it-works"):
        content = client.get(reverse(f"respondent:{name}", args=[survey.pk])).content.decode()
        assert PLAIN in content
        assert "data-quoted" not in content
    client.force_login(owner)
    column = client.get(reverse("surveys:codebook", args=[survey.pk])).json()["columns"][-1]
    assert (column["text"], column["quotes_answers_to"]) == (PLAIN, ["q001", "q002"])
