"""Rules of drafts: rows become a rule; what launch refuses, and in which words."""

import pytest

from surveys.authoring.drafts import draft_questionnaire
from surveys.models import Condition, Question, Survey
from tests.factories import (
    add_budget,
    add_condition,
    add_long_list,
    add_question,
    add_rating,
    add_text,
    make_survey,
    make_user,
)
from tests.routed import make_routed_survey
from tests.unready import reasons

pytestmark = pytest.mark.django_db
DIRECT, NUMBER = Question.Design.DIRECT, Question.Kind.NUMBER


@pytest.fixture
def car(draft) -> Question:
    return add_question(draft, text="Do you own a car?", design=DIRECT)


def add_age(draft: Survey, **fields: object) -> Question:
    numbers = {"text": "Age?", "kind": NUMBER, "design": DIRECT, "minimum": 0, "maximum": 99}
    return add_question(draft, **{**numbers, **fields})


def rule(draft: Survey, number: int = 2) -> dict | None:
    found = draft_questionnaire(draft).items[number - 1].rule
    return found and found.to_document()


@pytest.mark.parametrize(
    ("comparison", "value", "expected"),
    [
        ("is", "Yes", {"is": [1, "01"]}),
        ("is", " no | YES", {"is": [1, "00", "01"]}),
        ("is_not", "yes", {"not": {"is": [1, "01"]}}),
        ("answered", "", {"answered": [1]}),
        ("missing", "", {"not": {"answered": [1]}}),
    ],
)
def test_a_row_about_a_choice_becomes_a_rule(draft, car, comparison, value, expected):
    add_condition(add_question(draft), car, comparison, value)
    assert rule(draft) == expected


@pytest.mark.parametrize(
    ("comparison", "value", "expected"),
    [
        ("less", "18.5", {"less": [1, 185]}),
        ("most", "18,5", {"most": [1, 185]}),
        ("more", "18", {"all": [{"answered": [1]}, {"not": {"most": [1, 180]}}]}),
        ("least", "18", {"all": [{"answered": [1]}, {"not": {"less": [1, 180]}}]}),
    ],
)
def test_a_row_about_a_number_compares_in_units_of_its_last_decimal(
    draft, comparison, value, expected
):
    age = add_age(draft, decimal_places=1)
    add_condition(add_question(draft), age, comparison, value)
    assert rule(draft) == expected


@pytest.mark.parametrize(
    ("joins", "expected"),
    [
        ("all", {"all": [{"is": [1, "01"]}, {"any": [{"less": [2, 18]}, {"is": [3, "01"]}]}]}),
        ("any", {"any": [{"is": [1, "01"]}, {"all": [{"less": [2, 18]}, {"is": [3, "01"]}]}]}),
    ],
)
def test_the_other_word_joins_the_rows_of_one_bracket(draft, car, joins, expected):
    age, bus = add_age(draft), add_question(draft, text="By bus?", design=DIRECT)
    asked = add_question(draft, rule_joins=joins)
    add_condition(asked, car)
    add_condition(asked, age, "less", "18", bracket=2)
    add_condition(asked, bus, bracket=2)
    assert rule(draft, 4) == expected


def test_a_bracket_of_one_row_is_that_row_and_one_alone_is_the_rule(draft, car):
    age = add_age(draft)
    asked = add_question(draft)
    add_condition(asked, car, bracket=1)
    assert rule(draft, 3) == {"is": [1, "01"]}
    add_condition(asked, age, "less", "18", bracket=1)
    assert rule(draft, 3) == {"any": [{"is": [1, "01"]}, {"less": [2, 18]}]}


@pytest.mark.parametrize(
    ("comparison", "value", "codes"),
    [
        ("less", "Sometimes", ["00", "01"]),
        ("most", " sometimes ", ["00", "01", "02"]),
        ("more", "Sometimes", ["03"]),
        ("least", "Sometimes", ["02", "03"]),
        ("least", "Never", ["00", "01", "02", "03"]),
    ],
)
def test_a_row_about_a_scale_compares_in_the_order_of_its_options(draft, comparison, value, codes):
    """What people decline to say is neither less nor more."""
    often = add_question(
        draft, "Never", "Rarely", "Sometimes", "Often", kind="scale", design=DIRECT
    )
    add_condition(add_question(draft), often, comparison, value)
    assert rule(draft) == {"is": [1, *codes]}


@pytest.mark.parametrize(
    ("comparison", "value", "why"),
    [
        ("more", "Often", "No answer to question 1 is more than “Often”"),
        ("less", "Never", "No answer to question 1 is less than “Never”"),
        ("more", "Never | Rarely", "Compare question 1 with one answer, not with several."),
        ("more", "Always", "Question 1 has no answer “Always”."),
        ("more", "", "Question 1 has no answer “”."),
    ],
)
def test_a_limit_that_a_scale_has_not_is_refused(draft, comparison, value, why):
    often = add_question(
        draft, "Never", "Rarely", "Sometimes", "Often", kind="scale", design=DIRECT
    )
    add_condition(add_question(draft), often, comparison, value)
    assert why in reasons(draft)[0]


def test_rows_are_joined_by_all_or_any(draft, car):
    age, question = add_age(draft), add_question(draft)
    add_condition(question, car)
    add_condition(question, age, "less", "18")
    both = [{"is": [1, "01"]}, {"less": [2, 18]}]
    assert rule(draft, 3) == {"all": both}
    Question.objects.filter(pk=question.pk).update(rule_joins="any")
    assert rule(draft, 3) == {"any": both}


