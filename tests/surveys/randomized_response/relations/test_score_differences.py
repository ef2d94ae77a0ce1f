"""The default interval between two randomized groups: it covers, and is no wider than Wald's."""

import math
from itertools import product

import numpy as np
import pytest

from tests.randomized_response.designs import Crosswise, Direct, ForcedResponse, TwoCoins, Warner
from tests.randomized_response.relations import estimate_cross_table
from tests.randomized_response.relations.cross_tables import ANY_DIFFERENCE, CrossTableEstimate
from tests.randomized_response.relations.score_differences import ScoreLimits

DESIGNS = {
    "two coins": TwoCoins(2),
    "warner": Warner(0.7),
    "forced": ForcedResponse(1 / 6, 1 / 6),
    "crosswise": Crosswise(0.25),
}
SHARES = (0.05, 0.2, 0.5)


def tables(design, n, group, shares, runs, rng) -> list[CrossTableEstimate]:
    """Surveys of n people in which both questions use the design."""
    here, there = shares
    truth = [(1 - there) * (1 - group), (1 - here) * group, there * (1 - group), here * group]
    reports = np.kron(design.channel.matrix, design.channel.matrix) @ truth
    drawn = rng.multinomial(n, reports, size=runs).reshape(runs, 2, 2)
    return [estimate_cross_table(design, design, counts.tolist()) for counts in drawn]


def figures(found, ask, truth) -> np.ndarray:
    """Coverage, width and how often nothing is excluded, of the default and of Wald's."""
    rows = [(ask(table), ask(table, method="wald")) for table in found]
    kept = [[i.contains(truth) for i in row] for row in rows]
    widths = [[i.width for i in row] for row in rows]
    unbounded = [[i.note == ANY_DIFFERENCE for i in row] for row in rows]
    return np.array([np.mean(part, axis=0) for part in (kept, widths, unbounded)])


def difference(table, **method):
    return table.difference(1, 1, 0, **method).interval


def within(table, **method):
    return table.conditional(1, 1, **method).interval


@pytest.mark.parametrize(
    ("n", "group"),
    [(100, 0.5), *(pytest.param(1000, part, marks=pytest.mark.audit) for part in (0.2, 0.05))],
)
def test_a_difference_is_covered_and_seldom_unbounded(n, group) -> None:
    runs = 100
    found = tables(DESIGNS["two coins"], n, group, (0.5, 0.2), runs, np.random.default_rng(n))
    (covered, _), (width, walds), (unbounded, walds_unbounded) = figures(found, difference, 0.3)
    assert covered >= 0.945 - 3 * math.sqrt(0.95 * 0.05 / runs)
    assert width <= 1.3 * walds
    assert unbounded <= walds_unbounded + 0.02


def test_a_group_of_a_fifth_tells_something() -> None:
    """Two coins twice and 1,000 people: boxes for both shares left 12 % to 71 % unbounded."""
    found = tables(TwoCoins(2), 1000, 0.2, (0.5, 0.2), 60, np.random.default_rng(9))
    defaults = [difference(table) for table in found]
    assert not any(interval.note == ANY_DIFFERENCE for interval in defaults)
    boxes = [difference(table, method="clopper-pearson") for table in found]
    assert np.mean([i.width for i in defaults]) < 0.7 * np.mean([i.width for i in boxes])


def test_a_group_that_may_be_empty_is_no_error() -> None:
    empty = estimate_cross_table(TwoCoins(2), TwoCoins(2), [[30, 10], [31, 11]])
    interval = difference(empty)
    assert -1 <= interval.low < interval.high <= 1
    one = estimate_cross_table(TwoCoins(2), TwoCoins(2), [[1, 0], [0, 0]])
    assert (difference(one).low, difference(one).high) == (-1, 1)
    assert difference(one).note == ANY_DIFFERENCE


