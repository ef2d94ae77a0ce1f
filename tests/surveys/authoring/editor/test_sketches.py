"""Beside a question's form stands what respondents would see of it, as the form is filled in."""

import html
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from surveys.models import AuditEntry, Question, Survey
from tests.factories import add_question, launched, make_survey, make_user
from tests.question_forms import question_form

ADD = reverse("admin:surveys_question_add")
DRAWN = {"_sketch": "1"}


def change_page(question: Question) -> str:
    return reverse("admin:surveys_question_change", args=[question.pk])


def sketch_in(page: str) -> str:
    """The one question, as text with its tags."""
    return html.unescape(page.partition('class="sketched"')[2].partition("</template>")[0])


def drawn(client, address: str, **typed: object) -> str:
    reply = client.post(address, {**question_form(**typed), **DRAWN})
    assert reply.status_code == 200
    return sketch_in(reply.content.decode())


def answers(sketch: str) -> list[str]:
    return re.findall(r"<span><bdi>(.*?)</bdi></span>", sketch)


@pytest.fixture
def draft(author) -> Survey:
    return make_survey(author)


@pytest.fixture
def stolen(draft) -> Question:
    return add_question(draft, text="Have you stolen?", required=True)


def test_the_page_shows_the_question_as_it_is_stored(admin, stolen) -> None:
    sketch = sketch_in(admin.get(change_page(stolen)).content.decode())
    assert "Have you stolen?" in sketch
    assert answers(sketch) == ["Yes", "No"]


def test_a_new_question_promises_no_protection_before_its_design_is_chosen(admin, draft) -> None:
    sketch = drawn(admin, ADD, survey=draft.pk, text="Have you lied?", design="")
    assert "Have you lied?" in sketch
    assert "Not protected" in sketch


def test_what_is_typed_is_drawn_and_nothing_is_stored(admin, draft, stolen) -> None:
    entries = AuditEntry.objects.count()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        sketch = drawn(
            admin,
            change_page(stolen),
            survey=draft.pk,
            text="Which did you take?",
            help="At work.",
            kind="choice",
            design="direct",
            option_lines="Pens\nPaper",
        )
    assert "Which did you take?" in sketch
    assert "At work." in sketch
    assert "Not protected" in sketch
    assert answers(sketch) == ["Pens", "Paper", "Prefer not to say"]
    stolen.refresh_from_db()
    assert (stolen.text, stolen.options.count()) == ("Have you stolen?", 0)
    assert AuditEntry.objects.count() == entries
    written = ("INSERT", "UPDATE", "DELETE")
    assert not [
        query["sql"]
        for query in queries
        if query["sql"].startswith(written) and "surveys_" in query["sql"]
    ]


def test_a_new_question_stands_last(admin, draft, stolen) -> None:
    sketch = drawn(admin, ADD, survey=draft.pk, text="And {your answer to question 1}?")
    assert 'data-label="Question 2"' in sketch
    assert draft.questions.count() == 1


def test_an_empty_form_has_a_place_for_it_and_so_has_one_without_a_survey(admin, draft) -> None:
    for address in (f"{ADD}?survey={draft.pk}", ADD):
        assert 'id="sketch"' in admin.get(address).content.decode()


def test_what_is_not_finished_says_what_it_needs(admin, draft) -> None:
    sketch = drawn(admin, ADD, survey=draft.pk, text="Which?", kind="choice", option_lines="One")
    assert "This question is not finished" in sketch


def test_a_field_with_an_error_takes_nothing_from_the_others(admin, draft, stolen) -> None:
    sketch = drawn(
        admin, change_page(stolen), survey=draft.pk, text="New words?", epsilon="as much as I like"
    )
    assert "New words?" in sketch


def test_it_speaks_the_language_of_the_survey(admin, author) -> None:
    arabic = make_survey(author, language="ar")
    question = add_question(arabic, text="هل سرقت؟", required=True)
    page = admin.get(change_page(question)).content.decode()
    assert 'class="sketched" lang="ar" dir="rtl"' in page


def test_a_question_that_only_some_are_asked_is_seen_all_the_same(admin, author) -> None:
    drawing = make_survey(author, asked=1)
    for text in ("One?", "Two?"):
        question = add_question(drawing, text=text, required=True)
    sketch = sketch_in(admin.get(change_page(question)).content.decode())
    assert "data-undrawn" not in sketch
    assert "Two?" in sketch


def test_markup_is_shown_and_does_nothing(admin, draft) -> None:
    reply = admin.post(
        ADD, {**question_form(survey=draft.pk, text="<script>alert(1)</script>?"), **DRAWN}
    )
    assert b"<script>alert" not in reply.content


def test_the_button_without_a_script_draws_what_is_typed(admin, draft, stolen) -> None:
    typed = question_form(survey=draft.pk, text="Other words?")
    page = admin.post(change_page(stolen), {**typed, "_try": "See what it reveals"})
    assert "Other words?" in sketch_in(page.content.decode())


def test_who_may_not_edit_the_survey_sees_no_sketch_of_it(client, draft, stolen) -> None:
    client.force_login(make_user("stranger"))
    typed = {**question_form(survey=draft.pk, text="Mine?"), **DRAWN}
    assert client.post(change_page(stolen), typed).status_code in (302, 403, 404)
    assert sketch_in(client.post(ADD, typed).content.decode()) == ""


def test_a_launched_question_has_none(admin, author) -> None:
    draft = make_survey(author)
    question = add_question(draft, required=True)
    launched(draft)
    page = admin.get(change_page(question)).content.decode()
    assert 'id="sketch"' not in page
    reply = admin.post(change_page(question), {**question_form(text="Now?"), **DRAWN})
    assert reply.status_code == 403


@pytest.mark.parametrize("kind", Question.Kind.values)
def test_a_draft_that_nothing_fits_is_drawn_all_the_same(admin, author, kind) -> None:
    """The page is where it is mended, so it opens whatever is stored."""
    draft = make_survey(author, arms="= =", asked=99, contact=" ", end_link="nonsense")
    broken = {"p_sensitive": "x/y", "forced": "q", "channel": "1 0", "arms": "zz", "shown": 99}
    question = add_question(draft, text="", kind=kind, design="k_ary", counted_table=3, **broken)
    assert admin.get(change_page(question)).status_code == 200
    for design in ("direct", "channel_matrix", "two_groups"):
        typed = question_form(survey=draft.pk, kind=kind, design=design, minimum="9", maximum="x")
        assert admin.post(change_page(question), {**typed, **DRAWN}).status_code == 200
