"""A release with totals of randomized questions: built, read, accessible, narrow enough."""

import pytest
from django.urls import reverse

from surveys.models import Question, Survey
from tests import accessible, factories
from tests.analytics.answering import finished
from tests.browser.following import follow
from tests.stored import store_rows
from tests.tour import log_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def survey(transactional_db) -> Survey:
    draft = factories.make_survey(factories.make_user("root", superuser=True))
    direct = dict(kind="choice", design=Question.Design.DIRECT, required=True)
    factories.add_question(draft, "North", "South", text="Where?", **direct)
    factories.add_question(draft, text="Ever?", required=True)
    factories.add_long_scale(draft)
    factories.add_budget(draft, source="all", adjacency="replace_one")
    survey = factories.launched(draft)
    store_rows(survey.revision, [f"{n % 2:02d}{int(n < 30):02d}{n % 3:02d}" for n in range(200)])
    return survey


@pytest.mark.audit
def test_totals_are_chosen_confirmed_and_read(page, server, survey):
    page.add_init_script(accessible.WATCH)
    log_in(page, server, "root")
    page.goto(server.url + reverse("analytics:releases", args=[survey.pk]))
    page.get_by_label("1. Where?").select_option(label="Count each answer")
    page.get_by_label("Randomized questions").select_option(["2", "3"])
    follow(page.get_by_role("button", name="Show margins"))
    accessible.check(page, "builder")
    follow(page.get_by_role("link", name="Publish").last)
    assert page.get_by_text("Exact counts of the reported answers to these questions").is_visible()
    page.get_by_role("button", name="Publish permanently").click()
    report = finished(survey.revision.reports.get())
    page.goto(server.url + reverse("releases:page", args=[report.pk]))
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    accessible.check(page, "release")
    assert page.get_by_text("For people who see only these tables").is_visible()
