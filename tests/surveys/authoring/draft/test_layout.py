"""A draft's sections and screens: what launch refuses, and what is frozen."""

import pytest

from surveys.authoring.drafts import NotReady, draft_questionnaire
from surveys.models import Question
from surveys.questionnaire.layout import Layout, RandomOrder, Section
from tests.factories import add_condition, add_long_list, add_question, add_ticks, make_survey

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
        (({}, {"section": "Work"}), "Question 1 belongs to no section."),
        (
            ({"section": "Work"}, {"section": "work"}),
            "Two sections have the same title. Change one of the titles.",
        ),
        (
            ({"section_text": "Of last year."},),
            "a text for a section, but no title for the section",
        ),
        (
            ({"section": "A"}, {"section": "B", "same_screen": True}),
            "so the question needs its own screen",
        ),
        (({"same_screen": True},), "no question comes before question 1"),
        (({}, *[{"same_screen": True}] * 10), "at most 10 questions on one screen"),
        (
            ({"random_screens": True},),
            "The ticks for random order work only at the first question of a section, but no "
            r"section begins at this question\. Begin a section at this question, or remove the "
            r"ticks\.",
        ),
        (({"section": "A", "random_screens": True},), "“A” has only one screen"),
        (
            ({"section": "A"}, {"section": "B", "random_section": True}),
            "One section alone cannot be in random order",
        ),
    ],
)
def test_what_makes_no_sense_to_respondents_is_refused_with_the_reason(owner, fields, reason):
    with pytest.raises(NotReady, match=reason):
        draft_questionnaire(draft(owner, *fields))


def test_a_random_order_is_frozen_for_what_can_be_mixed(owner):
    survey = draft(
        owner,
        {"section": "Alcohol", "random_screens": True, "random_section": True},
        {"random_options": True},  # yes or no has no use for it
        {"section": "Work", "random_section": True},
    )
    add_ticks(survey, random_options=True)
    frozen = draft_questionnaire(survey).layout.order
    assert frozen == RandomOrder(options=(4,), screens=(1,), sections=(1, 3))


def test_the_answers_of_a_long_list_stay_in_their_order(owner):
    survey = make_survey(owner)
    add_long_list(survey, random_options=True)
    with pytest.raises(NotReady, match="an option in a long list by its position"):
        draft_questionnaire(survey)


@pytest.mark.parametrize("fixed", ["nothing", "screen", "section"])
def test_no_order_may_part_a_rule_from_the_answer_that_it_reads(owner, fixed):
    survey = draft(
        owner,
        {"section": "A", "design": "direct", "random_screens": True},
        {"same_screen": fixed == "screen"},
        {},
    )
    first, second, _ = survey.questions.all()
    if fixed == "section":
        Question.objects.filter(pk=first.pk).update(random_screens=False)
    add_condition(second, first)
    if fixed != "nothing":
        assert draft_questionnaire(survey).items[1].rule
        return
    parted = (
        r"Question 2 \(Habit 2\?\): The rule of this question depends on question 1, "
        "but the random order may show question 1 later"
    )
    with pytest.raises(NotReady, match=parted):
        draft_questionnaire(survey)
