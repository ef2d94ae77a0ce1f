"""Respondents' pages in several languages: the address says which one."""

import pytest

from surveys.authoring.services import launch
from surveys.models import Survey
from tests.factories import add_question, make_survey
from tests.translated import make_translated, translate_all

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_static_files")]


def address(survey: Survey, language: str, page: str = "") -> str:
    return f"/{language}/s/{survey.pk}/{page}"


def test_the_address_says_in_which_language_a_page_is(client, owner):
    survey = make_translated(owner, "ar")
    english = client.get(address(survey, "en")).content.decode()
    arabic = client.get(address(survey, "ar")).content.decode()
    assert '<html lang="en">' in english
    assert '<html lang="ar" dir="rtl">' in arabic
    assert "Habits and health عربي" in arabic
    assert "health عربي" not in english


def test_what_a_browser_asks_for_changes_no_page_of_a_survey(client, owner):
    survey = make_translated(owner, "de")
    asked = client.get(address(survey, "en"), headers={"Accept-Language": "de"})
    assert '<html lang="en">' in asked.content.decode()


def test_the_first_page_leads_to_the_other_languages_in_their_own_words(client, owner):
    survey = make_translated(owner, "de", "ar")
    page = client.get(address(survey, "de")).content.decode()
    assert f'href="{address(survey, "ar")}" lang="ar" hreflang="ar"' in page
    assert ">العربية</a>" in page
    assert ">English</a>" in page
    assert ">Deutsch</a>" not in page


def test_a_survey_in_one_language_leads_nowhere(client, owner):
    draft = make_survey(owner)
    add_question(draft)
    launch(survey=draft, by=owner)
    assert "hreflang" not in client.get(address(draft, "en")).content.decode()


@pytest.mark.parametrize("page", ["", "own-coin/", "how-it-works/"])
def test_an_address_in_a_language_that_is_not_offered_leads_to_the_authors_own(client, owner, page):
    draft = make_survey(owner, language="de", also_in="ar")
    add_question(draft)
    translate_all(draft, "ar")
    launch(survey=draft, by=owner)
    for asked in ("en", "fr"):
        reply = client.get(address(draft, asked, page))
        assert reply.status_code == 302
        assert reply.headers["Location"] == address(draft, "de", page)
        assert not reply.cookies
    assert client.get(address(draft, "ar", page)).status_code == 200


@pytest.mark.parametrize("page", ["own-coin/", "how-it-works/"])
def test_every_page_is_in_the_language_of_its_address(client, owner, page):
    survey = make_translated(owner, "ar")
    assert '<html lang="ar" dir="rtl">' in client.get(address(survey, "ar", page)).content.decode()


def test_a_closed_survey_says_so_in_the_language_of_the_address(client, owner):
    survey = make_translated(owner, "ar")
    Survey.objects.filter(pk=survey.pk).update(state=Survey.State.CLOSED)
    reply = client.get(address(survey, "ar"))
    assert reply.status_code == 410
    assert '<html lang="ar" dir="rtl">' in reply.content.decode()


def test_a_page_that_is_not_there_is_missing_in_the_language_of_the_address(client):
    reply = client.get("/ar/s/00000000-0000-4000-8000-000000000000/")
    assert reply.status_code == 404
    assert '<html lang="ar" dir="rtl">' in reply.content.decode()


def test_all_codes_of_languages_have_two_letters(settings):
    assert {len(code) for code, _ in settings.LANGUAGES} == {2}
