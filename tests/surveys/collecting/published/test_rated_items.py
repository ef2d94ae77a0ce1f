"""The names of a survey's rated items are public, and agree with the launched document."""

import json

import pytest
from django.db.models import Sum
from django.db.models.functions import Length

from surveys.models import Catalogue, CatalogueItem
from surveys.questionnaire.ratings import catalogue_digest
from tests.factories import add_rating, launched, make_rating_survey, make_survey

pytestmark = pytest.mark.django_db
STRANGE = (
    "<b>bold</b></script>",
    "He said \"no\" & 'yes'",
    "\u202bעברית العربية\u202c",
    "👩‍🔬 and 🇩🇪",
    "two\nlines\u2028and a third",
    "\\u0041",
)


def file_of(client, survey, number):
    return client.get(f"/en/s/{survey.pk}/items-{number}.json")


def survey_rating(owner, names, **fields):
    survey = make_survey(owner)
    catalogue = Catalogue.objects.create(owner=owner, name="Any")
    CatalogueItem.objects.bulk_create(
        CatalogueItem(catalogue=catalogue, number=number, name=name)
        for number, name in enumerate(names, 1)
    )
    add_rating(survey, catalogue=catalogue, shown=2, required=True, **fields)
    return launched(survey)


def promised_digest(client, survey, number):
    document = json.loads(client.get(f"/en/s/{survey.pk}/revision.json").content)
    return document["items"][number - 1]["rated"]["digest"]


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_the_names_agree_with_the_digest_in_the_launched_document(client, owner, number):
    survey = make_rating_survey(owner)
    reply = file_of(client, survey, number)
    names = json.loads(reply.content)["names"]
    assert catalogue_digest(enumerate(names, 1)) == promised_digest(client, survey, number)
    assert reply.headers["Content-Type"] == "application/json"


def test_names_in_every_script_stay_as_they_were_written(client, owner):
    survey = survey_rating(owner, STRANGE)
    names = json.loads(file_of(client, survey, 1).content)["names"]
    assert names == list(STRANGE)
    assert catalogue_digest(enumerate(names, 1)) == promised_digest(client, survey, 1)


def test_up_to_65536_bytes_of_names_are_one_file_and_one_byte_more_are_none(client, owner):
    names = [*(f"{number:0200}" for number in range(327)), "a" * 136]
    fits = survey_rating(owner, names)
    assert CatalogueItem.objects.aggregate(n=Sum(Length("name")))["n"] == 65_536
    assert file_of(client, fits, 1).status_code == 200
    Catalogue.objects.filter(name="Any").update(name="Other")
    assert file_of(client, survey_rating(owner, [*names, "é"]), 1).status_code == 404


def test_a_question_that_shows_promising_items_more_often_has_no_file(client, owner):
    survey = survey_rating(owner, ["A", "B", "C"], adaptive=True)
    assert file_of(client, survey, 1).status_code == 404


@pytest.mark.parametrize("number", ["0", "5", "99999999999999999999", "-1", "x", "%F0"])
def test_there_is_no_file_of_what_rates_nothing(client, owner, number):
    assert file_of(client, make_rating_survey(owner), number).status_code == 404


def test_a_draft_has_no_file(client, owner):
    survey = make_survey(owner)
    add_rating(survey)
    assert file_of(client, survey, 1).status_code != 200
