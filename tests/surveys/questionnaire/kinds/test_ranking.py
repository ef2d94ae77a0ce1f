"""Rankings: whole orders, or one pair that chance draws; mean ranks from either."""

import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from django.urls import reverse
from scipy import stats

from surveys.authoring.drafts import item_of
from surveys.kinds.ranking.promise import RankedPairQuestion, RankingQuestion
from surveys.models import Question
from surveys.questionnaire.refusals import TwiceRanked
from surveys.randomized_response.drawing import draw_reports
from surveys.results.exports import responses_csv
from surveys.results.queries import ItemCounts, item_counts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from tests import factories
from tests.browser import answering
from tests.posting import send_alike
from tests.promises.test_p4_channel import OTHER_SOURCES, url

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
DESIGNS = Question.Design
DRAW_MANY = """async ([url, draws]) => {
    const { bodyOf, read } = await import(url);
    const fieldset = document.querySelector('fieldset[data-name=q001]');
    const order = ['02', '00', '01', '03'];
    fieldset.querySelectorAll('select').forEach((list, place) => { list.value = order[place]; });
    const bodies = Array.from({ length: draws }, () => bodyOf('r', [read(fieldset)]));
    return (await Promise.all(bodies)).map((body) => body.split('q001s01=')[1]);
}"""


def item(owner, *options: str, **fields: object):
    return item_of(factories.add_ranking(factories.make_survey(owner), *options, **fields))


def law(asked: RankedPairQuestion, ranks: tuple[int, ...]) -> dict[tuple[int, int], Fraction]:
    """Exactly, how often each (pair, report) is sent by a person with these ranks."""
    return {
        (part, report): Fraction(1, asked.size)
        * Fraction(asked.weights[int(ranks[first] < ranks[second])][report], asked.denominator)
        for part, (first, second) in enumerate(asked.pairs)
        for report in range(2)
    }


def test_one_pair_through_two_coins_reveals_a_factor_of_three(owner):
    found = item(owner, *"abcd")
    laws = [law(found, ranks) for ranks in permutations(range(4))]
    assert all(sum(one.values()) == 1 for one in laws)
    largest = max(max(one[y] for one in laws) / min(one[y] for one in laws) for y in laws[0])
    assert largest == 3
    assert found.epsilon == pytest.approx(math.log(3))


def test_mean_ranks_from_pairs_are_unbiased_for_every_order(owner):
    """Exactly, by the debiasing column of each pair, among those of whom it was sent."""
    found = item(owner, *"abcd")
    column = [Fraction(entry).limit_denominator(1000) for entry in found.channel.inverse[1]]
    for ranks in permutations(range(4)):
        chances = law(found, ranks)
        before = {
            part: found.size * sum(chances[part, report] * column[report] for report in range(2))
            for part in range(found.size)
        }
        for thing in range(4):
            mean = 1 + sum(
                before[part] if thing == second else 1 - before[part]
                for part, (first, second) in enumerate(found.pairs)
                if thing in (first, second)
            )
            assert mean == ranks[thing] + 1


def test_mean_ranks_of_simulated_respondents_lie_within_four_standard_errors(owner):
    found, rng, people = item(owner), np.random.default_rng(5), 30_000
    ranks = np.argsort(rng.normal([0.0, 0.5, 1.0, 3.0], size=(people, 4))).argsort()
    pairs = np.array(found.pairs)
    drawn = rng.integers(len(pairs), size=people)
    first, second = pairs[drawn].T
    rows = np.arange(people)
    truth = (ranks[rows, first] < ranks[rows, second]).astype(int)
    counts = np.zeros((len(pairs), 2), dtype=int)
    np.add.at(counts, (drawn, draw_reports(found.integer_channel, truth, rng)), 1)
    sent = ItemCounts(found, Counter(asked=people), parts=tuple(map(tuple, counts)))
    report = question_report(1, sent, Reading())
    means = dict(zip(factories.TRAVEL, ranks.mean(axis=0) + 1, strict=True))
    for row in report.rows:
        assert abs(row.mean - means[row.label]) < 4 * row.standard_error
    assert report.rows[-1].label == "On foot"


