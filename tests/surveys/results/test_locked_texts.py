"""What staff's pages and files say where this server cannot read the texts."""

import json

import pytest
from django.urls import reverse

from surveys.collecting.services import receive
from surveys.models import Membership
from surveys.operations.retention import keep_dates
from surveys.staff.roles import Role
from tests.bodies import body_of
from tests.factories import after_the_close, make_user
from tests.locked_texts import answers_with, locked_survey
from tests.surveys.authoring.text_keys import new_key

pytestmark = pytest.mark.django_db
FIRST, SECOND = new_key("Registry"), new_key("Institute")


@pytest.fixture
def survey(owner):
    survey = locked_survey(owner, FIRST, SECOND)
    for codes in answers_with(survey, ["written", "", "a", "b", "c"]):
        receive(survey_id=survey.pk, body=body_of(survey.revision, codes))
    keep_dates(now=after_the_close(survey))
    return survey


def words(client, name: str, survey) -> str:
    return " ".join(client.get(reverse(name, args=[survey.pk])).content.decode().split())


def test_the_dashboard_says_who_opens_the_texts_and_links_to_them(survey, staff):
    page = words(staff, "surveys:dashboard", survey)
    assert "This server cannot read the texts and cannot find out who wrote a text." in page
    assert "The holders of both keys together open the file" in page
    assert "deniable texts open texts-2.json KEY1 KEY2 --into texts.csv" in page
    assert reverse("surveys:sealed-texts", args=[survey.pk, 2]) in page
    assert reverse("surveys:texts", args=[survey.pk]) not in page
    assert "people wrote something" not in page


def test_with_one_key_its_holder_opens_them(staff, owner):
    page = words(staff, "surveys:dashboard", locked_survey(owner, FIRST))
    assert "The holder of the key opens the file" in page
    assert "deniable texts open texts-2.json KEY --into texts.csv" in page


def test_only_the_owner_is_offered_the_file(client, survey):
    member = make_user("analyst")
    Membership.objects.create(survey=survey, user=member, role=Role.ANALYST)
    client.force_login(member)
    page = words(client, "surveys:dashboard", survey)
    assert "The survey's owner can download the locked texts." in page
    assert reverse("surveys:sealed-texts", args=[survey.pk, 2]) not in page


def test_there_is_no_file_of_readable_texts(survey, staff):
    assert staff.get(reverse("surveys:texts", args=[survey.pk])).status_code == 404


def test_the_codebook_names_the_keys_and_how_to_open(survey, staff):
    book = json.loads(staff.get(reverse("surveys:codebook", args=[survey.pk])).content)
    assert [key["name"] for key in book["texts_sealed_for"]["keys"]] == ["Registry", "Institute"]
    assert "no server can read it" in book["how_to_read_texts"]
    assert [text["number"] for text in book["texts"]] == [2]


def test_no_report_is_made_here_and_the_page_says_why(survey, staff):
    page = words(staff, "analytics:overview", survey)
    assert "The texts are locked" in page
    assert "(Registry, Institute) open the texts together" in page
    assert 'id="ask"' not in page
