"""A draft is shown as respondents would see it, also while some of it is unfinished."""

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.urls import reverse

from surveys.authoring.drafts import NotReady, draft_questionnaire, draft_questionnaires
from surveys.authoring.editor.previews import preview_in, preview_of
from surveys.kinds.silent.promise import InformationQuestion
from surveys.trust.bundles import BUNDLES
from tests import factories
from tests.families import add_family
from tests.surveys.authoring.text_keys import add_key, new_key
from tests.surveys.authoring.trustees import counted_draft
from tests.translated import make_translated, translate_all


@pytest.fixture
def unfinished(author):
    """Three finished questions, one of them with a rule, among two that are not."""
    survey = factories.make_survey(author, introduction="", asked=9, contact=" ")
    car = factories.add_question(survey, text="Car?", design="direct")
    factories.add_question(survey, text="", kind="choice")
    drunk = factories.add_question(survey, text="Drunk?")
    factories.add_condition(drunk, car)
    broken = factories.add_question(survey, "Never", text="How often?", kind="scale")
    text = factories.add_text(survey, text="Why?")
    factories.add_condition(text, broken, value="Never")
    return survey


def test_finished_questions_are_shown_and_the_others_say_what_they_need(unfinished):
    questionnaire, missing = preview_of(unfinished)
    kinds = [isinstance(item, InformationQuestion) for item in questionnaire.items]
    assert kinds == [False, True, False, True, False]
    assert "Write the question. Offer between 2 and 20 options" in questionnaire.items[1].help
    assert any("Write where respondents can reach you" in reason for reason in missing)
    assert len([one for one in missing if one.startswith("Question 2 ")]) == 2


def test_rules_that_can_be_read_hold_and_others_ask_all_people(unfinished):
    questionnaire, _ = preview_of(unfinished)
    assert [item.rule is None for item in questionnaire.items] == [True, True, False, True, True]


@pytest.mark.parametrize("name", ["preview", "preview_own_coin"])
def test_both_previews_of_an_unfinished_draft_are_shown_with_what_is_missing(
    client, author, unfinished, name
):
    client.force_login(author)
    page = client.get(reverse(f"admin:surveys_survey_{name}", args=[unfinished.pk]))
    text = page.content.decode()
    assert page.status_code == 200
    assert "Drunk?" in text
    assert "Write where respondents can reach you" in text
    assert 'action="send' not in text
    assert reverse("admin:surveys_survey_questions", args=[unfinished.pk]) in text


@pytest.mark.usefixtures("_static_files")
@pytest.mark.parametrize("file", [bundle.path for bundle in BUNDLES])
def test_where_a_file_of_the_page_was_not_built_the_list_of_questions_says_so(
    client, author, monkeypatch, file
):
    draft = counted_draft(author)
    factories.add_text(draft)
    add_key(draft, new_key("Registry"))
    monkeypatch.delitem(staticfiles_storage.hashed_files, file)
    client.force_login(author)
    address = reverse("admin:surveys_survey_preview", args=[draft.pk])
    page = client.get(address, follow=True).content.decode()
    assert "this server does not have a file that the script of the page needs" in page
    by_hand = reverse("admin:surveys_survey_preview_own_coin", args=[draft.pk])
    assert client.get(by_hand).status_code == 200


def test_the_preview_of_a_finished_draft_is_what_would_be_launched(author):
    survey = factories.make_survey(author)
    factories.add_one_of_each(survey)
    assert preview_of(survey) == (draft_questionnaire(survey), [])


def test_a_draft_without_a_finished_question_has_no_preview(author):
    survey = factories.make_survey(author)
    factories.add_pages(survey)
    with pytest.raises(NotReady):
        preview_of(survey)


def test_the_preview_in_another_language_has_its_words_and_the_same_rules(unfinished):
    unfinished.also_in = "de"
    unfinished.save()
    translate_all(unfinished, "de")
    unfinished.translations.filter(text__startswith="Drunk?").delete()
    first, missing = preview_in(unfinished, "en")
    german, still = preview_in(unfinished, "de")
    assert (german.language, german.title) == ("de", "Habits and health äöü")
    assert [item.text for item in german.items][::2] == ["Car? äöü", "Drunk?", "Why? äöü"]
    assert [item.rule for item in german.items] == [item.rule for item in first.items]
    assert still == missing


def test_the_preview_of_a_family_is_translated_as_it_would_be_launched(author):
    draft = factories.make_survey(author, also_in="ar")
    add_family(draft)
    translate_all(draft, "ar")
    assert preview_in(draft, "ar")[0] == draft_questionnaires(draft)[1]


@pytest.mark.parametrize("name", ["preview", "preview_own_coin"])
def test_the_page_is_shown_in_each_language_and_leads_to_the_others(client, author, name):
    survey = make_translated(author, "ar")
    client.force_login(author)
    address = reverse(f"admin:surveys_survey_{name}", args=[survey.pk])
    english, arabic, garbage = (
        client.get(address, {"language": one}).content.decode() for one in ("en", "ar", "xx\0")
    )
    assert 'lang="en"' in english.split("<head>")[0]
    assert 'lang="ar" dir="rtl"' in arabic
    assert "عربي" in arabic
    assert 'href="?language=ar"' in english
    assert 'href="?language=en"' in arabic
    assert 'lang="en"' in garbage.split("<head>")[0]