def test_a_rule_that_reads_a_protected_answer_is_refused_in_these_words(draft):
    filters = [add_question(draft, text=f"Number {n}", design=DIRECT) for n in range(1, 4)]
    filters.append(add_question(draft, text="Have you shoplifted?"))
    for text in ("Five", "Six"):
        add_question(draft, text=text, design=DIRECT)
    add_condition(add_question(draft, text="How often?", design=DIRECT), filters[3])
    assert reasons(draft) == [
        "Question 7 (How often?): Question 7 depends on question 4, which is protected. People who "
        "see whether question 7 was asked would learn the answer to question 4. Ask all people "
        "question 7, protect question 7 too, or let its rule use only questions that are not "
        "protected."
    ]


def test_a_rule_that_reads_itself_or_a_later_question_is_refused(draft, car):
    early = add_question(draft, text="Early", design=DIRECT)
    late = add_question(draft, text="Late", design=DIRECT)
    add_condition(early, late)
    add_condition(late, late)
    first, second = reasons(draft)
    assert (
        first == "Question 2 (Early): The rule of this question depends on question 3, which does "
        "not come earlier. Use an earlier question in the rule."
    )
    assert (
        second == "Question 3 (Late): The rule of this question depends on the answer to this "
        "question itself. Use an earlier question in the rule."
    )


def test_moving_the_source_behind_its_question_is_refused_at_launch(draft, car):
    add_condition(add_question(draft), car)
    assert rule(draft)
    Question.objects.filter(pk=car.pk).update(position=9)
    assert "depends on question 2, which does not come earlier" in reasons(draft)[0]


def test_a_question_of_another_survey_is_refused(draft, car):
    foreign = add_question(make_survey(make_user("grace")), design=DIRECT)
    add_condition(add_question(draft), foreign)
    assert "a question of another survey" in reasons(draft)[0]


@pytest.mark.parametrize(
    ("comparison", "value", "problem"),
    [
        (
            "is",
            "Maybe",
            "has no answer “Maybe”. Write one of these answers exactly as it is shown: No, Yes.",
        ),
        ("is", "", "has no answer “”"),
        ("is", "Prefer not to say", "has no answer “Prefer not to say”"),
        ("less", "3", "“is less than” does not fit question 1"),
    ],
)
def test_what_does_not_fit_a_choice_is_refused(draft, car, comparison, value, problem):
    add_condition(add_question(draft), car, comparison, value)
    assert problem in reasons(draft)[0]


@pytest.mark.parametrize("value", ["", "x", "3.5", "100", "-1", "nan", "inf", "1e99"])
def test_what_does_not_fit_a_number_is_refused(draft, value):
    add_condition(add_question(draft), add_age(draft, position=0), "less", value)
    Question.objects.filter(text="Have you ever shoplifted?").update(position=1)
    assert "with" in reasons(draft)[0]


def test_texts_and_ratings_are_read_by_no_rule(draft):
    add_condition(add_question(draft, position=5), add_text(draft, position=1), "answered", "")
    assert "Texts are stored separately from all other answers, so no rule" in reasons(draft)[0]
    Condition.objects.all().delete()
    question = draft.questions.get(position=5)
    add_condition(question, add_rating(draft, position=2), "answered", "")
    assert "no rule can use question 2" in reasons(draft)[0]


def test_chance_and_a_rule_together_are_refused(owner):
    draft = make_survey(owner, asked=1)
    car = add_question(draft, text="Do you own a car?", design=DIRECT)
    add_condition(add_question(draft, text="A"), car)
    add_question(draft, text="B")
    decided = (
        "chance decides whether this question is asked, and a rule or an arm cannot decide too"
    )
    assert decided in reasons(draft)[0]


def test_a_question_that_no_coin_can_ask_has_no_rule_where_coins_may_be_used(draft, car):
    """A row of the own-coin path would show it by the question that its rule asked."""
    add_condition(add_long_list(draft), car)
    shown = "the missing answer shows that the person used a coin"
    assert shown in reasons(draft)[0]


def test_a_question_that_is_never_asked_is_refused(draft, car):
    question = add_question(draft, text="Never")
    add_condition(question, car, "is", "Yes")
    add_condition(question, car, "is_not", "Yes")
    assert reasons(draft) == [
        "Question 2 (Never): No answers lead to this question, so it would never be asked. Change "
        "the rule of this question, or leave the question out."
    ]


def test_a_number_between_two_limits_is_found(draft):
    age = add_age(draft)
    for low, high in (("30", "31"), ("30", "29")):
        question = add_question(draft, text=f"{low} to {high}")
        add_condition(question, age, "least", low)
        add_condition(question, age, "less", high)
    (reason,) = reasons(draft)
    assert reason.startswith("Question 3 (30 to 29)")


def test_a_rule_may_have_ten_rows(draft):
    age, question = add_age(draft), add_question(draft)
    for limit in range(11):
        add_condition(question, age, "less", str(limit + 1))
    assert "This rule has 11 conditions. Use at most 10 conditions." in reasons(draft)[0]


def test_a_survey_with_rules_launches_and_freezes_them(owner):
    survey = make_routed_survey(owner)
    frozen = [entry.get("rule") for entry in survey.revision.document["items"]]
    assert frozen[2] == {"is": [1, "01"]}
    assert frozen[7] == {"any": [{"is": [1, "01"]}, {"is": [4, "01"]}]}
    assert frozen[0] is frozen[8] is None


def test_a_text_with_a_rule_is_refused_beside_a_budget_that_blurs_what_the_rule_reads(draft, car):
    text = add_text(draft, text="Which car?")
    budget = add_budget(draft)
    add_condition(text, car)
    assert rule(draft) == {"is": [1, "01"]}
    budget.source = "all"
    budget.save()
    (reason,) = reasons(draft)
    assert reason.startswith(
        "Question 2 (Which car?): Reports show exactly how many people wrote a text. So they would "
        "also show how many people meet the rule"
    )
