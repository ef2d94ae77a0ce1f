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


def make_hidden_draft(owner: User, **fields: object) -> Survey:
    """Reports of their own behind a protected answer, in every way, and one behind two answers.

    1 car (direct), 2 stolen, 3 what for (own level), 4 caught (counts as No), 5 behind 1 and 2,
    6 behind 4, which is one level deeper.
    """
    draft = make_survey(owner, **fields)
    car = add_question(draft, text="Do you own a car?", design="direct", required=True)
    stolen = add_question(draft, text="Have you stolen?", required=True)
    fun = add_question(
        draft, "Fun", "Need", text="What for?", kind="choice", required=True, behind="own"
    )
    caught = add_question(
        draft,
        text="Were you caught?",
        required=True,
        behind="counts",
        design="warner",
        p_sensitive="3/4",
    )
    for question in (fun, caught):
        add_condition(question, stolen)
    both = add_question(draft, text="Was it a car?", required=True, behind="counts")
    for source in (car, stolen):
        add_condition(both, source)
    deeper = add_question(draft, text="Did you pay?", required=True, behind="own")
    add_condition(deeper, caught)
    return draft


def make_hidden_survey(owner: User, **fields: object) -> Survey:
    return launched(make_hidden_draft(owner, **fields))
