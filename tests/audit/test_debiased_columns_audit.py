"""What docs/analysing.md says is valid with debiased columns is, in simulated surveys; and is not.

Two coins, 1,500 surveys of 2,000 people, intervals at 95 %.
"""

import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from surveys.kinds.levels.promise import level_code
from surveys.kinds.ranking.promise import RankedPairQuestion, pair_texts
from surveys.kinds.two_questions.promise import GroupedQuestion, SecondQuestion
from surveys.randomized_response.designs import TwoCoins, UnrelatedQuestionTwoGroups
from surveys.randomized_response.drawing import draw_reports
from surveys.randomized_response.estimates import estimate_two_groups
from surveys.randomized_response.files import DebiasedColumn
from surveys.results.queries import ItemCounts
from surveys.results.reading import Reading
from surveys.results.rows.ranks import pair_report
from tests.conftest import ROOT
from tests.surveys.results.test_debias_oracles import columns_of, common, levels

pytestmark = pytest.mark.audit
SURVEYS, PEOPLE = 1500, 2000
WIDE = 1.959964
NUMBERS = np.asarray(TwoCoins().scores)  # of a reported no and yes, for each true answer
Pair = tuple[float, float]  # an estimate and its standard error
PAGE = (ROOT / "docs" / "analysing.md").read_text()


def logistic() -> Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """The function that the page prints."""
    text = re.search(r"^def logistic.*?(?=^print)", PAGE, re.M | re.S)
    names: dict[str, object] = {"np": np}
    exec(text[0], names)
    return names["logistic"]