def test_errors_of_mean_ranks_from_pairs_are_those_of_the_reports_scores(owner):
    """Two coins tell the truth in 3 of 4: scores of -1/2 and 3/2; variances of means add up."""
    found, counts = item(owner, *"abc"), ((30, 50), (45, 15), (20, 90))
    report = question_report(1, ItemCounts(found, Counter(asked=250), parts=counts), Reading())
    scores = [np.repeat([-0.5, 1.5], row) for row in counts]  # of "the first of the pair is before"
    first = {"a": (0, 1), "b": (2,), "c": ()}
    second = {"a": (), "b": (0,), "c": (1, 2)}
    for row in report.rows:
        ahead = [scores[part] for part in second[row.label]]
        ahead += [1 - scores[part] for part in first[row.label]]
        assert row.mean == pytest.approx(1 + sum(one.mean() for one in ahead))
        variance = sum(stats.sem(one) ** 2 for one in ahead)
        assert row.standard_error == pytest.approx(math.sqrt(variance))


def test_a_whole_order_has_the_ranks_of_each_and_their_means(owner):
    found = item(owner, *"abc", design=DESIGNS.DIRECT)
    assert isinstance(found, RankingQuestion)
    code = found.read(["0102", "0200", "0301"], own_coin=True)
    assert found.label(code) == "a: 3; b: 1; c: 2"
    counts = ItemCounts(found, Counter(asked=4), parts=((3, 1, 0), (1, 2, 1), (0, 1, 3)))
    report = question_report(1, counts, Reading())
    assert [(row.label, row.mean) for row in report.rows] == [("a", 1.25), ("b", 2.0), ("c", 2.75)]
    assert report.rows[0].standard_error == pytest.approx(0.25)
    assert report.rows[0].interval_words == "1.01 to 2.23"


def test_declining_an_order_is_declining_all_of_it(owner):
    found = item(owner, *"ab", design=DESIGNS.DIRECT, required=False)
    assert found.read(["0102", "0202"], own_coin=False) == "01020202"
    for slots in (["0102", "0200"], ["0100", "0200"]):
        with pytest.raises(TwiceRanked):
            found.read(slots, own_coin=False)


def test_k_ary_reveals_at_most_what_the_author_wrote_and_a_die_draws_the_pair(owner):
    found = item(owner, *"abcdefgh", design=DESIGNS.K_ARY, epsilon=Decimal(2))
    assert 1.99 < found.epsilon <= 2
    eight = item(owner, *"abcdefgh")
    assert (eight.size, eight.is_offered_with_own_coin) == (28, True)
    assert eight.die.throws == 2


@pytest.mark.usefixtures("_static_files")
def test_rankings_have_one_length_and_a_column_for_each_part(client, owner):
    draft = factories.make_survey(owner)
    factories.add_ranking(draft, *"abc")
    factories.add_ranking(draft, "x & y", "z", text="Two", design=DESIGNS.DIRECT)
    survey = factories.launched(draft)
    codes = [("0100", "01000201"), ("0301", "01010200"), ("0200", "01010200")]
    send_alike(client, survey, *codes)
    lines = [line.strip() for line in responses_csv(survey.revision, codes=True)]
    assert lines[0] == "q001_01_rep,q001_02_rep,q001_03_rep,q002_01,q002_02"
    assert sorted(lines[1:]) == [",,01,01,00", ",00,,01,00", "00,,,00,01"]
    pairs, orders = item_counts(survey.revision)
    assert [row.mean for row in question_report(1, pairs, Reading()).rows] == [None] * 3
    assert [row.label for row in question_report(2, orders, Reading()).rows] == ["z", "x & y"]
    client.force_login(owner)
    board = client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    assert "Mean ranks of 3 answers" in board


@pytest.mark.audit
@pytest.mark.django_db(transaction=True)
def test_the_page_draws_pairs_evenly_and_turns_them_round_by_the_channel(page, server, owner):
    """Each comparison fails by chance once in 10^7."""
    draft = factories.make_survey(owner)
    factories.add_ranking(draft)
    survey = factories.launched(draft)
    page.add_init_script(OTHER_SOURCES)
    answering.open_start(page, server, survey)
    slots = page.evaluate(DRAW_MANY, [url("send"), 20_000])
    parts = np.array([int(slot[:2]) for slot in slots])
    sent = np.array([int(slot[2:]) for slot in slots])
    assert stats.chisquare(np.bincount(parts, minlength=7)[1:]).pvalue > 1e-7
    ranks = (2, 0, 1, 3)
    for part, (first, second) in enumerate(combinations(range(4), 2), start=1):
        reports = sent[parts == part]
        chance = 0.75 if ranks[first] < ranks[second] else 0.25
        assert stats.binomtest(int(reports.sum()), len(reports), chance).pvalue > 1e-7
