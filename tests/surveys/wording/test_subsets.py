"""What respondents read where they are asked some of the protected questions."""

import itertools
import math
import random
from dataclasses import replace

import pytest
from django.template.loader import render_to_string

from surveys.collecting.rows import page_context
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.logic.rules import rule_from
from surveys.wording.learning import leaves_doubt, who_learns
from surveys.wording.protection import total_odds
from surveys.wording.subsets import asked_words, die_results, subset_lines, subset_steps
from tests.surveys.wording.test_learning import WORDS, k_ary
from tests.surveys.wording.test_protection import item, survey, yes_no

ANSWER = "Answer the questions that you drew"
LEAVE = "Leave out the questions that you drew: keep “Not drawn”"


def asking(asked: int, size: int) -> Questionnaire:
    direct = item(None, "No", "Yes")
    return replace(survey(direct, *[yes_no()] * size), asked=asked)


def test_who_is_asked_everything_reads_nothing_of_it():
    everything = survey(yes_no(), yes_no())
    assert subset_lines(everything) == subset_steps(everything) == []
    assert die_results(everything) == {}


def test_respondents_read_how_many_they_are_asked_and_to_keep_it_to_themselves():
    lines = " ".join(subset_lines(asking(3, 10)))
    assert "asked 3 of the 10 protected questions" in lines
    assert "before you answer anything" in lines
    assert "Do not tell anyone" in lines


def test_only_protected_questions_are_said_to_be_drawn():
    assert asked_words(survey(yes_no(), item(None, "No", "Yes"))) == "2"
    assert asked_words(asking(5, 12)) == "6 of 13. Chance draws 5. Tell no one which."
    protected = survey(*[yes_no()] * 12)
    for asked, them in ((5, "them"), (1, "it")):
        words = f"{asked} of 12. Chance draws {them}. Tell no one which."
        assert asked_words(replace(protected, asked=asked)) == words


def test_where_rules_leave_questions_out_as_many_are_asked_at_most():
    routed = replace(item(None, "No", "Yes"), rule=rule_from({"answered": [1]}))
    plain = survey(item(None, "No", "Yes"), routed)
    assert asked_words(plain) == "at most 2"
    drawn = replace(plain, items=(*plain.items, yes_no(), yes_no(), yes_no()), asked=2)
    assert asked_words(drawn) == "At most 4 of 5. Chance draws 2. Tell no one which."


def test_what_respondents_must_keep_to_themselves_is_not_folded_away():
    page = render_to_string(
        "surveys/collecting/_welcome.html", page_context(asking(3, 10), None)
    ).split("<details>")
    assert ["Tell no one which." in part for part in page] == [True, False]
    assert ["Do not tell anyone" in part for part in page] == [False, True]


def test_of_random_surveys_each_has_the_word_of_the_largest_answers_that_may_be_asked():
    rng = random.Random(17)
    seen = set()
    for _ in range(200):
        items = [
            k_ary(rng.uniform(0.1, 2.5), rng.randrange(2, 6)) for _ in range(rng.randrange(2, 9))
        ]
        asked = rng.randrange(1, len(items))
        questionnaire = replace(survey(*items, item(None, "No", "Yes")), asked=asked)
        drawn = itertools.combinations([one.epsilon for one in items], asked)
        total = max(map(math.fsum, drawn))
        expected = WORDS[(total > 3) + (total > 6) + (total > 12)]
        if expected == "No" and not leaves_doubt(questionnaire):
            expected = "Not for sure"
        assert who_learns(questionnaire) == expected
        count = "answer can" if asked == 1 else f"{asked} protected answers together can"
        assert count in total_odds(questionnaire)
        seen.add(expected)
    assert seen >= {"No", "Not for sure", "Partly"}


@pytest.mark.parametrize(
    ("asked", "size", "words"),
    [
        (2, 6, ("2 of the 6", "Throw a die.", "until you have 2 questions", ANSWER)),
        (3, 10, ("3 of the 10", "such as 25", "until you have 3 questions", ANSWER)),
        (9, 10, ("9 of the 10", "one that you leave out", "until you have one", LEAVE)),
        (5, 60, ("5 of the 60", "such as 254", "until you have 5 questions", ANSWER)),
        (1, 6, ("which one of the 6", "Throw a die.", "You draw only one question.", ANSWER)),
    ],
)
def test_a_person_with_a_die_reads_how_to_draw(asked, size, words):
    steps = subset_steps(asking(asked, size))
    assert len(steps) == 5
    for step, part in zip(steps, words, strict=False):
        assert part in step
    assert "tell no one which questions they are" in steps[-1]


def test_each_protected_question_has_its_numbers_and_no_other_has_any():
    results = die_results(asking(3, 10))
    assert list(results) == list(range(2, 12))
    assert (results[2], results[3], results[11]) == ("11–13", "14–16", "54–56")
    assert die_results(asking(2, 6))[2] == "1"
