"""The demonstration's rating surveys: filled once, and compared with a truth that stays."""

import io

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from ranking import demonstration
from surveys.models import Catalogue, Response, SubmissionKey
from tests.ranking import rated


def test_the_truth_is_the_same_every_time_and_spread_as_ratings_are():
    shares = demonstration.true_shares()
    assert np.array_equal(shares, demonstration.true_shares())
    assert shares.sum(axis=1) == pytest.approx(1)
    assert 0.2 < demonstration.true_scores().std() < 1


def test_both_surveys_rate_the_same_items_and_an_interrupted_load_counts_nobody_twice(owner):
    for sort in demonstration.SORTS:
        survey = demonstration.open_survey(sort, owner)
        assert demonstration.open_survey(sort, owner) == survey
        for people in (30, 50, 50):
            demonstration.fill(survey, rng=np.random.default_rng(), people=people)
        question = rated.question_of(survey)
        assert SubmissionKey.objects.filter(revision=question.revision).count() == 50
        assert question.item.is_randomized is (sort.epsilon is not None)
    assert Catalogue.objects.count() == 1
    assert Response.objects.exists()


def test_the_command_says_where_the_rankings_are_and_how_near_the_truth(owner):
    output = io.StringIO()
    call_command("demo_ratings", owner=owner.username, people=60, site="http://x", stdout=output)
    text = output.getvalue()
    assert text.count("Kendall's tau") == 2
    assert "http://x/surveys/" in text
    with pytest.raises(CommandError, match="no account"):
        call_command("demo_ratings", owner="nobody")
