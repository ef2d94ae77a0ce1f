"""Means of bounded numbers for one look: they cover also where rare large numbers decide."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, multinomial

from tests.randomized_response.errors import EstimationError
from tests.randomized_response.estimates import tilted_mean_interval
from tests.randomized_response.intervals import INTERVAL_METHODS

exact = INTERVAL_METHODS["clopper-pearson"].binomial
TAIL = 0.025


@pytest.mark.parametrize(
    ("yes", "n"), [(0, 1), (0, 20), (1, 20), (5, 100), (50, 100), (100, 100), (3, 10**7)]
)
@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3, 60)])
def test_of_two_ends_alone_it_is_the_interval_of_clopper_and_pearson(yes, n, low, high):
    found = tilted_mean_interval([low, high], [n - yes, yes], low, high)
    expected = exact(yes, n).mapped(low, high - low)
    assert [found.low, found.high] == pytest.approx([expected.low, expected.high], rel=1e-7)


@pytest.mark.parametrize("n", [1, 10, 10**6])
def test_where_all_agree_either_end_may_be_as_common_as_none_of_them_allows(n):
    found = tilted_mean_interval([5, 7], [n, 0], 0, 60)
    unseen = 1 - TAIL ** (1 / n)
    assert found.high == pytest.approx(5 + 55 * unseen, rel=1e-12)
    assert found.low == pytest.approx(5 - 5 * unseen, rel=1e-12)


def chance_of_at_most(law: np.ndarray, values: np.ndarray, counts: np.ndarray) -> float:
    """By all ways to give three numbers n times."""
    n = int(counts.sum())
    ways = [(a, b, n - a - b) for a, b in product(range(n + 1), repeat=2) if a + b <= n]
    small = [way for way in ways if np.dot(way, values) <= counts @ values + 1e-9]
    return float(multinomial(n, law).pmf(small).sum())


@pytest.mark.parametrize("counts", [(5, 3, 2), (6, 4, 0), (8, 1, 1)])
def test_under_the_law_at_its_end_so_small_a_sum_is_as_rare_as_stated(counts):
    values, times = np.array([0.0, 0.3, 1.0]), np.array(counts)
    end = tilted_mean_interval(values, times, 0, 1).high

    def law(r: float) -> np.ndarray:
        shares = times / (r - values)
        return shares / shares.sum()

    if times[2]:
        fitted = law(brentq(lambda r: law(r) @ values - end, 1 + 1e-12, 1e6, xtol=1e-14))
    else:  # what is left goes to the end that no one gave
        fitted = law(1 + 1e-15)
        share = (end - fitted @ values) / (1 - fitted @ values)
        fitted = np.append(fitted[:2] * (1 - share), share)
    assert chance_of_at_most(fitted, values, times) == pytest.approx(TAIL, abs=1e-6)


def test_numbers_turned_around_have_the_interval_turned_around():
    values, counts = np.array([0, 1, 4, 9.5]), [7, 8, 3, 1]
    found = tilted_mean_interval(values, counts, -1, 12)
    turned = tilted_mean_interval(-values, counts, -12, 1)
    assert [found.low, found.high] == pytest.approx([-turned.high, -turned.low], rel=1e-9)


def test_an_end_of_the_range_that_no_one_gave_yet_is_allowed_for():
    """None of 20 people says 60 in 1 of 20 surveys where 14 % would; Student's ends at 0.83."""
    found = tilted_mean_interval([0, 1, 3], [16, 2, 2], 0, 60)
    assert binom.pmf(0, 20, 0.14) == pytest.approx(0.05, abs=0.002)
    assert found.high > 60 * 0.14