@pytest.mark.parametrize(
    "counts", [[[25, 25], [25, 25]], [[26, 25], [25, 24]], [[27, 27], [23, 23]]]
)
def test_differences_of_1_are_rejected_by_the_same_square_as_those_near_them(counts) -> None:
    """At 1 and -1 only one pair of shares is left, which fits no worse than any pair near it."""
    table = estimate_cross_table(TwoCoins(2), TwoCoins(2), counts)
    ours, walds = difference(table), difference(table, method="wald")
    assert (ours.low, ours.high) == pytest.approx((walds.low, walds.high), abs=0.15)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_both_limits_at_an_end_of_the_range_fail_together_at_the_level(level) -> None:
    limits = ScoreLimits.of(level, 10**9)
    assert limits.inside < limits.free < limits.at_end
    runs = 10**6
    one, other = np.random.default_rng(3).chisquare(1, size=(2, runs))
    kept = (one <= limits.free) & (one + other <= limits.at_end)
    assert abs(kept.mean() - level) <= 5 * math.sqrt(level * (1 - level) / runs)


@pytest.mark.parametrize("level", [1e-6, 0.02, 0.04])
def test_at_low_levels_the_sum_alone_decides_at_an_end(level) -> None:
    limits = ScoreLimits.of(level, 10**9)
    assert limits.at_end == pytest.approx(-2 * math.log1p(-level))
    interval = estimate_cross_table(TwoCoins(2), TwoCoins(2), [[300, 250], [210, 240]]).difference(
        1, 1, 0, level
    )
    assert interval.interval.low <= interval.value <= interval.interval.high


def test_the_opposite_difference_has_the_opposite_interval() -> None:
    table = estimate_cross_table(Warner(0.7), TwoCoins(2), [[300, 250], [210, 240]])
    one, other = difference(table), table.difference(1, 0, 1).interval
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-3)


@pytest.mark.parametrize("scale", [1, 100, 10**6])
def test_with_many_people_the_interval_becomes_walds(scale) -> None:
    counts = (np.array([[300, 250], [210, 240]]) * 20 * scale).tolist()
    table = estimate_cross_table(Warner(0.7), Warner(0.8), counts)
    ours, walds = difference(table), difference(table, method="wald")
    assert (ours.low, ours.high) == pytest.approx((walds.low, walds.high), abs=0.1 * walds.width)


def test_direct_answers_that_no_one_gave_are_no_certainty() -> None:
    table = estimate_cross_table(Direct(2), Direct(2), [[50, 40], [0, 10]])
    interval = difference(table)
    assert interval.low < 0.2 < interval.high
    assert within(table, level=0.95).width > 0.05
    assert table.conditional(1, 0).interval.high > 0.03


@pytest.mark.audit
@pytest.mark.parametrize("n", [100, 1000])
@pytest.mark.parametrize("name", DESIGNS)
def test_every_setting_is_covered_and_no_wider_than_wald_needs(name, n) -> None:
    """All settings of a design together reach 94.5 % within 3 standard errors, each one within 5.

    There are 54 of them with each of eight designs and sizes: of so many statements at the level
    of 3 standard errors, one or two would fail by chance.
    """
    runs, rng = 150, np.random.default_rng(14)
    hits = []
    for group, here, there in product(SHARES, SHARES, SHARES):
        found = tables(DESIGNS[name], n, group, (here, there), runs, rng)
        for ask, truth in ((difference, here - there), (within, here)):
            (covered, walds), widths, unbounded = figures(found, ask, truth)
            hits.append(covered)
            assert covered >= 0.945 - 5 * math.sqrt(0.95 * 0.05 / runs)
            assert unbounded[0] <= unbounded[1] + 0.02
            if walds >= 0.945 - 3 * math.sqrt(0.95 * 0.05 / runs):
                assert widths[0] <= 1.3 * widths[1]
    # Runs of one group size and share are shared by two statements, hence half of them count.
    assert np.mean(hits) >= 0.945 - 3 * math.sqrt(0.95 * 0.05 / (runs * len(hits) / 2))
