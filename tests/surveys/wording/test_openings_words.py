"""What respondents read about openings: the sentences of each choice, and none from before."""

from dataclasses import replace
from datetime import date

import pytest

from surveys.kinds.text.promise import TextQuestion
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.plans.openings import OpeningPlan
from surveys.wording.openings import (
    flooding_note,
    opening_details,
    opening_lines,
    opening_summary,
)

LAST = date(2026, 11, 29)  # a Sunday: what is sealed is opened on Monday
BEFORE = Questionnaire(
    title="T", introduction="I", organisation="O", contact="C", minutes=1, items=()
)
TEXT = TextQuestion(
    id="e", text="?", help="", required=False, kind="text", design="direct", longest=10
)
HONEST = (
    "You are hidden among people who answer honestly. No one can count these people, because some "
    "people may answer twice, or under false names."
)


def promised(when: str, **fields: object) -> Questionnaire:
    return replace(BEFORE, opening=OpeningPlan(when, **fields))


def test_a_document_from_before_says_nothing_of_openings():
    assert opening_lines(BEFORE, LAST) == opening_details(BEFORE, LAST) == []
    assert flooding_note(BEFORE) == ""


def test_at_the_close():
    assert opening_lines(promised("close"), LAST) == [
        "Your answers stay encrypted until the survey closes on Nov. 29, 2026. Then the "
        "answers of all people are opened together, in random order. No one sees results earlier.",
        HONEST,
    ]


def test_every_week_and_every_few_days():
    week, honest, one_by_one = opening_lines(promised("every"), LAST)
    assert week == (
        "Answers are opened every Monday, in random order. At each opening, chance keeps at least "
        "half of the answers sealed, never fewer than 20."
    )
    assert honest == HONEST
    assert one_by_one == (
        "Someone who gives people the link one by one can find out which answers came from whom."
    )
    (days, *_) = opening_lines(promised("every", days=3), LAST)
    assert days.startswith("Answers are opened every 3 days, in random order.")
    (day, *_) = opening_lines(promised("every", days=1), LAST)
    assert day.startswith("Answers are opened every day, in random order.")


def test_live():
    assert opening_lines(promised("live"), None) == [
        "Live: answers appear as soon as 20 answers have come. Someone who sends the 19 answers "
        "stored together with yours can recognise your answers."
    ]
    assert opening_details(promised("live"), None) == opening_lines(promised("live"), None)


def test_a_live_survey_with_texts_says_that_they_are_stored_with_the_rows_of_their_batch():
    (_, texts) = opening_details(replace(promised("live"), items=(TEXT,)), None)
    assert texts == (
        "The answers and texts of 20 people, yours included, are stored at the same time. "
        "Someone who reads the database, or keeps looking at the results, sees that your text "
        "comes from one of these people."
    )
    sealed = opening_details(replace(promised("close"), items=(TEXT,)), LAST)
    assert not any("at the same time" in line for line in sealed)
    assert opening_details(replace(BEFORE, items=(TEXT,)), None) == []


@pytest.mark.parametrize(
    ("when", "words"),
    [
        (
            "close",
            (
                "Answers stay sealed until Nov. 29, 2026. You are hidden among people who answer "
                "honestly."
            ),
        ),
        (
            "every",
            "Answers are opened every Monday. You are hidden among people who answer honestly, "
            "unless links are given out one by one.",
        ),
        (
            "live",
            "Someone who sends the 19 answers stored together with yours can recognise yours.",
        ),
    ],
)
def test_the_first_screen_says_it_in_a_few_words(when, words):
    assert opening_summary(promised(when), LAST) == words


@pytest.mark.parametrize(
    ("below_k", "words"),
    [
        ("open", "they are opened together. Then you are hidden only among these few people."),
        ("destroy", "If fewer than 20 answers come, all answers are destroyed unread."),
    ],
)
def test_what_becomes_of_few_answers_is_said_beforehand(below_k, words):
    *_, few = opening_details(promised("close", below_k=below_k), LAST)
    assert few.endswith(words)
