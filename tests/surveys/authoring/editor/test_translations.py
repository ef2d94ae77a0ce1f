"""The page on which an author translates a draft: what is missing, two authors, what is kept."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from surveys.authoring.draft.languages import source_texts
from surveys.authoring.editor.copies import copy_survey
from surveys.models import AuditEntry, Question, Survey, Translation
from surveys.models.translations import digest_of
from tests import factories
from tests.translated import translate_all

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_static_files")]


@pytest.fixture
def draft(author):
    survey = factories.make_survey(author, also_in="de ar")
    factories.add_question(survey, "Bus", "Car", kind=Question.Kind.CHOICE)
    return survey


def page(survey: Survey, language: str = "de") -> str:
    return reverse("admin:surveys_survey_translations", args=[survey.pk, language])


def shown(client: Client, survey: Survey, language: str = "de") -> dict[str, str]:
    """What the page's form would send if nothing were typed."""
    text = client.get(page(survey, language)).content.decode()
    questions = list(survey.questions.prefetch_related("options"))
    known = dict(survey.translations.filter(language=language).values_list("digest", "text"))
    fields = {one.digest: known.get(one.digest, "") for one in source_texts(survey, questions)}
    return {**fields, "shown": re.search(r'name="shown" value="([^"]*)"', text)[1]}


def translated(survey: Survey, text: str, language: str = "de") -> str | None:
    rows = survey.translations.filter(language=language, digest=digest_of(text))
    return rows.values_list("text", flat=True).first()


def test_each_text_stands_beside_its_translation_and_missing_ones_are_marked(admin, draft):
    translate_all(draft, "de")
    draft.translations.get(text__startswith="Car").delete()
    reply = admin.get(page(draft)).content.decode()
    assert "Missing: 1 of 6 texts." in reply
    assert reply.count('class="missing"') == 1
    assert "Question 1, option 2" in reply
    assert 'value="Bus äöü"' in reply


@pytest.mark.parametrize(
    ("contact", "needed"),
    [
        ("habits@example.org", False),
        ("+49 (0)30 123-456", False),
        ("habits@example.org, https://example.org/habits", False),
        ("Ask Ada, habits@example.org", True),
        ("ada@home", True),
    ],
)
def test_an_address_needs_no_translation_and_words_do(draft, contact, needed):
    draft.contact = contact
    assert (contact in [one.text for one in source_texts(draft, [])]) is needed


def test_saving_keeps_what_was_typed(admin, draft):
    typed = {**shown(admin, draft), digest_of("Bus"): "  Linienbus "}
    assert admin.post(page(draft), typed).status_code == 302
    assert translated(draft, "Bus") == "Linienbus"
    assert translated(draft, "Bus", "ar") is None
    assert translated(draft, "Car") is None
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.after) == ("translated", {"language": "de", "texts": 1})


def test_texts_without_a_translation_keep_the_original_where_their_author_says_so(admin, draft):
    button = 'name="_keep_original"'
    assert button in admin.get(page(draft)).content.decode()
    typed = {**shown(admin, draft), digest_of("Bus"): "Linienbus", "_keep_original": "Save"}
    assert admin.post(page(draft), typed).status_code == 302
    assert (translated(draft, "Bus"), translated(draft, "Car")) == ("Linienbus", "Car")
    assert translated(draft, "Car", "ar") is None
    finished = admin.get(page(draft)).content.decode()
    assert "All 6 texts are translated." in finished
    assert button not in finished


def test_a_text_that_is_emptied_has_no_translation(admin, draft):
    translate_all(draft, "de")
    admin.post(page(draft), {**shown(admin, draft), digest_of("Bus"): ""})
    assert translated(draft, "Bus") is None
    assert translated(draft, "Car") == "Car äöü"


def test_two_authors_who_change_different_texts_both_keep_theirs(admin, draft):
    mine, theirs = shown(admin, draft), shown(admin, draft)
    admin.post(page(draft), {**theirs, digest_of("Car"): "Auto"})
    assert admin.post(page(draft), {**mine, digest_of("Bus"): "Linienbus"}).status_code == 302
    assert (translated(draft, "Bus"), translated(draft, "Car")) == ("Linienbus", "Auto")


