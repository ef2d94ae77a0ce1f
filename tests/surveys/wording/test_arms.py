"""Arms in words: how many there are, what each is asked, and how a die draws one."""

import pytest
from django.urls import reverse

from surveys.authoring.checklist.checks import checks_of
from surveys.authoring.drafts import draft_questionnaire
from surveys.models.queries import questionnaire_of
from surveys.results.routes import asked_words
from surveys.wording.arms import arm_choices, arm_lines, arm_steps, count_note, drawing_line
from surveys.wording.routes import asking_line, route_line
from surveys.wording.subsets import asked_words as questions_asked
from tests.arms import make_arms_survey, make_list_experiment
from tests.factories import add_question, launched, make_open_survey, make_survey

pytestmark = pytest.mark.django_db


@pytest.fixture
def questionnaire(owner):
    return questionnaire_of(make_arms_survey(owner).revision)


def test_the_first_page_says_how_many_groups_there_are(questionnaire):
    words = "at most 7. Chance puts you into one of 3 groups. Tell no one which."
    assert questions_asked(questionnaire) == words


def test_its_fold_and_how_it_works_say_what_each_arm_is_asked(owner, client):
    survey = make_arms_survey(owner)
    questionnaire = questionnaire_of(survey.revision)
    assert drawing_line(questionnaire) == (
        "When you press Start, chance puts you into one of these groups. Tell nobody which one."
    )
    assert arm_lines(questionnaire) == [
        "Asked directly (1/4 of people): Questions 2 and 6, not protected.",
        "With coins (2/4 of people): Question 3, protected; Question 5, not protected.",
        "By comparing (1/4 of people): Question 4, protected; Question 5, not protected.",
    ]
    for name in ("start", "how-it-works"):
        page = client.get(reverse(f"respondent:{name}", args=[survey.pk])).content.decode()
        told = [drawing_line(questionnaire), *arm_lines(questionnaire)]
        assert [page.count(line) for line in told] == [1, 1, 1, 1], name


def test_a_die_draws_an_arm(questionnaire):
    assert arm_choices(questionnaire) == [
        ("00", "Asked directly", "1"),
        ("01", "With coins", "2–3"),
        ("02", "By comparing", "4"),
    ]
    assert arm_steps(questionnaire) == [
        "First draw your group. Throw a die.",
        "Choose the group that has this number, even if you do not like it.",
        "If no group has this number, draw again.",
        "Answer the questions for all people and the questions for your group. Tell no one which "
        "group it is.",
    ]


def test_questions_say_for_which_arm_they_are(questionnaire):
    assert route_line(questionnaire, 2) == "Only if you drew “Asked directly”."
    assert route_line(questionnaire, 5) == (
        "Only if (you drew “With coins” or “By comparing”) and you answered “Yes” to question 1."
    )
    assert asked_words(questionnaire.items[2], questionnaire) == (
        "Asked only of people who meet this condition: they drew “With coins”. The estimates "
        "describe the people who were asked."
    )


def test_answers_decide_only_where_a_rule_reads_them(questionnaire, owner):
    assert "people with certain answers" in asking_line(questionnaire)
    plain = questionnaire_of(make_open_survey(owner).revision)
    assert drawing_line(plain) == ""
    assert arm_lines(plain) == arm_steps(plain) == []


def test_who_counts_directly_reads_that_the_ends_give_them_away(owner, client):
    short, long = draft_questionnaire(make_list_experiment(owner)).items
    assert count_note(short) == (
        "Only the number is sent, not which statements you counted. But 0 or 3 gives you away: 0 "
        "means none of the statements, 3 means all of them."
    )
    assert "0 or 4" in count_note(long)
    hidden = draft_questionnaire(make_list_experiment(owner, design="k_ary", epsilon="2"))
    assert [count_note(item) for item in hidden.items] == ["", ""]
    survey = launched(make_list_experiment(owner))
    for name in ("start", "own-coin"):
        page = client.get(reverse(f"respondent:{name}", args=[survey.pk])).content.decode()
        assert page.count("gives you away") == 2


def test_a_number_outside_of_arms_is_no_count_of_statements(owner):
    draft = make_survey(owner)
    add_question(draft, "0", "1", "2", kind="scale", design="direct", required=True)
    (item,) = draft_questionnaire(draft).items
    assert count_note(item) == ""


def test_before_launch_a_direct_count_is_a_doubt(owner):
    doubts = [one.key for one in checks_of(make_list_experiment(owner)) if one.is_doubt]
    assert {"count-1", "count-2"} <= set(doubts)
    hidden = make_list_experiment(owner, design="k_ary", epsilon="2")
    assert not any(one.key.startswith("count-") for one in checks_of(hidden))
