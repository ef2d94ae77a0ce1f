"""A question's page in the admin, as an author uses it in a browser."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests import accessible, factories, tour

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]


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


SOMETIMES_SHOWN = (
    *("forced", "epsilon", "p_sensitive", "harmless", "harmless_yes", "channel"),
    *("minimum", "maximum", "decimal_places", "longest", "catalogue", "shown", "adaptive"),
    "option_lines",
)


def shown(page) -> list[str]:
    """Names of the fields that can be seen; "options" are the rows below the form."""
    names = [name for name in SOMETIMES_SHOWN if page.locator(f"#id_{name}").is_visible()]
    return names + ["options"] * page.locator("#id_options-0-text").is_visible()


def save(page, button: str = "Save and continue editing") -> None:
    with page.expect_navigation():
        page.get_by_role("button", name=button, exact=True).click()


@pytest.fixture
def page_without_script(browser, server, survey):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    tour.log_in(page, server, survey.owner.username)
    yield page
    context.close()


def test_choosing_a_kind_and_a_design_shows_their_fields(staff_page, server, survey):
    open_question(staff_page, server, factories.add_question(survey))
    assert shown(staff_page) == []
    staff_page.select_option("#id_design", "two_groups")
    assert shown(staff_page) == ["p_sensitive", "harmless", "harmless_yes"]
    staff_page.select_option("#id_kind", "rating")
    assert shown(staff_page) == ["catalogue", "shown", "adaptive", "option_lines", "options"]
    staff_page.select_option("#id_kind", "number")
    assert shown(staff_page) == ["minimum", "maximum", "decimal_places"]
    assert staff_page.evaluate("window.violations") == []


def test_a_field_with_an_error_stays_shown_when_another_design_is_chosen(
    staff_page, server, survey
):
    open_question(staff_page, server, factories.add_question(survey, design="k_ary"))
    staff_page.fill("#id_epsilon", "-1")
    staff_page.select_option("#id_design", "crosswise")
    assert shown(staff_page) == ["harmless", "harmless_yes"]
    save(staff_page)
    assert shown(staff_page) == ["epsilon", "harmless", "harmless_yes"]
    staff_page.select_option("#id_design", "channel_matrix")
    assert shown(staff_page) == ["epsilon", "channel"]


def test_without_a_script_saving_shows_the_fields_and_keeps_hidden_values(
    page_without_script, server, survey
):
    page = page_without_script
    question = factories.add_question(survey, design="k_ary", epsilon=1, required=True)
    open_question(page, server, question)
    assert shown(page) == ["epsilon"]
    page.select_option("#id_design", "warner")
    save(page)
    assert shown(page) == ["p_sensitive"]
    assert "choose it and press" in page.inner_text("noscript")
    page.fill("#id_p_sensitive", "3/4")
    save(page)
    question.refresh_from_db()
    assert (question.design, question.p_sensitive, question.epsilon) == ("warner", "3/4", 1)


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
