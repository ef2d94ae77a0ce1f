"""A draft becomes exactly the questionnaire that its author meant, or says what is missing."""

import math
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from django.utils import timezone

from surveys.authoring.drafts import NotReady, draft_questionnaire, item_of
from surveys.models import Option, Question
from surveys.questionnaire.document import Questionnaire
from tests.factories import add_one_of_each, add_question, make_survey
from tests.unready import why

KINDS, DESIGNS = Question.Kind, Question.Design


def test_a_required_yes_or_no_through_two_coins_has_epsilon_ln_3(draft):
    item = item_of(add_question(draft, required=True))
    assert item.epsilon == pytest.approx(math.log(3))
    assert [level.text for level in item.shown_levels] == ["Yes", "No"]


def test_declining_is_one_more_level_of_the_channel(draft):
    item = item_of(add_question(draft))
    assert item.epsilon == pytest.approx(math.log(4))
    assert item.decline_level == 2
    assert len(item.weights) == 3


def test_k_ary_never_gives_away_more_than_was_stated(draft):
    for stated in ("0.01", "0.5", "1.0986", "3", "5"):
        question = add_question(
            draft, "a", "b", "c", kind=KINDS.SCALE, design=DESIGNS.K_ARY, epsilon=Decimal(stated)
        )
        question.refresh_from_db()
        assert item_of(question).epsilon <= float(stated)


def test_forced_probabilities_are_typed_in_the_order_shown(draft):
    item = item_of(
        add_question(draft, required=True, design=DESIGNS.FORCED_RESPONSE, forced="1/4, 1/8")
    )
    no, yes = 0, 1
    assert item.channel.rows[yes][no] == pytest.approx(1 / 4)
    assert item.channel.rows[no][yes] == pytest.approx(1 / 8)


def test_a_direct_question_carries_no_channel(draft):
    item = item_of(add_question(draft, design=DESIGNS.DIRECT))
    assert not item.is_randomized
    assert item.epsilon == math.inf


def test_a_frozen_document_reads_back_as_the_same_questionnaire(draft):
    add_one_of_each(draft)
    questionnaire = draft_questionnaire(draft)
    assert Questionnaire.from_document(questionnaire.to_document()) == questionnaire


@pytest.mark.parametrize("typed", ["1/4; 0.125", "1/4;0.125", "1/4,0.125"])
def test_forced_probabilities_may_have_semicolons_between_as_german_pages_write_them(draft, typed):
    item = item_of(add_question(draft, required=True, design=DESIGNS.FORCED_RESPONSE, forced=typed))
    same = dict(design=DESIGNS.FORCED_RESPONSE, forced="1/4, 1/8")
    assert item.channel == item_of(add_question(draft, required=True, **same)).channel


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "1/6",
        "1/6, 1/6, 1/6",
        "1/2, 1/2",
        "0, 1/4",
        "1, 0",
        "-1/6, 1/6",
        "1/0, 1/6",
        "NaN, 1/6",
        "1e999999999, 1/6",
        "½, 1/6",
        "١/٦, 1/6",
        "x, y",
        "😀, 1/6",
        "9/4, 1/6",
        "1/3 1/3",
    ],
)
def test_forced_probabilities_that_make_no_design_are_explained(draft, typed):
    question = add_question(draft, required=True, design=DESIGNS.FORCED_RESPONSE, forced=typed)
    assert why(question)


def test_an_empty_draft_asks_for_a_question(draft):
    with pytest.raises(NotReady, match="at least one question"):
        draft_questionnaire(draft)


def test_a_question_with_twenty_options_is_accepted(draft):
    question = add_question(draft, kind=KINDS.CHOICE)
    Option.objects.bulk_create(
        Option(question=question, position=place, text=f"Option {place} ✓") for place in range(20)
    )
    assert len(item_of(question).levels) == 21


def test_a_draft_whose_days_are_over_cannot_be_launched(owner):
    today = timezone.now().date()
    draft = make_survey(owner, close_on=today - timedelta(days=1), delete_on=today)
    add_question(draft)
    with pytest.raises(NotReady) as problem:
        draft_questionnaire(draft)
    assert len(problem.value.reasons) == 2
    draft.close_on, draft.delete_on = today, today + timedelta(days=1)
    draft_questionnaire(draft)


# ---- Channel matrices ----------------------------------------------------------------------------


