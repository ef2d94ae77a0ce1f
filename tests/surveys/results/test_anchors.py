"""Anchors: what launch asks of them, and what their reports say of attention."""

import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from django.urls import reverse

from surveys.authoring.drafts import draft_questionnaire
from surveys.models import Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.kinds.registry import question_document, read_question
from surveys.results.queries import ItemCounts, item_counts
from surveys.results.reading import Reading
from surveys.results.rows.anchors import anchor_lines, expected_share
from tests.factories import BIRTHDAY, MOTHER, add_condition, add_question, launched, make_survey
from tests.stored import store_rows
from tests.unready import why

pytestmark = pytest.mark.django_db
CROSSWISE = {"design": Question.Design.CROSSWISE, "harmless_yes": "1/4", "required": True}
MOON = "Were you on the moon last week?"


def add_pair(survey: Survey, **anchor: object) -> Question:
    """A crosswise question and its anchor."""
    add_question(survey, harmless=BIRTHDAY, **CROSSWISE)
    fields = {**CROSSWISE, "text": MOON, "harmless": MOTHER, "known_share": "0", **anchor}
    return add_question(survey, **fields)


def test_an_anchor_is_frozen_with_its_known_share(owner):
    draft = make_survey(owner)
    add_pair(draft, known_share="1/6")
    question, anchor = draft_questionnaire(draft).items
    assert (question.known_yes, anchor.known_yes) == (None, Fraction(1, 6))
    document = question_document(anchor)
    assert document["known_yes"] == "1/6"
    assert read_question(document) == anchor
    assert "known_yes" not in question_document(question)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"design": "two_coins"}, "a protected yes-or-no question with the same design"),
        ({"harmless_yes": "1/3"}, "a protected yes-or-no question with the same design"),
        ({"known_share": "two"}, "known share of Yes, “two”, is not a probability"),
    ],
)
def test_an_anchor_goes_through_the_device_of_the_question_before_it(owner, fields, reason):
    draft = make_survey(owner)
    add_pair(draft, **fields)
    assert reason in why(draft)


def test_an_anchor_needs_a_question_before_it_and_the_same_people(owner):
    draft = make_survey(owner)
    add_question(draft, text=MOON, required=True, known_share="0")
    assert "must come right after a protected yes-or-no question" in why(draft)
    draft = make_survey(owner)
    for share in (None, "1/2"):
        add_question(draft, text=f"{share}?", known_share=share)
    assert (
        "People must answer an anchor and the question before it. Tick “required” in both "
        "questions." in why(draft)
    )
    draft = make_survey(owner)
    car = add_question(draft, text="Do you own a car?", design=Question.Design.DIRECT)
    add_condition(add_pair(draft), car)
    assert "this question and the question before must be asked of the same people" in why(draft)


def test_attentive_people_report_what_the_channel_makes_of_the_known_share(owner):
    """Crosswise at 1/4 and no one with the trait: "the same" with probability 3/4."""
    draft = make_survey(owner)
    add_pair(draft)
    assert expected_share(draft_questionnaire(draft).items[1]) == Fraction(3, 4)
    draft = make_survey(owner)
    for share in (None, "1/2"):
        add_question(draft, text=f"{share}?", required=True, known_share=share)
    assert expected_share(draft_questionnaire(draft).items[1]) == Fraction(1, 2)


def answered(owner, prevalence: float, attentive: float, people: int) -> Survey:
    """Simulated people: those who do not attend answer both questions by a fair coin."""
    draft = make_survey(owner)
    add_pair(draft)
    survey = launched(draft)
    rng = np.random.default_rng(5)
    attend = rng.random(people) < attentive
    second = rng.random((2, people)) < 0.25
    truth = np.stack([rng.random(people) < prevalence, np.zeros(people, bool)])
    same = np.where(attend, truth == second, rng.random((2, people)) < 0.5)
    store_rows(survey.revision, [f"0{a:d}0{b:d}" for a, b in same.T])
    return survey


def test_the_results_correct_the_estimate_for_people_who_did_not_attend(client, owner):
    survey = answered(owner, prevalence=0.1, attentive=0.7, people=20_000)
    counted = list(item_counts(questionnaire_revision(survey)))
    (line,) = anchor_lines(counted, Reading())
    assert line.number == 2
    assert "probability below 0.0001." in line.fit
    assert re.search(r"About 7[01] % of the people were attentive\.", line.attending)
    share = float(line.corrected.split(" %")[0].rsplit(" ", 1)[1])
    assert share == pytest.approx(10, abs=4 * 1.4)
    client.force_login(owner)
    page = client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    assert "Attention check" in page
    assert line.corrected in page


def questionnaire_revision(survey: Survey):
    assert questionnaire_of(survey.revision).items[1].known_yes == 0
    return survey.revision


def test_people_who_all_attend_fit_what_is_expected(owner):
    survey = answered(owner, prevalence=0.1, attentive=1, people=4_000)
    (line,) = anchor_lines(list(item_counts(survey.revision)), Reading())
    chance = float(line.fit.rsplit(" ", 1)[1].rstrip("."))
    assert chance > 1e-3
    assert "of the people were attentive" in line.attending


def counted_pair(owner, question: tuple[int, int], anchor: tuple[int, int]) -> list[ItemCounts]:
    """Counts of a crosswise question and its anchor: of other answers, of the same answers."""
    draft = make_survey(owner)
    add_pair(draft)
    items = draft_questionnaire(draft).items
    return [
        ItemCounts(item, Counter({"00": other, "01": same}))
        for item, (other, same) in zip(items, (question, anchor), strict=True)
    ]


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_of_few_who_attend_nothing_is_corrected_at_any_level(owner, level):
    counted = counted_pair(owner, (60, 40), (41, 59))
    (line,) = anchor_lines(counted, Reading(stated=level))
    assert line.corrected.endswith("cannot be corrected, because too few people were attentive.")


def test_a_corrected_share_is_shown_within_the_scale(owner):
    (line,) = anchor_lines(counted_pair(owner, (220, 780), (270, 730)), Reading())
    assert "for inattentive people, 0.0 % answer Yes" in line.corrected
    assert "−" not in line.corrected
    assert not line.corrected.endswith("(0.0 % to 0.0 %).")  # it says that nothing possible fits


def test_a_chance_too_small_to_print_is_said_to_be_less(owner):
    (line,) = anchor_lines(counted_pair(owner, (500, 500), (500, 500)), Reading())
    assert line.fit.endswith("with probability below 0.0001.")


def test_a_survey_without_answers_or_anchors_says_nothing(owner):
    draft = make_survey(owner)
    add_pair(draft)
    assert anchor_lines(list(item_counts(launched(draft).revision)), Reading()) == ()
