"""Stopping a sealed survey at once in the admin: asked first, and what was sealed is destroyed."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils.formats import date_format

from surveys.collecting.services import receive
from surveys.models import Sealed, Survey
from tests.bodies import body_of
from tests.factories import make_open_survey, sealed_survey
from tests.surveys.authoring.asking import proof_in
from tests.surveys.authoring.test_admin import change, form_of

pytestmark = pytest.mark.django_db


def test_stopping_asks_first_and_then_destroys_what_is_sealed(client, owner):
    survey = sealed_survey(owner)
    for _ in range(5):
        receive(survey_id=survey.pk, body=body_of(survey.revision))
    client.force_login(owner)
    address = reverse("admin:surveys_survey_stop", args=[survey.pk])
    chosen = {"action": "stop", "_selected_action": str(survey.pk)}
    reply = client.post(reverse("admin:surveys_survey_changelist"), chosen)
    assert reply.url == address
    page = client.post(address, {"confirmed": "yes"}).content.decode()
    assert "destroyed unread" in page
    assert Sealed.objects.exists()
    client.post(address, {"shown": proof_in(page)})
    assert not Sealed.objects.exists()
    assert Survey.objects.get().state == Survey.State.CLOSED


def test_a_survey_that_seals_nothing_is_closed_and_not_stopped(client, owner):
    survey = make_open_survey(owner)
    client.force_login(owner)
    address = reverse("admin:surveys_survey_stop", args=[survey.pk])
    assert (
        "cannot be stopped, because it has no sealed answers"
        in client.get(address, follow=True).content.decode()
    )
    assert Survey.objects.get().state == Survey.State.OPEN


def test_a_sealed_survey_is_not_closed_by_hand(client, owner):
    survey = sealed_survey(owner)
    client.force_login(owner)
    address = reverse("admin:surveys_survey_close", args=[survey.pk])
    assert (
        "The survey closes automatically after" in client.get(address, follow=True).content.decode()
    )
    assert Survey.objects.get().state == Survey.State.OPEN


def test_beside_a_refused_last_day_the_page_says_the_one_that_holds(client, owner):
    survey = sealed_survey(owner)
    client.force_login(owner)
    refused = survey.close_on - timedelta(days=29)
    page = client.post(change(survey), {**form_of(survey), "close_on": str(refused)})
    words = page.content.decode()
    assert "so an earlier last day needs some days of notice" in words
    assert f"After the last day, {date_format(survey.close_on)}, all answers are opened" in words
