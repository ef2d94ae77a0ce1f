"""Levels of planned looks: published bounds, the normal law, exact coverage at all of them."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom, multivariate_normal, norm

from tests.randomized_response.errors import EstimationError
from tests.randomized_response.intervals import ConfidenceSequence, PlannedLooks
from tests.randomized_response.intervals.intervals import clopper_pearson
from tests.randomized_response.intervals.planned_looks import KEPT, POWER, look_bounds

FIFTHS = tuple(np.arange(1, 6) / 5)
ONE_LOOK = norm.isf(0.025)


@pytest.mark.parametrize(
    ("spent", "published"),
    [
        # The two spending functions of Lan and DeMets (1983), the first for each side, at five even
        # looks, as the R package ldbounds gives them.
        (4 * norm.sf(norm.isf(0.0125) / np.sqrt(FIFTHS)), (4.8769, 3.3569, 2.6803, 2.2898, 2.031)),
        (
            0.05 * np.log1p((math.e - 1) * np.array(FIFTHS)),
            (2.438, 2.4268, 2.4101, 2.3966, 2.3859),
        ),
    ],
    ids=["O'Brien-Fleming", "Pocock"],
)
def test_the_bounds_are_those_of_another_program(spent, published):
    # One of the printed digits, 3.3569, is 3.3570 of ours.
    assert look_bounds(tuple(spent), FIFTHS) == pytest.approx(published, abs=1.5e-4)


@pytest.mark.parametrize(
    "sizes", [(10, 20, 30), (40, 41, 300), (1, 1000, 1001)], ids=["even", "uneven", "close"]
)
def test_the_chance_that_any_look_misses_is_what_was_spent(sizes):
    spent = (0.01, 0.03, 0.05)
    bounds = np.array(look_bounds(spent, sizes))
    for looks in (1, 2, 3):
        n = np.array(sizes[:looks], dtype=float)
        law = multivariate_normal(
            cov=np.sqrt(np.minimum.outer(n, n) / np.maximum.outer(n, n)), abseps=1e-8, maxpts=10**6
        )
        inside = law.cdf(bounds[:looks], lower_limit=-bounds[:looks])
        assert 1 - inside == pytest.approx(spent[looks - 1], abs=2e-5)


def test_two_looks_at_the_same_answers_are_one_wherever_few_came_between():
    """Steps count as a thousandth at least: looks that are less dependent have wider bounds."""
    first, same = look_bounds((0.03, 0.05), (1000, 1000))
    assert first == pytest.approx(norm.isf(0.015), abs=1e-9)
    assert same == look_bounds((0.03, 0.05), (1000, 1001))[1]
    assert norm.isf(0.025) < same < look_bounds((0.03, 0.05), (1000, 1100))[1] < norm.isf(0.01)


def test_the_first_look_takes_its_part_and_one_that_is_left_out_leaves_its_own():
    first = PlannedLooks((0.2,), (70,)).level(0.9)
    assert 1 - first == pytest.approx(0.1 * (1 - KEPT) * 0.2**POWER, rel=1e-9)
    late = PlannedLooks((0.6,), (70,)).level(0.9)
    assert 1 - late == pytest.approx(0.1 * (1 - KEPT) * 0.6**POWER, rel=1e-9)
    assert PlannedLooks.even(1).level(0.95) == pytest.approx(1 - 0.05 * (1 - KEPT), rel=1e-9)


def test_looks_after_the_planned_time_share_what_was_kept():
    times, sizes = (0.5, 1.0, 1.2, 1.4, 90.0), (10, 20, 30, 40, 50)
    levels = [PlannedLooks(times[:n], sizes[:n]).level(0.95) for n in range(1, 6)]
    spent = sum(1 - level for level in levels[2:])
    assert all(later > level for level, later in pairwise(levels[1:]))
    # No bound misses less often by itself than together with those before it.
    assert spent > 0.05 * KEPT * 3 / 4
    assert PlannedLooks((1.3,), (30,)).level(0.95) == pytest.approx(
        1 - 0.05 * (1 - KEPT + KEPT / 2), rel=1e-9
    )


def _ever_misses(share: float, looks: PlannedLooks) -> float:
    """The exact chance that the exact interval of any look misses, by all ways that counts take."""
    within, before, missed = np.array([1.0]), 0, 0.0
    for number, size in enumerate(looks.sizes, start=1):
        level = PlannedLooks(looks.times[:number], looks.sizes[:number]).level(0.95)
        came = size - before
        within = np.convolve(within, binom.pmf(np.arange(came + 1), came, share))
        # Counts that are improbable are not looked at; they count as missed.
        seen = np.flatnonzero(within > 1e-9)
        covered = np.zeros(size + 1, dtype=bool)
        covered[seen] = [clopper_pearson(int(x), size, level).contains(share) for x in seen]
        missed += within[~covered].sum()
        within, before = within * covered, size
    return float(missed)


@pytest.mark.parametrize(
    ("times", "sizes"),
    [
        ((0.25, 0.5, 0.75, 1.0), (25, 50, 75, 100)),
        (tuple(np.arange(1, 9) / 8), tuple(range(30, 241, 30))),
        ((0.1, 0.2, 0.9, 1.0, 1.1), (20, 200, 210, 260, 400)),
    ],
    ids=["four", "eight", "uneven and later"],
)
@pytest.mark.parametrize("share", [0.02, 0.2, 0.5])
def test_at_most_one_survey_in_twenty_misses_at_any_look(share, times, sizes):
    assert _ever_misses(share, PlannedLooks(times, sizes)) <= 0.05


@pytest.mark.parametrize("looks", [4, 8, 26, 52])
def test_each_look_is_narrower_than_the_sequence_of_the_plan(looks):
    n = 10_000
    sequence = ConfidenceSequence(n)
    for place in {1, looks // 4, looks // 2, looks}:
        times = tuple(np.arange(1, place + 1) / looks)
        size = n * place // looks
        level = PlannedLooks(times, tuple(n * k // looks for k in range(1, place + 1))).level(0.95)
        low, high = sequence.ends(size // 2, size, math.log(20))
        assert clopper_pearson(size // 2, size, level).width < high - low
    widened = norm.isf((1 - PlannedLooks.even(looks).level(0.95)) / 2) / ONE_LOOK
    assert 1.10 < widened < 1.21


@pytest.mark.parametrize(
    ("times", "sizes", "argument"),
    [
        ((), (), "sizes"),
        ((0.5,), (10, 20), "sizes"),
        ((0.5, 0.5), (10, 20), "times"),
        ((0.5, 0.4), (10, 20), "times"),
        ((0.0, 0.4), (10, 20), "times"),
        ((-1.0,), (10,), "times"),
        ((math.nan,), (10,), "times"),
        (("a",), (10,), "times"),
        ((0.5, 0.6), (10, 9), "sizes"),
        ((0.5, 0.6), (0, 9), "sizes"),
        ((0.5,), (1.5,), "sizes"),
    ],
)
def test_looks_that_cannot_be_are_refused(times, sizes, argument):
    with pytest.raises(EstimationError) as refusal:
        PlannedLooks(times, sizes)
    assert refusal.value.argument == argument


@pytest.mark.parametrize("level", [0, 1, math.nan, "high"])
def test_a_level_that_is_none_is_refused(level):
    with pytest.raises(EstimationError):
        PlannedLooks.even(3).level(level)
