"""Staff choose the language of their pages; respondents' pages know nothing of it."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.urls import URLResolver, get_resolver, reverse

from surveys.models import Membership, Survey
from surveys.staff.audit.services import record
from surveys.web.languages import FILES, has_staff_language
from tests import factories
from tests.question_forms import question_form
from tests.surveys.authoring.asking import page_of

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_database,
]
LIST, CHOICE = reverse("surveys:list"), reverse("staff_language")
GERMAN = {"headers": {"Accept-Language": "de-AT, de;q=0.9, en;q=0.5"}}


def page(client, address: str, **asked: object) -> str:
    reply = client.get(address, **asked)
    assert reply.status_code == 200
    return reply.content.decode()


@pytest.mark.parametrize(
    ("wanted", "language"),
    [
        ("de", "de"),
        ("de-AT, en;q=0.8", "de"),
        ("fr, de;q=0.5", "de"),
        ("en-GB, de;q=0.9", "en"),
        ("fr", "en"),
        ("*", "en"),
        ("", "en"),
        ("d" * 5000, "en"),
    ],
)
def test_a_page_is_in_the_language_of_the_browser(client, wanted, language):
    found = page(client, reverse("login"), headers={"Accept-Language": wanted})
    assert f'<html lang="{language}">' in found
    assert {"de": "<h1>Anmelden</h1>", "en": "<h1>Log in</h1>"}[language] in found


def test_what_a_person_chooses_counts_more_than_their_browser(staff):
    assert "Keine" not in page(staff, LIST)
    reply = staff.post(CHOICE, {"language": "de", "next": f"{LIST}?q=x"})
    assert reply.url == f"{LIST}?q=x"
    assert "<h1>Umfragen</h1>" in page(staff, LIST)
    staff.post(CHOICE, {"language": "en"})
    assert "<h1>Surveys</h1>" in page(staff, LIST, **GERMAN)


@pytest.mark.parametrize("language", ["fr", "xx", "", "\0", "de-DE"])
def test_only_languages_of_staff_can_be_chosen(staff, language):
    page_again = staff.post(CHOICE, {"language": language})
    assert page_again.status_code in (200, 400)
    assert '<html lang="en">' in page(staff, LIST)


@pytest.mark.parametrize("where", ["https://example.org/", "//example.org", "/\\example.org", "x"])
def test_the_choice_leads_to_no_other_site(staff, where):
    assert staff.post(CHOICE, {"language": "de", "next": where}).url == LIST


def test_every_page_of_staff_leads_to_the_choice(staff, survey):
    admin = reverse("admin:surveys_survey_change", args=[survey.pk])
    for address in (LIST, reverse("surveys:dashboard", args=[survey.pk]), admin):
        assert f'href="{CHOICE}?next={address}"' in page(staff, address)


def test_a_file_is_in_english_as_a_whole(staff, survey):
    stored = staff.get(reverse("surveys:audit-csv", args=[survey.pk]), **GERMAN)
    assert stored.headers["Content-Language"] == "en"
    assert staff.get(LIST, **GERMAN).headers["Content-Language"] == "de"


def test_numbers_are_written_as_the_language_writes_them(staff, owner):
    factories.make_survey(owner, planned_responses=12345)
    assert "0 von 12.345" in page(staff, LIST, **GERMAN)
    assert "0 of 12,345" in page(staff, LIST)


@pytest.fixture
def german(staff):
    staff.post(CHOICE, {"language": "de"})
    return staff


def test_an_author_writes_a_survey_in_german(german, owner):
    """From the first steps to the checklist; what the draft asks is in German too."""
    first = reverse("admin:surveys_survey_first_steps")
    assert "Beginnen Sie mit einem Entwurf" in page(german, first)
    questions = page(german, german.post(first, {"template": "prevalence"}).url)
    assert "wurde als Ihr Entwurf angelegt" in questions
    assert "Schreiben Sie, wer fragt." in questions
    assert "Wie viele Stunden arbeiten Sie" in questions
    assert "die Chancen einer Vermutung über eine Person ändern sich höchstens 4-fach" in questions
    survey = Survey.objects.get()
    assert (survey.language, survey.title) == ("de", "Gewohnheiten bei der Arbeit")
    Survey.objects.update(organisation="Institut", contact="a@example.org", opening="live")
    asked = {"people": "20", "shares1": "12,5; 80; 7,5"}
    found = page(german, page_of(survey, "checklist"), data=asked)
    for words in (
        "Alle Antworten einer Person zusammen: Epsilon 3,00",
        "Geplante Antworten: 1.000. Die Ergebnisse werden gelesen: einmal.",
        "95-%-Intervall",
    ):
        assert words in found


def test_a_form_that_is_wrong_says_so_in_german(german, owner):
    survey = factories.make_survey(owner)
    factories.add_question(survey)
    asked = {"people": "7", "shares1": "50; 60; 10"}
    found = page(german, page_of(survey, "checklist"), data=asked)
    assert "Geben Sie eine ganze Zahl von 20 bis 500 ein." in found
    assert "Die Prozentzahlen ergeben zusammen 120 %" in found


def test_respondents_pages_do_not_know_what_staff_chose(staff, survey):
    staff.post(CHOICE, {"language": "de"})
    start = reverse("respondent:start", args=[survey.pk])
    reply = staff.get(start, **GERMAN)
    assert '<html lang="en">' in reply.content.decode()
    assert not reply.cookies
    assert CHOICE not in reply.content.decode()


OUTSIDERS = ("respondent:", "posted:", "releases:", "short", "source", "documentation")


def test_every_page_of_staff_has_a_language_and_no_other_page_has():
    """What is not a file, that is; ``test_german_everywhere`` reads the pages."""
    found = dict(pages_of(get_resolver()))
    outside = {name for name, address in found.items() if not has_staff_language(address)}
    files = {name for name, address in found.items() if address.endswith(FILES)}
    assert outside - files == {name for name in found if name.startswith(OUTSIDERS)} - files
    assert [code for code, _ in settings.STAFF_LANGUAGES] == ["en", "de"]


def pages_of(resolver: URLResolver, space: str = "", above: str = "/") -> Iterator[tuple[str, str]]:
    """The name and the address of every page that has a name."""
    for pattern in resolver.url_patterns:
        address = above + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            names = f"{pattern.namespace}:" if pattern.namespace else space
            yield from pages_of(pattern, names, address)
        elif pattern.name:
            yield f"{space}{pattern.name}", address


def test_the_form_of_a_question_is_in_german_and_reads_its_own_words(german, owner):
    survey = factories.make_survey(owner)
    question = factories.add_question(survey, "Nie", "Oft", kind="scale")
    address = reverse("admin:surveys_question_change", args=[question.pk])
    found = page(german, address)
    for words in ("Skala (geordnete Auswahl)", "Bei einer Pflichtfrage können", "Zwei Münzen"):
        assert words in found
    typed = question_form(text="?", kind="scale", option_lines="Nie\nNie")
    refused = german.post(address, typed).content.decode()
    assert "Die Antworten 1 und 2 haben denselben Wortlaut: Nie" in refused
    german.post(address, {**typed, "option_lines": "Nie\nImmer", "first_day": "31.12.2026"})
    assert list(question.options.values_list("text", flat=True)) == ["Nie", "Immer"]


def test_members_and_the_log_of_what_they_did_are_in_german(german, survey, owner):
    ann = User.objects.create_user("ann")
    member = Membership.objects.create(survey=survey, user=ann, role=Membership.Role.EDITOR)
    address = reverse("surveys:change-member", args=[survey.pk, member.pk])
    german.post(address, {"role": "analyst"})
    members = page(german, reverse("surveys:members", args=[survey.pk]))
    for words in ("ann hat in dieser Umfrage jetzt die Rolle Auswertung.", "Umfrage übergeben"):
        assert words in members
    log = page(german, reverse("surveys:audit", args=[survey.pk]))
    assert "<td>Rolle geändert</td>" in log
    assert "Rolle: Bearbeitung → Auswertung" in log
    stored = german.get(reverse("surveys:audit-csv", args=[survey.pk]))
    assert "role changed" in b"".join(stored).decode()


def test_the_log_names_designs_as_the_form_of_a_question_does(german, survey, owner):
    before, after = {"question 1: design": "two_coins"}, {"question 1: design": "k_ary"}
    record("edited", by=owner, survey=survey, before=before, after=after)
    log = page(german, reverse("surveys:audit", args=[survey.pk]))
    assert "Zwei Münzen → k-är, nach Epsilon" in log
    stored = german.get(reverse("surveys:audit-csv", args=[survey.pk]))
    assert "two_coins" in b"".join(stored).decode()
