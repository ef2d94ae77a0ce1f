"""Results of a survey that asks each person some of the protected questions."""

import itertools
import json

import pytest
from django.urls import reverse

from surveys.authoring.services import close
from surveys.collecting.services import receive
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.results.queries import item_counts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from tests.factories import add_question, body_of, launched, make_survey

pytestmark = pytest.mark.django_db
PEOPLE = 60


@pytest.fixture
def survey(owner) -> Survey:
    """Three protected questions, of which two are asked; every subset of them equally often."""
    draft = make_survey(owner, asked=2)
    for text in ("First?", "Second?", "Third?"):
        add_question(draft, text=text, required=True)
    add_question(draft, text="Own a car?", design="direct", required=True)
    survey = launched(draft)
    subsets = itertools.cycle(["0100--", "01--00", "--0100"])
    for place, codes in zip(range(PEOPLE), subsets, strict=False):
        sent = [codes[:2], codes[2:4], codes[4:], f"0{place % 2}"]
        receive(survey_id=survey.pk, body=body_of(survey.revision, sent))
    return survey


def page(client, survey: Survey, name: str = "dashboard", query: str = "") -> str:
    client.force_login(survey.owner)
    reply = client.get(reverse(f"surveys:{name}", args=[survey.pk]) + query)
    assert reply.status_code == 200
    return " ".join(reply.content.decode().split())


def test_estimates_are_among_those_who_were_asked(survey):
    reports = [
        question_report(number, counts, Reading())
        for number, counts in enumerate(item_counts(survey.revision), 1)
    ]
    assert [(report.n, report.not_asked) for report in reports] == [(40, 20)] * 3 + [(60, 0)]
    # 20 of 40 answers are Yes to the second question, so that no channel moves the share.
    yes = next(row for row in reports[1].rows if row.label == "Yes")
    assert yes.share == pytest.approx(0.5)


def test_the_dashboard_says_how_many_were_asked_and_why_others_were_not(client, survey):
    words = page(client, survey)
    assert words.count("Asked of about 2 in 3 people, drawn by chance.") == 3
    assert words.count("20 more rows have no answer to this question: it was not drawn for") == 3
    assert "each person is asked 2 of 3 protected questions" in words


def test_the_files_mark_what_was_not_drawn_and_the_codebook_says_how(client, survey):
    client.force_login(survey.owner)
    reply = client.get(reverse("surveys:responses", args=[survey.pk]))
    rows = b"".join(reply.streaming_content).decode().splitlines()[1:]
    assert len(rows) == PEOPLE
    assert all(row.count("(not asked)") == 1 for row in rows)
    book = json.loads(client.get(reverse("surveys:codebook", args=[survey.pk])).content)
    assert (book["protected_questions_asked"], book["protected_questions"]) == (2, 3)
    assert "missing at random" in book["how_to_read_the_draw"]
    total = book["total_epsilon_of_randomized_questions"]
    assert total == questionnaire_of(survey.revision).total_epsilon == pytest.approx(2.1972, 1e-4)


def test_a_break_down_leaves_out_who_was_asked_one_of_the_two(client, survey):
    close(survey=survey, by=survey.owner)
    words = page(client, survey, "break-down", "?question=1&by=4&by=2")
    assert "40 more were not asked one of these questions; they are left out." in words


def test_a_break_down_of_questions_that_no_person_gets_together_says_so(client, owner):
    draft = make_survey(owner, asked=1)
    for text in ("First?", "Second?"):
        add_question(draft, text=text, required=True)
    survey = launched(draft)
    for codes in (["01", "--"], ["--", "01"]):
        receive(survey_id=survey.pk, body=body_of(survey.revision, codes))
    words = page(client, survey, "break-down", "?question=1&by=2")
    assert "No person so far was asked all of these questions." in words
    assert "No answers yet" not in words
