"""A question's page in the admin, as an author uses it in a browser."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests import accessible, factories, tour

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def survey(transactional_db):
    return factories.make_survey(factories.make_user())


@pytest.fixture
def staff_page(page, server, survey):
    page.add_init_script(accessible.WATCH)
    tour.log_in(page, server, survey.owner.username)
    return page


def open_question(page, server, question) -> None:
    page.goto(server.url + reverse("admin:surveys_question_change", args=[question.pk]))


def test_a_row_that_is_added_shows_the_next_position(staff_page, server, survey):
    question = factories.add_question(survey, "Never", kind="scale")
    open_question(staff_page, server, question)
    for position in ("4", "5"):
        staff_page.get_by_role("button", name="Add another Option").click()
        expect(staff_page.locator(f"#id_options-{position}-position")).to_have_value(position)
    staff_page.fill("#id_options-4-text", "Always")
    staff_page.get_by_role("button", name="Save", exact=True).click()
    staff_page.wait_for_url("**/survey/*/change/")
    assert [option.text for option in question.options.all()] == ["Never", "Always"]
