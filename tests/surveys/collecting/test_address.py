"""Respondents' pages with "du" and "tu": the survey chooses, and its launched document says so."""

import html
import json
import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils.translation import override

from surveys.authoring.drafts import draft_questionnaire
from surveys.authoring.editor.copies import copy_survey
from surveys.authoring.importing.exports import definition_of
from surveys.fieldwork.samples import invitation_sample, reminder_sample
from surveys.models import Survey
from surveys.models.queries import published_document
from surveys.questionnaire.document import Questionnaire
from tests import kept
from tests.bodies import body_of
from tests.factories import add_question, make_survey, make_user, sealed_survey
from tests.locale.address import addresses_formally
from tests.posting import post
from tests.translated import make_translated

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_static_files")]
SHEETS = {"number": "2", "request": "7b0c7c53-3b3f-4f6e-9d56-0a1f0a4b4f11"}
PAGES = ("", "own-coin/", "how-it-works/", "check/")
LANGUAGES = ("de", "fr", "es", "ar")
CHOOSE = {"de": ("Wählen Sie", "Wähle"), "fr": ("Choisissez", "Choisis")}


owner, survey = kept.owner, kept.survey


@pytest.fixture(scope="module")
def launched_survey(made_once) -> Survey:
    """A question of each kind in all languages, which addresses people informally."""
    return made_once(lambda: make_translated(make_user(), *LANGUAGES, informal=True))


@pytest.fixture(scope="module")
def formal_survey(made_once) -> Survey:
    """The same with the usual address."""
    return made_once(lambda: make_translated(make_user("bob"), *LANGUAGES))


# Drawn letters may end as a word of address does.
DIGEST = re.compile(r"sha384-.*|(?:[0-9a-z]{4}-)+[0-9a-z]+")


def address(survey: Survey, language: str, page: str = "") -> str:
    return f"/{language}/s/{survey.pk}/{page}"


def words_in(page: bytes) -> list[str]:
    """What stands between the tags and in attributes, such as the words of scripts."""
    text = html.unescape(page.decode())
    parts = (part.strip() for part in re.split(r"[<>\"]", text))
    return [part for part in parts if not DIGEST.fullmatch(part)]


def formal_in(page: bytes, language: str) -> list[str]:
    return [words for words in words_in(page) if addresses_formally(language, [words])]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("language", ["de", "fr"])
def test_no_page_of_an_informal_survey_is_formal(client, survey, language, page):
    reply = client.get(address(survey, language, page))
    assert reply.status_code == 200
    assert formal_in(reply.content, language) == []


@pytest.mark.parametrize("language", ["de", "fr"])
def test_a_formal_survey_stays_formal_beside_an_informal_one(
    client, survey, formal_survey, language
):
    """Nothing that a process keeps of one is shown of the other."""
    formal, informal = CHOOSE[language]
    for _ in range(2):
        page = client.get(address(survey, language)).content.decode()
        assert informal in page
        assert formal not in page
        page = client.get(address(formal_survey, language)).content.decode()
        assert formal in page
        assert informal not in page.replace(formal, "")


def test_other_languages_are_as_they_were(client, survey, formal_survey):
    def page_of(one: Survey, language: str) -> str:
        page = client.get(address(one, language, "how-it-works/")).content.decode()
        return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "", page)

    for language in ("en", "es", "ar"):
        assert page_of(survey, language) == page_of(formal_survey, language)


def test_addresses_headers_and_marks_say_the_language_alone(client, survey):
    reply = client.get(address(survey, "de"))
    assert reply.headers["Content-Language"] == "de"
    assert '<html lang="de">' in reply.content.decode()
    assert "de-du" not in reply.content.decode()
    assert f'href="{address(survey, "fr")}" lang="fr"' in reply.content.decode()
    assert ">Deutsch</a>" not in reply.content.decode()
    assert client.get(address(survey, "de-du")).status_code == 404


def test_receipts_and_refusals_are_informal(client, survey):
    pages = []
    for body in (body_of(survey.revision, own_coin=True), b"garbage"):
        with override("de"):
            pages.append(post(survey, body))
    receipt, refusal = pages
    assert (receipt.status_code, refusal.status_code) == (200, 400)
    for page in (receipt.content, refusal.content):
        assert formal_in(page, "de") == []
    assert "Deine Antworten sind angekommen" in receipt.content.decode()
    assert "Öffne die Umfrage über ihren Link neu" in refusal.content.decode()


def test_a_closed_survey_says_so_informally(client, survey):
    Survey.objects.filter(pk=survey.pk).update(state=Survey.State.CLOSED)
    reply = client.get(address(survey, "fr"))
    assert reply.status_code == 410
    assert formal_in(reply.content, "fr") == []


def test_another_machine_makes_the_same_page_of_the_published_file(client, survey, tmp_path):
    file = tmp_path / "revision.json"
    file.write_text(json.dumps(published_document(survey.pk)))
    output = StringIO()
    call_command("fingerprint", file, language="de", stdout=output)
    digest = output.getvalue().split()[1]
    assert digest in client.get(address(survey, "de", "check/")).content.decode()


def drafted(owner, **fields: object) -> Survey:
    draft = make_survey(owner, **{"language": "de", **fields})
    add_question(draft)
    return draft


def test_a_document_has_the_choice_only_where_it_was_made(owner):
    informal = draft_questionnaire(drafted(owner, informal=True))
    formal = draft_questionnaire(drafted(owner))
    assert informal.to_document()["informal"] is True
    assert "informal" not in formal.to_document()
    for questionnaire in (informal, formal):
        again = Questionnaire.from_document(json.loads(questionnaire.to_bytes()))
        assert again == questionnaire


def test_a_document_without_german_and_french_has_no_choice(owner):
    draft = drafted(owner, language="es", informal=True)
    assert "informal" not in draft_questionnaire(draft).to_document()


def test_copies_and_definitions_keep_the_choice(owner):
    draft = drafted(owner, informal=True)
    assert copy_survey(survey=draft, by=owner).informal
    assert definition_of(draft).promises.informal


def test_letters_to_begin_with_speak_as_the_survey_does(client, owner):
    """Also to staff who read their own pages in English."""
    client.force_login(owner)
    for informal, words in ((True, "Bitte nimm teil"), (False, "Bitte nehmen Sie teil")):
        draft = drafted(owner, informal=informal, invitation_only=True)
        page = client.get(reverse("surveys:new-mailing", args=[draft.pk])).content.decode()
        assert words in page
        assert words in invitation_sample(draft)["message"]
        assert (
            f"Wenn {'du' if informal else 'Sie'} geantwortet" in reminder_sample(draft)["message"]
        )
        assert reminder_sample(draft)["subject"] == "Erinnerung: Unsere Umfrage ist noch offen"


def test_code_sheets_speak_as_the_survey_does(client, owner):
    client.force_login(owner)
    draft = drafted(owner, informal=True, invitation_only=True)
    page = (
        client.post(reverse("surveys:invitation-sheets", args=[draft.pk]), SHEETS)
        .getvalue()
        .decode()
    )
    sheet = page.partition("<article")[2].partition("</article>")[0]
    assert "gib deinen Code ein" in sheet
    assert formal_in(sheet.encode(), "de") == []
    assert sheet.startswith(' class="sheet" lang="de"')


def test_the_door_of_people_with_a_code_is_informal(client, owner):
    survey = sealed_survey(owner, language="de", informal=True, invitation_only=True)
    page = client.get(address(survey, "de", "own-coin/"))
    assert page.status_code == 200
    assert "Einladungscode" in page.content.decode()
    assert formal_in(page.content, "de") == []
