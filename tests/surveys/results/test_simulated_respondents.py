"""People with known answers to questions with parts: what is estimated is near what is true.

Their browsers' draws are made here, and all that they send goes through the parser and the rows.
"""

import numpy as np
import pytest

from surveys.collecting.services import receive
from surveys.kinds.levels.promise import ThroughChannel
from surveys.models import Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.randomized_response.drawing import draw_reports
from surveys.results.queries import item_counts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from tests import factories
from tests.bodies import body_of, rating_code

PEOPLE = 300
pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def survey(owner) -> Survey:
    draft = factories.make_survey(owner, batch_size=20)
    factories.add_ticks(draft, shown=2)
    factories.add_ticks(draft, text="Last year?", design=Question.Design.DIRECT)
    factories.add_matrix(draft)
    factories.add_rounded(draft)
    factories.add_ranking(draft, "Tea", "Milk", "Juice")
    return factories.launched(draft)


def sent(item: ThroughChannel, truth: np.ndarray, rng: np.random.Generator) -> str:
    """What a browser sends of one person's true levels."""
    if not isinstance(item, PartsQuestion):
        return f"{draw_reports(item.integer_channel, truth[:1], rng)[0]:02d}"
    parts = rng.choice(item.size, item.slots, replace=False)
    reports = truth[parts]
    if item.is_randomized:
        reports = draw_reports(item.integer_channel, reports, rng)
    levels = zip((parts + 1).tolist(), reports.tolist(), strict=True)
    return rating_code(item, dict(levels))


def test_estimates_lie_within_four_standard_errors_of_the_truth(survey):
    rng = np.random.default_rng(17)
    items = questionnaire_of(survey.revision).items
    ticked = (rng.random((PEOPLE, 4)) < [0.8, 0.5, 0.2, 0.1]).astype(int)
    rows = (rng.random((PEOPLE, 3)) < [0.9, 0.5, 0.1]).astype(int)
    numbers = rng.binomial(100, 0.4, size=(PEOPLE, 1))
    ranks = np.argsort(rng.normal([0, 1, 2], size=(PEOPLE, 3))).argsort() + 1
    first, second = zip(*items[4].pairs, strict=True)
    before = (ranks[:, first] < ranks[:, second]).astype(int)
    truths = (ticked, ticked, rows, numbers, before)
    for person in range(PEOPLE):
        codes = [sent(item, truth[person], rng) for item, truth in zip(items, truths, strict=True)]
        receive(survey_id=survey.pk, body=body_of(survey.revision, codes))
    reports = [
        question_report(number, counts, Reading())
        for number, counts in enumerate(item_counts(survey.revision), start=1)
    ]
    by_options, direct, table, number, order = reports
    for row, share in zip(by_options.rows, ticked.mean(axis=0), strict=True):
        assert abs(row.share - share) < 4 * row.standard_error
    assert [row.share for row in direct.rows] == pytest.approx(ticked.mean(axis=0))
    for row, share in zip(table.rows[1::2], rows.mean(axis=0), strict=True):
        assert abs(row.share - share) < 4 * row.standard_error
    assert abs(number.mean - numbers.mean()) < 4 * number.standard_error
    means = dict(zip(("Tea", "Milk", "Juice"), ranks.mean(axis=0), strict=True))
    for row in order.rows:
        assert abs(row.mean - means[row.label]) < 4 * row.standard_error
