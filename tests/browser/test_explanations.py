"""Fields for explanations on the page of a survey: in reach of all, on wide and narrow screens."""

import pytest
from django.urls import reverse

from tests import accessible, factories
from tests.browser.test_admin_reflow import check_that_nothing_overflows

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.survey(make=factories.make_survey),
]


def test_fields_beside_our_sentences_are_in_reach_of_all(staff_page, server, survey):
    address = reverse("admin:surveys_survey_change", args=[survey.pk])
    survey.explanations = {"thanks": "Thank you *all*."}
    survey.save()
    check_that_nothing_overflows(staff_page, server, address)
    staff_page.set_viewport_size({"width": 1280, "height": 800})
    staff_page.goto(server.url + address)
    accessible.check(staff_page, "a survey with explanations of its own")
    field = staff_page.get_by_label("Rankings: How to rank")
    field.fill("Number *all*.")
    staff_page.get_by_role("button", name="Save and continue editing").click()
    assert staff_page.get_by_label("Rankings: How to rank").input_value() == "Number *all*."
