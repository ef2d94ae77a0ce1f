"""Arms of a draft: how they are written, and which ones launch refuses."""

import pytest

from surveys.authoring.drafts import draft_questionnaire
from surveys.models import Question, Survey
from tests.arms import ARMS, make_arms_draft
from tests.factories import add_condition, add_question, make_survey
from tests.unready import why

pytestmark = pytest.mark.django_db


def test_names_are_found_in_any_case_and_spaces(owner):
    draft = make_arms_draft(owner, arms="\n  Asked directly :1\nWith coins: 4\n\nBy comparing: 2 ")
    questionnaire = draft_questionnaire(draft)
    assert [(arm.text, arm.weight) for arm in questionnaire.arms] == [
        ("Asked directly", 1),
        ("With coins", 4),
        ("By comparing", 2),
    ]


@pytest.mark.parametrize(
    ("arms", "reason"),
    [
        (
            "One: 1",
            "The survey has only one arm. Write at least two arms, or empty the field “arms”.",
        ),
        ("One: 1\nOther: 0", "The weight of an arm must be a whole number from 1 to 99."),
        ("One: 1\nOther: 100", "The weight of an arm must be a whole number from 1 to 99."),
        ("One: 99\nOther: 98\nThird: 97", "The weights of all arms add up to more than 216."),
        (
            "One: 1\nOther",
            "“Other” is not a complete arm. Write each arm as its name, a colon and its weight",
        ),
        ("One: 1\nOther: -1", "“Other: -1” is not a complete arm."),
        ("One: 1\nOther: 1.5", "“Other: 1.5” is not a complete arm."),
        ("One: 1\nA|B: 1", "“A|B: 1” is not a complete arm."),
        ("One: 1\none : 2", "Two arms have the same name. Change one of the names."),
        (
            "\n".join(f"Arm {n}: 1" for n in range(7)),
            "This draft has 7 arms. A survey can have at most 6 arms.",
        ),
        (f"One: 1\n{'x' * 61}: 1", "The name of an arm is too long. Use at most 60 characters."),
    ],
)
def test_lines_that_are_no_arms_are_refused(owner, arms, reason):
    draft = make_survey(owner, arms=arms)
    add_question(draft)
    assert reason in why(draft)


def test_a_question_names_arms_that_there_are(owner):
    draft = make_survey(owner, arms="One: 1\nOther: 1")
    add_question(draft, arms="One | third")
    assert "There is no arm “third”. Use one or more of these names: One | Other." in why(draft)
    Survey.objects.filter(pk=draft.pk).update(arms="")
    assert "This question names arms, but the survey has no arms." in why(draft)


def test_arms_between_which_nothing_differs_are_refused(owner):
    draft = make_survey(owner, arms="One: 1\nOther: 1")
    add_question(draft, arms="one | other")
    assert "All arms get the same questions, so there is nothing to compare." in why(draft)


def test_an_arm_without_questions_is_refused(owner):
    draft = make_survey(owner, arms="One: 1\nOther: 1")
    add_question(draft, arms="One")
    add_question(draft, text="Read this.", kind=Question.Kind.INFORMATION, design="direct")
    assert why(draft) == (
        "Some people in the arm “Other” are asked no question. Add a question for these people."
    )


def test_a_way_through_an_arm_without_questions_is_refused(owner):
    """In the second arm both questions hang on answers that only the first arm gives."""
    draft = make_survey(owner, arms="One: 1\nOther: 1")
    car = add_question(draft, text="A car?", design="direct", arms="One")
    only = add_question(draft, text="Drunk?")
    add_condition(only, car)
    assert "Some people in the arm “Other” are asked no question" in why(draft)


def test_a_question_to_which_no_arm_leads_is_refused(owner):
    draft = make_survey(owner, arms="One: 1\nOther: 1")
    car = add_question(draft, text="A car?", design="direct", arms="One")
    drunk = add_question(draft, text="Drunk?", arms="Other")
    add_condition(drunk, car)
    add_question(draft, text="Stolen?")
    assert "Question 2 (Drunk?): No answers lead to this question" in why(draft)


def test_consent_is_asked_in_all_arms(owner):
    draft = make_arms_draft(owner)
    add_question(draft, text="Agree?", kind="agree", design="direct", arms="With coins")
    assert "Ask all people for consent, in all arms" in why(draft)


def test_a_drawn_part_and_arms_do_not_both_decide(owner):
    draft = make_arms_draft(owner, asked=1)
    reason = (
        "So chance decides whether this question is asked, and a rule or an arm cannot decide too."
    )
    assert reason in why(draft)


def test_what_no_coin_can_ask_is_asked_in_all_arms(owner):
    draft = make_arms_draft(owner)
    kary = Question.Design.K_ARY
    add_question(draft, text="Cheated?", arms="With coins", design=kary, epsilon="1.2345")
    reason = why(draft)
    assert (
        "people who use their own coin leave the question out. If the rule or arm of the question "
        "applies to a person, the missing answer shows that the person used a coin." in reason
    )


def test_arms_and_released_tables_alone_exclude_each_other(owner):
    draft = make_arms_draft(owner, released_together=Survey.Together.ALONE)
    assert "the survey would show the exact number of people in each arm" in why(draft)


def test_what_is_wrong_with_arms_hides_nothing_else(owner):
    draft = make_survey(owner, arms=ARMS.replace("2", "0"), title="")
    add_question(draft)
    reasons = why(draft)
    assert "Write a title." in reasons
    assert "The weight of an arm" in reasons
