"""A respondent's way in a real browser, on both paths."""

import hashlib
import json
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Dialog, Page, Request, Route, expect

from surveys.authoring.services import close
from surveys.models import Response, SubmissionKey
from surveys.web.upkeep import maintenance
from tests import accessible
from tests.browser import answering
from tests.browser.answering import (
    ANSWERS,
    OWN_COIN,
    answer_all,
    fill_own_coin,
    give,
    heading,
    press,
    raw,
    step,
)
from tests.browser.following import another_page, follow

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
DONE = "This is everything that was sent"


def press_keys(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def lose_the_reply(route: Route) -> None:
    """The server receives and answers; the answer never arrives."""
    route.fetch(headers=route.request.all_headers())
    route.abort("aborted")


def walk_to_the_receipt(page: Page) -> None:
    """With the mouse: practice, both checks, every answer. Nothing moves or covers a button."""

    def click(name: str) -> None:
        page.get_by_role("button", name=name, exact=True).click()

    click("Start")
    click("Continue")
    for right in ("No", "Yes"):
        step(page).get_by_label(right, exact=True).check()
        click("Check")
        click("Continue")
    for answer in ANSWERS:
        give(page, answer)
        click("Continue")
    click("Send")
    page.locator("main[data-reply]").wait_for()


def codes(page: Page) -> list[str]:
    return [field.partition("=")[2] for field in raw(page).split("&")][3:]


def test_the_whole_way_stores_what_the_receipt_shows_and_clearing_leaves_none_of_it(
    fresh_page, server, survey
):
    page = fresh_page  # its history begins here
    answering.open_start(page, server, survey)
    walk_to_the_receipt(page)
    assert heading(page) == DONE
    response = Response.objects.get()
    assert response.answers == "".join(codes(page))
    assert page.get_by_text("they are the same").is_visible()
    expect(page.locator("h1")).to_be_focused()
    with another_page(page):
        page.get_by_role("link", name="Clear this page").click()
    page.get_by_role("button", name="Start", exact=True).last.wait_for()
    assert page.evaluate("history.length") == 3  # about:blank, and this page from Start and before
    press(page, "Start")
    assert step(page).get_by_role("radio", checked=True).count() == 0


def test_the_keyboard_alone_leads_from_the_link_to_the_receipt(page, server, survey):
    answering.open_start(page, server, survey)
    press_keys(page, "Tab", "Tab", "Enter")  # over "How it works" to Start
    press_keys(page, "Tab", "Space", "Tab", "Enter")  # practice: Yes, Flip
    press_keys(page, "Tab", "Tab", "Enter")  # over "Flip 100 times" to Continue
    press_keys(page, "Tab", "ArrowUp", "Enter", "Enter")  # check 1: No, Check, Continue
    press_keys(page, "Tab", "Space", "Enter", "Enter")  # check 2: Yes
    for _ in ANSWERS[:-1]:
        press_keys(page, "Tab", "Space", "Enter")  # the first answer; Enter continues
    press_keys(page, "Tab", "4", "2", "Enter", "Tab", "Enter")  # a number; Send
    page.locator("main[data-reply]").wait_for()
    assert heading(page) == DONE
    assert codes(page)[-1] == "042"
    assert Response.objects.get().answers == "".join(codes(page))


def test_each_screen_moves_the_focus_to_its_heading_and_says_where_one_is(page, server, survey):
    """Only questions that are not required offer to decline."""
    answering.go_to_questions(page, server, survey)
    offered = []
    for number, answer in enumerate(ANSWERS, start=1):
        expect(step(page).locator("h1")).to_be_focused()
        assert step(page).get_by_text(f"Question {number} of 7").is_visible()
        bar = step(page).get_by_role("progressbar")
        assert (bar.get_attribute("value"), bar.get_attribute("max")) == (str(number), "7")
        offered.append(step(page).get_by_label("Prefer not to say").count())
        give(page, answer)
        press(page, "Continue")
    assert heading(page) == "Send"
    assert offered == [0, 1, 1, 0, 0, 1, 1]


def test_back_keeps_the_answers_and_an_answer_can_be_changed(page, server, survey):
    answering.go_to_questions(page, server, survey)
    answer_all(page)
    for _ in ANSWERS:
        press(page, "Back")
    assert step(page).get_by_label("Yes", exact=True).is_checked()
    give(page, "No")
    for _ in ANSWERS:
        press(page, "Continue")
    answering.send(page)
    assert codes(page)[-1] == "042"


def test_continue_without_an_answer_is_explained_and_stays(page, server, survey):
    answering.go_to_questions(page, server, survey)
    press(page, "Continue")
    assert step(page).get_by_role("alert").inner_text().startswith("Please choose one")
    assert step(page).get_by_text("Question 1 of 7").is_visible()
    expect(step(page).get_by_role("radio").first).to_be_focused()
    assert step(page).locator("[aria-invalid=true]").count() == 2
    assert page.title() == "Error: Question 1 of 7 · Habits and health"
    give(page, "Yes")
    press(page, "Continue")
    assert step(page).get_by_text("Question 2 of 7").is_visible()
    assert page.title() == "Question 2 of 7 · Habits and health"
    press(page, "Back")
    assert step(page).locator("[aria-invalid=true]").count() == 0


OUTSIDE = {
    "": "Please type a number",
    "forty": "not a number",
    "1e2": "not a number",
    "17": "between 18 and 120",
    "121": "between 18 and 120",
    "42.5": "Whole numbers only",
}


def test_a_number_outside_its_range_is_explained_and_declining_replaces_it(page, server, survey):
    answering.go_to_questions(page, server, survey)
    answer_all(page, ANSWERS[:-1])
    for typed, message in OUTSIDE.items():
        step(page).get_by_role("textbox").fill(typed)
        press(page, "Continue")
        assert message in step(page).get_by_role("alert").inner_text()
    give(page, "42")
    press(page, "Continue")
    assert heading(page) == "Send"
    press(page, "Back")
    give(page, "Prefer not to say")
    assert step(page).get_by_role("textbox").input_value() == ""
    give(page, "43")
    assert not step(page).get_by_role("checkbox").is_checked()
    give(page, "Prefer not to say")
    press(page, "Continue")
    answering.send(page)
    assert codes(page)[-1] == "---"


def test_practice_counts_in_words_and_a_wrong_check_never_blocks(page, server, survey):
    answering.open_start(page, server, survey)
    press(page, "Start")
    press(page, "Flip")
    assert "Pick Yes or No" in step(page).get_by_role("alert").inner_text()
    step(page).get_by_label("Yes", exact=True).check()
    press(page, "Flip")
    assert "First coin" in step(page).get_by_role("status").inner_text()
    press(page, "Flip 100 times")
    assert "Flips with this answer: 101." in step(page).get_by_role("status").inner_text()
    yes, no = (int(page.locator(f"[data-fill={side}]").inner_text()) for side in ("yes", "no"))
    assert yes + no == 101
    assert 40 < yes < 101  # 75.75 are expected; p < 1e-13 outside
    assert float(page.locator("[data-bar=yes]").evaluate("bar => bar.position")) == yes / 101
    press(page, "Continue")
    step(page).get_by_label("Yes", exact=True).check()
    press(page, "Check")
    assert "Please try once more" in step(page).get_by_role("status").inner_text()
    press(page, "Check")
    assert "The answer is No" in step(page).get_by_role("status").inner_text()
    press(page, "Continue")
    assert heading(page) == "Check 2 of 2"


def test_a_survey_that_closes_midway_is_refused_with_its_reason(page, server, survey, owner):
    answering.go_to_questions(page, server, survey)
    answer_all(page)
    close(survey=survey, by=owner)
    answering.send(page)
    assert "This survey closed on" in heading(page)
    assert "habits@example.org" in page.inner_text("main")
    assert not page.get_by_role("button", name="Send again").is_visible()
    assert not Response.objects.exists()


def test_after_a_refusal_that_stays_nothing_is_asked_and_back_leaves(page, server, survey, owner):
    """There is nothing left to lose."""
    asked: list[Dialog] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog)
        dialog.accept()

    page.on("dialog", leave)
    page.goto("about:blank")
    answering.go_to_questions(page, server, survey)
    answer_all(page)
    close(survey=survey, by=owner)
    answering.send(page)
    page.go_back()
    expect(page).to_have_url("about:blank")
    page.remove_listener("dialog", leave)  # others use this tab too
    assert asked == []


