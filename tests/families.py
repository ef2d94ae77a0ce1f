"""Surveys with questions behind protected answers: families, and reports of their own."""

from django.contrib.auth.models import User

from surveys.models import Question, Survey
from tests.factories import add_condition, add_question, launched, make_survey


def add_family(draft: Survey, **fields: object) -> list[Question]:
    """A filter of three answers, two follow-ups of each other and one for another answer.

    Ways: Never; Once; Once and a little or a lot, then told or not.
    """
    first = add_question(
        draft,
        "Never",
        "Once",
        "Often",
        text="How often did you steal?",
        kind="choice",
        required=True,
        **fields,
    )
    worth = add_question(
        draft, "Little", "Much", text="What was it worth?", kind="choice", required=True
    )
    add_condition(worth, first, value="Once")
    told = add_question(draft, text="Did you tell anybody?")
    add_condition(told, worth, value="Much")
    why = add_question(draft, text="Do you want to stop?", required=True)
    add_condition(why, first, value="Often")
    return [first, worth, told, why]


def make_family_draft(owner: User, **fields: object) -> Survey:
    """A direct question, a family with another question among its own, and a page behind it."""
    draft = make_survey(owner, **fields)
    add_question(draft, text="Do you own a car?", design="direct", required=True)
    _, *others = add_family(draft)
    add_question(draft, text="Have you ever lied to a doctor?")
    page = add_question(draft, text="You can get help", kind="info", design="direct", help="Call.")
    add_condition(page, others[-1])
    return draft


def make_family_survey(owner: User, **fields: object) -> Survey:
    return launched(make_family_draft(owner, **fields))