class Sample:
    """One survey: a direct x, true answers that go with it, and columns of two questions."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.x = rng.random(PEOPLE) < 0.5
        self.a = rng.random(PEOPLE) < 1 / (1 + np.exp(1 - 0.8 * self.x))
        self.b = rng.random(PEOPLE) < np.where(self.a, 0.6, 0.2)
        self.u, self.v = self.column(self.a), self.column(self.b)
        self.y = 2 * self.a + rng.normal(size=PEOPLE)

    def column(self, truth: np.ndarray) -> np.ndarray:
        """Two coins: the truth if the first shows heads, else what the second shows."""
        first, second = self.rng.random((2, len(truth))) < 0.5
        return NUMBERS[1][np.where(first, truth, second).astype(int)]


LOGISTIC = logistic()
SHARE_0, SHARE_1 = (1 / (1 + np.exp(1 - 0.8 * x)) for x in (0, 1))
SHARE = (SHARE_0 + SHARE_1) / 2


def mean(column: np.ndarray) -> Pair:
    return column.mean(), column.std(ddof=1) / np.sqrt(len(column))


def difference(sample: Sample) -> Pair:
    (one, e), (zero, f) = mean(sample.u[sample.x]), mean(sample.u[~sample.x])
    return one - zero, np.hypot(e, f)


def ratio(top: np.ndarray, bottom: np.ndarray) -> Pair:
    value = top.mean() / bottom.mean()
    return value, mean((top - value * bottom) / bottom.mean())[1]


def least_squares(outcome: np.ndarray, predictor: np.ndarray) -> Pair:
    """The slope, with robust errors (HC1)."""
    X = np.column_stack([np.ones(PEOPLE), predictor])
    inverse = np.linalg.inv(X.T @ X)
    b = inverse @ X.T @ outcome
    meat = (X.T * (outcome - X @ b) ** 2) @ X
    return b[1], np.sqrt((inverse @ meat @ inverse)[1, 1] * PEOPLE / (PEOPLE - 2))


def by_logistic(sample: Sample) -> Pair:
    b, errors = LOGISTIC(sample.u, np.column_stack([np.ones(PEOPLE), sample.x]))
    return b[1], errors[1]


def corrected(sample: Sample) -> tuple[float, float, float]:
    """The mean of a finite population of twice as many people, half of whom answered."""
    value, error = mean(sample.u)
    rest = sample.rng.random(PEOPLE) < SHARE
    return value, error * np.sqrt(0.5), (sample.a.mean() + rest.mean()) / 2


ANALYSES: dict[str, tuple[Callable[[Sample], tuple], float | None]] = {
    "mean": (lambda s: mean(s.u), SHARE),
    "difference": (difference, SHARE_1 - SHARE_0),
    "least squares": (lambda s: least_squares(s.u, s.x), SHARE_1 - SHARE_0),
    "logistic": (by_logistic, 0.8),
    "product": (lambda s: mean(s.u * s.v), 0.6 * SHARE),
    "ratio": (lambda s: ratio(s.u * s.v, s.u), 0.6),
    "mean of y": (lambda s: ratio(s.u * s.y, s.u), 2.0),
    "predictor": (lambda s: least_squares(s.y, s.u), 2.0),
    "finite population": (corrected, None),
}
NOT_VALID = {"predictor": (0.0, 0.01), "finite population": (0.80, 0.90)}


def test_valid_analyses_cover_and_the_others_do_not(capsys):
    rng = np.random.default_rng(20261124)
    covered = dict.fromkeys(ANALYSES, 0)
    for _ in range(SURVEYS):
        sample = Sample(rng)
        for name, (analysis, truth) in ANALYSES.items():
            value, error, *own = analysis(sample)
            covered[name] += abs(value - (own[0] if own else truth)) < WIDE * error
    shares = {name: count / SURVEYS for name, count in covered.items()}
    with capsys.disabled():
        print("\n", shares)
    for name, share in shares.items():
        low, high = NOT_VALID.get(name, (0.93, 0.97))
        assert low <= share <= high, (name, share)


def test_a_correlation_of_columns_is_far_too_small_and_the_page_says_by_what_to_divide():
    rng = np.random.default_rng(1)
    found = []
    for _ in range(200):
        sample = Sample(rng)
        a, b = sample.u.mean(), sample.v.mean()
        divided = np.cov(sample.u, sample.v)[0, 1] / np.sqrt(a * (1 - a) * b * (1 - b))
        true = np.corrcoef(sample.a, sample.b)[0, 1]
        found.append((np.corrcoef(sample.u, sample.v)[0, 1], divided, true))
    plain, divided, true = np.mean(found, axis=0)
    assert plain < true / 3
    assert divided == pytest.approx(true, abs=0.02)


# Two groups and ranks, whose columns are not those of the dashboard.

RUNS = 200


def of_two_groups() -> tuple[DebiasedColumn, UnrelatedQuestionTwoGroups]:
    pairs = [
        [
            int(16 * Fraction(1, 2) * (p * (true == y) + (1 - p) * (second == y)))
            for p in (Fraction(3, 4), Fraction(1, 4))
            for y in (0, 1)
        ]
        for true in (0, 1)
        for second in (0, 1)
    ]
    item = GroupedQuestion(
        **common("yes_no", 2),
        denominator=16,
        reports=levels(4),
        second=SecondQuestion("?", "0", "1"),
        pairs=tuple(map(tuple, pairs)),
    )
    return columns_of(item)["yes"], UnrelatedQuestionTwoGroups(*item.group_probabilities)


def times_the_error(share: float, second: float) -> float:
    """How many times the dashboard's standard error that of the column of two groups is.

    The dashboard divides by the sizes of the groups; in the column their chance means differ.
    """
    slopes = np.array([2 * 1.5, -2 * 0.5])  # 2 (1 - p2) / d and -2 (1 - p1) / d
    said = np.array([0.75 * share + 0.25 * second, 0.25 * share + 0.75 * second])
    within = (slopes**2 * said * (1 - said)).mean()
    between = np.var(slopes * (said - 0.5))
    return float(np.sqrt(1 + between / within))


@pytest.mark.parametrize(
    ("share", "second", "most"),
    [(0.5, 0.7, 1.01), (0.3, 0.6, 1.06), (0.1, 0.5, 1.15), (0.05, 0.05, 2.15)],
)
def test_the_column_of_two_groups_is_unbiased_and_less_precise_where_few_say_yes(
    share, second, most
):
    column, design = of_two_groups()
    numbers = np.array([column.number({"r1": level_code(n)}) for n in range(4)])
    rng, means, ratios = np.random.default_rng(3), [], []
    for _ in range(RUNS):
        group = (rng.random(PEOPLE) < 0.5).astype(int)
        counts_itself = rng.random(PEOPLE) < np.where(group == 0, 0.75, 0.25)
        said = np.where(counts_itself, rng.random(PEOPLE) < share, rng.random(PEOPLE) < second)
        reports = 2 * group + said
        counts = np.bincount(reports, minlength=4).tolist()
        value, error = mean(numbers[reports])
        means.append(value)
        dashboard = estimate_two_groups(design, counts[:2], counts[2:])
        ratios.append(error / dashboard.standard_errors["prevalence"])
    assert abs(np.mean(means) - share) < 5 * np.std(means) / np.sqrt(RUNS)
    assert np.mean(ratios) == pytest.approx(times_the_error(share, second), rel=0.03)
    assert times_the_error(share, second) < most


@pytest.mark.parametrize("apart", [0, 1, 10])
def test_the_columns_of_ranks_are_unbiased_and_nearly_as_precise_as_the_dashboard(apart):
    """From people who prefer nothing to people who all agree."""
    things, channel = ("a", "b", "c", "d"), TwoCoins().channel.integer_weights()
    item = RankedPairQuestion(
        **common("ranking", 2),
        weights=channel.weights,
        denominator=channel.denominator,
        ranked=things,
        parts=pair_texts(things),
        sent=1,
    )
    columns = columns_of(item, parts=len(item.parts))
    rng, means, ratios = np.random.default_rng(4), [], []
    true = []
    for _ in range(RUNS):
        ranks = np.argsort(np.argsort(rng.normal(apart * np.arange(4), size=(PEOPLE, 4)))) + 1
        pair = rng.integers(0, len(item.pairs), PEOPLE)
        first, second = np.array(item.pairs)[pair].T
        people = np.arange(PEOPLE)
        before = (ranks[people, first] < ranks[people, second]).astype(int)
        reports = draw_reports(item.integer_channel, before, rng)
        counts = np.zeros((len(item.pairs), 2), int)
        np.add.at(counts, (pair, reports), 1)
        report = pair_report(
            item,
            1,
            ItemCounts(item, Counter(asked=PEOPLE), parts=tuple(map(tuple, counts))),
            Reading(),
        )
        shown = {row.label: row for row in report.rows}
        for place, thing in enumerate(things):
            table = np.array(
                [
                    [columns[f"rank_{place + 1}"].number(cells(n, level)) for level in (0, 1)]
                    for n in range(len(item.pairs))
                ]
            )
            value, error = mean(table[pair, reports])
            means.append(value - ranks[:, place].mean())
            ratios.append(error / shown[thing].standard_error)
            true.append(place)
    for place in range(len(things)):
        errors = np.array(means)[np.array(true) == place]
        assert abs(errors.mean()) < 5 * errors.std() / np.sqrt(RUNS)
    assert 0.98 <= np.mean(ratios) <= 1.15


def cells(part: int, level: int) -> dict[str, str]:
    """What a row has where one pair was sent."""
    return {f"r{n + 1}": level_code(level) if n == part else "" for n in range(6)}
