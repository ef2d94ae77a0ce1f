"""The demonstration's second survey: three simulated weeks, each with a real opening."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from surveys.demonstration.weekly import PEOPLE_A_WEEK, WEEK, WEEKS, open_weekly_survey
from surveys.models import Openings, Response, Sealed
from surveys.models.queries import opened_responses

pytestmark = pytest.mark.django_db(transaction=True)


def test_half_of_what_waits_is_open_each_week_and_the_dashboard_says_when_the_next_is(
    client, owner
):
    survey = open_weekly_survey(owner)
    opened, waits = 0, 0
    for _ in range(WEEKS):
        waits += PEOPLE_A_WEEK
        opened, waits = opened + waits // 2, waits - waits // 2
    assert opened_responses(survey.revision.pk).count() == opened
    assert Openings.objects.get().done == WEEKS
    assert (Response.objects.count(), Sealed.objects.count()) == (opened, waits)
    client.force_login(owner)
    page = client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    words = " ".join(page.split())
    today = timezone.now().date()
    assert f"Results as of the opening on <strong>{date_format(today, 'j F Y')}" in words
    assert f"The next opening is on <strong>{date_format(today + WEEK, 'j F Y')}" in words
    assert "At least 300 answers had arrived on" in words


def test_it_is_opened_once(owner):
    survey = open_weekly_survey(owner)
    assert open_weekly_survey(owner) == survey
    assert survey.close_on > timezone.now().date() + timedelta(days=20)
