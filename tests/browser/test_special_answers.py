"""Answers beside a number in a real browser: ticked or typed, read by rules, at 320 pixels."""

import pytest
from playwright.sync_api import Page, expect

from surveys.models import Response, Survey
from tests import accessible
from tests.browser import answering
from tests.browser.answering import give, heading, press, raw, step
from tests.factories import (
    add_condition,
    add_question,
    add_rounded,
    add_serial_number,
    launched,
    make_survey,
)

LINES = "[1000] Do not know\n[-1] Would rather keep this to myself"
OTHERS = ("Do not know", "Would rather keep this to myself", "Prefer not to say")


def make_drinks(owner) -> Survey:
    """A number with answers beside it, a question for people who tick one, and a rounded number."""
    draft = make_survey(owner)
    add_serial_number(draft, width=3)
    draft.questions.update(special=LINES, required=False, text="How many drinks?")
    why = add_question(draft, text="Could you guess?", design="direct", required=True)
    add_condition(why, draft.questions.first(), value="Do not know")
    add_rounded(draft, special=LINES)
    return launched(draft)


pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_tab,
    pytest.mark.survey(make=make_drinks),
]


def field(page: Page):
    return step(page).get_by_role("textbox")


def ticked(page: Page) -> list[str]:
    labels = step(page).locator("label:has(input:checked)")
    return [words.strip() for words in labels.all_inner_texts()]


def test_the_whole_way_stores_what_the_receipt_shows_in_words_and_raw(page, server, survey):
    answering.go_to_questions(page, server, survey)
    give(page, "Do not know")
    press(page, "Continue")
    assert heading(page) == "Could you guess?"
    give(page, "Yes")
    press(page, "Continue")
    give(page, "Would rather keep this to myself")
    press(page, "Continue")
    answering.send(page)
    assert heading(page) == "This is everything that was sent"
    sent = [each.partition("=")[2] for each in raw(page).split("&")][3:]
    assert sent[:2] == ["aaa", "01"]
    assert sent[2] in {"00", "01", "02", "03", "04"}
    assert Response.objects.get().answers == "".join(sent)
    assert "Do not know" in page.inner_text("table")


def test_a_number_and_the_answers_beside_it_clear_each_other(page, server, survey):
    answering.go_to_questions(page, server, survey)
    field(page).fill("7")
    for other in OTHERS:
        step(page).get_by_label(other).check()
        assert ticked(page) == [other]
        expect(field(page)).to_have_value("")
    field(page).fill("12")
    assert ticked(page) == []
    press(page, "Continue")
    assert heading(page) == "How many cigarettes a week?"  # the rule reads the number


def test_all_of_it_is_reached_and_ticked_by_keyboard(page, server, survey):
    answering.go_to_questions(page, server, survey)
    field(page).focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert ticked(page) == ["Do not know"]
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert ticked(page) == ["Would rather keep this to myself"]


def test_without_an_answer_the_page_says_what_to_do(page, server, survey):
    answering.go_to_questions(page, server, survey)
    press(page, "Continue")
    shown = step(page).get_by_text("Please type a number, or tick one of the boxes below it.")
    expect(shown).to_be_visible()
    accessible.check(page, "a number without an answer, with answers beside it")


def test_by_hand_the_codes_stand_beside_the_field(page, server, survey):
    page.goto(answering.address(server, survey, "own-coin"))
    hint = page.get_by_text("Write 1000 for “Do not know”.")
    expect(hint).to_be_visible()
    accessible.check_narrow(page, "a number by hand, with answers beside it")
