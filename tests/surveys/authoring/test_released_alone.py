"""The choice that direct answers come to light as released tables alone, as its author meets it."""

import re

import pytest
from django.urls import reverse

from surveys.models import Survey
from tests.analytics.releasing import draft, promise
from tests.question_forms import survey_form
from tests.surveys.authoring.asking import confirm, page_of

pytestmark = pytest.mark.django_db


def change(survey: Survey) -> str:
    return reverse("admin:surveys_survey_change", args=[survey.pk])


def test_the_form_explains_the_choice_and_keeps_it(as_owner, owner):
    survey = draft(owner, released_together=None)
    promise(survey)
    page = as_owner.get(change(survey)).content.decode()
    assert "As they are given: staff see and count direct answers exactly" in page
    no_one = (
        "no one, including you, sees or downloads a single direct answer or an exact count of "
        "direct answers"
    )
    assert no_one in page
    changes = {"released_together": "2", "release_share": "60"}
    reply = as_owner.post(change(survey), survey_form(survey, **changes), follow=True)
    assert reply.status_code == 200
    survey.refresh_from_db()
    assert (survey.released_together, survey.release_share) == (2, 60)


@pytest.mark.parametrize("share", ["0", "101", "-5", "1e400", "NaN"])
def test_a_share_that_is_no_part_of_the_budget_is_refused(as_owner, owner, share):
    survey = draft(owner)
    reply = as_owner.post(change(survey), survey_form(survey, release_share=share))
    assert "errorlist" in reply.content.decode()
    survey.refresh_from_db()
    assert survey.release_share is None


def test_the_launch_says_what_is_fixed_and_how_sure_the_tables_will_be(as_owner, owner):
    survey = draft(owner)
    promise(survey)
    page = as_owner.get(page_of(survey, "launch")).content.decode()
    assert "Direct answers are shown only as 2 tables with random numbers added" in page
    assert "at up to 1 opening." in page
    assert re.search(
        r"In 95 of 100 cases, a typical count in these tables is off by at most [\d.,]+ people "
        r"at the close\.",
        page,
    )
    assert (
        "people who run this survey see neither these answers nor exact counts of these answers"
        in page
    )
    confirm(as_owner, survey, "launch")
    assert Survey.objects.get(pk=survey.pk).state == "open"


def test_a_draft_that_cannot_keep_it_says_what_to_do_and_is_not_launched(as_owner, owner):
    survey = draft(owner)
    reply = as_owner.get(page_of(survey, "launch"), follow=True)
    needed = (
        "To show direct answers only in released tables, set a budget for free texts and tables of "
        "answers."
    )
    assert needed in reply.content.decode()
    assert Survey.objects.get(pk=survey.pk).state == "draft"
