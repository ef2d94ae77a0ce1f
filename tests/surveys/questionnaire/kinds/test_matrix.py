"""Tables of rows on one scale: which rows are sent, what is revealed, refused and estimated."""

import itertools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from surveys.authoring.drafts import item_of
from surveys.kinds.matrix.promise import MatrixQuestion
from surveys.models import Question
from surveys.randomized_response.drawing import draw_reports
from surveys.results.exports import responses_csv
from surveys.results.queries import ItemCounts, item_counts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from tests import factories
from tests.posting import send_alike

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
DESIGNS = Question.Design
ROWS = "Walk\nSwim\nRun"


def item(owner, *columns: str, **fields: object) -> MatrixQuestion:
    found = item_of(factories.add_matrix(factories.make_survey(owner), *columns, **fields))
    assert isinstance(found, MatrixQuestion)
    return found


@pytest.mark.parametrize(
    ("fields", "ratio"), [({}, 4), ({"shown": 2}, 16), ({"shown": 3}, 64), ({"shown": 1}, 4)]
)
def test_epsilon_is_exactly_what_all_draws_and_reports_reveal(owner, fields, ratio):
    """Three columns through two coins: e^epsilon is 4 for each row that is sent."""
    found = item(owner, "Never", "Sometimes", "Often", **fields)
    largest = Fraction(0)
    for drawn in itertools.combinations(range(3), found.sent):
        for sent in itertools.product(range(3), repeat=found.sent):
            chances = [
                math.prod(
                    Fraction(found.weights[truth[row]][report], found.denominator)
                    for row, report in zip(drawn, sent, strict=True)
                )
                for truth in itertools.product(range(3), repeat=3)
            ]
            largest = max(largest, max(chances) / min(chances))
    assert largest == ratio
    assert found.epsilon == pytest.approx(math.log(ratio))


def test_estimates_of_simulated_respondents_lie_within_four_standard_errors(owner):
    columns = ("Never", "Sometimes", "Often")
    found = item(owner, *columns, design=DESIGNS.K_ARY, epsilon=Decimal(2))
    rng, people = np.random.default_rng(3), 30_000
    shares = np.array([[0.6, 0.3, 0.1], [0.2, 0.2, 0.6], [0.05, 0.05, 0.9]])
    rows = rng.integers(3, size=people)
    truth = (rng.random(people)[:, None] > shares.cumsum(axis=1)[rows]).sum(axis=1)
    counts = np.zeros((3, 3), dtype=int)
    np.add.at(counts, (rows, draw_reports(found.integer_channel, truth, rng)), 1)
    sent = ItemCounts(found, {"asked": people, found.not_asked: 0}, parts=tuple(map(tuple, counts)))
    report = question_report(1, sent, Reading())
    assert report.rows[0].label == f"Walk: Never (n = {counts[0].sum():,})"
    for row, share in zip(report.rows, shares.flatten(), strict=True):
        assert abs(row.share - share) < 4 * row.standard_error


@pytest.mark.usefixtures("_static_files")
def test_a_table_is_stored_shown_and_filed_row_by_row(client, owner):
    draft = factories.make_survey(owner)
    factories.add_matrix(draft, text="Direct", design=DESIGNS.DIRECT, required=False)
    factories.add_matrix(draft)
    survey = factories.launched(draft)
    answers = [["010002010300", "0101"], ["010002010300", "0300"], ["010202020302", "0200"]]
    send_alike(client, survey, *answers)
    lines = [line.strip() for line in responses_csv(survey.revision, codes=True)]
    assert lines[0] == "q001_01,q001_02,q001_03,q002_01_rep,q002_02_rep,q002_03_rep"
    assert sorted(lines[1:]) == ["00,01,00,,,00", "00,01,00,01,,", "02,02,02,,00,"]
    direct, drawn = item_counts(survey.revision)
    assert direct.parts == ((2, 0, 1), (0, 2, 1), (2, 0, 1))
    assert drawn.parts == ((0, 1), (1, 0), (1, 0))
    report = question_report(1, direct, Reading())
    assert [row.estimate_words for row in report.rows[:3]] == ["66.7 %", "0.0 %", "33.3 %"]
