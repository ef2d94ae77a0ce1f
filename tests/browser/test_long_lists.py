"""Long lists in a real browser: found by typing, by keyboard, at 320 pixels."""

import pytest
from playwright.sync_api import Page, expect

from surveys.models import Response
from surveys.questionnaire.document import Questionnaire
from tests import accessible
from tests.browser import answering
from tests.browser.answering import give, heading, press, raw, step
from tests.factories import (
    PLACES,
    add_long_list,
    add_question,
    launched,
    make_lists,
    make_picked,
    make_survey,
)

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_tab,
    pytest.mark.survey(make=make_lists),
]


def shown(page: Page) -> list[str]:
    """The options that the list offers now, without the first, which says “Choose”."""
    return step(page).locator("option").all_inner_texts()[1:]


def search(page: Page, text: str) -> None:
    step(page).get_by_role("searchbox").fill(text)


def test_the_whole_way_stores_what_the_receipt_shows_in_words_and_raw(page, server, survey):
    answering.go_to_questions(page, server, survey)
    for answer in ("Elsmünde", "Prefer not to say"):
        give(page, answer)
        press(page, "Continue")
    answering.send(page)
    assert heading(page) == "This is everything that was sent"
    assert page.get_by_text("they are the same").is_visible()
    sent = [field.partition("=")[2] for field in raw(page).split("&")][3:]
    assert Response.objects.get().answers == "".join(sent)
    items = Questionnaire.from_document(survey.revision.document).items
    for item, code in zip(items, sent, strict=True):
        assert item.label(code) in page.inner_text("table")


def test_typing_finds_an_answer_without_accents_and_in_any_case(page, server, survey):
    answering.go_to_questions(page, server, survey)
    search(page, "MUNDE els")
    assert shown(page) == ["Elsmünde"]
    assert "Answers that fit: 1 Elsmünde" in step(page).get_by_role("status").inner_text()
    expect(step(page).get_by_role("combobox")).to_have_value("92")
    search(page, "els")
    expect(step(page).get_by_role("combobox")).to_have_value("")
    give(page, "Elsmünde")
    search(page, "")
    expect(step(page).get_by_role("combobox")).to_have_value("92")
    assert shown(page) == list(PLACES)


def test_a_chosen_answer_stays_in_the_list_and_chosen(page, server, survey):
    answering.go_to_questions(page, server, survey)
    give(page, "Albach")
    search(page, "kel")
    assert shown(page) == ["Albach", *[place for place in PLACES if place.startswith("Kel")]]
    expect(step(page).get_by_role("combobox")).to_have_value("00")
    search(page, "nothing like it")
    assert shown(page) == ["Albach"]
    assert "Answers that fit: 0" in step(page).get_by_role("status").inner_text()


def test_a_list_is_answered_with_the_keyboard_alone(page, server, survey):
    answering.go_to_questions(page, server, survey)
    page.keyboard.press("Tab")
    expect(step(page).get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("ingwald")
    page.keyboard.press("Tab")
    expect(step(page).get_by_role("combobox")).to_be_focused()
    chosen = step(page).get_by_role("combobox").locator("option:checked")
    assert chosen.inner_text() == "Ingwald"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert heading(page) == "Where would you live?"


def test_without_a_choice_the_page_says_so_and_the_list_gets_the_focus(page, server, survey):
    answering.go_to_questions(page, server, survey)
    press(page, "Continue")
    assert step(page).get_by_role("alert").inner_text().startswith("Please choose one")
    expect(step(page).get_by_role("combobox")).to_be_focused()
    assert step(page).get_by_role("combobox").get_attribute("aria-invalid") == "true"


def test_own_coins_are_not_asked_for_marks_and_the_page_says_why(page, server, owner):
    draft = make_survey(owner)
    add_long_list(draft)
    add_question(draft)
    survey = launched(draft)
    page.goto(answering.address(server, survey, "own-coin"))
    assert page.get_by_text("only the script can mark the options of such a long list").count() == 1
    page.get_by_label("No", exact=True).check()
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/send/")
    assert Response.objects.get().answers == "-" * 50 + "00"


def test_what_is_picked_is_quoted_and_decides_what_is_asked(page, server, owner):
    survey = make_picked(owner)
    answering.go_to_questions(page, server, survey)
    assert step(page).get_by_text("Not protected: sent as you give it").is_visible()
    search(page, PLACES[2])  # with another that ends in it
    give(page, PLACES[2])
    press(page, "Continue")
    assert heading(page) == f"Do you like {PLACES[2]}?"
    give(page, "Yes")
    press(page, "Back")
    for other in (PLACES[3], "Prefer not to say"):
        search(page, "")
        give(page, other)
        press(page, "Continue")
        assert page.locator("[data-step=send]").is_visible()
        press(page, "Back")
    give(page, PLACES[0])
    press(page, "Continue")
    assert heading(page) == f"Do you like {PLACES[0]}?"
    give(page, "No")
    press(page, "Continue")
    answering.send(page)
    assert PLACES[0] in page.inner_text("table")
    answers = Response.objects.get().answers
    assert (answers[:3], len(answers)) == ("000", 5)  # two coins decide what follows


def test_by_hand_it_is_picked_from_the_list_too(page, server, owner):
    survey = make_picked(owner)
    page.goto(answering.address(server, survey, "own-coin"))
    page.get_by_label("Your answer (choose one of 201)").select_option("Prefer not to say")
    page.get_by_label("Not asked").check()
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/send/")
    assert Response.objects.get().answers == "200--"


def states(page: Page, server, survey):
    answering.open_start(page, server, survey)
    yield "start"
    answering.go_to_questions(page, server, survey)
    for number, answer in enumerate(("Elsmünde", "Albach"), start=1):
        press(page, "Continue")
        yield f"question {number} without an answer"
        search(page, answer)
        give(page, answer)
        yield f"question {number} answered"
        press(page, "Continue")
    answering.send(page)
    yield "receipt"
    for name in ("own-coin", "how-it-works"):
        page.goto(answering.address(server, survey, name))
        yield name


@pytest.mark.audit
@pytest.mark.parametrize("width", [320, 1280])
def test_every_state_is_accessible_and_nothing_scrolls_sideways(page, server, survey, width):
    page.set_viewport_size({"width": width, "height": 640})
    page.emulate_media(reduced_motion="reduce")
    for state in states(page, server, survey):
        assert accessible.violations(page) == [], state
        assert page.evaluate("document.documentElement.scrollWidth") <= width, state
        assert page.evaluate(accessible.SMALL_TARGETS) == [], state
        for box in page.locator("select:visible, input[type=search]:visible").all():
            assert box.bounding_box()["height"] >= 44