def matrix(draft, typed: str, *options: str, **fields: object) -> Question:
    return add_question(draft, *options, design=DESIGNS.CHANNEL_MATRIX, channel=typed, **fields)


def test_a_matrix_is_typed_as_it_is_shown_rows_sent_columns_true(draft):
    item = item_of(matrix(draft, "9/10, 1/5\n1/10, 4/5", required=True))
    no, yes = 0, 1
    assert item.channel.rows[yes] == (Fraction(1, 5), Fraction(9, 10))
    assert item.channel.rows[no] == (Fraction(4, 5), Fraction(1, 10))


def test_a_matrix_that_is_two_coins_is_two_coins(draft):
    typed = "3/4, 1/4\r\n1/4, 3/4\r\n"
    assert item_of(matrix(draft, typed, required=True)).weights == ((3, 1), (1, 3))


def test_a_matrix_has_a_row_and_a_column_for_declining_too(draft):
    item = item_of(matrix(draft, "2/3 1/6 1/6; 1/6 2/3 1/6; 1/6 1/6 2/3"))
    assert item.epsilon == pytest.approx(math.log(4))
    assert item.decline_level == 2


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "needs 2 rows"),
        ("3/4, 1/4", "needs 2 rows, one for each answer that can be sent, but has 1"),
        (
            "3/4, 1/4\n1/4, 3/4\n0, 0",
            "needs 2 rows, one for each answer that can be sent, but has 3",
        ),
        (
            "3/4, 1/4, 0\n1/4, 3/4, 1",
            "Row 1 of the channel matrix (“Yes” is sent) has 3 probabilities",
        ),
        ("3/4, 1/4\n1/4", "Row 2 of the channel matrix (“No” is sent) has 1 "),
        ("3/4, x\n1/4, 3/4", "Row 1, column 2"),
        ("3/4, 1/4\n-1/4, 3/4", "Row 2, column 1"),
        ("3/4, 1/4\nNaN, 3/4", "“NaN” is not a probability"),
        ("3/4, 1/4\n½, 3/4", "“½” is not a probability"),
        ("3/4, 1/4\n1/0, 3/4", "“1/0” is not a probability"),
        ("5/4, 1/4\n1/4, 3/4", "“5/4” is not a probability"),
        (
            "3/4, 1/4\n1/8, 3/4",
            "Column 1 of the channel matrix (“Yes” is true) adds up to 7/8. To make the sum 1: "
            "add 1/8.",
        ),
        ("3/4, 1/2\n1/4, 3/4", "adds up to 5/4. To make the sum 1: subtract 1/4."),
        ("1/2, 1/2\n1/2, 1/2", "Choose columns that differ more"),
        ("1, 1/2\n0, 1/2", "Row 2, column 1 of the channel matrix (“No” is sent, “Yes” is true)"),
        ("1, 1\n0, 0", "would never be sent"),
        ("1, 0\n0, 1", "epsilon is infinite"),
        (
            "999/1000, 1/1000\n1/1000, 999/1000",
            "but 5 is the most that is allowed. With a larger epsilon, a reported answer nearly "
            "reveals the truth",
        ),
        ("0.50001, 0.49999\n0.49999, 0.50001", "Choose probabilities that differ more"),
    ],
)
def test_a_matrix_that_makes_no_design_is_refused_by_its_cell(draft, typed, said):
    assert said in why(matrix(draft, typed, required=True))


def test_mangat_and_triangular_matrices_are_refused_because_a_report_would_be_proof(draft):
    """Mangat: who carries always sends Yes. Triangular: "neither" proves No."""
    for typed in ("1, 1/3\n0, 2/3", "1, 1/4\n0, 3/4"):
        assert "would prove that “Yes” is not true" in why(matrix(draft, typed, required=True))


def test_what_a_browser_draws_never_gives_away_more_than_the_typed_matrix(draft):
    """No browser can draw these exactly; epsilon of what was typed is ln 2."""
    typed = "2/3, 1/3, 1/3\n123456789/999999937, 1/3, 1/3\n"
    rest = Fraction(1, 3) - Fraction(123456789, 999999937)
    typed += f"{rest.numerator}/{rest.denominator}, 1/3, 1/3"
    assert "not a probability" in why(matrix(draft, typed))
    fine = "500000011/999999937, 333333312/999999937\n499999926/999999937, 666666625/999999937"
    item = item_of(matrix(draft, fine, required=True))
    assert item.denominator <= 2**32
    assert item.epsilon <= math.log(500000011 / 333333312) + 1e-15
