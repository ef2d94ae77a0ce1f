"""Every page of staff is in German for who chose it, and has no English sentence left."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils.translation import override

from surveys.models import Survey
from surveys.models.queries import printed_digest, revision_of
from surveys.staff.audit import words as audit_words
from tests import factories
from tests.ranking import rated
from tests.staff_pages import Site
from tests.surveys.staff.test_german_pages import english_in, own_words
from tests.tour import enter, opened

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
# What the site's authors wrote outside a survey's own texts, and what is typed as it stands.
WRITTEN = ("Evaluation team", "Please answer", "or type", "your answer to question")
OF_A_SURVEY = re.compile(r"/surveys/[0-9a-f-]{36}/")
LEAD_ON = {"login", "account_login"}  # of people who are logged in


def test_every_page_of_staff_has_no_english_left_and_leads_back_to_its_survey(client):
    site = Site(factories.make_user("root", superuser=True))
    places = site.places()
    enter(client, site.root.username)
    client.post(reverse("staff_language"), {"language": "de"})
    surveys = Survey.objects.all()
    own = {words for survey in surveys for words in own_words(survey)}
    # Drawn digits: one code in a thousand ends in "by".
    own |= {printed_digest(survey.pk) for survey in surveys if revision_of(survey)}
    longest_first = sorted({*own, *WRITTEN}, key=len, reverse=True)
    names = [name for name in places if name not in LEAD_ON]
    pages = {name: opened(client, places[name]).content.decode() for name in names}
    # A preview is in the language of its survey.
    left = {
        name: english_in(page, *longest_first)
        for name, page in pages.items()
        if "preview" not in name
    }
    assert {name: found for name, found in left.items() if found} == {}
    for name, page in pages.items():
        if found := OF_A_SURVEY.match(places[name]):
            assert f'href="{found[0]}"' in page or name == "surveys:dashboard", name


def test_what_an_import_refuses_is_said_in_german(german, owner):
    catalogue = rated.make_catalogue(owner, "Algebra")
    address = reverse("admin:surveys_catalogue_import", args=[catalogue.pk])
    lines = "Algebra,1,2\nB,x,2\nC,1\n"
    file = SimpleUploadedFile("items.csv", lines.encode())
    found = german.post(address, {"file": file, "_preview": "1"}).content.decode()
    assert "Zeile 2: Anzahl 1 muss eine Zahl ab 0 sein, nicht „x“" in found
    assert english_in(found) == []
    late = german.post(address, {"_import": "1"}).content.decode()
    assert (
        "Es wurde nichts importiert, weil die gewählte Datei schon importiert oder verworfen wurde."
        in late
    )


def test_what_the_form_of_an_item_refuses_is_said_in_german(german, owner):
    item = rated.make_catalogue(owner, "Algebra").items.get()
    address = reverse("admin:surveys_catalogueitem_change", args=[item.pk])
    found = german.post(address, {"name": "A\u200b", "starting": "[-1]"}).content.decode()
    assert "enthält das unsichtbare Zeichen U+200B" in found
    assert "Schreiben Sie ganze Zahlen von 0 bis 1.000.000.000.000." in found
    assert english_in(found) == []


def test_permissions_are_those_that_count_and_in_german(client):
    client.force_login(factories.make_user("root", superuser=True))
    client.post(reverse("staff_language"), {"language": "de"})
    found = client.get(reverse("admin:auth_group_add")).content.decode()
    assert "Benutzer anlegen" in found
    assert "surveys" not in found.partition("id_permissions")[2].partition("</select>")[0]


def test_a_page_of_the_admin_that_is_not_there_is_in_german_too(german):
    assert english_in(german.get("/admin/nothing/").content.decode()) == []


def test_the_log_translates_its_own_words_and_leaves_those_of_people():
    with override("de"):
        assert audit_words.value("contact", "changed") == "geändert"
        assert audit_words.value("role", "analyst") != "analyst"
        assert audit_words.value("title", "changed") == "changed"
        assert audit_words.value("question 1: text", "analyst") == "analyst"
