"""The time that a survey takes is worked out from its questions, never typed in."""

import pytest

from surveys.authoring.drafts import draft_questionnaire
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.pace import minutes_of
from tests.factories import add_question, add_text, launched, make_survey

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def test_more_questions_take_longer_and_texts_longest(owner):
    draft = make_survey(owner, minutes=99)
    add_question(draft)
    few = draft_questionnaire(draft)
    for number in range(20):
        add_question(draft, text=f"Did you ever do thing number {number}?")
    many = draft_questionnaire(draft)
    add_text(draft, longest=2000)
    texts = draft_questionnaire(draft)
    assert (few.minutes, many.minutes, texts.minutes) == (2, 6, 8)
    assert minutes_of("", few.items) >= 1


def test_asking_a_part_of_the_protected_questions_takes_that_part_of_their_time(owner):
    draft = make_survey(owner)
    for number in range(20):
        add_question(draft, text=f"Did you ever do thing number {number}?")
    whole = draft_questionnaire(draft).minutes
    Survey.objects.filter(pk=draft.pk).update(asked=2)
    part = draft_questionnaire(Survey.objects.get(pk=draft.pk)).minutes
    assert (whole, part) == (5, 3)


def test_long_words_of_introduction_are_read_too(owner):
    draft = make_survey(owner, introduction="word " * 720)
    add_question(draft)
    short = make_survey(owner)
    add_question(short)
    read = draft_questionnaire(draft).minutes - draft_questionnaire(short).minutes
    assert read == 4


def test_what_respondents_read_is_stored_with_the_survey_at_launch(owner):
    draft = make_survey(owner, minutes=99)
    add_question(draft)
    survey = launched(draft)
    assert questionnaire_of(survey.revision).minutes == 2
    assert Survey.objects.get(pk=survey.pk).minutes == 2
