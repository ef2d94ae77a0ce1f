"""A draft in several languages: what is missing, and what is launched."""

import pytest
from django.utils.translation import override

from surveys.authoring.draft.languages import source_texts
from surveys.authoring.drafts import NotReady, draft_questionnaires
from surveys.authoring.services import launch
from surveys.models import Question, Survey, Translation
from surveys.models.queries import languages_of, questionnaire_of
from surveys.questionnaire.formats.launched import together
from tests.factories import (
    add_condition,
    add_one_of_each,
    add_other_designs,
    add_question,
    make_survey,
)
from tests.translated import make_translated, translate_all

pytestmark = pytest.mark.django_db


def texts_of(survey: Survey) -> list[str]:
    questions = list(survey.questions.prefetch_related("options"))
    return [one.text for one in source_texts(survey, questions)]


def test_a_survey_in_its_authors_language_needs_no_translation(owner):
    draft = make_survey(owner)
    add_question(draft)
    assert len(draft_questionnaires(draft)) == 1


def test_one_missing_text_stops_launch_and_is_named_with_its_place(owner):
    draft = make_survey(owner, also_in="de")
    add_question(draft, "Bus", "Car", kind=Question.Kind.CHOICE)
    translate_all(draft, "de")
    Translation.objects.get(text__startswith="Car ").delete()
    with pytest.raises(NotReady) as refusal:
        launch(survey=draft, by=owner)
    assert refusal.value.reasons == ["Deutsch (de): translate “Car” (question 1, option 2)."]


def test_a_text_that_changed_has_no_translation_any_more(owner):
    draft = make_survey(owner, also_in="ar")
    question = add_question(draft)
    translate_all(draft, "ar")
    draft_questionnaires(draft)
    Question.objects.filter(pk=question.pk).update(text="Have you ever stolen?")
    with pytest.raises(NotReady, match="Have you ever stolen"):
        draft_questionnaires(draft)


def test_an_empty_translation_is_none(owner):
    draft = make_survey(owner, also_in="ar")
    add_question(draft)
    translate_all(draft, "ar")
    Translation.objects.filter(text__startswith="Habits").update(text="  ")
    with pytest.raises(NotReady, match="Title"):
        draft_questionnaires(draft)


def test_the_same_words_are_translated_once(owner):
    draft = make_survey(owner, also_in="de")
    for text in ("How was school?", "How is work?"):
        add_question(draft, "Bad", "Good", text=text, kind=Question.Kind.CHOICE)
    assert texts_of(draft).count("Bad") == 1


def test_many_missing_texts_are_counted(owner):
    draft = make_survey(owner, also_in="de")
    add_one_of_each(draft)
    with pytest.raises(NotReady) as refusal:
        draft_questionnaires(draft)
    assert refusal.value.reasons[-1] == (
        "Deutsch (de): translate 7 more texts on the page “Translations”."
    )


def test_two_answers_that_read_the_same_in_another_language_are_refused(owner):
    draft = make_survey(owner, also_in="de")
    add_question(draft, "Bad", "Good", kind=Question.Kind.CHOICE)
    translate_all(draft, "de")
    Translation.objects.filter(text__startswith="Bad").update(text="Gut")
    Translation.objects.filter(text__startswith="Good").update(text="Gut")
    twice = r"In the language de: Question 1 .*Two options have the same words"
    with pytest.raises(NotReady, match=twice):
        draft_questionnaires(draft)


def test_the_document_holds_every_text_in_every_language(owner):
    survey = make_translated(owner, "de", "ar")
    assert languages_of(survey.revision.pk) == ("en", "de", "ar")
    english, german, arabic = (
        questionnaire_of(survey.revision, language) for language in ("en", "de", "ar")
    )
    assert german.title == "Habits and health äöü"
    assert arabic.items[0].text.endswith("عربي")
    assert [one.kind for one in english.items] == [one.kind for one in arabic.items]
    assert english == questionnaire_of(survey.revision)


def test_answers_that_the_program_words_are_in_the_language(owner):
    survey = make_survey(owner, language="de", also_in="en")
    add_question(survey)
    translate_all_from(survey, "en")
    german, english = draft_questionnaires(survey)
    assert german.language == "de"
    assert [level.text for level in english.items[0].levels][:2] == ["No", "Yes"]
    assert [level.text for level in german.items[0].levels][:2] == ["Nein", "Ja"]


def translate_all_from(survey: Survey, language: str) -> None:
    for one in source_texts(survey, list(survey.questions.prefetch_related("options"))):
        Translation.objects.create(
            survey=survey, language=language, digest=one.digest, text=f"{one.text}!"
        )


def test_rules_read_the_same_answers_in_every_language(owner):
    draft = make_survey(owner, also_in="ar")
    first = add_question(draft, "Bus", "Car", kind="choice", design=Question.Design.DIRECT)
    later = add_question(draft, text="Which car?", design=Question.Design.DIRECT)
    add_condition(later, first, value="Car")
    translate_all(draft, "ar")
    english, arabic = draft_questionnaires(draft)
    assert english.items[1].rule == arabic.items[1].rule is not None


def test_second_questions_are_translated_where_they_are_shown(owner):
    draft = make_survey(owner, also_in="de")
    add_other_designs(draft)
    translate_all(draft, "de")
    _, german = draft_questionnaires(draft)
    seconds = [item.second.text for item in german.items if hasattr(item, "second")]
    assert seconds
    assert all(text.endswith("äöü") for text in seconds)


def test_documents_that_differ_in_more_than_their_texts_are_not_put_together(owner):
    draft = make_survey(owner)
    add_question(draft)
    (one,) = draft_questionnaires(draft)
    document = one.to_document()
    other = {**document, "languages": ["de"], "minutes": document["minutes"] + 1}
    with pytest.raises(ValueError, match="minutes"):
        together([document, other])


def test_the_language_of_staff_does_not_matter(owner):
    draft = make_survey(owner)
    add_question(draft)
    with override("de"):
        (questionnaire,) = draft_questionnaires(draft)
    assert [level.text for level in questionnaire.items[0].levels][:2] == ["No", "Yes"]
