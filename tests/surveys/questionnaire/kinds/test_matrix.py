"""Tables of rows on one scale: which rows are sent, what is revealed, refused and estimated."""

import itertools
import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from surveys.authoring.drafts import NotReady, item_of
from surveys.kinds.matrix.promise import MatrixQuestion
from surveys.models import Question
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.refusals import Refused
from surveys.questionnaire.submission import body_length
from surveys.randomized_response.drawing import draw_reports
from surveys.results.exports import responses_csv
from surveys.results.queries import ItemCounts, item_counts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from tests import factories
from tests.bodies import body_of
from tests.promises.test_p5_constant_shape import receipt_length

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


@pytest.mark.parametrize(
    ("columns", "fields", "reason"),
    [
        ("ab", {"table_rows": "Walk"}, "Give between 2 and 20 rows; it has 1."),
        ("ab", {"table_rows": None}, "Give between 2 and 20 rows; it has 0."),
        (
            "ab",
            {"table_rows": "\n".join(map(str, range(21)))},
            "Give between 2 and 20 rows; it has 21.",
        ),
        ("ab", {"table_rows": "Walk\nwalk"}, "Two rows read the same."),
        ("ab", {"table_rows": f"Walk\n{'a' * 201}"}, "shorten it to 200 characters"),
        (map(str, range(12)), {}, "Give between 2 and 11 columns; it has 12."),
        ("ab", {"shown": 4}, "4 are to be sent, but there are only 3: send at most 3."),
        ("ab", {"design": DESIGNS.K_ARY}, "Write epsilon"),
    ],
)
def test_a_draft_that_cannot_be_asked_says_why(owner, columns, fields, reason):
    with pytest.raises(NotReady, match=re.escape(reason)):
        item(owner, *columns, **fields)


@pytest.mark.parametrize("slot", ["0401", "0001", "0102", "01", "----", "01-1", "0101x"])
def test_what_no_page_sends_is_refused(owner, slot):
    with pytest.raises(Refused):
        item(owner).read([slot], own_coin=False)


@pytest.mark.parametrize(("fields", "offered"), [({}, True), ({"shown": 2}, False)])
def test_an_own_coin_asks_one_row_that_a_die_draws(owner, fields, offered):
    assert item(owner, **fields).is_offered_with_own_coin == offered


@pytest.mark.usefixtures("_static_files")
def test_a_table_is_stored_shown_and_filed_row_by_row(client, owner):
    draft = factories.make_survey(owner)
    factories.add_matrix(draft, text="Direct", design=DESIGNS.DIRECT, required=False)
    factories.add_matrix(draft)
    survey = factories.launched(draft)
    bodies = [body_of(survey.revision, ["010002010300", slot]) for slot in ("0101", "0300")]
    bodies.append(body_of(survey.revision, ["010202020302", "0200"]))
    assert {len(body) for body in bodies} == {body_length(questionnaire_of(survey.revision))}
    assert len({receipt_length(client, survey, body) for body in bodies}) == 1
    lines = [line.strip() for line in responses_csv(survey.revision, codes=True)]
    assert lines[0] == "q001_01,q001_02,q001_03,q002_01_rep,q002_02_rep,q002_03_rep"
    assert sorted(lines[1:]) == ["00,01,00,,,00", "00,01,00,01,,", "02,02,02,,00,"]
    direct, drawn = item_counts(survey.revision)
    assert direct.parts == ((2, 0, 1), (0, 2, 1), (2, 0, 1))
    assert drawn.parts == ((0, 1), (1, 0), (1, 0))
    report = question_report(1, direct, Reading())
    assert [row.estimate_words for row in report.rows[:3]] == ["66.7 %", "0.0 %", "33.3 %"]
