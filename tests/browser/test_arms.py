"""The dashboard of a survey with arms, in a real browser: all that it compares, accessible."""

import pytest
from django.urls import reverse

from tests import accessible, factories
from tests.arms import COINS, COMPARED, DIRECT, make_arms_survey
from tests.stored import store_rows
from tests.tour import log_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
# Of each arm: the code of its question at its place, whether people answered yes or no.
ROWS = {DIRECT: "00{}----..01", COINS: "00--{}--..01", COMPARED: "00----{}..01"}


@pytest.mark.audit
def test_the_dashboard_of_arms_is_accessible(watched_page, server, transactional_db):
    owner = factories.make_user()
    survey = make_arms_survey(owner)
    rows = [ROWS[arm].format(code) + arm for arm in ROWS for code in ("00", "00", "01")]
    store_rows(survey.revision, 20 * rows)
    page = watched_page
    log_in(page, server, "ada")
    page.goto(server.url + reverse("surveys:dashboard", args=[survey.pk]))
    assert "Questions 2 and 3:" in page.locator("main").inner_text()
    accessible.check(page, "a dashboard with arms")
