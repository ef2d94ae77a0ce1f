"""Stopping a sealed survey at once in the admin: asked first, and what was sealed is destroyed."""

import pytest
from django.urls import reverse

from surveys.collecting.services import receive
from surveys.models import Sealed, Survey
from tests.factories import body_of, sealed_survey

pytestmark = pytest.mark.django_db


def test_stopping_asks_first_and_then_destroys_what_is_sealed(client, owner):
    survey = sealed_survey(owner)
    for _ in range(5):
        receive(survey_id=survey.pk, body=body_of(survey.revision))
    client.force_login(owner)
    address = reverse("admin:surveys_survey_changelist")
    chosen = {"action": "stop", "_selected_action": str(survey.pk)}
    page = client.post(address, chosen).content.decode()
    assert "destroyed unread" in page
    assert Sealed.objects.exists()
    client.post(address, {**chosen, "confirmed": "yes"})
    assert not Sealed.objects.exists()
    assert Survey.objects.get().state == Survey.State.CLOSED
