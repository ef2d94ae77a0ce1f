"""Staff read the number they act on first; how it was computed is behind a fold."""

import re
from decimal import Decimal

import pytest
from django.urls import reverse

from tests import accessible, factories
from tests.analytics import reporting
from tests.stored import store_rows
from tests.tour import log_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
NUMBERS = "Table and method"
EXACT = re.compile(r"\d\.\d{7,}")  # delta is promised in six decimal places


@pytest.fixture
def agreed(transactional_db):
    """A survey in which every protected answer sent was the same: formulas leave 0 to 100 %."""
    draft = factories.make_survey(factories.make_user())
    factories.add_question(draft)
    factories.add_question(draft, text="Have you taken drugs at work?")
    survey = factories.launched(draft)
    store_rows(survey.revision, ["0101"] * 40)
    return survey


@pytest.fixture
def charged(transactional_db):
    """A survey with a budget of which one report took a quarter."""
    survey = reporting.make_text_survey(factories.make_user())
    return reporting.ask_and_make(survey, share=reporting.QUARTER).expenditure


def percentages(text: str) -> list[float]:
    found = re.findall(r"([−\d.]+) %", text)
    return [float(number.replace("−", "-")) for number in found]


def test_the_dashboard_shows_no_share_beyond_100_percent_until_it_is_asked_for(
    page, server, agreed
):
    log_in(page, server, "ada")
    page.goto(server.url + reverse("surveys:dashboard", args=[agreed.pk]))
    first = page.locator("section.question").first
    assert not first.locator("table").first.is_visible()
    assert all(0 <= share <= 100 for share in percentages(first.inner_text()))
    first.get_by_text(NUMBERS).focus()
    page.keyboard.press("Enter")
    shown, computed = first.locator("table").all()
    assert all(0 <= share <= 100 for share in percentages(shown.inner_text()))
    assert max(percentages(computed.inner_text())) > 100
    labels = computed.locator("tbody th").all_inner_texts()
    assert labels == shown.locator("tbody th").all_inner_texts()


@pytest.mark.audit
def test_an_opened_fold_is_accessible_and_reflows(watched_page, server, agreed):
    page = watched_page
    log_in(page, server, "ada")
    page.goto(server.url + reverse("surveys:dashboard", args=[agreed.pk]))
    folds = page.get_by_text(NUMBERS).all()
    assert len(folds) == page.locator("section.question img.chart").count()
    # A menu that is open lies over what stands below the bar.
    for summary in page.locator("details:not(.menu) > summary").all():
        summary.click()
    accessible.check(page, "opened")
    assert page.evaluate(accessible.SMALL_TARGETS) == []


def test_a_fold_is_open_again_after_a_reload(page, server, agreed):
    log_in(page, server, "ada")
    page.goto(server.url + reverse("surveys:dashboard", args=[agreed.pk]))
    first, second = page.locator("section.question details").all()[:2]
    first.locator("summary").click()
    page.reload()
    assert first.locator("table").first.is_visible()
    assert not second.locator("table").first.is_visible()
    first.locator("summary").click()
    page.reload()
    assert not first.locator("table").first.is_visible()


def test_folds_with_numbers_are_open_on_paper(page, server, agreed):
    log_in(page, server, "ada")
    page.goto(server.url + reverse("surveys:dashboard", args=[agreed.pk]))
    table = page.locator("table.digits").first
    assert not table.is_visible()
    page.emulate_media(media="print")
    assert table.is_visible()


@pytest.mark.audit
def test_the_ledger_says_costs_in_short_and_every_digit_when_asked_for(
    watched_page, server, charged
):
    page = watched_page
    log_in(page, server, "ada")
    page.goto(server.url + reverse("analytics:ledger", args=[charged.report.revision.survey_id]))
    assert not EXACT.search(page.inner_text("main"))
    lines = page.get_by_role("group", name="What the budget was spent on").locator("tbody tr")
    assert "25 %" in lines.inner_text()
    page.get_by_text("Exact amounts", exact=True).click()
    exact = f"{Decimal(charged.mu_squared).normalize():f}"
    assert page.inner_text("main").count(exact) == 2
    accessible.check(page, "opened ledger")
