"""Drafts that no page would write, posted by hand: refused with the reason, nothing stored."""

import html
import re

import pytest
from django.test import Client

from surveys.authoring.draft.rules import MOST_CONDITIONS
from surveys.models import Condition, Option, Question, Revision, Survey
from tests.factories import add_condition, add_matrix, add_question
from tests.surveys.authoring.asking import page_of
from tests.surveys.authoring.test_admin_rules import form_of
from tests.surveys.authoring.test_admin_rules import page_of as question_page

pytestmark = pytest.mark.django_db


@pytest.fixture
def car(draft) -> Question:
    return add_question(draft, text="Do you own a car?", design="direct")


def words(reply) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", reply.content.decode())).split())


def launched_words(staff: Client, draft: Survey) -> str:
    """What a launch by hand says; it freezes nothing."""
    reply = staff.post(page_of(draft, "launch"), {"confirm": "on"}, follow=True)
    assert not Revision.objects.exists()
    return words(reply)


@pytest.mark.parametrize("count", [500, 150])
def test_hundreds_of_options_with_equal_labels_are_refused(staff, draft, count):
    question = add_question(draft, "Never", "Often", kind="choice")
    form = form_of(question) | {"kind": "choice", "option_lines": "Same\n" * count}
    said = words(staff.post(question_page(question), form))
    assert (
        f"You entered {count} options" if count > 200 else "Options 1 and 2 have the same words"
    ) in said
    assert list(Option.objects.values_list("text", flat=True)) == ["Never", "Often"]


def test_hundreds_of_conditions_are_refused(staff, draft, car):
    question = add_question(draft)
    for count in (MOST_CONDITIONS + 1, 40):
        form = form_of(question, *[(car, "is", "Yes")] * count)
        reply = staff.post(question_page(question), form)
        assert f"at most {MOST_CONDITIONS}" in words(reply)
        assert not Condition.objects.exists()


def test_a_question_that_reads_itself_is_refused(staff, draft):
    question = add_question(draft, design="direct")
    reply = staff.post(question_page(question), form_of(question, (question, "is", "Yes")))
    assert "Select a valid choice" in words(reply)
    assert not Condition.objects.exists()


def test_a_question_that_reads_a_later_one_is_refused_and_never_launched(staff, draft, car):
    drunk = add_question(draft, text="Have you driven drunk?", design="direct")
    add_condition(drunk, car)
    form = form_of(car, (drunk, "is", "Yes")) | {"design": "direct"}
    assert "Select a valid choice" in words(staff.post(question_page(car), form))
    assert not car.conditions.exists()
    add_condition(car, drunk)  # a circle, as a move of questions may leave half of one
    assert "depends on question 2, which does not come earlier" in launched_words(staff, draft)


def test_questions_to_which_no_answers_lead_are_never_launched(staff, draft, car):
    question = add_question(draft)
    rows = ((car, "is", "Yes"), (car, "is_not", "Yes"), (car, "answered", ""))
    reply = staff.post(question_page(question), form_of(question, *rows), follow=True)
    assert "No answers lead to this question" in words(reply)
    assert "No answers lead to this question" in launched_words(staff, draft)


def test_hundreds_of_arms_and_of_rows_with_equal_names_are_never_launched(staff, draft):
    Survey.objects.filter(pk=draft.pk).update(arms="A: 1\n" * 500)
    assert "This draft has 500 arms. A survey can have at most 6 arms." in launched_words(
        staff, draft
    )
    Survey.objects.filter(pk=draft.pk).update(arms="")
    add_matrix(draft, table_rows="Same\n" * 500)
    said = launched_words(staff, draft)
    assert "Enter between 2 and 20 rows. This question has 500." in said
    assert "Two rows have the same text" in said


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("conditions-0-comparison", "contains", "Select a valid choice"),
        ("conditions-0-value", "x" * 1001, "at most 1000 characters"),
        ("conditions-0-source", "q001", "Please correct the error"),
        ("rule_joins", "xor", "Select a valid choice"),
    ],
)
def test_what_no_row_of_a_rule_offers_is_refused(staff, draft, car, field, value, said):
    question = add_question(draft)
    form = form_of(question, (car, "is", "Yes")) | {field: value}
    assert said in words(staff.post(question_page(question), form))
    assert not Condition.objects.exists()
