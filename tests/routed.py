"""A survey whose rules decide who is asked which of its questions."""

from django.contrib.auth.models import User

from surveys.models import Question, Survey
from tests.factories import (
    BIRTHDAY,
    add_condition,
    add_question,
    add_rating,
    add_text,
    launched,
    make_survey,
)


def make_routed_survey(owner: User, **fields: object) -> Survey:
    """A launched survey whose rules decide, by a car and an age, over questions of many kinds."""
    draft = make_survey(owner, **fields)
    direct = Question.Design.DIRECT
    car = add_question(draft, text="Do you own a car?", design=direct)
    age = add_question(
        draft,
        text="How old are you?",
        kind=Question.Kind.NUMBER,
        design=direct,
        minimum=18,
        maximum=120,
    )
    drunk = add_question(draft, text="Have you driven drunk?", required=True)
    add_condition(drunk, car)
    mood = add_question(
        draft, "Bad", "Good", text="How is school?", kind=Question.Kind.CHOICE, design=direct
    )
    add_condition(mood, age, "less", "30")
    money = add_question(
        draft,
        text="How much is a bus ticket?",
        kind=Question.Kind.NUMBER,
        design=direct,
        minimum=0,
        maximum=10,
        decimal_places=1,
        required=True,
    )
    add_condition(money, car, "is_not", "yes")
    text = add_text(draft, text="Which car?", required=True)
    add_condition(text, car)
    rated = add_rating(draft, size=3, text="How good are these cars?", required=True)
    add_condition(rated, car)
    add_condition(rated, age, "most", "60")
    paired = add_question(
        draft,
        text="Have you fled from an accident?",
        required=True,
        design=Question.Design.UNRELATED_SHOWN,
        p_sensitive="2/3",
        harmless=BIRTHDAY,
        harmless_yes="1/4",
    )
    add_condition(paired, car)
    add_condition(paired, mood, "is", "Good")
    Question.objects.filter(pk=paired.pk).update(rule_joins="any")
    add_question(draft, text="Have you ever shoplifted?")
    return launched(draft)
