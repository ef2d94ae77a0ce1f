"""The rows of options below a question: each new one comes after those before it."""

import pytest
from django.test import Client
from django.urls import reverse

from surveys.models import Question
from tests.factories import NO_CONDITIONS, add_question, make_survey, make_user


@pytest.fixture
def author(db):
    return make_user("author")


@pytest.fixture
def admin(author):
    client = Client()
    client.force_login(author)
    return client


@pytest.fixture
def survey(author):
    return make_survey(author)


def page_of(question: Question) -> str:
    return reverse("admin:surveys_question_change", args=[question.pk])


def rows_of(page):
    inline, _ = page.context["inline_admin_formsets"]
    return inline.formset


def offered(admin, address: str) -> list[object]:
    """The position in each row of the form, as it is shown."""
    return [form["position"].value() for form in rows_of(admin.get(address)).forms]


def form_of(question: Question, *rows: tuple[object, str], stored: int = 0) -> dict[str, object]:
    """What the form sends for rows of a position and a text, the first of them stored ones."""
    fields: dict[str, object] = {
        "survey": question.survey.pk,
        "text": "How often?",
        "kind": "scale",
        "design": "two_coins",
        "decimal_places": 0,
        "longest": 500,
        "shown": 0,
        "options-TOTAL_FORMS": len(rows),
        "options-INITIAL_FORMS": stored,
        **NO_CONDITIONS,
    }
    options = list(question.options.all())
    for place, (position, text) in enumerate(rows):
        fields |= {f"options-{place}-position": position, f"options-{place}-text": text}
        if place < stored:
            fields[f"options-{place}-id"] = options[place].pk
    return fields


def saved(admin, question: Question, *rows: tuple[object, str], stored: int = 0):
    reply = admin.post(page_of(question), form_of(question, *rows, stored=stored))
    assert reply.status_code == 302, rows_of(reply).errors
    return list(question.options.values_list("position", "text"))


def test_the_rows_of_a_question_without_options_are_numbered_from_0(admin, survey):
    question = add_question(survey, kind="scale")
    assert offered(admin, page_of(question)) == [0, 1, 2]
    assert offered(admin, reverse("admin:surveys_question_add")) == [0, 1, 2]


def test_new_rows_are_numbered_after_the_last_option(admin, survey):
    question = add_question(survey, "Never", "Always", kind="scale")
    question.options.filter(text="Always").update(position=7)
    assert offered(admin, page_of(question)) == [0, 7, 8, 9, 10]


def test_rows_that_are_saved_as_they_were_offered_keep_their_order(admin, survey):
    question = add_question(survey, "Never", kind="scale")
    rows = [(0, "Never"), (1, "Rarely"), (2, "Often"), (3, "")]
    stored = saved(admin, question, *rows, stored=1)
    assert stored == [(0, "Never"), (1, "Rarely"), (2, "Often")]


def test_a_row_without_a_position_comes_after_the_rows_above_it(admin, survey):
    question = add_question(survey, "Never", kind="scale")
    rows = [(0, "Never"), (5, "Rarely"), ("", "Often"), ("", "Always")]
    stored = saved(admin, question, *rows, stored=1)
    assert stored == [(0, "Never"), (5, "Rarely"), (6, "Often"), (7, "Always")]


def test_a_new_row_can_come_first(admin, survey):
    question = add_question(survey, "Often", kind="scale")
    stored = saved(admin, question, (3, "Often"), (0, "Never"), stored=1)
    assert stored == [(0, "Never"), (3, "Often")]


def test_a_row_with_a_position_and_no_text_is_no_option(admin, survey):
    question = add_question(survey, kind="scale")
    assert saved(admin, question, (4, ""), ("", "Never")) == [(0, "Never")]


def test_a_stored_option_needs_its_position(admin, survey):
    question = add_question(survey, "Never", kind="scale")
    reply = admin.post(page_of(question), form_of(question, ("", "Never"), stored=1))
    assert "position" in rows_of(reply).errors[0]


def test_no_number_is_too_large_for_the_database(admin, survey):
    question = add_question(survey, kind="scale")
    stored = saved(admin, question, (32767, "Never"), ("", "Always"))
    assert sorted(stored) == [(32767, "Always"), (32767, "Never")]
