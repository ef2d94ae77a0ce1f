"""A draft's sections and screens: what launch refuses, and what is frozen."""

import pytest

from surveys.authoring.drafts import NotReady, draft_questionnaire
from surveys.questionnaire.layout import Layout, Section
from tests.factories import add_question, make_survey

pytestmark = pytest.mark.django_db


def draft(owner, *fields: dict[str, object]):
    survey = make_survey(owner)
    for number, more in enumerate(fields, start=1):
        add_question(survey, text=f"Habit {number}?", **more)
    return survey


def test_sections_and_screens_are_frozen_with_the_questions(owner):
    survey = draft(
        owner,
        {"section": " Alcohol ", "section_text": "Of last year."},
        {"same_screen": True},
        {"section": "Work"},
    )
    expected = Layout((Section(1, "Alcohol", "Of last year."), Section(3, "Work")), (2,))
    assert draft_questionnaire(survey).layout == expected


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        (({}, {"section": "Work"}), "Let a section begin at the first question too"),
        (({"section": "Work"}, {"section": "work"}), "Two sections have the same title."),
        (({"section_text": "Of last year."},), "a text and no title"),
        (({"section": "A"}, {"section": "B", "same_screen": True}), "a screen of its own"),
        (({"same_screen": True},), "none before it"),
        (({}, *[{"same_screen": True}] * 10), "at most 10 questions on one screen"),
    ],
)
def test_what_makes_no_sense_to_respondents_is_refused_with_the_reason(owner, fields, reason):
    with pytest.raises(NotReady, match=reason):
        draft_questionnaire(draft(owner, *fields))
