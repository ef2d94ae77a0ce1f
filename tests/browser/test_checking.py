"""Before Send: the answers in words, on the person's own screen, each with "Change"."""

import pytest
from playwright.sync_api import Page, expect

from surveys.models import Question, Response, Survey
from tests import accessible
from tests.browser import answering
from tests.browser.answering import give, heading, press, press_with_mouse, step
from tests.factories import (
    add_question,
    add_rating,
    launched,
    make_open_survey,
    make_survey,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
# Chooses the first answer of every question and goes on, as somebody in a hurry does.
HURRY = """() => {
  for (const step of document.querySelectorAll('[data-step=question]')) {
    step.querySelector('input').click();
    step.querySelector('[data-act=next]').click();
  }
}"""
COUNT_PRESSES = "addEventListener('click', (e) => { if (e.isTrusted) window.presses += 1; }, true)"


def rows(page: Page) -> list[str]:
    """What the list says of each question, line by line."""
    texts = step(page).locator("li").all_inner_texts()
    return [" | ".join(line for line in text.split("\n") if line) for text in texts]


def make_sixty(owner) -> Survey:
    draft = make_survey(owner)
    for number in range(1, 61):
        add_question(draft, text=f"Habit number {number}?", design=Question.Design.DIRECT)
    return launched(draft)


def test_every_answer_is_listed_in_words_with_what_becomes_of_it(page, server, owner):
    survey = make_open_survey(owner)
    answering.go_to_questions(page, server, survey)
    answering.answer_all(page)
    listed = rows(page)
    assert len(listed) == len(answering.ANSWERS)
    assert listed[0] == "Question 1 | Have you ever shoplifted? | Yes | Change"
    assert "Prefer not to say" in listed[5]
    assert "42 | Not protected: sent as you give it" in listed[6]
    said = step(page).inner_text()
    assert (
        "answers to questions that your browser protects stay in this browser and are never sent."
        in said
    )
    assert "Every other answer is sent as you gave it." in said
    accessible.check(page, "the answers before Send")
    assert page.evaluate(accessible.SMALL_TARGETS) == []
    step(page).locator("summary").press("Enter")
    assert "shoplifted" not in step(page).inner_text()


def test_third_of_sixty_answers_is_changed_and_sent_with_four_presses(page, server, owner):
    answering.open_start(page, server, make_sixty(owner))
    press(page, "Start")
    page.evaluate(HURRY)
    expect(step(page).get_by_role("listitem")).to_have_count(60)
    page.evaluate(COUNT_PRESSES)
    page.evaluate("window.presses = 0")
    page.get_by_role("button", name="Change Question 3", exact=True).click()
    assert heading(page) == "Habit number 3?"
    assert page.title().startswith("Question 3 of 60")
    step(page).get_by_label("No", exact=True).check()
    press_with_mouse(page, "Back to the list")
    assert "Habit number 3? | No" in rows(page)[2]
    press_with_mouse(page, "Send")
    page.locator("main[data-reply]").wait_for()
    assert page.evaluate("window.presses") == 4
    assert Response.objects.get().answers == "01" * 2 + "00" + "01" * 57


def test_back_from_a_change_leads_to_the_list_and_a_gap_is_not_sent(page, server, owner):
    survey = make_open_survey(owner)
    answering.go_to_questions(page, server, survey)
    answering.answer_all(page)
    page.get_by_role("button", name="Change Question 7").click()
    step(page).get_by_role("textbox").fill("")
    press(page, "Back to the list")
    assert "Please type a number" in step(page).get_by_role("alert").inner_text()
    press(page, "Back")
    assert heading(page) == "Send"
    press(page, "Send")
    assert "Please type a number" in step(page).get_by_role("alert").inner_text()
    assert not Response.objects.exists()
    give(page, "43")
    press(page, "Back to the list")
    answering.send(page)
    assert Response.objects.get().answers.endswith("043")


def test_items_that_are_rated_are_listed_by_name(page, server, owner):
    draft = make_survey(owner)
    add_rating(draft, "Bad", "Good", size=1, design=Question.Design.DIRECT)
    answering.open_start(page, server, launched(draft))
    press(page, "Start")
    named = step(page).locator(".rated .text").first.inner_text()
    step(page).get_by_label("Good", exact=True).check()
    press(page, "Continue")
    assert f"{named}: Good" in rows(page)[0]