def test_after_a_lost_reply_the_same_bytes_are_sent_and_counted_once(page, server, survey):
    bodies: list[str | None] = []

    def remember(request: Request) -> None:
        if request.method == "POST":
            bodies.append(request.post_data)

    page.on("request", remember)
    answering.go_to_questions(page, server, survey)
    answer_all(page)
    page.route("**/send/", lose_the_reply, times=1)
    press(page, "Send")
    page.get_by_role("button", name="Send again").wait_for()
    assert heading(page) == "No reply arrived"
    assert Response.objects.count() == 1
    press(page, "Send again")
    page.locator("main[data-reply]").wait_for()
    assert bodies == [raw(page), raw(page)]
    assert "".join(codes(page)) == Response.objects.get().answers
    assert SubmissionKey.objects.count() == 1


@pytest.fixture
def close_pages() -> Iterator[Callable[[], None]]:
    """Closes the server's pages; at the end they are open."""
    yield maintenance.begin
    maintenance.end()


def test_in_a_maintenance_the_page_keeps_what_it_drew_and_sends_the_same_afterwards(
    page, server, survey, close_pages
):
    """P12."""
    bodies: list[str | None] = []
    page.on("request", lambda one: bodies.append(one.post_data) if one.method == "POST" else None)
    answering.go_to_questions(page, server, survey)
    answer_all(page)
    close_pages()
    press(page, "Send")
    page.get_by_role("button", name="Send again").wait_for()
    assert heading(page) == "This site is being updated. Nothing was stored."
    assert not SubmissionKey.objects.exists()
    maintenance.end()
    press(page, "Send again")
    page.locator("main[data-reply]").wait_for()
    assert bodies == [raw(page), raw(page)]
    assert Response.objects.count() == SubmissionKey.objects.count() == 1


