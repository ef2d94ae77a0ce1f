"""The word beside who could learn a true answer follows from all protected answers together."""

import math
import random
import re
from dataclasses import replace

import pytest
from django.template.loader import render_to_string

from surveys.collecting.rows import page_context
from surveys.questionnaire.document import Questionnaire
from surveys.randomized_response.designs import KAry
from surveys.web.locales import speaking
from surveys.wording.learning import learning_note, leaves_doubt, of_total, who_learns
from surveys.wording.protection import total_odds
from tests.early_documents import version_1
from tests.surveys.wording.test_protection import forced, item, survey, yes_no

WORDS = ("No", "Not for sure", "Partly", "Yes")


def k_ary(epsilon: float, options: int = 2):
    return item(KAry.from_epsilon(options, epsilon), *"ABCDEFGH"[:options])


@pytest.mark.parametrize(
    ("total", "word"),
    [
        *((0.0, "No"), (2.99, "No"), (3.0, "No"), (3.001, "Not for sure"), (6.0, "Not for sure")),
        *((6.001, "Partly"), (12.0, "Partly"), (12.001, "Yes"), (math.inf, "Yes")),
    ],
)
def test_a_total_has_one_word(total, word):
    assert WORDS[of_total(total)] == word


@pytest.mark.parametrize(
    ("count", "word"),
    [(1, "No"), (2, "No"), (3, "Not for sure"), (5, "Not for sure"), (6, "Partly")],
)
def test_answers_add_up(count, word):
    questionnaire = survey(*[yes_no()] * count)  # ln 3 each
    assert who_learns(questionnaire) == word
    assert bool(learning_note(questionnaire)) == (word != "No")


ROWS = r'<th scope="row">([^<]*)</th>(.*?)</tr>'


def consequences(page: str) -> dict[str, int]:
    """For each answer of the first page's table, of how many people it is true."""
    return {word: people.count("<li>") for word, people in re.findall(ROWS, page, re.DOTALL)}


def test_the_first_page_names_who_can_learn_an_answer_and_who_cannot():
    page = render_to_string(
        "surveys/collecting/_welcome.html", page_context(survey(yes_no()), None)
    )
    [(no, those_who_cannot), (yes, those_who_can)] = re.findall(ROWS, page, re.DOTALL)
    assert (no, yes) == ("No", "Yes")
    assert re.findall(r"<li>([^<]*)</li>", those_who_cannot) == [
        "The researchers",
        "The people who run this server",
        "Someone who steals the database",
        "A court order",
    ]
    assert re.findall(r"<li>([^<]*)</li>", those_who_can) == [
        "Someone looking at your screen now",
        "A changed or hacked copy of this page",
    ]


def test_sixty_questions_with_two_coins_never_show_no():
    questionnaire = survey(*[yes_no()] * 60)
    assert who_learns(questionnaire) == "Yes"
    assert "more than a million-fold" in total_odds(questionnaire)
    page = render_to_string("surveys/collecting/_welcome.html", page_context(questionnaire, None))
    assert consequences(page) == {"Yes": 6}


def test_one_lightly_protected_question_is_never_called_safe():
    """6-fold odds on one question: far below a total of 3, and not "No" all the same."""
    light = survey(k_ary(math.log(6)))
    assert light.loss.epsilon < 3
    assert who_learns(light) == "Not for sure"
    assert "only lightly" in learning_note(light)


def test_of_random_surveys_each_has_the_word_of_its_total():
    rng = random.Random(13)
    for number in range(200):
        items = [
            k_ary(rng.uniform(0.1, 2.5), rng.randrange(2, 6)) for _ in range(rng.randrange(1, 9))
        ]
        questionnaire = survey(*items, *[item(None, "No", "Yes")] * rng.randrange(3))
        total = sum(one.epsilon for one in items)
        expected = WORDS[(total > 3) + (total > 6) + (total > 12)]
        if expected == "No" and not leaves_doubt(questionnaire):
            expected = "Not for sure"
        assert who_learns(questionnaire) == expected
        if number % 5 == 0:  # a page is drawn in the time of twenty words
            page = render_to_string(
                "surveys/collecting/_welcome.html", page_context(questionnaire, None)
            )
            in_all = {"Yes": 6} if expected == "Yes" else {expected: 4, "Yes": 2}
            assert consequences(page) == in_all


# What surveys that were launched before read, word for word.
LIGHT_NOTE = (
    "“Not for sure”: at least one question is protected only lightly; you read below how much."
)


def launched_before(questionnaire: Questionnaire) -> Questionnaire:
    document = version_1(questionnaire.to_document())
    del document["wording"]
    return Questionnaire.from_document(document)


@pytest.mark.parametrize(
    ("questions", "word", "note"),
    [
        ([yes_no()] * 60, "No", ""),
        ([yes_no(), yes_no(forced("1/100", "1/100"))], "Not for sure", LIGHT_NOTE),
        ([k_ary(4.0)] * 5, "Not for sure", LIGHT_NOTE),
    ],
)
def test_surveys_launched_before_keep_their_sentences(questions, word, note):
    before = launched_before(survey(*questions))
    with speaking(before):
        assert (who_learns(before), learning_note(before)) == (word, note)
        page = render_to_string("surveys/collecting/_welcome.html", page_context(before, None))
    assert consequences(page) == {word: 4, "Yes": 2}
    assert page.count('<p class="note">') == bool(note)


def test_what_a_survey_promised_survives_being_stored():
    questionnaire = replace(survey(yes_no()), wording=2)
    assert Questionnaire.from_document(questionnaire.to_document()) == questionnaire
