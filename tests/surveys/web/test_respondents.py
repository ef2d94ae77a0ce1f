"""Respondents' pages come by a way of their own, and are in every byte what the long way gives."""

import re

import pytest
from django.test import Client
from django.urls import get_resolver
from django.utils.translation import get_language

from tests import kept
from tests.bodies import body_of

pytestmark = pytest.mark.django_db
owner, survey = kept.owner, kept.survey
FORM = "application/x-www-form-urlencoded"
KEY = re.compile(rb"\b[0-9a-f]{32}\b")  # of a form for one's own coin: drawn for each page
SHORT = "surveys.web.respondents.RespondentMiddleware"
PATTERNS = [str(one.pattern) for one in get_resolver("surveys.collecting.urls").url_patterns]
NAMES = [pattern.replace("<int:number>", "1") for pattern in PATTERNS]


def received(client: Client, address: str, body: bytes | None = None) -> tuple:
    headers = {"sec-fetch-site": "same-origin"}
    if body is None:
        page = client.get(address, headers=headers)
    else:
        page = client.post(address, body, content_type=FORM, headers=headers)
    return page.status_code, dict(sorted(page.headers.items())), KEY.sub(b"", page.content)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", ["en", "de"])  # the survey reads in English alone
def test_each_page_is_the_same(survey, client, settings, name, language):
    address = f"/{language}/s/{survey.pk}/{name}"
    short = received(client, address)
    settings.MIDDLEWARE = [one for one in settings.MIDDLEWARE if one != SHORT]
    assert short == received(Client(), address)


def test_a_receipt_is_the_same(survey, client, settings):
    address, body = f"/en/s/{survey.pk}/send/", body_of(survey.revision)
    short = received(client, address, body)
    assert short[0] == 200
    settings.MIDDLEWARE = [one for one in settings.MIDDLEWARE if one != SHORT]
    assert short == received(Client(), address, body)


@pytest.mark.parametrize("rest", ["", "/nothing/", "/send", "/send/more/"])
def test_what_is_no_page_of_theirs_goes_the_long_way(survey, client, settings, rest):
    address = f"/en/s/{survey.pk}{rest}"
    found = received(client, address)
    assert found[0] in (301, 404)
    settings.MIDDLEWARE = [one for one in settings.MIDDLEWARE if one != SHORT]
    assert found == received(Client(), address)


def test_no_session_account_or_message_is_looked_for(survey, client):
    request = client.get(f"/en/s/{survey.pk}/").wsgi_request
    assert not {"session", "user", "_messages"} & set(vars(request))


def test_the_language_of_a_page_does_not_stay_behind(survey, client):
    before = get_language()
    client.get(f"/ar/s/{survey.pk}/")
    assert get_language() == before


def test_a_page_is_refused_under_a_name_that_is_not_the_sites(client, survey):
    address = f"/en/s/{survey.pk}/"
    assert client.get(address).status_code == 200
    assert client.get(address, headers={"host": "elsewhere.example"}).status_code == 400
