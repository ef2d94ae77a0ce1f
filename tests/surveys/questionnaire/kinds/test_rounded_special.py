"""Answers beside a rounded number: each is one report more, and the mean leaves them out."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from django.urls import reverse

from surveys.authoring.drafts import item_of
from surveys.kinds.number.promise import RoundedQuestion
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.refusals import Refused
from surveys.randomized_response.drawing import draw_reports
from surveys.randomized_response.files.codebooks import codebook_columns
from surveys.randomized_response.files.tables import TableError
from surveys.results.codebook.book import codebook
from surveys.results.columns import FileColumns
from surveys.results.queries import ItemCounts
from surveys.results.questions import question_report
from surveys.results.reading import FIXED, Reading
from surveys.wording.channels import CHANNEL_ROWS
from tests import factories
from tests.posting import send_alike

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
LINES = "[999] Do not know\n[-9] Refused"


def add(survey, **fields: object):
    return factories.add_rounded(survey, **{"special": LINES, "name": "smoked", **fields})


@pytest.fixture
def item(owner) -> RoundedQuestion:
    found = item_of(add(factories.make_survey(owner)))
    assert isinstance(found, RoundedQuestion)
    return found


def expected(item: RoundedQuestion, truth: int, scores) -> Fraction:
    weighted = zip(item.weights[truth], scores, strict=True)
    return sum((weight * score for weight, score in weighted), Fraction(0)) / item.denominator


def test_each_is_one_report_more_and_one_true_answer_more(item):
    assert [level.text for level in item.levels][-2:] == ["Do not know", "Refused"]
    assert (item.rungs, len(item.levels), len(item.weights)) == (3, 5, 103)
    assert item.columns[-2:] == ("aaa", "bbb")
    assert all(len(column) == 5 for column in item.weights)
    assert 1.95 < item.epsilon <= 2


def test_what_is_sent_is_never_the_true_answer_and_always_as_wide(item):
    assert {len(level.code) for level in item.levels} == {2}
    for code in ("aaa", "999", "050", "05"):
        with pytest.raises(Refused):
            item.read([code], own_coin=False)
    assert min(map(min, item.weights)) > 0  # every report comes from every answer


def test_scores_are_unbiased_for_every_answer_exactly(item):
    for truth in range(103):
        number = Fraction(truth) if truth <= 100 else Fraction(0)
        assert expected(item, truth, item.scores) == number
        assert expected(item, truth, item.answered_scores) == (truth <= 100)
        for place in (0, 1):
            assert expected(item, truth, item.special_scores(place)) == (truth == 101 + place)


def test_the_mean_is_that_of_people_who_gave_a_number(item):
    rng = np.random.default_rng(7)
    truth = np.where(rng.random(40_000) < 0.25, rng.choice([101, 102], 40_000), 20)
    reports = draw_reports(item.integer_channel, truth, rng)
    counts = Counter({f"0{level}": int((reports == level).sum()) for level in range(5)})
    report = question_report(1, ItemCounts(item, counts), Reading())
    assert abs(report.mean - 20) < 4 * report.standard_error
    assert report.mean_interval[0] < 20 < report.mean_interval[1]
    for row, place in zip(report.special, (101, 102), strict=True):
        assert row.label in ("Do not know", "Refused")
        assert abs(row.share - (truth == place).mean()) < 4 * row.standard_error
    assert report.movement > 0


@pytest.mark.parametrize("method", ["confidence-sequence", FIXED, "score"])
def test_few_reports_say_next_to_nothing(item, method):
    for code in ("00", "04"):
        report = question_report(1, ItemCounts(item, Counter({code: 1})), Reading(method))
        low, high = report.mean_interval
        assert low <= 0
        assert high >= 100
        assert report.statistics


def test_debiased_columns_are_the_factors_of_the_mean_and_each_share(owner):
    draft = factories.make_survey(owner)
    add(draft)
    survey = factories.launched(draft)
    questionnaire = Questionnaire.from_document(survey.revision.document)
    names = [column.name for column in FileColumns(questionnaire).debiased[1]]
    assert names == ["smoked_score", "smoked_answered", "smoked_999", "smoked_special_2"]
    (entry,) = codebook(survey.revision, responses=3)["columns"]
    assert entry["true_values"][-2:] == ("999", "-9")
    assert "divide the one by the other" in entry["how_to_read_ratio"]
    with pytest.raises(TableError, match="some people gave no number"):
        codebook_columns({"columns": [entry]}, "smoked")


@pytest.mark.usefixtures("_static_files")
def test_bodies_and_receipts_have_one_length_and_pages_name_the_answers(client, owner):
    draft = factories.make_survey(owner)
    add(draft)
    survey = factories.launched(draft)
    send_alike(client, survey, *([f"0{level}"] for level in range(5)))
    how = client.get(reverse("respondent:how-it-works", args=[survey.pk])).content.decode()
    assert "Do not know" in how
    start = client.get(reverse("respondent:start", args=[survey.pk])).content.decode()
    assert 'data-declined value="aaa"' in " ".join(start.split())
    client.force_login(owner)
    board = client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    assert (
        "Chance then decided which point or other answer was sent, with the known probabilities "
        "of the question" in " ".join(board.split())
    )
    assert client.get(reverse("surveys:chart", args=[survey.pk, 1])).status_code == 200


def test_the_channel_is_shown_for_numbers_and_for_each_answer_beside_them(item):
    assert [row.truth for row in CHANNEL_ROWS(item)] == ["0", "50", "100", "Do not know", "Refused"]