@pytest.mark.parametrize(
    ("values", "n"), [(np.linspace(0, 1, 4096), 10**7), (np.arange(366) / 365, 10**5)]
)
def test_of_many_answers_it_is_the_normal_interval(values, n):
    counts = np.full(len(values), n // len(values))
    found = tilted_mean_interval(values, counts, 0, 1)
    half = 1.959964 * values.std() / math.sqrt(counts.sum())
    assert [found.low, found.high] == pytest.approx([0.5 - half, 0.5 + half], abs=0.001 * half)


def test_more_values_than_it_keeps_are_laid_together_without_moving_the_mean():
    values, rng = np.linspace(0, 1, 9_001) ** 2, np.random.default_rng(1)
    counts = rng.integers(1, 3, 9_001)
    found = tilted_mean_interval(values, counts, 0, 1)
    mean = values @ counts / counts.sum()
    half = 1.96 * math.sqrt(counts @ (values - mean) ** 2) / counts.sum()
    assert [found.low, found.high] == pytest.approx([mean - half, mean + half], abs=0.01 * half)


def test_sums_that_are_summed_and_sums_that_are_approximated_agree():
    n, counts = 10**5, [50_000, 30_000, 20_000]
    summed = tilted_mean_interval([0, 0.5, 1], counts, 0, 1)
    approximated = tilted_mean_interval([0, 0.5 + 1e-6, 1], counts, 0, 1)
    half = 1.96 * math.sqrt(0.1525 / n)
    assert summed.high == pytest.approx(approximated.high, abs=3e-3 * half)
    assert summed.low == pytest.approx(approximated.low, abs=3e-3 * half)


def test_more_certainty_takes_more_width_and_the_mean_is_always_inside():
    levels = [0.05, 0.5, 0.9, 0.95, 0.999]
    found = [tilted_mean_interval([1, 2, 5], [8, 4, 1], 1, 5, level=level) for level in levels]
    widths = [interval.high - interval.low for interval in found]
    assert widths == sorted(widths)
    assert all(interval.low <= 21 / 13 <= interval.high for interval in found)


@pytest.mark.parametrize(
    ("values", "counts", "ends", "message"),
    [
        ([1, 2], [1], (0, 5), "as many values as counts"),
        ([6], [1], (0, 5), "between the smallest and the largest"),
        ([1], [0], (0, 5), "not all 0"),
        ([1], [1], (5, 5), "above the smallest"),
    ],
)
def test_what_no_survey_can_have_is_refused(values, counts, ends, message):
    with pytest.raises(EstimationError, match=message):
        tilted_mean_interval(values, counts, *ends)


DAYS = ([0, 1, 2, 3, 5, 10, 20, 60], [0.8, 0.06, 0.05, 0.04, 0.02, 0.015, 0.01, 0.005])
GEOMETRIC = (list(range(31)), [0.25 * 0.75**k for k in range(30)] + [0.75**30])
SCALE = (list(range(11)), [1 / 11] * 11)
BELL = np.exp(-0.5 * ((np.arange(101) - 50) / 15) ** 2)
NORMAL = (list(range(101)), (BELL / BELL.sum()).tolist())
RUNS = 1_000


@pytest.mark.audit
@pytest.mark.parametrize(
    "law", [DAYS, ([0, 60], [0.95, 0.05]), GEOMETRIC, SCALE, NORMAL, ([0, 1], [0.5, 0.5])]
)
@pytest.mark.parametrize(("n", "least"), [(20, 0.93), (100, 0.945)])
def test_it_covers_the_mean(law, n, least):
    """One that covers exactly as often as is asked would fail in one cell of three million."""
    values, chances = np.array(law[0], dtype=float), np.array(law[1])
    drawn = np.random.default_rng(20_261).multinomial(n, chances, size=RUNS)
    kinds, times = np.unique(drawn, axis=0, return_counts=True)
    top = float(values.max())
    held = 0
    for counts, count in zip(kinds, times, strict=True):
        found = tilted_mean_interval(values, counts, 0, top)
        held += count * (found.low <= values @ chances <= found.high)
    assert held / RUNS >= least - 5 * math.sqrt(least * (1 - least) / RUNS)
