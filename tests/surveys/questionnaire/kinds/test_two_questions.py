"""A harmless second question hides the first: what is frozen, promised and worked out of it."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from surveys.authoring.drafts import draft_questionnaire, item_of
from surveys.kinds.two_questions.promise import ComparedQuestion
from surveys.models import Question
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.randomized_response.designs import Warner
from surveys.randomized_response.drawing import Device, recipe_for_questions
from surveys.randomized_response.errors import DesignError
from surveys.results.codebook.book import codebook
from surveys.results.queries import ItemCounts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from surveys.wording import odds
from surveys.wording.channels import channel_rows
from surveys.wording.learning import who_learns
from surveys.wording.protection import (
    odds_lines,
    second_questions,
)
from surveys.wording.recipes import recipe_steps
from tests.early_documents import version_1
from tests.factories import (
    BIRTHDAY,
    add_other_designs,
    add_question,
    make_other_survey,
)
from tests.unready import why

DESIGNS = Question.Design
SHOWN = dict(
    design=DESIGNS.UNRELATED_SHOWN, p_sensitive="2/3", harmless=BIRTHDAY, harmless_yes="1/4"
)
CROSSWISE = dict(design=DESIGNS.CROSSWISE, harmless=BIRTHDAY, harmless_yes="1/4")
GROUPS = dict(
    design=DESIGNS.TWO_GROUPS, p_sensitive="3/4, 1/4", harmless=BIRTHDAY, harmless_yes="1/4, 3/4"
)


def made(draft, **fields) -> PromisedQuestion:
    return item_of(add_question(draft, required=True, **fields))


def sentences(item: PromisedQuestion) -> str:
    survey = Questionnaire("T", "I", "O", "C", 1, (item,))
    (line,) = odds_lines(survey)
    return " ".join(line.sentences)


# ---- What is frozen ----------------------------------------------------------------------------


def test_every_design_reads_back_from_its_frozen_document(draft):
    add_other_designs(draft)
    questionnaire = draft_questionnaire(draft)
    assert Questionnaire.from_document(questionnaire.to_document()) == questionnaire


def test_documents_from_before_there_were_second_questions_still_read(draft):
    add_question(draft)
    questionnaire = draft_questionnaire(draft)
    document = version_1(questionnaire.to_document())
    for item in document["items"]:
        for name in ("reports", "second", "pairs"):
            del item[name]
    assert Questionnaire.from_document(document) == questionnaire


def test_crosswise_reports_follow_warners_channel(draft):
    item = made(draft, **CROSSWISE)
    assert item.channel == Warner(Fraction(1, 4)).channel
    assert item.epsilon == pytest.approx(math.log(3))
    assert [level.text for level in item.shown_reports] == [
        "The same answer to both",
        "Different answers",
    ]


def test_crosswise_asks_for_one_answer_and_needs_no_coin(draft):
    item = made(draft, **CROSSWISE)
    assert (isinstance(item, ComparedQuestion), item.is_drawn, item.recipe) == (True, False, None)
    assert item.is_offered_with_own_coin
    assert item.choices == item.shown_reports


def test_the_channel_of_two_answered_questions_is_the_average_over_the_second(draft):
    """Every own answer: 3 in 4 people would say No to the second question, 1 in 4 Yes."""
    item = made(draft, **SHOWN)
    for own, column in enumerate(item.weights):
        no, yes = item.pairs[2 * own : 2 * own + 2]
        assert [4 * weight for weight in column] == [
            3 * a + b for a, b in zip(no, yes, strict=True)
        ]


def test_a_group_and_an_answer_make_one_code_and_both_groups_are_equally_likely(draft):
    item = made(draft, **GROUPS)
    assert item.group_probabilities == (Fraction(3, 4), Fraction(1, 4))
    assert [level.code for level in item.reported_levels] == ["00", "01", "02", "03"]
    for column in item.pairs:
        assert sum(column[:2]) == sum(column[2:]) == item.denominator / 2


def test_an_unknown_share_is_promised_at_its_worst(draft):
    """In group 1: (3/4 + q/4) / (q/4), largest at q = 1/4; it is 13."""
    item = made(draft, **GROUPS)
    assert item.epsilon == pytest.approx(math.log(13))
    for known in ("1/4", "1/3", "1/2", "3/4"):
        inside = replace(item, second=replace(item.second, least=known, most=known))
        assert inside.epsilon <= item.epsilon + 1e-12


# ---- What is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize("fields", [SHOWN, CROSSWISE, GROUPS])
def test_two_questions_need_a_second_one_that_differs(draft, fields):
    assert "Write the second question too" in why(
        add_question(draft, required=True, **{**fields, "harmless": " "})
    )
    same = add_question(draft, required=True, text="Same?", **{**fields, "harmless": "same? "})
    assert "Write a different second question" in why(same)


@pytest.mark.parametrize("fields", [SHOWN, CROSSWISE, GROUPS, dict(design=DESIGNS.WARNER)])
def test_designs_with_two_answers_take_no_third(draft, fields):
    assert "tick “required”" in why(add_question(draft, **fields))
    choice = add_question(draft, "a", "b", required=True, kind="choice", **fields)
    assert "Choose the kind" in why(choice)


def test_the_numbers_of_two_groups_may_have_semicolons_between(draft):
    typed = {**GROUPS, "p_sensitive": "3/4; 1/4", "harmless_yes": "1/4; 3/4"}
    one, other = (add_question(draft, required=True, **fields) for fields in (GROUPS, typed))
    assert item_of(one).pairs == item_of(other).pairs


# ---- What respondents read -----------------------------------------------------------------------


def test_crosswise_odds_are_told_by_the_report_that_points_to_yes(draft):
    """With a quarter of Yes to the second question, "different" points to Yes: 25 in 100 of No."""
    assert sentences(made(draft, **CROSSWISE)) == (
        "Of 100 people whose answer is No, about 25 send “Different answers” as well. So "
        "“Different answers” proves little. What is said here is true of people who do not know "
        "your answer to the second question."
    )
    common = made(draft, **{**CROSSWISE, "harmless_yes": "3/4"})
    assert "about 25 send “The same answer to both”" in sentences(common)


def test_groups_are_told_at_their_worst(draft):
    """Group 1 sends Yes for a No with 1/2 x 1/4 x 1/4 at least: 3 in 100."""
    told = sentences(made(draft, **GROUPS))
    assert "Of 100 people whose answer is No, at least about 3 send “Group 1: Yes” anyway" in told
    assert "proves something" in told


def test_a_second_question_never_earns_a_plain_no(draft):
    plain = Questionnaire("T", "I", "O", "C", 1, (made(draft),))
    hidden = Questionnaire("T", "I", "O", "C", 1, (made(draft, **CROSSWISE),))
    light = Questionnaire("T", "I", "O", "C", 1, (made(draft, **GROUPS),))
    assert who_learns(plain) == "No"
    assert who_learns(hidden) == "Not from this"
    assert who_learns(light) == "Not for sure"
    assert second_questions(hidden) == "Question 1"
    assert (
        "not valid against a person who knows the answer to the second question"
        in odds.epsilon_words(hidden.items[0])
    )


def test_the_table_of_odds_has_a_row_for_each_pair_of_answers(draft):
    rows = channel_rows(made(draft, **SHOWN))
    assert [(row.truth, row.shares) for row in rows] == [
        ("Yes, and Yes to the second question", ("100", "0")),
        ("Yes, and No to the second question", ("66.7", "33.3")),
        ("No, and Yes to the second question", ("33.3", "66.7")),
        ("No, and No to the second question", ("0", "100")),
    ]
    compared = channel_rows(made(draft, **CROSSWISE))
    assert [(row.truth, row.shares) for row in compared] == [
        ("Yes", ("25", "75")),
        ("No", ("75", "25")),
    ]


def test_a_device_picks_the_question_on_the_way_without_a_script(draft):
    assert recipe_steps(made(draft, **SHOWN)) == [
        "Throw a die.",
        "1–4: answer the first question; 5–6: answer the second question.",
    ]
    assert not made(draft, **{**SHOWN, "p_sensitive": "5/7"}).is_offered_with_own_coin
    assert not made(draft, **GROUPS).is_offered_with_own_coin


@pytest.mark.parametrize("p", [Fraction(1, 2), Fraction(2, 3), Fraction(7, 10), Fraction(1, 36)])
def test_a_device_picks_each_question_as_often_as_it_should(p):
    recipe = recipe_for_questions(p)
    assert recipe is not None
    assert isinstance(recipe.device, Device)
    ((none, ((first, last),)), (other, _)) = recipe.assignments
    assert (none, other) == (None, 0)
    assert Fraction(last - first + 1, recipe.device.value) == p


@pytest.mark.parametrize("p", [Fraction(0), Fraction(1), Fraction(-1, 2)])
def test_a_question_that_is_picked_always_or_never_has_no_device(p):
    with pytest.raises(DesignError, match="both excluded"):
        recipe_for_questions(p)


# ---- What is worked out --------------------------------------------------------------------------


def report(item: PromisedQuestion, counts: dict[str, int]):
    return question_report(1, ItemCounts(item, Counter(counts)), Reading())


def test_the_crosswise_estimate_is_that_of_its_channel(draft):
    """0.25 pi + 0.75 (1 - pi) = 0.6 of "the same": pi = 0.3."""
    found = report(made(draft, **CROSSWISE), {"00": 400, "01": 600})
    assert [row.label for row in found.rows] == ["Yes", "No"]
    assert found.rows[0].share == pytest.approx(0.3)
    assert found.rows[0].reported is None
    assert "The same answer to both: 600" in found.notes[0]


def test_groups_are_solved_for_both_shares(draft):
    """pi = 0.2 and q = 0.6: 0.3 of group 1 and 0.5 of group 2 say Yes."""
    found = report(made(draft, **GROUPS), {"00": 700, "01": 300, "02": 250, "03": 250})
    shares = {row.label: row.share for row in found.rows}
    assert shares == pytest.approx({"Yes": 0.2, "No": 0.8, "Second question: Yes": 0.6})
    yes, no, _ = found.rows
    assert (no.interval.low, no.interval.high) == pytest.approx(
        (1 - yes.interval.high, 1 - yes.interval.low)
    )
    assert found.n == 1500


def test_false_reports_move_an_estimate_as_far_as_is_said(draft):
    item = made(draft, **GROUPS)
    honest = {"00": 700, "01": 300, "02": 250, "03": 250}
    before = report(item, honest)
    false = before.false_reports
    moves = [
        abs(report(item, {**honest, **changed}).rows[0].share - before.rows[0].share)
        for changed in (
            {"00": 700 - false, "01": 300 + false},
            {"02": 250 - false, "03": 250 + false},
            {"02": 250 + false, "03": 250 - false},
        )
    ]
    assert max(moves) == pytest.approx(before.movement)


def test_nothing_is_estimated_before_both_groups_have_an_answer(draft):
    assert report(made(draft, **GROUPS), {"00": 5}).n == 0


def test_the_codebook_says_what_the_codes_mean(owner):
    survey = make_other_survey(owner)
    columns = codebook(survey.revision, responses=0)["columns"]
    crosswise, groups = columns[3], columns[4]
    assert [entry["label"] for entry in crosswise["reports"]] == [
        "Different answers",
        "The same answer to both",
    ]
    assert crosswise["second_question"]["share_of_yes_from"] == "1/4"
    assert "weights" not in groups
    assert len(groups["pairs"]) == 4
