"""The demonstration is real answers, sent once each through the service that everybody uses."""

import numpy as np
import pytest
from django.forms.models import model_to_dict

from surveys.demonstration.affairs import (
    had_affair,
    hidden_themes,
    load_answers,
    open_affairs_survey,
    open_trial_survey,
    submit_answers,
)
from surveys.demonstration.themes import WORDS
from surveys.models import Comment, Question, Response, SubmissionKey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.plans.budgets import PromisedBudget
from surveys.randomized_response.estimates import estimate_prevalence
from surveys.results.queries import item_counts
from tests.factories import add_question, launched, make_survey


@pytest.fixture(scope="module")
def answers():
    return load_answers()


def test_the_truth_is_6366_people_of_whom_32_2_percent_had_an_affair(answers):
    truth = had_affair(answers)
    assert len(truth) == 6366
    assert truth.mean() == pytest.approx(0.322, abs=5e-4)


def test_an_interrupted_load_goes_on_and_counts_nobody_twice(owner, answers):
    survey = open_affairs_survey(owner, planned_responses=100)
    few = answers.head(40)
    rng = np.random.default_rng(1)
    submit_answers(
        survey.revision, few, rng=rng, progress=lambda bodies, _: (next(bodies) for _ in range(15))
    )
    assert SubmissionKey.objects.count() == 15
    submit_answers(survey.revision, few, rng=rng, progress=lambda bodies, _: bodies)
    assert SubmissionKey.objects.count() == Response.objects.count() == 40


def test_direct_columns_arrive_unchanged(owner, answers):
    survey = open_affairs_survey(owner, planned_responses=100)
    few = answers.head(60)
    submit_answers(
        survey.revision, few, rng=np.random.default_rng(2), progress=lambda bodies, _: bodies
    )
    counts = {count.item.text: count for count in item_counts(survey.revision)}
    happiness = counts["How do you rate your marriage?"]
    assert list(happiness.of_levels(happiness.item.levels)) == [
        int((few["rate_marriage"] == n).sum()) for n in range(1, 6)
    ]


def test_made_up_comments_arrive_at_a_question_that_says_so_and_promises_a_budget(owner, answers):
    survey = open_affairs_survey(owner, planned_responses=100)
    few = answers.head(60)
    submit_answers(
        survey.revision, few, rng=np.random.default_rng(3), progress=lambda bodies, _: bodies
    )
    questionnaire = questionnaire_of(survey.revision)
    ((_, text),) = questionnaire.numbered.texts
    assert "made up" in text.help
    assert questionnaire.budget == PromisedBudget("4", "0.000001", source="all")
    written = list(Comment.objects.values_list("text", flat=True))
    assert 30 < len(written) < 60  # some leave it empty: outside with a chance below 1e-10
    every = {word for words in WORDS.values() for word in words}
    assert all(every & set(one.lower().replace(",", " ").split()) for one in written)
    assert all(theme in hidden_themes() for theme in WORDS)


def test_a_survey_that_an_earlier_version_opened_is_filled_without_comments(owner, answers):
    draft = make_survey(owner)
    today = open_affairs_survey(owner, planned_responses=100)
    for question in today.questions.exclude(kind=Question.Kind.TEXT):
        options = [option.text for option in question.options.all()]
        fields = model_to_dict(question, exclude=["id", "survey", "catalogue"])
        add_question(draft, *options, **fields, position=question.position)
    submit_answers(
        launched(draft).revision,
        answers.head(20),
        rng=np.random.default_rng(4),
        progress=lambda bodies, _: bodies,
    )
    assert Response.objects.count() == 20
    assert not Comment.objects.exists()


def test_surveys_are_opened_once_and_found_again(owner):
    first = open_trial_survey(owner)
    assert open_trial_survey(owner) == first
    assert Question.objects.filter(survey=first).count() == 5


def test_the_estimate_of_a_sample_lies_within_5_standard_errors_of_its_truth(answers):
    item_truth = had_affair(answers)
    from surveys.randomized_response.designs import TwoCoins
    from surveys.randomized_response.drawing import draw_reports

    channel = TwoCoins(2).channel.integer_weights()
    reports = draw_reports(channel, item_truth, np.random.default_rng())
    counts = np.bincount(reports, minlength=2)
    estimate = estimate_prevalence(TwoCoins(2), counts)
    assert abs(estimate.prevalence - item_truth.mean()) < 5 * estimate.standard_error
