"""The form for a report on texts: two groups of kinds, and bars of the budget."""

from fractions import Fraction

import pytest
from django.urls import reverse

from analytics.models import Report
from tests import accessible, factories
from tests.analytics import reporting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]


@pytest.fixture
def survey(transactional_db):
    """With a budget of which one report took a quarter."""
    survey = reporting.make_text_survey(factories.make_user())
    reporting.ask_and_make(survey, share=reporting.QUARTER)
    return survey


@pytest.fixture
def overview(staff_page, server, survey):
    staff_page.goto(server.url + reverse("analytics:overview", args=[survey.pk]))
    return staff_page


def test_kinds_to_publish_and_internal_ones_stand_beside_each_other(overview):
    publish = overview.get_by_role("group", name="Reports to publish (paid from the budget)")
    internal = overview.get_by_role(
        "group", name="Internal reports (not charged, never to be published)"
    )
    counts = [group.get_by_role("radio").count() for group in (publish, internal)]
    assert counts == [3, 2]
    assert all("(internal)" in label for label in internal.locator("label").all_inner_texts())
    left, right = publish.bounding_box(), internal.bounding_box()
    assert left["y"] == right["y"]
    assert left["x"] + left["width"] <= right["x"]
    overview.set_viewport_size({"width": 320, "height": 700})
    left, right = publish.bounding_box(), internal.bounding_box()
    assert left["y"] + left["height"] <= right["y"]


def test_bars_say_what_is_used_and_what_each_share_would_use(overview):
    bars = overview.locator("progress.budget").evaluate_all("all => all.map((one) => one.value)")
    used, *then = bars
    assert used == pytest.approx(0.25)
    shares = [Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]
    assert then == pytest.approx([used + float(share) for share in shares])
    assert overview.get_by_role("progressbar").count() == 1, "the words of a share say its bar"
    accessible.check(overview, "the form for a report")


def test_a_kind_and_a_share_are_chosen_with_the_keyboard_alone(overview, survey):
    overview.get_by_label("Private topics").focus()
    overview.keyboard.press("ArrowDown")
    overview.keyboard.press("ArrowDown")
    overview.keyboard.press("Enter")
    overview.wait_for_url("**/reports/*-*/")
    assert Report.objects.filter(kind="private_svd").count() == 1
