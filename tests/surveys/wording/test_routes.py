"""Rules in words, for people with their own coin and for staff."""

from dataclasses import replace

import pytest

from surveys.authoring.drafts import draft_questionnaire
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.logic.rules import rule_from
from surveys.results.routes import asked_words
from surveys.wording.routes import asking_line, next_number, route_line
from tests import kept
from tests.factories import (
    add_condition,
    add_other,
    add_question,
    make_open_survey,
    make_survey,
    make_user,
)
from tests.routed import make_routed_survey

pytestmark = pytest.mark.django_db
owner, survey = kept.owner, kept.survey


@pytest.fixture(scope="module")
def launched_survey(made_once):
    return made_once(lambda: make_routed_survey(make_user()))


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"is": [1, "01"]}, "you answered “Yes” to question 1"),
        ({"is": [1, "00", "01"]}, "you answered “No” or “Yes” to question 1"),
        ({"not": {"is": [1, "01"]}}, "you did not answer “Yes” to question 1"),
        ({"less": [2, 30]}, "you wrote less than 30 in question 2"),
        ({"most": [5, 25]}, "you wrote at most 2.5 in question 5"),
        ({"answered": [2]}, "you answered question 2"),
        ({"not": {"answered": [2]}}, "you gave no answer to question 2"),
        (
            {"all": [{"is": [1, "01"]}, {"any": [{"less": [2, 30]}, {"answered": [4]}]}]},
            "you answered “Yes” to question 1 and (you wrote less than 30 in question 2 or you "
            "answered question 4)",
        ),
        (
            {"not": {"less": [2, 30]}},
            "this is not true: you wrote less than 30 in question 2",
        ),
        (
            {"all": [{"answered": [2]}, {"not": {"less": [2, 30]}}]},
            "you wrote at least 30 in question 2",
        ),
        (
            {"any": [{"is": [1, "01"]}, {"all": [{"answered": [5]}, {"not": {"most": [5, 25]}}]}]},
            "you answered “Yes” to question 1 or you wrote more than 2.5 in question 5",
        ),
        (
            {"all": [{"answered": [2]}, {"not": {"most": [5, 25]}}]},
            "you answered question 2 and (this is not true: you wrote at most 2.5 in question 5)",
        ),
        (
            {"any": [{"not": {"all": [{"answered": [2]}, {"answered": [4]}]}}, {"answered": [5]}]},
            "(this is not true: you answered question 2 and you answered question 4) or you "
            "answered question 5",
        ),
    ],
)
def test_a_rule_in_words(questionnaire, entry, words):
    last = replace(questionnaire.items[8], rule=rule_from(entry))
    changed = replace(questionnaire, items=(*questionnaire.items[:8], last))
    assert route_line(changed, 9) == f"Only if {words}."


def test_who_is_left_out_goes_on_with_the_next_question_that_may_be_for_them(questionnaire):
    assert next_number(questionnaire, 3) == 4
    assert next_number(questionnaire, 6) == 7
    assert next_number(replace(questionnaire, items=questionnaire.items[:3]), 3) is None


def test_who_is_left_out_never_goes_on_with_the_text_below_what_they_are_not_asked(owner):
    """10 is the "Other" of 9: it is for people who are asked 9."""
    draft = make_survey(owner)
    car = add_question(draft, text="A car?", design="direct", required=True)
    add_other(draft)
    add_condition(draft.questions.get(position=1), car)
    add_question(draft, text="Hit?")
    questionnaire = draft_questionnaire(draft)
    assert questionnaire.items[2].stands_below
    assert next_number(questionnaire, 2) == 4


def test_answers_keep_their_words_where_staff_read_who_was_asked(questionnaire):
    first, drunk = questionnaire.items[0], questionnaire.items[2]
    named = replace(first.levels[1], text="Yes, as you know")
    first = replace(first, levels=(first.levels[0], named, *first.levels[2:]))
    changed = replace(questionnaire, items=(first, *questionnaire.items[1:]))
    assert "they answered “Yes, as you know” to question 1" in asked_words(drunk, changed)


def test_a_survey_without_rules_says_nothing_of_them(owner, questionnaire):
    plain = questionnaire_of(make_open_survey(owner).revision)
    assert asking_line(plain) == route_line(plain, 1) == asked_words(plain.items[0], plain) == ""
    assert "asked only of people with certain answers" in asking_line(questionnaire)


def test_one_length_is_said_of_the_script_alone(questionnaire):
    """By hand a text that is left out is shorter than one that is written."""
    assert any(item.is_offered_with_own_coin and item.text_bytes for item in questionnaire.items)
    assert asking_line(questionnaire).endswith(
        "this site's script sends is equally long in both cases."
    )
