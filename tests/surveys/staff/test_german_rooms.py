"""Pages of staff in German have no English sentence left."""

import re
from html.parser import HTMLParser

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from surveys.models import Membership, Survey
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
# Words without which English says hardly a sentence; none of them is German.
ENGLISH = re.compile(r"\b(the|of|and|is|are|with|your|you|that|this|from|by|what|for)\b", re.I)
OWN = "Umfrage 1"


@pytest.fixture
def survey(owner) -> Survey:
    words = {"title": OWN, "introduction": OWN, "organisation": OWN, "contact": "a@example.org"}
    survey = factories.make_survey(owner, invitation_only=True, **words)
    factories.add_question(survey, "Ja", "Nein", text="Frage?")
    ann = User.objects.create_user("ann")
    Membership.objects.create(survey=survey, user=ann, role=Membership.Role.EDITOR)
    return survey


class Seen(HTMLParser):
    """The texts of a page that people see or hear, but what says itself that it is in English."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = "english" if ("lang", "en") in attrs else tag
        named = ("aria-label", "title", "alt", "placeholder")
        self.texts += [value for name, value in attrs if name in named and value]

    def handle_data(self, data: str) -> None:
        if self.inside not in ("script", "style", "english"):
            self.texts.append(data)


def english_in(page: str) -> list[str]:
    seen = Seen()
    seen.feed(page)
    return [text.strip() for text in seen.texts if ENGLISH.search(text)]


REMINDERS = "?first=2026-03-02&last=2026-03-08"
OF_A_SURVEY = (
    "surveys:members",
    "surveys:survey-tokens",
    "surveys:audit",
    "surveys:invitations",
    "surveys:new-mailing",
    "surveys:reminders",
    "ranking:overview",
    "analytics:overview",
    "analytics:ledger",
    "analytics:compare",
    "analytics:private-tree",
    "analytics:compare-groups",
)


@pytest.mark.parametrize("name", OF_A_SURVEY)
def test_a_page_of_a_survey_has_no_english_left(german, survey, name):
    found = german.get(reverse(name, args=[survey.pk])).content.decode()
    assert '<html lang="de">' in found
    assert english_in(found) == []


def test_a_plan_of_reminders_has_no_english_left(german, survey):
    address = reverse("surveys:reminders", args=[survey.pk])
    found = german.get(f"{address}{REMINDERS}&chances=5;60").content.decode()
    assert "Bester Zeitplan, zufällig gezogen" in found
    assert english_in(found) == []


@pytest.mark.parametrize(
    "name",
    ["mfa_activate_totp", "mfa_list_webauthn", "mfa_add_webauthn"],
)
def test_a_page_of_second_factors_has_no_english_left(german, name):
    reply = german.get(reverse(name), follow=True)
    assert english_in(reply.content.decode()) == []


def test_a_page_that_is_not_there_leads_back_in_german(german, survey):
    reply = german.get(reverse("analytics:groups", args=[survey.pk]))  # of a draft
    assert reply.status_code == 404
    assert "Zu Ihren Umfragen" in reply.content.decode()
    assert english_in(reply.content.decode()) == []


def test_english_is_seen():
    assert english_in('<p title="Look at this">Alles da</p><p>Two of them</p>') == [
        "Look at this",
        "Two of them",
    ]
