"""A session that ends while a form is filled in, in a real browser: nothing typed is lost."""

import pytest
from django.contrib.sessions.models import Session
from django.urls import reverse

from analytics.models import Report
from tests import accessible, factories
from tests.accounts import code_of, set_up_app
from tests.analytics import reporting
from tests.tour import PASSWORD, log_in

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.survey(make=reporting.make_text_survey),
]


def log_in_again(page, secret: str = "") -> None:
    """In the second tab that the page opens, with the second factor if there is one."""
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Log in again").click()
    tab = opened.value
    tab.get_by_label("User name").fill("ada")
    tab.get_by_label("Password").fill(PASSWORD)
    tab.keyboard.press("Enter")
    if secret:
        tab.get_by_label("Code").fill(code_of(secret))
        tab.keyboard.press("Enter")
    tab.get_by_text("You are logged in as ada").wait_for()
    accessible.check(tab, "logged in again")
    tab.close()


@pytest.mark.audit
def test_a_report_form_is_sent_after_logging_in_again_with_a_second_factor(page, server, survey):
    page.add_init_script(accessible.WATCH)
    log_in(page, server, "ada")
    page.goto(server.url + reverse("analytics:overview", args=[survey.pk]))
    page.get_by_label("Private topics", exact=False).first.check()
    page.get_by_label("25 % of the budget").check()
    page.get_by_label("Largest number of topics").fill("4")
    secret = set_up_app(survey.owner)
    Session.objects.all().delete()
    page.get_by_role("button", name="Create report").click()
    page.get_by_role("heading", name="You were logged out before the form was saved").wait_for()
    page.get_by_text("What you typed", exact=True).click()
    accessible.check(page, "logged out")
    log_in_again(page, secret)
    page.get_by_role("button", name="Continue").click()
    page.get_by_text("The form was opened before you logged in as ada").wait_for()
    accessible.check(page, "send again")
    assert not Report.objects.exists()
    page.get_by_role("button", name="Send now").click()
    page.wait_for_url("**/reports/*-*/")
    assert Report.objects.get().settings["topics"] == 4
    assert page.evaluate("window.violations") == []


@pytest.mark.audit  # tests/surveys/staff does it without a browser
def test_a_plan_is_saved_after_logging_in_again_without_any_script(
    page_without_script, server, transactional_db
):
    page = page_without_script
    survey = factories.make_open_survey(factories.make_user())
    log_in(page, server, "ada")
    page.goto(server.url + reverse("surveys:planner") + "?error=0.1")
    Session.objects.all().delete()
    page.get_by_role("button", name="as plan").click()
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Log in again").click()
    tab = opened.value
    tab.get_by_label("User name").fill("ada")
    tab.get_by_label("Password").fill(PASSWORD)
    tab.get_by_role("button", name="Log in").click()
    tab.get_by_text("You are logged in as ada").wait_for()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Send now").click()
    page.wait_for_url(f"**/{survey.pk}/")
    survey.refresh_from_db()
    assert survey.planned_responses == 402
