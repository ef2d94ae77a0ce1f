"""What a locked table opens to: cells in their order, sums of a question, margins of noise."""

import math

import pytest

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
