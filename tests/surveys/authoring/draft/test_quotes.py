"""Quotes of earlier answers in a draft: what launch refuses, and how their numbers follow."""

from decimal import Decimal

import pytest

from surveys.authoring.drafts import NotReady, draft_questionnaire, draft_questionnaires
from surveys.authoring.editor.orders import arrange_questions
from surveys.authoring.services import begin_edit, record_edit
from surveys.models import Question, Survey, Translation
from tests.factories import add_condition, add_day, add_question, add_text, make_survey
from tests.surveys.authoring.trustees import counted_draft
from tests.translated import translate_all
from tests.unready import reasons

pytestmark = pytest.mark.django_db
QUOTING = "Why do you say {your answer to question 1}?"
DIRECT = {"design": Question.Design.DIRECT}


def texts(survey: Survey) -> list[str]:
    return [question.text for question in survey.questions.all()]


@pytest.mark.parametrize("design", [Question.Design.DIRECT, Question.Design.TWO_COINS])
def test_a_question_may_quote_unprotected_answers_and_reads_well_without_them(owner, design):
    survey = make_survey(owner)
    add_question(survey, text="Do you own a car?", **DIRECT)
    add_text(survey, longest=100)
    add_question(
        survey, text="Of {your answer to question 1}, {what you wrote in 2}?", design=design
    )
    item = draft_questionnaire(survey).items[2]
    assert item.text == "Of your answer to question 1, what you wrote in 2?"
    assert item.quoting == "Of {your answer to question 1}, {what you wrote in 2}?"


def test_an_answer_that_is_counted_while_it_is_locked_is_quoted_in_the_page_alone(owner):
    survey = counted_draft(owner)
    add_question(survey, text="Why {your answer to question 2}?", **DIRECT)
    assert draft_questionnaire(survey).items[3].text == "Why your answer to question 2?"


def refused(survey: Survey, number: int, why: str) -> bool:
    (reason,) = reasons(survey)
    assert reason.startswith(f"Question {number} (")
    return why in reason


def test_a_protected_answer_is_not_quoted(owner):
    survey = make_survey(owner)
    add_question(survey)
    add_question(survey, text=QUOTING)
    assert refused(survey, 2, "question 1, which is protected. The quote would reveal that answer")


@pytest.mark.parametrize("number", [0, 2, 3, 9])
def test_only_answers_that_come_before_are_quoted(owner, number):
    survey = make_survey(owner)
    add_question(survey, **DIRECT)
    add_question(survey, text=f"Why {{your answer to question {number}}}?")
    add_question(survey, text="Do you own a car?", **DIRECT)
    assert refused(survey, 2, f"question {number}, which does not come before this question")


@pytest.mark.parametrize("kind", ["long text", "date"])
def test_an_answer_that_fits_into_no_sentence_is_not_quoted(owner, kind):
    survey = make_survey(owner)
    if kind == "date":
        add_day(survey)
    else:
        add_text(survey, longest=101)
    add_question(survey, text=QUOTING)
    assert refused(survey, 2, "question 1, but an answer of this kind does not fit into a sentence")


def test_an_answer_that_a_rule_may_hide_is_not_quoted(owner):
    survey = make_survey(owner)
    car = add_question(survey, text="Do you own a car?", **DIRECT)
    add_condition(add_question(survey, text="Do you like it?", **DIRECT), car)
    add_question(survey, text="Why {your answer to question 2}?", **DIRECT)
    assert refused(survey, 3, "question 2, which is not asked of all people")


def test_an_answer_that_may_come_later_in_a_random_order_is_not_quoted(owner):
    survey = make_survey(owner)
    add_question(survey, text="Do you own a car?", **DIRECT, section="A", random_screens=True)
    add_question(survey, text=QUOTING, **DIRECT)
    assert refused(survey, 2, "the random order may show question 1 later")


def test_quotes_follow_a_question_that_is_moved_or_deleted(owner):
    survey = make_survey(owner)
    for text in ("Do you own a car?", "Do you own a dog?"):
        add_question(survey, text=text, **DIRECT)
    last = add_question(survey, text="{Answer 1} and {answer 2}: why?", epsilon=Decimal(1))
    first, second, *others = survey.questions.values_list("pk", flat=True)
    shown, order = [first, second, *others], [second, first, *others]
    arrange_questions(survey=survey, shown=shown, order=order, by=owner)
    assert texts(survey) == [
        "Do you own a dog?",
        "Do you own a car?",
        "{Answer 2} and {answer 1}: why?",
    ]
    before = begin_edit(survey=survey, by=owner)
    survey.questions.all()[0].delete()
    record_edit(survey, before=before, by=owner)
    last.refresh_from_db()
    assert last.text == "{Answer 1} and {answer 0}: why?"
    assert "question 0, which does not come before this question" in " ".join(reasons(survey))


def test_translations_quote_the_same_answers_and_follow_too(owner):
    survey = make_survey(owner, also_in="de")
    for text in ("Do you own a car?", "Do you own a dog?"):
        add_question(survey, text=text, **DIRECT)
    add_question(survey, text=QUOTING)
    translate_all(survey, "de")
    first, second, *others = [question.pk for question in survey.questions.all()]
    shown, order = [first, second, *others], [second, first, *others]
    arrange_questions(survey=survey, shown=shown, order=order, by=owner)
    _, german = draft_questionnaires(survey)
    assert german.items[2].quoting == "Why do you say {your answer to question 2}? äöü"
    assert german.items[2].text == "Why do you say your answer to question 2? äöü"
    rows = Translation.objects.filter(text__contains="{your answer to question 2}")
    rows.update(text="Warum {Ihre Antwort auf Frage 1}?")
    other = (
        "The translation of this question quotes answers to other questions than the original "
        "text does"
    )
    with pytest.raises(NotReady, match=other):
        draft_questionnaires(survey)
