"""Links to the page of respondents are in the survey's own language, not in that of the page."""

import pytest
from django.urls import reverse

from surveys.questionnaire.short_names import short_name
from tests import factories
from tests.surveys.authoring.asking import confirm
from tests.surveys.fieldwork.inviting import make_sheets, words

pytestmark = pytest.mark.survey(language="es")


@pytest.mark.parametrize("name", ["list", "dashboard"])
def test_pages_of_staff_link_to_the_language_of_the_survey(german, survey, name):
    address = reverse(f"surveys:{name}", args=[survey.pk] if name == "dashboard" else [])
    page = german.get(address).content.decode()
    assert f"/es/s/{survey.pk}/" in page
    assert f"/de/s/{survey.pk}/" not in page


def test_a_launch_leads_to_the_language_of_the_survey(german, owner):
    draft = factories.make_survey(owner, language="es", batch_size=20)
    factories.add_question(draft)
    told = confirm(german, draft, "launch").content.decode()
    assert f'/es/s/{draft.pk}/">' in told
    assert f"/de/s/{draft.pk}/" not in told


def test_sheets_of_invitations_lead_to_the_language_of_the_survey(german, owner):
    survey = factories.make_invited_survey(owner, language="es")
    assert f"/es/s/{survey.pk}/#" in words(make_sheets(german, survey, 1))


def test_what_is_typed_off_a_sheet_leads_to_the_language_of_the_survey(client, owner):
    survey = factories.make_invited_survey(owner, language="es")
    reply = client.get(reverse("short", args=[short_name(survey.pk)]))
    assert reply.headers["Location"] == f"/es/s/{survey.pk}/"
