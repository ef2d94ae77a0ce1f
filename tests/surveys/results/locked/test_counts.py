"""What a locked table opens to: cells in their order, sums of a question, margins of noise."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from analytics.privacy.mechanisms import VettedNoise
from surveys.kinds.counted.promise import CountedQuestion, counted_as
from surveys.kinds.levels.promise import Level, LevelQuestion
from surveys.questionnaire.plans.tallies import LockedTable
from surveys.randomized_response.intervals.integer_noise import SummedNoise
from surveys.results.locked.counts import LEVEL, NoisyCount, OpenedTable


def counted(*answers: str) -> CountedQuestion:
    levels = tuple(Level(f"{place:02d}", text) for place, text in enumerate(answers))
    display = tuple(range(len(levels)))
    question = LevelQuestion(
        id="a",
        kind="choice",
        text="Which?",
        help="",
        design="direct",
        levels=levels,
        display=display,
        required=True,
    )
    return counted_as(question, 1)


@pytest.fixture
def opened() -> OpenedTable:
    """A yes or no with a scale of three answers, of 30 people; two trustees with noise of 4."""
    items = (
        counted("No", "Yes"),
        counted("a", "b", "c"),
    )
    table = LockedTable(1, (5, 6), 7, "4")
    return OpenedTable(table, items, (9, 1, -2, 3, 0, 12, 4), 30, 2)


def test_cells_stand_with_the_last_question_fastest_and_not_asked_at_the_end(opened):
    cells = [(cell.answers, cell.counted.count) for cell in opened.cells]
    assert cells == [
        (("No", "a"), 9),
        (("No", "b"), 1),
        (("No", "c"), -2),
        (("Yes", "a"), 3),
        (("Yes", "b"), 0),
        (("Yes", "c"), 12),
        ((), 4),
    ]
    assert opened.cells[1].codes == ("00", "01")


def test_a_question_s_counts_are_sums_over_the_others_with_more_noise(opened):
    first, second = opened.margin(5), opened.margin(6)
    assert [(cell.answers, cell.counted.count) for cell in first] == [
        (("No",), 8),
        (("Yes",), 15),
        ((), 4),
    ]
    assert [cell.counted.count for cell in second] == [12, 1, 10, 4]
    cell = 4 * math.sqrt(2)
    deviations = [one.counted.noise.sd for one in (*first, *second)]
    factors = [math.sqrt(n) for n in (3, 3, 1, 2, 2, 2, 1)]
    assert deviations == pytest.approx([cell * factor for factor in factors])


def test_an_interval_has_its_level_and_ends_at_no_one_and_at_all():
    noise = SummedNoise(4.0, 2)
    five = NoisyCount(5, 30, noise)
    assert noise.coverage(five.half_width) >= LEVEL > noise.coverage(five.half_width - 1)
    assert (five.low, five.high) == (0, 16)
    assert (NoisyCount(-40, 30, noise).low, NoisyCount(-40, 30, noise).high) == (0, 0)
    assert (NoisyCount(60, 30, noise).low, NoisyCount(60, 30, noise).high) == (30, 30)
    assert five.share == pytest.approx(5 / 30)


def test_a_table_of_one_question_has_its_cells_as_counts():
    item = counted("No", "Yes")
    opened = OpenedTable(LockedTable(1, (5,), 2, "4"), (item,), (3, 7), 10, 1)
    assert [cell.counted for cell in opened.margin(5)] == [cell.counted for cell in opened.cells]


@pytest.mark.noise(fails=2e-6, law="binomial, near normal: three shares within 5 standard errors")
def test_intervals_of_cells_and_sums_cover_as_often_as_the_exact_law_says(opened):
    """With the noise that trustees draw, of 1,000 openings by two trustees."""
    truth, openings = np.array(opened.counts), 1000
    drawn = VettedNoise().drawn_within(Fraction(4), 64, 2 * openings * len(truth))
    noisy = truth + np.array(drawn).reshape(openings, 2, len(truth)).sum(axis=1)
    tables = [replace(opened, counts=tuple(map(int, counts))) for counts in noisy]
    several = (
        lambda one: one.cells,
        lambda one: one.margin(5)[:2],
        lambda one: one.margin(6)[:3],
    )
    for cells_of in several:
        true = [cell.counted.count for cell in cells_of(opened)]
        pairs = [
            (cell.counted, count)
            for table in tables
            for cell, count in zip(cells_of(table), true, strict=True)
        ]
        share = sum(abs(one.count - count) <= one.half_width for one, count in pairs) / len(pairs)
        exact = pairs[0][0].noise.coverage(pairs[0][0].half_width)
        assert LEVEL <= exact < 1
        assert abs(share - exact) < 5 * math.sqrt(exact * (1 - exact) / len(pairs))
