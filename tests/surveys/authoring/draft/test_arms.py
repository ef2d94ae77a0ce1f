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
        ("One: 1", "One arm is none: write at least two, or leave the arms empty."),
        ("One: 1\nOther: 0", "The weight of an arm is a whole number from 1 to 99."),
        ("One: 1\nOther: 100", "The weight of an arm is a whole number from 1 to 99."),
        ("One: 99\nOther: 98\nThird: 97", "The weights of all arms together are at most 216"),
        ("One: 1\nOther", "Write each arm as its name, a colon and its weight: “Other” is not."),
        ("One: 1\nOther: -1", "“Other: -1” is not."),
        ("One: 1\nOther: 1.5", "“Other: 1.5” is not."),
        ("One: 1\nA|B: 1", "“A|B: 1” is not."),
        ("One: 1\none : 2", "Two arms have the same name."),
        (
            "\n".join(f"Arm {n}: 1" for n in range(7)),
            "A survey has at most 6 arms; this draft has 7.",
        ),
        (f"One: 1\n{'x' * 61}: 1", "The name of an arm has at most 60 characters."),
    ],
)
def test_lines_that_are_no_arms_are_refused(owner, arms, reason):
    draft = make_survey(owner, arms=arms)
    add_question(draft)
    assert reason in why(draft)


def test_a_question_names_arms_that_there_are(owner):
    draft = make_survey(owner, arms="One: 1\nOther: 1")
    add_question(draft, arms="One | third")
    assert "There is no arm “third”. Write some of these: One | Other." in why(draft)
    Survey.objects.filter(pk=draft.pk).update(arms="")
    assert "It is asked in arms, and the survey has none" in why(draft)


def test_arms_between_which_nothing_differs_are_refused(owner):
    draft = make_survey(owner, arms="One: 1\nOther: 1")
    add_question(draft, arms="one | other")
    assert "All arms are asked the same: say of some question" in why(draft)


def test_an_arm_without_questions_is_refused(owner):
    draft = make_survey(owner, arms="One: 1\nOther: 1")
    add_question(draft, arms="One")
    add_question(draft, text="Read this.", kind=Question.Kind.INFORMATION, design="direct")
    assert why(draft) == ("Some people in the arm “Other” are asked no question: give it one.")


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
    assert "Question 2 (Drunk?): no answers lead to it." in why(draft)


def test_consent_is_asked_in_all_arms(owner):
    draft = make_arms_draft(owner)
    add_question(draft, text="Agree?", kind="agree", design="direct", arms="With coins")
    assert "Ask consent of all people, in all arms" in why(draft)


def test_a_drawn_part_and_arms_do_not_both_decide(owner):
    draft = make_arms_draft(owner, asked=1)
    assert "Its rule or its arm decides whether it is asked, and chance does too" in why(draft)


def test_what_no_coin_can_ask_is_asked_in_all_arms(owner):
    draft = make_arms_draft(owner)
    kary = Question.Design.K_ARY
    add_question(draft, text="Cheated?", arms="With coins", design=kary, epsilon="1.2345")
    assert "leaves it out, and shows it where its rule or arm asks it" in why(draft)


def test_arms_and_released_tables_alone_exclude_each_other(owner):
    draft = make_arms_draft(owner, released_together=Survey.Together.ALONE)
    assert "how many people each arm has would be shown exactly" in why(draft)


def test_what_is_wrong_with_arms_hides_nothing_else(owner):
    draft = make_survey(owner, arms=ARMS.replace("2", "0"), title="")
    add_question(draft)
    reasons = why(draft)
    assert "Say the title." in reasons
    assert "The weight of an arm" in reasons
