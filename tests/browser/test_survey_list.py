"""The list of surveys: days, and how far each has come; a card for each of them on a phone."""

import re
from datetime import date, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from surveys.models import Survey
from surveys.wording.language.numbers import day_words
from tests import accessible, factories
from tests.days import today
from tests.stored import store_rows

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
NARROW = {"width": 320, "height": 700}
LAST = timezone.now().date() + timedelta(days=30)


@pytest.fixture
def survey(transactional_db):
    """With 40 responses of 1,200 planned, and a last day."""
    draft = factories.make_survey(
        factories.make_user(),
        title="Habits of people who work at night, in three towns",
        planned_responses=1200,
        close_on=LAST,
    )
    factories.add_question(draft)
    survey = factories.launched(draft)
    store_rows(survey.revision, ["00", "01"] * 20)
    return survey


@pytest.fixture
def row(staff_page, server, survey):
    factories.make_survey(survey.owner, title="A draft")
    over = factories.make_open_survey(survey.owner, title="Over")
    Survey.objects.filter(pk=over.pk).update(state="closed", closed_on=date(2026, 3, 1))
    staff_page.goto(server.url + reverse("surveys:list"))
    return staff_page.get_by_role("row", name=survey.title)


def test_a_survey_says_its_first_and_its_last_day(staff_page, row):
    cells = [cell.inner_text().strip() for cell in row.get_by_role("cell").all()]
    assert cells[2:4] == [day_words(today()), day_words(LAST)]
    over = staff_page.get_by_role("row", name="Over").inner_text()
    assert "1 March 2026" in over
    draft = staff_page.get_by_role("row", name="A draft").get_by_role("cell")
    assert [cell.inner_text().strip() for cell in draft.all()[2:4]] == ["–", "–"]


def test_its_number_and_its_bar_are_those_of_the_dashboard(staff_page, row):
    listed = row.get_by_role("progressbar", name="Responses so far, compared with the plan")
    bars = [listed.evaluate("bar => [bar.value, bar.max]")]
    number = row.get_by_role("cell").nth(1).inner_text().strip()
    row.get_by_role("link").first.click()
    staff_page.wait_for_load_state()
    shown = staff_page.get_by_role("progressbar", name="Responses so far, compared with the plan")
    bars.append(shown.evaluate("bar => [bar.value, bar.max]"))
    assert bars == [[40, 1200], [40, 1200]]
    first = staff_page.locator(".overview .big").first.inner_text()
    assert re.findall(r"[\d,]+", first) == re.findall(r"[\d,]+", number) == ["40", "1,200"]


def test_on_a_phone_it_is_a_card_that_shows_all_of_it(staff_page, row):
    staff_page.set_viewport_size(NARROW)
    wide = staff_page.locator(".scroll").evaluate("one => [one.scrollWidth, one.clientWidth]")
    assert wide[0] <= wide[1]
    cells = row.locator("th, td").all()
    tops = [cell.bounding_box()["y"] for cell in cells]
    assert tops == sorted(set(tops)), "one below the other"
    card = row.bounding_box()
    for cell in cells:
        box = cell.bounding_box()
        assert card["x"] <= box["x"] <= box["x"] + box["width"] <= card["x"] + card["width"]
    words = " ".join(row.inner_text().split())
    assert "Responses 40 of 1,200" in words
    assert f"Last day {day_words(LAST)}" in words


def test_both_looks_are_accessible_and_a_card_is_still_a_row(staff_page, row):
    accessible.check(staff_page, "the list of surveys")
    assert staff_page.viewport_size["width"] == 320
    assert row.get_by_role("cell").count() == 5
