"""“Other, please specify”: a text for the last answer of the choice above it."""

import pytest

from surveys.models import PrivacyBudget, Question, Survey
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.logic.rules import Rule
from surveys.questionnaire.refusals import HiddenAnswered
from surveys.questionnaire.submission import body_length, parse
from tests import factories
from tests.bodies import body_of
from tests.factories import (
    add_budget,
    add_condition,
    add_other,
    add_question,
    add_text,
    make_survey,
)
from tests.unready import why

pytestmark = [pytest.mark.django_db, pytest.mark.survey(make=factories.launched_with(add_other))]
BUS, OTHER, DECLINED = "00", "02", "03"


@pytest.fixture
def questionnaire(survey) -> Questionnaire:
    return Questionnaire.from_document(survey.revision.document)


def sent(survey: Survey, answer: str, text: str) -> bytes:
    encoded = (
        Questionnaire.from_document(survey.revision.document).numbered.texts[0][1].encode(text)
    )
    return body_of(survey.revision, [answer, encoded])


def test_it_is_asked_after_the_last_answer_on_the_same_screen(questionnaire):
    choice, other = questionnaire.items
    assert other.rule == Rule("is", 1, codes=(OTHER,))
    assert questionnaire.layout.screens(2) == [[1, 2]]
    assert choice.rule is None


@pytest.mark.parametrize(("answer", "text"), [(OTHER, "On a mule"), (OTHER, ""), (BUS, "")])
def test_bodies_are_equally_long_with_and_without_it(survey, questionnaire, answer, text):
    body = sent(survey, answer, text)
    assert len(body) == body_length(questionnaire)
    revision = str(survey.revision.pk)
    assert parse(body, questionnaire=questionnaire, revision=revision).codes == (answer, text)


@pytest.mark.parametrize("answer", [BUS, DECLINED])
def test_a_text_for_another_answer_is_refused(survey, questionnaire, answer):
    with pytest.raises(HiddenAnswered):
        parse(
            sent(survey, answer, "On a mule"),
            questionnaire=questionnaire,
            revision=str(survey.revision.pk),
        )


def test_the_text_of_a_protected_choice_is_refused(owner):
    draft = make_survey(owner)
    other = add_other(draft)
    draft.questions.exclude(pk=other.pk).update(design=Question.Design.TWO_COINS)
    assert (
        "Question 1, right above this question, is protected. Only people who choose its last "
        "option are asked for a text" in why(draft)
    )


@pytest.mark.parametrize("above", ["nothing", "a text"])
def test_it_belongs_below_a_choice(owner, above):
    draft = make_survey(owner)
    if above == "a text":
        add_text(draft)
    add_text(draft, kind=Question.Kind.OTHER)
    assert "right below a choice that is asked directly" in why(draft)


def test_it_has_no_conditions_of_its_own(owner):
    draft = make_survey(owner)
    car = add_question(draft, text="Do you own a car?", design=Question.Design.DIRECT)
    add_condition(add_other(draft), car)
    assert "only for people who chose the last option of the question above" in why(draft)


def test_a_budget_for_tables_refuses_it_as_every_text_behind_a_rule(owner):
    draft = make_survey(owner)
    add_other(draft)
    add_budget(draft, source=PrivacyBudget.Source.ALL, epsilon=4)
    assert "how many people meet the rule of this question" in why(draft)
