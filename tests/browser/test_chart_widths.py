"""Charts fill their card, their labels stand beside their bars, and a guess is not in bold."""

import re

import pytest
from django.urls import reverse

from surveys.models import Question
from tests import accessible, factories
from tests.stored import store_rows

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
# How much of the card's inside a picture leaves free on its right side, in pixels.
FREE = """picture => {
  const card = picture.closest('.card'), style = getComputedStyle(card);
  const inside = card.getBoundingClientRect().right - parseFloat(style.paddingRight) - 1;
  return inside - picture.getBoundingClientRect().right;
}"""
WEIGHT = "one => getComputedStyle(one).fontWeight"


def draft_of_two(owner):
    draft = factories.make_survey(owner)
    factories.add_question(draft)
    kinds = ("On foot or by bicycle", "By bus, tram or train", "By car")
    factories.add_question(
        draft, *kinds, kind=Question.Kind.CHOICE, design=Question.Design.DIRECT, text="How?"
    )
    return draft


@pytest.fixture
def survey(transactional_db):
    survey = factories.launched(draft_of_two(factories.make_user()))
    store_rows(survey.revision, ["0000", "0101", "0102", "0001"] * 60)
    return survey


@pytest.mark.parametrize("width", [320, 700, 1280])
def test_a_chart_of_a_dashboard_is_as_wide_as_its_card(staff_page, server, survey, width):
    staff_page.set_viewport_size({"width": width, "height": 800})
    staff_page.goto(server.url + reverse("surveys:dashboard", args=[survey.pk]))
    assert staff_page.evaluate(accessible.DRAWN)
    charts = staff_page.locator(".question .chart").all()
    assert len(charts) == 2
    assert all(abs(chart.evaluate(FREE)) <= 1 for chart in charts)


def test_a_chart_of_the_planner_is_as_wide_as_its_card(staff_page, server, survey):
    staff_page.goto(server.url + reverse("surveys:planner"))
    assert staff_page.evaluate(accessible.DRAWN)
    charts = staff_page.locator(".chart").all()
    assert charts
    assert all(abs(chart.evaluate(FREE)) <= 1 for chart in charts)
    letters = charts[0].evaluate("one => one.getBoundingClientRect().width / one.naturalWidth")
    assert letters == pytest.approx(1, abs=0.05), "drawn for this width: letters keep their size"


def test_of_too_few_answers_the_estimate_is_not_in_bold(staff_page, server, survey):
    few = factories.launched(draft_of_two(survey.owner))
    store_rows(few.revision, ["0000", "0101", "0102"])
    for shown, weight in ((survey, "600"), (few, "400")):
        staff_page.goto(server.url + reverse("surveys:dashboard", args=[shown.pk]))
        question = staff_page.locator(".question").first
        assert question.get_by_text("Too few answers to say anything").count() == (weight == "400")
        assert question.locator(".lead").evaluate(WEIGHT) == weight
        question.locator("summary").first.click()
        estimate = question.get_by_role("row", name=re.compile("^Yes")).first
        assert estimate.locator("strong").count() == (weight == "600")
