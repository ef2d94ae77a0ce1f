"""Comparisons, trees and reminders in Chromium: asked for, read, downloaded, accessible."""

import json
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from analytics.models import Report
from surveys.models import DailyCount
from tests import accessible, factories
from tests.analytics import answering
from tests.surveys.fieldwork import mailing as mailings
from tests.surveys.fieldwork.mailing import people

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]


@pytest.fixture
def survey(transactional_db):
    return answering.make_compared_survey(factories.make_user("root", superuser=True))


def address(server, name: str, survey, *more: object) -> str:
    return server.url + reverse(name, args=[survey.pk, *more])


def work() -> Report:
    return answering.finished(Report.objects.get(state=Report.State.QUEUED))


def taken(page, name: str) -> bytes:
    with page.expect_download() as download:
        page.get_by_role("link", name=name).first.click()
    return download.value.path().read_bytes()


@pytest.mark.audit
def test_a_comparison_is_asked_for_read_and_downloaded(staff_page, server, survey):
    page = staff_page
    page.goto(address(server, "surveys:dashboard", survey))
    page.get_by_role("link", name="Compare groups").click()
    page.get_by_label("Question to compare").select_option(label="2. How do you feel?")
    page.get_by_label("Form groups by", exact=True).select_option(label="1. Where do you live?")
    page.get_by_role("button", name="Create report").click()
    expect(page.locator("#progress")).to_contain_text("Waiting for a worker")
    accessible.check(page, "waiting")
    work()
    expect(page.get_by_text("on average an answer must move").first).to_be_visible()
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    accessible.check(page, "comparison")
    page.set_viewport_size({"width": 1280, "height": 800})
    assert taken(page, "SVG of:").startswith(b"<svg")
    assert taken(page, "PNG of:").startswith(b"\x89PNG")
    assert taken(page, "This comparison (CSV)").count(b"\n") == 4
    found = json.loads(taken(page, "JSON file"))
    assert found["report"]["names"] == ["North", "South", "East"]
    page.goto(address(server, "surveys:dashboard", survey))
    expect(page.get_by_role("heading", name="Who answers differently?")).to_be_visible()
    accessible.check(page, "dashboard with its panel")


@pytest.mark.audit
def test_a_tree_is_asked_for_read_and_downloaded(staff_page, server, survey):
    page = staff_page
    page.goto(address(server, "analytics:tree", survey))
    accessible.check(page, "form of a tree")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_label("Question to explain").select_option("3")
    page.get_by_label("Questions that may explain the answers").select_option(["1", "2"])
    page.get_by_role("button", name="Create report").click()
    expect(page.locator("#progress")).to_contain_text("Waiting for a worker")
    work()
    expect(page.get_by_text("It says nothing about single respondents")).to_be_visible()
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    accessible.check(page, "tree")
    page.set_viewport_size({"width": 1280, "height": 800})
    assert taken(page, "SVG of:").startswith(b"<svg")
    assert b"All people" in taken(page, "This tree (CSV)")
    assert json.loads(taken(page, "JSON file"))["report"]["kind"] == "tree"


@pytest.mark.audit
def test_a_comparison_of_waves_and_a_refused_form_are_accessible(staff_page, server, survey):
    page = staff_page
    wave = answering.make_compared_survey(survey.owner, seed=2, title="Second wave")
    made = answering.compared(survey, by=None, surveys=(str(wave.pk),))
    page.goto(address(server, "analytics:report", survey, made.pk))
    accessible.check(page, "waves")
    page.goto(address(server, "analytics:groups", survey))
    page.get_by_label("Question to compare").select_option("2")
    page.get_by_label("Form groups by", exact=True).select_option("2")
    page.get_by_role("button", name="Create report").click()
    expect(page.get_by_role("alert")).to_contain_text("The report was not requested")
    accessible.check(page, "a refused form")