def test_a_receipt_that_differs_from_what_was_sent_is_called_out(page, server, survey):
    """It shows what this page sent, and nothing of what the reply says instead."""

    def forge(route: Route) -> None:
        reply = route.fetch(headers=route.request.all_headers())
        forged = json.loads(reply.text().replace("path=browser", "path=owncoin"))
        forged["hash"] = hashlib.sha256(forged["body"].encode()).hexdigest()[:16]
        route.fulfill(response=reply, body=json.dumps(forged))

    answering.go_to_questions(page, server, survey)
    answer_all(page)
    page.route("**/send/", forge)
    answering.send(page)
    assert page.get_by_text("This receipt differs from what this page sent").is_visible()
    assert "path=browser" in raw(page)


def test_without_script_the_own_coin_page_does_it_all(page_without_script, server, survey):
    page = page_without_script
    page.goto(answering.address(server, survey))
    expect(page.get_by_text("script is not running")).to_be_visible()
    assert not page.get_by_role("button", name="Start").last.is_visible()
    page.get_by_role("link", name="Use my own coin").last.click()
    fill_own_coin(page, OWN_COIN)
    page.get_by_role("button", name="Send").click()
    assert heading(page) == DONE
    response = Response.objects.get()
    assert response.answers == "0100--010202042"


def test_an_own_coin_page_that_is_sent_twice_counts_once(page_without_script, server, survey):
    page = page_without_script
    page.goto(answering.address(server, survey, "own-coin"))
    fill_own_coin(page, {**OWN_COIN, "How old are you?": "---"})
    page.route("**/send/", lose_the_reply, times=1)
    page.get_by_role("button", name="Send").click(no_wait_after=True)
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/send/")
    first = page.locator("main").inner_html()
    page.reload()
    assert page.locator("main").inner_html() == first
    assert codes(page)[-1] == "---"
    assert Response.objects.count() == SubmissionKey.objects.count() == 1


def test_the_own_coin_page_will_not_send_a_gap_and_a_refused_number_is_corrected(
    page, server, survey
):
    page.goto(answering.address(server, survey, "own-coin"))
    fill_own_coin(page, {**OWN_COIN, "How old are you?": "4.2"})
    page.get_by_role("button", name="Send").click()
    assert page.locator("input:invalid").count() == 1
    assert page.url.endswith("/own-coin/")
    fill_own_coin(page, {"How old are you?": "121"})
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/send/")
    assert heading(page) == "These answers are not stored yet: one answer has to be corrected."
    assert (
        page.title() == "Error: These answers are not stored yet: one answer has to be corrected."
    )
    assert not Response.objects.exists()
    accessible.check(page, "an answer to be corrected")
    page.get_by_label("How old are you?").fill(" 42 ")
    follow(page.get_by_role("button", name="Send again"))
    assert heading(page) == DONE
    assert Response.objects.get().answers == "0100--010202042"


def test_reduced_motion_stops_the_coin(page, server, survey):
    answering.open_start(page, server, survey)
    press(page, "Start")
    give(page, "Yes")

    def animation(motion: str) -> str:
        page.emulate_media(reduced_motion=motion)
        press(page, "Flip")
        return page.locator(".coin").evaluate("coin => getComputedStyle(coin).animationName")

    assert (animation("no-preference"), animation("reduce")) == ("flip", "none")
