"""Who reads results: an analyst, a curator who publishes them, and a reader without a login."""

import json
from dataclasses import replace

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from analytics.models import Report
from surveys.models import Export, Survey
from surveys.results.taking import files, services
from surveys.staff.members.services import add_member
from tests import factories, tallied
from tests.analytics import tabulating
from tests.analytics.answering import finished
from tests.audit.walks.conftest import WITH_AND_WITHOUT_SCRIPT
from tests.audit.walks.walking import Walk

pytestmark = [
    pytest.mark.browser,
    pytest.mark.audit,
    pytest.mark.django_db(transaction=True),
    WITH_AND_WITHOUT_SCRIPT,
]
TOWN, MOOD, CHEATED = "Where do you live?", "How do you feel?", "Have you cheated?"


@pytest.fixture
def answered(transactional_db) -> Survey:
    """Of ada, read by alan: 120 answers, and a budget for tables."""
    survey = tabulating.make_tabulated_survey(factories.make_user("ada"))
    factories.make_user("alan")
    add_member(survey=survey, username="alan", role="analyst", by=survey.owner)
    return survey


def test_an_analyst_reads_compares_and_takes_away(somebody, answered, tmp_path):
    analyst = somebody()
    analyst.log_in("alan")
    analyst.follow(answered.title)
    reads_the_dashboard(analyst)
    breaks_down(analyst)
    compares_groups(analyst)
    takes_files_away(analyst)
    hands_a_report_over(analyst, tmp_path)


def reads_the_dashboard(analyst: Walk) -> None:
    analyst.sees("You are an analyst of this survey")
    analyst.sees("120 responses")
    for text in (TOWN, MOOD, CHEATED):
        analyst.sees_heading(text)


def breaks_down(analyst: Walk) -> None:
    analyst.follow("Break-downs")
    analyst.choose("Question", f"3. {CHEATED}")
    analyst.choose("Broken down by", f"1. {TOWN}")
    analyst.press("Break down", "of one question by another")
    shares = analyst.page.get_by_role("region", name="Yes", exact=True)
    for town in ("North", "South", "East"):
        expect(shares.get_by_role("rowheader", name=town).first).to_be_visible()


def compares_groups(analyst: Walk) -> None:
    analyst.use_tool("Who answers differently?")
    analyst.choose("Question to compare", f"2. {MOOD}")
    analyst.choose("Form groups by", f"1. {TOWN}")
    analyst.press("Create report", "waiting")
    finished(Report.objects.get())
    analyst.look_again("a comparison of groups")
    analyst.sees("South")


def takes_files_away(analyst: Walk) -> None:
    analyst.follow("Dashboard")
    responses = analyst.download("Responses (CSV)").read_text()
    assert len(responses.splitlines()) == 121
    assert json.loads(analyst.download("Codebook (JSON)").read_text())
    analyst.follow("SPSS, Stata")
    assert TOWN in analyst.download("Labels for R").read_text()


def hands_a_report_over(analyst: Walk, folder) -> None:
    """One file, which needs no site."""
    analyst.follow("Dashboard")
    file = folder / "report.html"
    file.write_bytes(analyst.download("Report to pass on").read_bytes())
    analyst.open(file.as_uri())
    for text in (TOWN, MOOD, CHEATED):
        analyst.sees(text)


def test_a_curator_deposits_and_publishes(somebody, answered):
    curator = somebody()
    curator.log_in("ada")
    curator.follow(answered.title)
    makes_a_deposit(curator)
    curator.use_tool("Privacy ledger")
    curator.sees("No budget has been spent yet.")
    plans_a_release(curator)
    publishes_it(curator)
    takes_the_release_away(curator)
    finds_it_in_the_ledger(curator)


def makes_a_deposit(curator: Walk) -> None:
    curator.use_tool("Deposit")
    curator.sees_heading("Choose a licence")
    curator.go_by(curator.page.get_by_role("button", name="Create deposit").first, "being made")
    curator.sees("The deposit is being created.")
    export = Export.objects.get()
    services.write(export.pk)
    curator.follow("Look again", "made")
    deposit = curator.download_by(curator.page.get_by_role("link", name="Download"))
    assert deposit.read_bytes().startswith(b"PK")
    files.destroy(export.pk)


def plans_a_release(curator: Walk) -> None:
    curator.follow("Released tables")
    curator.choose(f"1. {TOWN}", "counts")
    curator.choose(f"2. {MOOD}", "counts")
    curator.choose("Tables", "One table for each question and each pair")
    curator.fill("Percent of the budget", "10")
    curator.choose("Who can open the release page", "All people with the address")
    curator.press("Show margins", "planned")
    curator.sees("Typical margin of all numbers")


def publishes_it(curator: Walk) -> None:
    """Nothing is spent before it is confirmed."""
    curator.follow("Publish these tables…")
    curator.sees("You cannot undo this.")
    assert not Report.objects.exists()
    curator.press("Publish permanently", "a release that waits")
    finished(Report.objects.get())
    curator.look_again("a release that is made")
    curator.follow("Open the release")
    curator.sees_heading("How these numbers were made")


def takes_the_release_away(curator: Walk) -> None:
    for link in RELEASE_FILES:
        curator.download(link)


def finds_it_in_the_ledger(curator: Walk) -> None:
    curator.use_tool("Privacy ledger")
    curator.sees_heading("What respondents were promised")
    spent = curator.page.get_by_role("region", name="What the budget was spent on")
    expect(spent.get_by_role("link")).to_have_count(1)
    curator.look("with a release")


RELEASE_FILES = ("Tables as CSV", "Covariances as CSV", "Whole release as JSON")


def test_a_reader_without_a_login_reads_and_checks(somebody, answered):
    released = tabulating.release(answered, replace(tabulating.ASKED, is_public=True))
    reader = somebody()
    reader.open(reverse("releases:page", args=[released.pk]))
    reads_the_release(reader)
    reader.open(reverse("respondent:start", args=[answered.pk]))
    checks_the_page(reader)
    closed = tallied.closed_survey(answered.owner, 0, 0, 2, 5, 6, 6)
    reader.open(reverse("respondent:start", args=[closed.pk]), "closed", is_refused=True)
    reads_the_audit_file(reader)
    assert reader.page.context.cookies() == []


def reads_the_release(reader: Walk) -> None:
    reader.sees_heading("How these numbers were made")
    for text in (TOWN, MOOD):
        reader.sees_heading(text)
    tables = json.loads(reader.download("Whole release as JSON").read_text())["tables"]
    assert len(tables) == 3
    assert reader.download("Tables as CSV").read_text().startswith("table,number")


def checks_the_page(reader: Walk) -> None:
    """What was promised, and the code by which the page is compared with it."""
    reader.follow("How it works")
    reader.follow("Compare this page with the published program")
    for code in ("printed-digest", "page-digest"):
        expect(reader.page.locator(f"#{code}")).not_to_be_empty()
    published = json.loads(reader.text_behind("The published survey as a file"))
    assert TOWN in json.dumps(published, ensure_ascii=False)


def reads_the_audit_file(reader: Walk) -> None:
    reader.sees("This survey closed on")
    audit = json.loads(
        reader.text_behind("How many answers came, and the fingerprint of each answer")
    )
    assert audit