@pytest.mark.audit
def test_other_states_of_comparisons_are_accessible(staff_page, server, survey):
    page = staff_page
    made = [
        answering.compared(survey, question=answering.AGE),
        answering.compared(survey, question=answering.CHEAT),
        answering.compared(survey, by=answering.CHEAT),
        answering.clouded(survey, (answering.MOOD, answering.CHEAT)),
        answering.clouded(survey, (answering.MOOD, answering.AGE)),
    ]
    draft = factories.make_survey(survey.owner)
    for place in (
        *(address(server, "analytics:report", survey, one.pk) for one in made),
        address(server, "analytics:groups", survey),
        address(server, "surveys:dashboard", draft),
    ):
        page.goto(place)
        accessible.check(page, place)


@pytest.mark.audit
def test_reminders_are_planned_read_downloaded_and_put_into_the_mailer(
    staff_page, server, settings
):
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    page = staff_page
    survey = factories.make_invited_survey(factories.make_user("zoe"))
    mailing = mailings.prepare(survey, people(20))
    mailings.start(mailing)
    mailings.run_all()
    page.goto(address(server, "surveys:reminders", survey))
    accessible.check(page, "empty plan")
    page.set_viewport_size({"width": 1280, "height": 800})
    first = timezone.now().date() + timedelta(days=3)
    page.get_by_label("First day").fill(str(first))
    page.get_by_label("Deadline").fill(str(first + timedelta(days=27)))
    page.get_by_role("button", name="Plan reminders").click()
    expect(page.get_by_role("heading", name="Your schedule, drawn by chance")).to_be_visible()
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    accessible.check(page, "plan")
    page.set_viewport_size({"width": 1280, "height": 800})
    assert taken(page, "This plan (CSV)").count(b"\n") == 29
    assert taken(page, "This schedule as calendar file (iCalendar)").count(b"BEGIN:VEVENT") == 3


@pytest.mark.audit
@pytest.mark.parametrize(
    "query",
    ["rival_sends=0", "chances=50%2020", "use_progress=on&asked=400", "use_progress=on"],
)
def test_other_states_of_reminders_are_accessible(staff_page, server, survey, query):
    page = staff_page
    today = timezone.now().date()
    for ago, count in enumerate((80, 40, 20, 0)):
        day = today - timedelta(days=ago)
        DailyCount.objects.create(revision=survey.revision, day=day, at_least=count)
    page.goto(
        address(server, "surveys:reminders", survey)
        + f"?first={today + timedelta(days=1)}&last={today + timedelta(days=9)}&sends=2&{query}"
    )
    accessible.check(page, query)


@pytest.mark.audit
@pytest.mark.parametrize("every", [False, True])
def test_comparisons_side_by_side_are_accessible(staff_page, server, survey, every):
    one, other = answering.compared(survey), answering.compared(survey, level=0.9)
    place = address(server, "analytics:compare-groups", survey)
    asked = f"?first={one.pk}&second={other.pk}"
    for query in ("", asked, f"?first={one.pk}&second={one.pk}") if every else (asked,):
        staff_page.goto(place + query)
        accessible.check(staff_page, query)


@pytest.mark.audit
def test_several_numbers_are_asked_for_read_and_downloaded(staff_page, server):
    page = staff_page
    survey = answering.make_numbered_survey(factories.make_user("zoe"))
    page.goto(address(server, "analytics:clouds", survey))
    accessible.check(page, "form of clouds")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_label("Numbers and scales").select_option(["2", "3"])
    page.get_by_role("button", name="Create report").click()
    expect(page.locator("#progress")).to_contain_text("Waiting for a worker")
    work()
    expect(page.get_by_text("spreads on average")).to_be_visible()
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    accessible.check(page, "clouds")
    page.set_viewport_size({"width": 1280, "height": 800})
    assert taken(page, "SVG of:").startswith(b"<svg")
    assert taken(page, "This comparison (CSV)").count(b"\n") == 2
