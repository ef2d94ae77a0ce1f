"""A long scale on the pages of staff: estimated, broken down, weighted, tried, and downloaded."""

import json

import numpy as np
import pytest
from django.urls import reverse

from surveys.models import Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.drawing import draw_reports
from tests import factories
from tests.stored import store_rows

TRUTH = (0.05, 0.1, 0.15, 0.2, 0.25, 0.15, 0.1)


@pytest.fixture
def survey(owner) -> Survey:
    """1: a protected scale; 2: a place, asked directly; 3: another protected question."""
    draft = factories.make_survey(owner)
    factories.add_long_scale(draft)
    direct = dict(design=Question.Design.DIRECT, required=True)
    factories.add_question(draft, "North", "South", text="Where?", kind="choice", **direct)
    factories.add_question(draft, text="Ever?", required=True)
    return factories.launched(draft)


@pytest.fixture
def answered(survey) -> Survey:
    rng = np.random.default_rng(20261122)
    scale, _, yes_no = questionnaire_of(survey.revision).items
    reports = draw_reports(scale.integer_channel, rng.choice(7, 900, p=TRUTH), rng)
    others = draw_reports(yes_no.integer_channel, rng.integers(0, 2, 900), rng)
    pairs = enumerate(zip(reports, others, strict=True))
    rows = [f"{report:02d}0{n % 2}{other:02d}" for n, (report, other) in pairs]
    store_rows(survey.revision, rows)
    return survey


def page_of(client, survey: Survey, name: str, query: str = "") -> str:
    client.force_login(survey.owner)
    reply = client.get(reverse(f"surveys:{name}", args=[survey.pk]) + query)
    assert reply.status_code == 200
    return " ".join(reply.content.decode().split())


def test_the_dashboard_shows_shares_up_to_each_answer_and_each_share(client, answered):
    page = page_of(client, answered, "dashboard")
    assert page.count("Up to “") >= 6
    assert "Each reported answer is a group of options" in page
    assert "900 answers" in page


def test_groups_are_compared_by_their_own_estimates(client, answered):
    page = page_of(client, answered, "break-down", "?question=1&by=2")
    assert "South" in page
    assert "Traceback" not in page
    hidden = page_of(client, answered, "break-down", "?question=1&by=3")
    assert "How happy are you with your pay?" in hidden


def test_people_are_weighted(client, answered):
    page = page_of(client, answered, "weighted", "?by=2&margins=North:+70%0ASouth:+30")
    assert "Kish" in page


def test_a_regression_on_a_group_of_answers_is_refused_in_words(client, answered):
    page = page_of(client, answered, "regression", "?outcome=1-0&predictors=2")
    assert "is a group of options, not one option. Choose another question" in page


def test_a_draft_is_tried_on_simulated_respondents(client, owner):
    draft = factories.make_survey(owner)
    factories.add_long_scale(draft, design=Question.Design.SCALE_MEAN)
    page = page_of(client, draft, "trial", "?n=2000&runs=10")
    assert "The whole survey, simulated 10 times with 2,000 respondents" in page


def test_downloads_name_the_groups(client, answered):
    codebook = json.loads(page_of(client, answered, "codebook"))
    column = codebook["columns"][0]
    assert column["best_for"] == "cdf"
    assert len(column["reports"]) == len(column["weights"][0]) > 7
    reply = client.get(reverse("surveys:responses", args=[answered.pk]))
    assert b"of 7 options: " in b"".join(reply.streaming_content)
