"""Arms in words: the first page tells of all of them, and a die draws one."""

import pytest

from surveys.models.queries import questionnaire_of
from surveys.wording.arms import arm_choices, arm_lines, arm_steps, drawing_line
from surveys.wording.routes import asked_words, asking_line, route_line
from tests.arms import make_arms_survey
from tests.factories import make_open_survey

pytestmark = pytest.mark.django_db


@pytest.fixture
def questionnaire(owner):
    return questionnaire_of(make_arms_survey(owner).revision)


def test_the_first_page_tells_what_each_arm_is_asked(questionnaire):
    assert drawing_line(questionnaire) == (
        "When you press Start, chance puts you into one of these groups. Tell nobody which one."
    )
    assert arm_lines(questionnaire) == [
        "Asked directly (1/4 of people): Questions 2 and 6, not protected.",
        "With coins (2/4 of people): Question 3, protected; Question 5, not protected.",
        "By comparing (1/4 of people): Question 4, protected; Question 5, not protected.",
    ]


def test_a_die_draws_an_arm(questionnaire):
    assert arm_choices(questionnaire) == [
        ("00", "Asked directly", "1"),
        ("01", "With coins", "2–3"),
        ("02", "By comparing", "4"),
    ]
    assert arm_steps(questionnaire) == [
        "First draw your group. Throw a die.",
        "The group that has this number is yours, whatever you think of it. Choose it.",
        "If no group has this number, draw again.",
        "Answer what is asked of all people and of your group. Tell nobody which.",
    ]


def test_questions_say_for_which_arm_they_are(questionnaire):
    assert route_line(questionnaire, 2) == "Only if you drew “Asked directly”."
    assert route_line(questionnaire, 5) == (
        "Only if (you drew “With coins” or “By comparing”) and you answered “Yes” to question 1."
    )
    assert asked_words(questionnaire.items[2], questionnaire) == (
        "Asked only of people of whom this holds: they drew “With coins”. Estimates are among "
        "those asked."
    )


def test_answers_decide_only_where_a_rule_reads_them(questionnaire, owner):
    assert "people with certain answers" in asking_line(questionnaire)
    plain = questionnaire_of(make_open_survey(owner).revision)
    assert drawing_line(plain) == ""
    assert arm_lines(plain) == arm_steps(plain) == []
