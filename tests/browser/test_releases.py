"""Releases of tables in Chromium: planned, confirmed, watched, read and downloaded."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from analytics.models import Report
from surveys.models import AuditEntry
from tests import accessible, factories
from tests.analytics import releasing, tabulating
from tests.analytics.answering import AGE, MOOD, TOWN, finished, make_compared_survey
from tests.browser.following import follow
from tests.tour import log_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LISTED = f"ask{TOWN}=counts&ask{MOOD}=ranges&ask{AGE}=counts&cuts{AGE}=30"
PLAN = f"?{LISTED}&which=pairs&percent=10&audience=link"


@pytest.fixture
def survey(transactional_db):
    return tabulating.make_tabulated_survey(factories.make_user("root", superuser=True))


def address(name: str, survey, *more: object) -> str:
    return reverse(f"analytics:{name}", args=[survey.pk, *more])


@pytest.mark.audit
def test_every_page_is_accessible_reflows_and_keeps_the_policy(page, server, survey):
    page.add_init_script(accessible.WATCH)
    public = tabulating.release(survey, replace(tabulating.ASKED, is_public=True))
    unpromised = make_compared_survey(survey.owner, 5)
    page.goto(server.url + reverse("releases:page", args=[public.pk]))  # without a login
    accessible.check(page, "a release for outsiders")
    assert page.context.cookies() == []
    log_in(page, server, "root")
    for place in (
        address("releases", survey),
        address("releases", survey) + PLAN,
        address("releases", survey) + PLAN.replace("percent=10", "percent=0"),
        address("publish", survey) + PLAN,
        address("report", survey, public.pk),
        address("releases", unpromised),
    ):
        page.goto(server.url + place)
        accessible.check(page, place)


@pytest.mark.audit
@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_released_tables_alone_are_found_from_the_dashboard_on_accessible_pages(
    page, server, transactional_db
):
    page.add_init_script(accessible.WATCH)
    alone = releasing.make_released_survey(factories.make_user("root", superuser=True), text=True)
    page.goto(server.url + reverse("respondent:start", args=[alone.pk]))
    expect(page.get_by_text("all other answers are shown only in blurred tables")).to_be_visible()
    accessible.check(page, "the first screen where tables alone are released")
    releasing.answer(alone, [(n % 3, n % 2, 20 + n) for n in range(20)], word="hello")
    releasing.let_pass(alone, 31)
    log_in(page, server, "root")
    page.goto(server.url + reverse("surveys:dashboard", args=[alone.pk]))
    accessible.check(page, "a dashboard with released tables")
    page.get_by_role("link", name="Look at the released tables").click()
    expect(page.get_by_text("no other table can be released.")).to_be_visible()
    accessible.check(page, "releases where no other can be made")
    page.get_by_role("link", name="Tables released at openings").click()
    page.get_by_role("link", name="Open the release").click()
    expect(page.get_by_text("No one sees exact counts of these answers")).to_be_visible()
    expect(page.get_by_text("20 people answered. This number is exact.")).to_be_visible()
    accessible.check(page, "the tables of the openings")


@pytest.mark.audit
def test_a_release_is_planned_published_read_and_downloaded(page, server, survey, tmp_path):
    log_in(page, server, "root")
    page.goto(server.url + reverse("surveys:break-down", args=[survey.pk]))
    page.get_by_role("link", name="Released tables").click()
    page.get_by_label("Where do you live?").select_option("counts")
    page.get_by_label("How do you feel?").select_option("cdf")
    page.get_by_label("Tables", exact=True).select_option("pairs")
    page.get_by_label("Percent of the budget").fill("5")
    follow(page.get_by_role("button", name="Show margins"))
    few = margin(page)
    page.get_by_label("Percent of the budget").fill("20")
    follow(page.get_by_role("button", name="Show margins"))
    assert margin(page) == pytest.approx(few / 2, rel=0.05)
    assert not Report.objects.exists()

    page.get_by_role("link", name="Publish these tables…").click()
    expect(page.get_by_text("You cannot undo this.")).to_be_visible()
    follow(page.get_by_role("link", name="Go back without spending"))
    assert margin(page) == pytest.approx(few / 2, rel=0.05)
    page.get_by_role("link", name="Publish these tables…").click()
    page.get_by_role("button", name="Publish permanently").click()
    expect(page.locator("#progress")).to_contain_text("Waiting for a worker")

    report = finished(Report.objects.get())
    page.get_by_role("link", name="Open the release").click()  # without a reload
    expect(page.get_by_role("heading", name="Where do you live?", exact=True)).to_be_visible()
    page.context.clear_cookies()
    page.goto(server.url + reverse("releases:page", args=[report.pk]))
    expect(page.get_by_role("heading", name="How these numbers were made")).to_be_visible()
    for link, ending in (
        ("Tables as CSV", "csv"),
        ("Covariances as CSV", "csv"),
        ("Whole release as JSON", "json"),
        ("Tables as Parquet", "parquet"),
    ):
        with page.expect_download() as waiting:
            page.get_by_role("link", name=link).click()
        target = tmp_path / f"{link}.{ending}"
        waiting.value.save_as(target)
        assert waiting.value.suggested_filename.endswith(ending)
        check_file(target)
    assert {entry.action for entry in AuditEntry.objects.all()} >= {"report charged"}


def margin(page) -> float:
    told = page.locator("#margins + p").inner_text()
    return float(re.search(r"Typical margin of all numbers: ±?([\d.]+) people", told)[1])


def check_file(file: Path) -> None:
    content = file.read_bytes()
    if file.suffix == ".json":
        assert len(json.loads(content)["tables"]) == 3
    else:
        assert content.startswith((b"table,number", b"PAR1"))
