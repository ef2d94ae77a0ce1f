"""Long scales: what an author chooses, respondents read and send, and the dashboard estimates."""

import re
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from surveys.authoring.drafts import item_of
from surveys.authoring.hints import hints
from surveys.authoring.inlines import protection
from surveys.kinds.long_scale.promise import ScaleQuestion
from surveys.models import Question
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.refusals import Refused
from surveys.randomized_response.designs import OptimisedScale, Purpose
from surveys.randomized_response.drawing import draw_reports
from surveys.randomized_response.files import codebook_column
from surveys.results.codebook.columns import LAST_PARTS
from surveys.results.queries import ItemCounts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from surveys.results.rows.scales import ScaleReport
from surveys.wording.protection import odds_lines
from surveys.wording.reports import HOW_SENT
from tests.factories import ELEVEN, SEVEN, add_long_scale, add_question
from tests.question_forms import save_question

DESIGNS = Question.Design
SCALES = {
    DESIGNS.SCALE_HISTOGRAM: Purpose.HISTOGRAM,
    DESIGNS.SCALE_CDF: Purpose.CDF,
    DESIGNS.SCALE_MEAN: Purpose.MEAN,
}
TRUTH = np.array([0.05, 0.1, 0.15, 0.2, 0.25, 0.15, 0.1])
pytestmark = pytest.mark.django_db


def made(draft, *options: str, **fields: object) -> ScaleQuestion:
    item = item_of(add_long_scale(draft, *options, **fields))
    assert isinstance(item, ScaleQuestion)
    return item


def report_of(item: ScaleQuestion, counts: list[int], **reading: object) -> ScaleReport:
    by_code = {level.code: n for level, n in zip(item.reported_levels, counts, strict=True)}
    report = question_report(1, ItemCounts(item, Counter(by_code)), Reading(**reading))
    assert isinstance(report, ScaleReport)
    return report


def expected_counts(item: ScaleQuestion, n: int) -> list[int]:
    return np.rint(n * (item.channel.matrix @ TRUTH)).astype(int).tolist()


@pytest.mark.parametrize(("design", "purpose"), SCALES.items())
def test_each_purpose_has_the_channel_of_the_package_and_its_promised_epsilon(
    draft, design, purpose
):
    item = made(draft, design=design)
    best = OptimisedScale(7, purpose, 1.0986)
    assert (item.purpose, item.integer_channel) == (purpose, best.integer_channel)
    assert item.marked == best.marked
    assert 1.098 < item.epsilon <= 1.0986


def test_a_scale_reads_back_from_its_frozen_document(draft):
    questionnaire = Questionnaire("T", "I", "O", "C", 1, (made(draft),))
    assert Questionnaire.from_document(questionnaire.to_document()) == questionnaire


def saved(client, question: Question, epsilon: str) -> str:
    """The page after its author saves this epsilon."""
    reply = save_question(client, question, required="on", epsilon=epsilon)
    return reply.content.decode()


def test_an_epsilon_is_saved_with_what_it_buys(staff, draft):
    question = add_long_scale(draft)
    assert "k-ary response needs" in saved(staff, question, "2")
    question.refresh_from_db()
    assert question.epsilon == 2


@pytest.mark.parametrize("epsilon", ["0", "NaN", "1e400", "-1", "5.1", "ln 3"])
def test_an_epsilon_that_is_none_is_refused_at_its_field(staff, draft, epsilon):
    question = add_long_scale(draft)
    assert "id_epsilon_error" in saved(staff, question, epsilon)
    question.refresh_from_db()
    assert question.epsilon == Decimal("1.0986")


def test_the_author_reads_how_many_fewer_people_the_design_needs(draft):
    question = add_long_scale(draft)
    assert "k-ary response needs 1.5 times as many people" in protection(question)
    said = " ".join(hint for _, hint in hints(item_of(question)))
    assert "for the cumulative shares (up to each answer), k-ary response needs 1.5 times" in said
    assert "own coin will not be asked" in said
    eleven = add_long_scale(draft, *ELEVEN, design=DESIGNS.SCALE_HISTOGRAM)
    assert "k-ary response needs 1.42 times as many people" in protection(eleven)


def test_who_chose_k_ary_for_a_long_scale_reads_what_it_costs(draft):
    fields = dict(kind="scale", design=DESIGNS.K_ARY, epsilon=Decimal("1.0986"))
    long = item_of(add_question(draft, *SEVEN, required=True, **fields))
    assert "k-ary response needs 1.5 times as many people as a design for long scales" in " ".join(
        h for _, h in hints(long)
    )
    for short in (
        add_question(draft, *SEVEN[:5], required=True, **fields),
        add_question(draft, *SEVEN, required=False, **fields),
    ):
        assert "times as many people as" not in " ".join(h for _, h in hints(item_of(short)))


def test_respondents_read_how_often_their_answer_is_in_the_group(draft):
    item = made(draft)
    (line,) = odds_lines(Questionnaire("T", "I", "O", "C", 1, (item,)))
    least = min(item.chance_of(x, x) for x in range(7))
    assert f"at least {100 * float(least):.1f} of 100" in " ".join(line.sentences)
    assert "group" in HOW_SENT(item, True)


