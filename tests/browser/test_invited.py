"""Answering with an invitation, and in one's own words, in a real browser."""

import json
import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from surveys.models import Comment, Invitation, Openings, Response, Survey
from surveys.questionnaire import tokens
from tests import accessible
from tests.browser import answering
from tests.browser.answering import give, heading, press, step
from tests.factories import (
    add_condition,
    add_question,
    invite,
    launched,
    make_invited_survey,
    make_survey,
)

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_tab,
    pytest.mark.survey(make=make_invited_survey),
]
DONE = "This is everything that was sent"
WORDS = "Später öffnen, “bitte”! <b>&amp;</b> 🙂\nDanke"
USED = "These answers were not stored: the invitation has been used already."


def open_with(page: Page, server, survey, code: str) -> None:
    page.goto(f"{answering.address(server, survey)}#{code}")
    page.get_by_role("button", name="Start", exact=True).last.wait_for()


def answer(page: Page, words: str = WORDS) -> None:
    """From the first page to the receipt or the refusal."""
    answering.start(page)
    give(page, "Yes")
    press(page, "Continue")
    step(page).get_by_role("textbox").fill(words)
    press(page, "Continue")
    answering.send(page)


def test_the_code_of_a_link_is_taken_out_of_the_address_and_counts_once(page, server, survey):
    (token,) = invite(survey, 1)
    asked = []
    page.on("request", lambda request: asked.append((request.method, request.url)))
    open_with(page, server, survey, token)
    assert not page.get_by_label("Your invitation code").is_visible()
    answer(page)
    assert page.url == answering.address(server, survey)
    assert heading(page) == DONE
    assert Invitation.objects.get().redeemed
    assert Response.objects.count() == 1
    assert Comment.objects.get().text == WORDS
    assert not any(token in url or "#" in url for _, url in asked)
    assert page.evaluate("history.state") is None
    open_with(page, server, survey, token)
    answer(page)
    assert heading(page) == USED
    assert Response.objects.count() == Comment.objects.count() == 1
    let_a_day_pass()
    open_with(page, server, survey, token)
    press(page, "Start")
    page.get_by_text("This code cannot be used for this survey.").wait_for()
    assert page.title() == "Error: Habits and health"
    expect(page.get_by_label("Your invitation code")).to_be_focused()


def let_a_day_pass() -> None:
    yesterday = timezone.now().date() - timedelta(days=1)
    Survey.objects.update(announced_on=yesterday)


def test_a_code_can_be_typed_and_mistakes_are_named_before_anything_is_asked(page, server, survey):
    (token,) = invite(survey, 1)
    answering.open_start(page, server, survey)
    box = page.get_by_label("Your invitation code")
    for typed, problem in (
        ("", "Please type the code of your invitation."),
        ("abc", "This code has the wrong length."),
        (f"{token[:-1]}!", "A code has only letters and digits."),
        (token[1] + token[0] + token[2:], "There is a typing mistake"),
    ):
        if typed[:2] == token[:2]:
            continue  # two equal characters cannot change places
        box.fill(typed)
        press(page, "Start")
        assert (
            page.get_by_role("alert")
            .get_by_text(problem)
            .or_(page.get_by_text(problem))
            .first.is_visible()
        )
        expect(box).to_be_focused()
    box.fill(f" {tokens.grouped(token).upper().replace('0', 'O').replace('1', 'l')} ")
    answer(page)
    assert heading(page) == DONE
    assert Invitation.objects.get().redeemed


def test_a_code_of_another_survey_is_refused_and_corrected_before_the_first_question(
    page, server, survey, owner
):
    (foreign,) = invite(make_invited_survey(owner), 1)
    (token,) = invite(survey, 1)
    open_with(page, server, survey, foreign)
    box = page.get_by_label("Your invitation code")
    assert not box.is_visible()
    press(page, "Start")
    page.get_by_text("This code cannot be used for this survey.").wait_for()
    assert heading(page) == "Habits and health"
    accessible.check_narrow(page, "refused at the door")
    box.fill(tokens.grouped(token))
    answer(page)
    assert heading(page) == DONE
    assert Response.objects.count() == 1


@pytest.mark.audit
def test_a_door_that_does_not_answer_is_named_and_can_be_tried_again(page, server, survey):
    (token,) = invite(survey, 1)
    open_with(page, server, survey, token)
    page.route("**/door/", lambda route: route.abort(), times=1)
    press(page, "Start")
    page.get_by_text("Your code could not be checked just now.").wait_for()
    answering.start(page)
    assert step(page).get_by_text("Question 1 of 2").is_visible()


FORGED = '<main data-reply="admitted"><form>Type what you stole</form></main>'
QUOTED = json.dumps(FORGED)


@pytest.mark.parametrize(
    "body",
    [
        FORGED,
        "null",
        f'{{"reply": {QUOTED}}}',
        f'{{"reply": "refused", "code": {QUOTED}, "values": {{"day": {QUOTED}}}, "again": true}}',
    ],
)
def test_nothing_that_the_door_writes_comes_into_the_page(page, server, survey, body):
    (token,) = invite(survey, 1)
    open_with(page, server, survey, token)
    page.route("**/door/", lambda route: route.fulfill(body=body, content_type="text/html"))
    press(page, "Start")
    page.get_by_text("Your code could not be checked just now.").wait_for()
    assert page.locator("form").count() == 0
    assert "you stole" not in page.content()


