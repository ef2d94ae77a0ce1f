"""Sections and screens: how a revision groups its questions."""

import json

import pytest

from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.layout import Layout, RandomOrder, Section

ALCOHOL, WORK = Section(1, "Alcohol", "Of last year."), Section(4, "Work")
GROUPED = Layout((ALCOHOL, WORK), together=(2, 3, 6))


def test_a_screen_goes_on_with_the_questions_that_are_shown_together():
    assert GROUPED.screens(6) == [[1, 2, 3], [4], [5, 6]]
    assert Layout().screens(3) == [[1], [2], [3]]


@pytest.mark.parametrize(("number", "section"), [(1, ALCOHOL), (3, ALCOHOL), (4, WORK), (9, WORK)])
def test_a_question_belongs_to_the_last_section_that_began(number, section):
    assert GROUPED.section_of(number) == section
    assert Layout().section_of(number) is None


def test_a_document_reads_back_as_the_same_layout_and_says_nothing_of_none():
    assert Layout.from_document(json.loads(json.dumps(GROUPED.to_document()))) == GROUPED
    assert Layout().to_document() is None
    assert Layout.from_document(None) == Layout()


def test_a_questionnaire_keeps_its_sections_with_texts_by_language():
    questionnaire = Questionnaire(
        title="Habits",
        introduction="Why",
        organisation="We",
        contact="Us",
        minutes=1,
        items=(),
        layout=GROUPED,
    )
    document = json.loads(questionnaire.to_bytes())
    assert document["layout"]["sections"][1]["title"] == {"en": "Work"}
    assert Questionnaire.from_document(document) == questionnaire
    del document["layout"]
    assert Questionnaire.from_document(document).layout == Layout()


# Three sections of two screens each, the second screen of the first one with two questions.
THREE = tuple(Section(first, f"Section {first}") for first in (1, 4, 6))


@pytest.mark.parametrize(
    ("order", "earlier", "later", "is_before"),
    [
        (RandomOrder(), 1, 2, True),
        (RandomOrder(), 2, 1, False),
        (RandomOrder(screens=(1,)), 1, 2, False),  # two screens of a section that mixes them
        (RandomOrder(screens=(1,)), 2, 3, True),  # one screen, which stays as it is
        (RandomOrder(screens=(1,)), 1, 4, True),
        (RandomOrder(sections=(4, 6)), 4, 6, False),  # these two change places
        (RandomOrder(sections=(4, 6)), 1, 6, True),  # the first one stays
        (RandomOrder(sections=(4, 6)), 4, 5, True),  # within a section that moves as a whole
        (RandomOrder(sections=(1, 6)), 1, 4, False),  # the first may come last
        (RandomOrder(sections=(1, 6)), 4, 6, False),  # the last may come first
    ],
)
def test_a_question_comes_before_another_only_if_it_does_in_every_order(
    order, earlier, later, is_before
):
    assert Layout(THREE, together=(3,), order=order).comes_before(earlier, later) is is_before


def test_a_random_order_is_in_the_document_and_without_one_the_bytes_stay_the_same():
    mixed = Layout(THREE, order=RandomOrder((2,), (1,), (4, 6)))
    assert Layout.from_document(json.loads(json.dumps(mixed.to_document()))) == mixed
    assert mixed.is_random
    assert "order" not in (GROUPED.to_document() or {})
    assert not GROUPED.is_random