def test_the_chances_in_words_are_those_of_the_channel(draft):
    item = made(draft)
    for answer in range(7):
        for truth in range(7):
            inside = [answer in group for group in item.marked]
            found = sum(p for p, x in zip(item.channel.matrix[:, truth], inside, strict=True) if x)
            assert float(item.chance_of(answer, truth)) == pytest.approx(found)
        true = item.chance_of(answer, answer)
        assert all(true > item.chance_of(answer, x) for x in range(7) if x != answer)
    assert isinstance(true, Fraction)


def test_a_report_is_a_group_and_every_other_code_is_refused(draft):
    item = made(draft)
    assert item.label("00").startswith(f"{len(item.marked[0])} of 7 options")
    assert all(item.read([level.code], own_coin=False) for level in item.reported_levels)
    for code in (f"{len(item.reported_levels):02d}", "--", "99"):
        with pytest.raises(Refused):
            item.read([code], own_coin=False)
    with pytest.raises(Refused):
        item.read(["00"], own_coin=True)
    assert item.read([item.not_asked], own_coin=True) == item.not_asked


def test_people_choose_an_answer_and_never_a_group(draft):
    item = made(draft)
    assert [level.text for level in item.choices] == list(SEVEN)
    assert len(item.columns) == len(item.weights) == 7


@pytest.mark.parametrize("design", SCALES)
def test_the_dashboard_finds_the_true_shares(draft, design):
    item = made(draft, design=design)
    report = report_of(item, expected_counts(item, 10**7))
    assert [row.share for row in report.rows] == pytest.approx(TRUTH.tolist(), abs=1e-4)
    assert all(row.reported is None for row in report.rows)


def test_the_dashboard_adds_up_shares_where_the_scale_is_asked_for_them(draft):
    item = made(draft)
    report = report_of(item, expected_counts(item, 10**7))
    sums = [row.share for row in report.sums]
    assert sums == pytest.approx(np.cumsum(TRUTH)[:-1].tolist(), abs=1e-4)
    assert [row.label for row in report.sums] == [f"Up to “{text}”" for text in SEVEN[:-1]]
    assert report.drawn_rows == report.sums


def test_the_dashboard_gives_the_mean_where_the_scale_is_asked_for_it(draft):
    item = made(draft, design=DESIGNS.SCALE_MEAN)
    mean = float((np.arange(1, 8) * TRUTH).sum())
    words = report_of(item, expected_counts(item, 10**7)).mean_words
    assert words.startswith(f"Mean: {mean:.2f}".rstrip("0"))
    assert "from 1 (“1”) to 7 (“7”)" in words


def scores_of_people(item: ScaleQuestion, counts: list[int], asked: np.ndarray) -> np.ndarray:
    """One unbiased score for each person who reported."""
    return np.repeat(asked @ item.channel.scores, counts)


def test_errors_and_intervals_are_those_of_the_scores_of_people(draft):
    """SciPy's mean, standard error and normal interval of one score for each person."""
    item = made(draft)
    counts = expected_counts(item, 500)
    report = report_of(item, counts, method="wald")
    for upto, row in enumerate(report.sums, start=1):
        scores = scores_of_people(item, counts, (np.arange(7) < upto).astype(float))
        assert row.share == pytest.approx(scores.mean())
        assert row.standard_error == pytest.approx(stats.sem(scores))
        low, high = stats.norm.interval(0.95, scores.mean(), stats.sem(scores))
        assert (row.interval.low, row.interval.high) == pytest.approx((low, high))
    item = made(draft, design=DESIGNS.SCALE_MEAN)
    counts = expected_counts(item, 500)
    scores = scores_of_people(item, counts, np.arange(1.0, 8.0))
    low, high = stats.norm.interval(0.95, scores.mean(), stats.sem(scores))
    words = report_of(item, counts, method="wald").mean_words
    said = [float(number) for number in re.findall(r"\d\.\d+", words)[:3]]
    assert said == pytest.approx([scores.mean(), low, high], abs=0.006)


def test_what_a_browser_draws_is_estimated_within_its_intervals(draft):
    item = made(draft)
    rng = np.random.default_rng(20261122)
    reports = draw_reports(item.integer_channel, rng.choice(7, 20_000, p=TRUTH), rng)
    counts = np.bincount(reports, minlength=len(item.reported_levels)).tolist()
    report = report_of(item, counts)
    for row, truth in zip(report.sums, np.cumsum(TRUTH), strict=False):
        assert abs(row.share - truth) < 4 * row.standard_error
        assert row.interval.low < truth + 0.01
        assert row.interval.high > truth - 0.01


def test_one_answer_has_no_standard_error_and_says_so(draft):
    item = made(draft)
    report = report_of(item, [1, *[0] * (len(item.reported_levels) - 1)])
    assert report.sums[0].standard_error is None
    assert "a single answer does not show how much answers differ" in " ".join(report.notes)
    empty = report_of(item, [0] * len(item.reported_levels))
    assert (empty.n, empty.sums, empty.mean_words) == (0, (), "")


def test_the_codebook_tells_the_groups_and_the_package_estimates_from_it(draft):
    item = made(draft)
    entry = {"name": "q001", **LAST_PARTS(item)}
    assert [tuple(report["answers"]) for report in entry["reports"]] == list(item.marked)
    column = codebook_column({"columns": [entry]}, "q001")
    assert column.names == SEVEN
    assert column.codes == tuple(level.code for level in item.reported_levels)
    assert column.design.matrix.shape == item.channel.matrix.shape