def test_two_authors_who_change_one_text_are_told_and_nothing_typed_is_lost(admin, draft):
    mine, theirs = shown(admin, draft), shown(admin, draft)
    admin.post(page(draft), {**theirs, digest_of("Car"): "Auto"})
    reply = admin.post(
        page(draft), {**mine, digest_of("Car"): "Wagen", digest_of("Bus"): "Linienbus"}
    )
    text = reply.content.decode()
    assert "Not saved: another person has saved this translation" in text
    assert 'value="Wagen"' in text
    assert (translated(draft, "Car"), translated(draft, "Bus")) == ("Auto", "Linienbus")
    again = re.search(r'name="shown" value="([^"]*)"', text)[1]
    admin.post(page(draft), {**mine, digest_of("Car"): "Wagen", "shown": again})
    assert translated(draft, "Car") == "Wagen"


def test_keeping_originals_leaves_what_another_author_has_translated_meanwhile(admin, draft):
    mine, theirs = shown(admin, draft), shown(admin, draft)
    admin.post(page(draft), {**theirs, digest_of("Car"): "Auto"})
    assert admin.post(page(draft), {**mine, "_keep_original": "Save"}).status_code == 302
    assert (translated(draft, "Car"), translated(draft, "Bus")) == ("Auto", "Bus")


def test_texts_that_changed_meanwhile_are_said_and_what_was_typed_is_kept(admin, draft):
    typed = {**shown(admin, draft), digest_of("Bus"): "Linienbus"}
    factories.add_question(draft, text="Another question?")
    reply = admin.post(page(draft), typed)
    assert "changed since you opened this page" in reply.content.decode()
    assert 'value="Linienbus"' in reply.content.decode()
    assert not draft.translations.exists()


def test_a_translation_may_be_as_long_as_the_text_may_be(admin, draft):
    typed = {**shown(admin, draft), digest_of("Bus"): "ب" * 201}
    reply = admin.post(page(draft), typed)
    assert "at most 200 characters" in reply.content.decode()
    assert not draft.translations.exists()


def test_fields_are_written_in_the_direction_of_the_language(admin, draft):
    assert 'lang="ar" dir="rtl"' in admin.get(page(draft, "ar")).content.decode()


@pytest.mark.parametrize("language", ["en", "fr", "xx"])
def test_there_is_no_page_for_other_languages(admin, draft, language):
    assert admin.get(page(draft, language)).status_code == 404


def test_a_launched_survey_is_not_translated_any_more(admin, draft):
    typed = shown(admin, draft)
    Survey.objects.filter(pk=draft.pk).update(state=Survey.State.OPEN)
    assert admin.post(page(draft), typed).status_code == 404


def test_strangers_find_no_page(draft):
    client = Client()
    client.force_login(factories.make_user("stranger"))
    assert client.get(page(draft)).status_code == 404


def test_a_copy_has_the_translations_too(draft, author):
    translate_all(draft, "de", "ar")
    copy = copy_survey(survey=draft, by=author)
    assert (
        copy.translations.count() == draft.translations.count() == Translation.objects.count() / 2
    )


@pytest.mark.parametrize(
    ("german", "has_marks", "said"),
    [
        ("Nehmen *Sie* …", True, 0),
        ("Nehmen Sie …", True, 1),
        ("Nehmen Sie …", False, 0),
        ("", True, 0),
    ],
)
def test_the_page_says_where_a_translation_is_marked_otherwise(
    admin, draft, german, has_marks, said
):
    Survey.objects.filter(pk=draft.pk).update(marked_up=has_marks)
    factories.add_question(draft, text="Do *you* take …")
    digest = digest_of("Do *you* take …")
    Translation.objects.create(survey=draft, language="de", digest=digest, text=german)
    text = " ".join(admin.get(page(draft)).content.decode().split())
    assert (
        text.count(
            "The emphasis or the lists in this translation differ from the ones in your text."
        )
        == said
    )
