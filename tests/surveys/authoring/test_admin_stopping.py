"""Stopping a sealed survey at once in the admin: asked first, and what was sealed is destroyed."""

import pytest
from django.urls import reverse

from surveys.collecting.services import receive
from surveys.models import Sealed, Survey
from tests.factories import body_of, make_open_survey, sealed_survey
from tests.surveys.authoring.asking import proof_in

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
    assert "has no sealed answers: close it" in client.get(address, follow=True).content.decode()
    assert Survey.objects.get().state == Survey.State.OPEN


def test_a_sealed_survey_is_not_closed_by_hand(client, owner):
    survey = sealed_survey(owner)
    client.force_login(owner)
    address = reverse("admin:surveys_survey_close", args=[survey.pk])
    assert "closes by itself after" in client.get(address, follow=True).content.decode()
    assert Survey.objects.get().state == Survey.State.OPEN
