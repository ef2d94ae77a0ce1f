"""Sections and screens: how a revision groups its questions."""

import json

import pytest

from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.layout import Layout, Section

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
