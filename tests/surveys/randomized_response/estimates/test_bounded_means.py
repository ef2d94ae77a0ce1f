"""Intervals for means of bounded numbers that hold at every look at once."""

from functools import cache
from math import log, sqrt

import numpy as np
import pytest
from scipy.stats import binom, t

from tests.randomized_response.errors import EstimationError
from tests.randomized_response.estimates import bounded_mean_interval


def test_a_person_who_looks_again_and_again_is_misled_no_more_often_than_stated():
    """Both ends together, 400 people who look 13 times; the bound is 5 sigma above 10 %."""
    rng = np.random.default_rng(811)
    values, chances = np.array([0.0, 0.1, 0.5, 1.0]), [0.4, 0.3, 0.2, 0.1]
    mean, misled = float(values @ chances), 0

    @cache  # after a few answers many people have counted the same
    def misleads(*counts: int) -> bool:
        found = bounded_mean_interval(values, counts, 0, 1, level=0.9)
        return not found.low <= mean <= found.high

    for _ in range(400):
        counts = [0] * 4
        for look, answer in enumerate(rng.choice(4, size=400, p=chances), start=1):
            counts[answer] += 1
            # Looks lie apart as Fibonacci's numbers: those between add little to what these find.
            if look in {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 400} and misleads(*counts):
                misled += 1
                break
    assert misled <= 40 + 5 * sqrt(400 * 0.1 * 0.9)


@pytest.mark.parametrize("n", [100, 10_000, 1_000_000])
def test_it_is_less_than_twice_as_wide_as_for_one_look(n):
    counts = [round(0.5 * n), round(0.3 * n), round(0.2 * n)]
    values = np.array([1.0, 2.0, 5.0])
    deviation = sqrt(np.average((values - np.average(values, weights=counts)) ** 2, weights=counts))
    once = t.ppf(0.975, n - 1) * deviation / sqrt(n)
    found = bounded_mean_interval(values, counts, 1, 5)
    assert once < (found.high - found.low) / 2 < 2 * once


def test_for_yes_and_no_it_is_no_narrower_than_the_exact_interval_for_one_look():
    found = bounded_mean_interval([0, 1], [700, 300], 0, 1)
    assert binom.sf(299, 1000, found.low) < 0.025
    assert binom.cdf(300, 1000, found.high) < 0.025


def test_the_scale_and_its_direction_change_nothing_but_the_units():
    found = bounded_mean_interval([0, 0.5, 1], [5, 3, 2], 0, 1)
    years = bounded_mean_interval([20, 50, 80], [5, 3, 2], 20, 80)
    assert (years.low, years.high) == pytest.approx((20 + 60 * found.low, 20 + 60 * found.high))
    turned = bounded_mean_interval([0, 0.5, 1], [2, 3, 5], 0, 1)
    assert (turned.low, turned.high) == pytest.approx((1 - found.high, 1 - found.low), abs=1e-7)


def test_answers_that_are_all_equal_leave_the_mean_open_as_long_as_they_are_few():
    few, many = (bounded_mean_interval([1], [n], 0, 1) for n in (2, 2000))
    assert (few.high, many.high) == (1, 1)
    # The largest bet gains log(1 + .99 (1/m - 1)) an answer.
    assert few.low < 0.3 < 1 - log(80) / 100 < many.low


def test_very_many_values_are_rounded_outwards():
    values = np.linspace(0, 1, 50_001)
    exact = bounded_mean_interval(values[::20], np.full(2501, 40), 0, 1)
    rounded = bounded_mean_interval(values, np.full(50_001, 2), 0, 1)
    assert exact.low - 1 / 2048 < rounded.low <= exact.low
    assert exact.high <= rounded.high < exact.high + 1 / 2048


@pytest.mark.parametrize(
    ("values", "counts", "low", "high", "argument"),
    [
        ([1], [1], 2, 2, "high"),
        ([1], [1], 3, 2, "high"),
        ([], [], 0, 1, "values"),
        ([1, 0], [1], 0, 1, "values"),
        ([2], [1], 0, 1, "values"),
        ([float("nan")], [1], 0, 1, "values"),
        ([1], [0], 0, 1, "counts"),
        ([1], [-1], 0, 1, "counts"),
        ([1], [1.5], 0, 1, "counts"),
        ([1], [float("inf")], 0, 1, "counts"),
    ],
)
def test_what_it_cannot_use_is_refused_with_its_name(values, counts, low, high, argument):
    with pytest.raises(EstimationError) as refused:
        bounded_mean_interval(values, counts, low, high)
    assert refused.value.argument == argument
