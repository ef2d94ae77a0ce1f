"""Numbers through a device: what is sent, refused, stored and estimated."""

from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from django.urls import reverse

from surveys.authoring.drafts import item_of
from surveys.kinds.number.promise import RoundedQuestion
from surveys.models import Question
from surveys.randomized_response.drawing import draw_reports
from surveys.randomized_response.estimates import MeanEstimate
from surveys.results.codebook.book import codebook
from surveys.results.queries import ItemCounts, item_counts
from surveys.results.questions import question_report
from surveys.results.reading import FIXED, Reading
from tests import factories
from tests.posting import send_alike
from tests.stored import store_rows

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
DESIGNS = Question.Design


def item(owner, **fields: object) -> RoundedQuestion:
    found = item_of(factories.add_rounded(factories.make_survey(owner), **fields))
    assert isinstance(found, RoundedQuestion)
    return found


def test_the_points_are_named_by_their_numbers(owner):
    found = item(owner)
    assert [level.text for level in found.levels] == ["around 0", "around 50", "around 100"]
    halves = item(owner, minimum=-1, maximum=Decimal("1.5"), decimal_places=1, epsilon=4)
    assert [level.text for level in halves.levels][1] == "around -0.375"
    assert found.columns[:2] == ("000", "001")
    assert halves.columns[0] == "-1.0"


@pytest.mark.parametrize(("low", "high"), [("0.2", "0.3"), ("-29.9", "-29.8"), ("-8.4", "1.6")])
def test_bounds_of_decimals_are_counted_exactly(owner, low, high):
    found = item(owner, minimum=Decimal(low), maximum=Decimal(high), decimal_places=1)
    assert len(found.grid) == len(found.weights) == (Decimal(high) - Decimal(low)) * 10 + 1
    assert found.grid[-1] == Decimal(high)


@pytest.mark.parametrize("epsilon", ["0.5", "2", "4"])
def test_a_report_reveals_at_most_what_the_author_wrote(owner, epsilon):
    found = item(owner, epsilon=Decimal(epsilon))
    assert float(epsilon) - 0.01 < found.epsilon <= float(epsilon)


def test_scores_are_unbiased_for_every_number_exactly(owner):
    found = item(owner, minimum=-2, maximum=8, epsilon=Decimal(1))
    for value, column in zip(found.grid, found.weights, strict=True):
        weighted = zip(column, found.scores, strict=True)
        mean = sum((weight * score for weight, score in weighted), Fraction(0))
        assert mean / found.denominator == Fraction(value)


def test_the_mean_of_simulated_respondents_lies_within_four_standard_errors(owner):
    found, rng = item(owner), np.random.default_rng(11)
    truth = rng.binomial(100, 0.3, size=20_000)
    reports = draw_reports(found.integer_channel, truth, rng)
    counts = Counter({f"0{level}": int((reports == level).sum()) for level in range(3)})
    report = question_report(1, ItemCounts(found, counts), Reading())
    assert report.n == 20_000
    assert abs(report.mean - truth.mean()) < 4 * report.standard_error
    assert report.mean_interval[0] < truth.mean() < report.mean_interval[1]


@pytest.mark.parametrize("method", ["confidence-sequence", FIXED, "score"])
def test_the_mean_has_the_interval_that_staff_chose(owner, method):
    """Live, that is one for all looks: a fixed one would cover less often than it says."""
    found, counts = item(owner), Counter({"00": 300, "01": 400, "02": 300})
    report = question_report(1, ItemCounts(found, counts), Reading(method))
    scores = tuple(float(score) for score in found.scores)
    interval = MeanEstimate(scores, (300, 400, 300)).interval(
        0.95, None if method == FIXED else method
    )
    assert report.mean_interval == (interval.low, interval.high)
    assert any(report.reading.method_name in name for name, _ in report.statistics)
    assert report.movement == pytest.approx(10 / 1000 * (scores[2] - scores[0]))
    alone = ItemCounts(found, Counter({"02": 1}))
    low, high = question_report(1, alone, Reading(method)).mean_interval
    assert high - low > 100  # one report says next to nothing


def test_rows_of_people_with_a_coin_of_their_own_are_told_as_such(client, owner):
    draft = factories.make_survey(owner)
    factories.add_rounded(draft)
    factories.add_question(draft, design=DESIGNS.DIRECT, required=True)
    survey = factories.launched(draft)
    store_rows(survey.revision, [f"{code}01" for code in ("00", "--")])
    client.force_login(owner)
    board = client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    assert "1 more row has no answer to this question and is left out" in " ".join(board.split())


@pytest.mark.usefixtures("_static_files")
def test_bodies_and_receipts_have_one_length_and_files_say_how_to_estimate(client, owner):
    draft = factories.make_survey(owner)
    factories.add_rounded(draft)
    survey = factories.launched(draft)
    send_alike(client, survey, *([code] for code in ("00", "01", "02")))
    (counts,) = item_counts(survey.revision)
    assert counts.by_code == {"00": 1, "01": 1, "02": 1}
    (column,) = codebook(survey.revision, responses=3)["columns"]
    assert len(column["scores"]) == 3
    assert len(column["weights"]) == len(column["true_values"]) == 101
    how = client.get(reverse("respondent:how-it-works", args=[survey.pk])).content.decode()
    assert "send “around 50”" in how
    client.force_login(owner)
    board = client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    assert "Estimated mean" in board
    assert client.get(reverse("surveys:chart", args=[survey.pk, 1])).status_code == 200