def test_a_code_that_was_used_meanwhile_is_replaced_and_what_was_drawn_stays(page, server, survey):
    token, other = invite(survey, 2)
    bodies: list[str | None] = []
    page.on("request", lambda one: bodies.append(one.post_data) if "/send/" in one.url else None)
    open_with(page, server, survey, token)
    answering.start(page)
    give(page, "No")
    press(page, "Continue")
    press(page, "Continue")
    Invitation.objects.update(redeemed=True)
    answering.send(page)
    assert heading(page) == "These answers were not stored: the invitation has been used already."
    accessible.check_narrow(page, "refused at Send")
    Invitation.objects.update(redeemed=False)
    assert page.title().startswith("Error: Send")
    box = page.get_by_label("Invitation code for this attempt")
    box.fill(tokens.grouped(other).upper())
    box.press("Enter")
    page.get_by_role("heading", name=DONE).wait_for()
    first, second = bodies
    assert second == first.replace(token, other)
    assert Response.objects.count() == 1


def test_the_code_goes_along_to_the_page_for_ones_own_coin(page, server, survey):
    (token,) = invite(survey, 1)
    open_with(page, server, survey, token)
    page.get_by_role("link", name="Use my own coin").last.click()
    page.get_by_role("button", name="Continue").wait_for()
    assert page.url == f"{answering.address(server, survey, 'own-coin')}#{token}"
    assert not page.get_by_label("Your invitation code").is_visible()
    press(page, "Continue")
    page.wait_for_url("**/door/")
    assert page.locator("input[name=invitation]").input_value() == token
    page.get_by_role("group", name="shoplifted").get_by_label("Yes", exact=True).check()
    page.get_by_role("group", name="What would help?").get_by_role("textbox").fill(WORDS)
    press(page, "Send")
    page.wait_for_url("**/send/")
    assert heading(page) == DONE
    assert Openings.objects.get().own_coin == 1
    assert Comment.objects.get().text == WORDS


def test_a_link_to_the_next_question_keeps_what_was_answered_with_ones_own_coin(
    page, server, owner
):
    last_day = timezone.now().date() + timedelta(days=30)
    sealed = {"opening": Survey.Opening.CLOSE, "close_on": last_day, "batch_size": 5}
    draft = make_survey(owner, invitation_only=True, **sealed)
    car = add_question(draft, text="Do you own a car?", design="direct")
    add_condition(add_question(draft, text="Have you driven drunk?"), car)
    add_question(draft)
    survey = launched(draft)
    (token,) = invite(survey, 1)
    page.goto(f"{answering.address(server, survey, 'own-coin')}#{token}")
    press(page, "Continue")
    page.wait_for_url("**/door/")
    box = page.get_by_role("group", name="Do you own a car?").get_by_label("No", exact=True)
    box.check()
    page.evaluate("window.isAsItCame = true")
    page.get_by_role("link", name="and go to question 3").click()
    expect(page).to_have_url(re.compile("/door/#question-3$"))
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.isAsItCame === true")
    assert box.is_checked()


def test_without_a_script_the_code_is_typed_and_a_mistake_is_corrected_at_the_door(
    page_without_script, server, survey
):
    page = page_without_script
    (token,) = invite(survey, 1)
    page.goto(answering.address(server, survey, "own-coin"))
    page.get_by_label("Your invitation code").fill(tokens.grouped(token)[:-1])
    press(page, "Continue")
    page.get_by_text("This code cannot be used for this survey.").wait_for()
    assert page.title().startswith("Error: Your invitation code")
    assert page.get_by_role("group", name="shoplifted").count() == 0
    page.get_by_label("Your invitation code").fill(tokens.grouped(token))
    press(page, "Continue")
    page.get_by_role("group", name="shoplifted").get_by_label("No", exact=True).check()
    page.get_by_role("group", name="What would help?").get_by_role("textbox").fill(WORDS)
    assert page.get_by_text("Text length is visible").is_visible()
    press(page, "Send")
    assert heading(page) == DONE
    assert Openings.objects.get().own_coin == 1
    assert Comment.objects.get().text == WORDS


def test_a_text_that_is_too_long_is_named_and_an_empty_one_is_stored_nowhere(page, server, survey):
    (token,) = invite(survey, 1)
    open_with(page, server, survey, token)
    answering.start(page)
    give(page, "No")
    press(page, "Continue")
    step(page).get_by_role("textbox").fill("🙂" * 101)
    press(page, "Continue")
    assert page.get_by_text("This is longer than 100 characters.").is_visible()
    step(page).get_by_role("textbox").fill("  ")
    press(page, "Continue")
    answering.send(page)
    assert page.get_by_text("(left empty)").is_visible()
    assert Response.objects.count() == 1
    assert not Comment.objects.exists()
