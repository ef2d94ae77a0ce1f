"""Sections of questions, and several questions on a screen, for respondents and staff."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from surveys.models import Response, Survey
from tests import accessible
from tests.browser import answering
from tests.browser.answering import give, heading, press, step
from tests.factories import add_question, launched, make_survey

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]


def make_draft(owner) -> Survey:
    draft = make_survey(owner)
    add_question(draft, text="Do you drink?", section="Alcohol", section_text="Of last year.")
    add_question(draft, text="Do you drink alone?", same_screen=True, design="direct")
    add_question(draft, text="Do you own a car?", design="direct")
    add_question(draft, text="Do you like your work?", section="Work", design="direct")
    return draft


def choose(page, question: str, answer: str) -> None:
    step(page).get_by_role("group", name=question).get_by_label(answer, exact=True).check()


def test_questions_are_answered_section_by_section_and_two_on_one_screen(page, server, owner):
    page.set_viewport_size({"width": 320, "height": 640})
    answering.go_to_questions(page, server, launched(make_draft(owner)))
    assert heading(page) == "Alcohol"
    expect(step(page).locator("h1")).to_be_focused()
    shown = step(page).inner_text()
    assert "Section 1 of 2 · Questions 1 to 2 of 4" in " ".join(shown.split())
    assert "Of last year." in shown
    assert page.title() == "Section 1 of 2 · Questions 1 to 2 of 4 · Habits and health"
    choose(page, "Do you drink?", "Yes")
    press(page, "Continue")
    assert step(page).get_by_role("alert").count() == 1
    expect(step(page).get_by_role("radio").nth(3)).to_be_focused()
    accessible.check(page, "two questions, one without an answer")
    choose(page, "Do you drink alone?", "No")
    press(page, "Continue")
    assert heading(page) == "Do you own a car?"
    assert "Alcohol" in step(page).inner_text()
    assert "Of last year." not in step(page).inner_text()
    accessible.check_narrow(page, "a question in a section")
    give(page, "Yes")
    press(page, "Continue")
    assert "Section 2 of 2" in step(page).inner_text()
    give(page, "Yes")
    press(page, "Continue")
    assert step(page).get_by_role("listitem").count() == 4
    page.get_by_role("button", name="Change Question 2").click()
    choose(page, "Do you drink alone?", "Yes")
    press(page, "Back to the list")
    answering.send(page)
    assert Response.objects.get().answers[2:] == "010101"


def test_own_coin_preview_and_dashboard_have_the_sections_too(page, server, owner, client):
    survey = launched(make_draft(owner))
    page.goto(answering.address(server, survey, "own-coin"))
    assert page.get_by_role("heading", level=2).all_inner_texts() == ["Alcohol", "Work"]
    accessible.check_narrow(page, "own coin with sections")
    client.force_login(owner)
    dashboard = client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    assert '<a href="#section-2">Work</a>' in dashboard
    assert '<h2 id="section-2">Section 2: Work</h2>' in dashboard
    draft = make_draft(owner)
    preview = client.get(reverse("admin:surveys_survey_preview", args=[draft.pk]))
    words = " ".join(preview.content.decode().split())
    assert "Section 2 of 2 · Question 4 of 4" in words
