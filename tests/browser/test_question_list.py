"""The list of a survey's questions, as an author uses it in a browser."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests import accessible, factories
from tests.surveys.authoring.editor.lists import list_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]


@pytest.fixture
def survey(transactional_db):
    survey = factories.make_survey(factories.make_user(), contact="")
    factories.add_one_of_each(survey)
    factories.add_question(survey, text="W" * 500, section="سؤال " * 40)
    factories.add_question(survey, text="Unfinished", kind="choice")
    return survey


@pytest.mark.audit
def test_the_list_is_accessible_and_no_wider_than_the_screen(staff_page, server, survey):
    staff_page.goto(server.url + list_page(survey))
    expect(staff_page.get_by_text("Not finished: 1 of 9 questions.")).to_be_visible()
    accessible.check(staff_page, "list of questions")
    staff_page.goto(server.url + list_page(survey) + "copy/")
    accessible.check(staff_page, "copy questions")


@pytest.mark.audit
def test_the_first_steps_and_an_unfinished_preview_are_accessible(staff_page, server, survey):
    staff_page.goto(server.url + reverse("admin:surveys_survey_first_steps"))
    accessible.check(staff_page, "first steps")
    staff_page.goto(server.url + reverse("admin:surveys_survey_preview", args=[survey.pk]))
    staff_page.get_by_text("Missing before launch").click()
    accessible.check(staff_page, "preview of an unfinished draft")


def test_a_question_is_moved_by_number_with_the_keyboard_alone(staff_page, server, survey):
    staff_page.goto(server.url + list_page(survey))
    last = survey.questions.last()
    field = staff_page.get_by_label("Number of question 9")
    field.focus()
    staff_page.keyboard.press("Control+a")
    staff_page.keyboard.type("2")
    staff_page.keyboard.press("Enter")
    expect(staff_page.locator("tbody tr").filter(has_text="Unfinished")).to_have_id(
        f"question-{last.pk}"
    )
    expect(staff_page.get_by_label("Number of question 2")).to_have_attribute(
        "name", f"number-{last.pk}"
    )


def test_a_question_is_reached_from_the_list_and_leads_back_to_its_row(staff_page, server, survey):
    staff_page.goto(server.url + list_page(survey))
    staff_page.get_by_role("link", name="How do you travel?").click()
    staff_page.get_by_role("button", name="Save", exact=True).click()
    staff_page.wait_for_url("**/questions/#question-*")


def test_a_statisticians_word_is_explained_with_the_keyboard_alone(staff_page, server, survey):
    staff_page.goto(server.url + list_page(survey))
    word = staff_page.get_by_role("button", name="epsilon", exact=True)
    explained = staff_page.get_by_text("How far an answer can change what others believe")
    expect(explained).to_be_hidden()
    word.focus()
    staff_page.keyboard.press("Enter")
    expect(explained).to_be_visible()
    staff_page.keyboard.press("Escape")
    expect(explained).to_be_hidden()
