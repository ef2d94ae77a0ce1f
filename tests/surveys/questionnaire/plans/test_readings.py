"""Which part of the planned responses answers a question, or one of its parts."""

from fractions import Fraction

import pytest

from surveys.models.queries import questionnaire_of
from surveys.questionnaire.plans.readings import answers_among, planned_answers
from tests import factories


@pytest.mark.parametrize("planned", [1000, 998, 7])
def test_a_part_of_a_question_that_some_are_asked_is_rounded_once(owner, planned):
    draft = factories.make_survey(owner, planned_responses=planned, asked=1)
    for text in ("First?", "Second?"):
        factories.add_question(draft, text=text, required=True)
    questionnaire = questionnaire_of(factories.launched(draft).revision)
    item = questionnaire.items[0]
    third = Fraction(1, 3)
    assert planned_answers(questionnaire, item, third) == answers_among(planned, third / 2)
    assert planned_answers(questionnaire, item) == answers_among(planned, Fraction(1, 2))
