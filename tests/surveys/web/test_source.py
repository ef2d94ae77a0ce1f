"""Every page leads to the program's licence and source, as section 13 of the AGPL asks."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.urls import reverse

from surveys import VERSION
from tests.factories import make_open_survey, make_user
from tests.tour import respondent_pages

ROOT = Path(__file__).parents[3]
LINK = 'href="/source/"'


def test_respondents_and_error_pages_lead_to_the_source(client, db):
    survey = make_open_survey(make_user())
    pages = [*respondent_pages(survey)[:3], "/nothing/here/"]
    assert all(LINK in client.get(page).content.decode() for page in pages)


def test_staffs_pages_the_login_and_the_admin_lead_to_the_source(client, db):
    assert LINK in client.get(reverse("login")).content.decode()
    client.force_login(make_user(superuser=True))
    for page in (reverse("surveys:list"), reverse("surveys:planner"), reverse("admin:index")):
        assert LINK in client.get(page).content.decode(), page


def test_the_page_names_version_licence_and_where_the_source_is(client, settings):
    settings.SOURCE_URL = "https://example.org/our-source?v=1&w=2"
    page = client.get(reverse("source"))
    words = page.content.decode()
    assert VERSION in words
    assert "Affero General Public License" in words
    assert 'href="https://example.org/our-source?v=1&amp;w=2"' in words
    assert not page.cookies


def test_without_an_address_the_page_says_whom_to_ask(client, settings):
    settings.SOURCE_URL = ""
    assert "have not said where its source is. Ask them." in " ".join(
        client.get(reverse("source")).content.decode().split()
    )


@pytest.mark.parametrize("word", ["version", "--version"])
def test_the_command_line_says_the_programs_version_and_not_djangos(word):
    command = [sys.executable, "manage.py", word]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert said == f"Deniable {VERSION}\n"
