"""What tables are asked, in words, and which are refused with what would fit."""

import pytest

from analytics.kinds.tables.asked import MOST_LEVELS, MOST_NUMBERS, AskedTables, Variable
from analytics.workloads.asks import Ask
from analytics.workloads.checks import WorkloadError

MOOD = Variable("Mood", ("bad", "fair", "good", "No answer"), Ask.CDF, has_no_answer=True)
TOWN = Variable("Town", ("North", "South"))


def of_size(name: str, levels: int, ask: Ask = Ask.COUNTS) -> Variable:
    return Variable(name, tuple(map(str, range(levels))), ask)


def test_a_cdf_is_labelled_up_to_each_level_and_ends_with_all():
    assert MOOD.labels == ("up to bad", "up to fair", "up to good", "all")


def test_ranges_are_labelled_by_their_ends():
    ranges = Variable("Mood", ("bad", "fair", "good"), Ask.RANGES)
    assert ranges.labels == ("bad", "bad … fair", "bad … good", "fair", "fair … good", "good")
    assert len(ranges.labels) == ranges.rows


def test_a_table_is_labelled_in_the_order_of_its_numbers():
    asked = AskedTables((MOOD, TOWN), ((1,), (0, 1)))
    assert asked.title((0, 1)) == "Mood by Town"
    assert asked.labels((0, 1))[:3] == [
        ("up to bad", "North"),
        ("up to bad", "South"),
        ("up to fair", "North"),
    ]
    assert asked.numbers == 2 + 8
    assert asked.workload.rows == asked.numbers


def test_six_questions_of_ten_million_cells_are_refused_with_what_would_fit():
    sizes = (10, 10, 10, 10, 10, 100)
    variables = tuple(of_size(f"Q{n}", size) for n, size in enumerate(sizes))
    with pytest.raises(WorkloadError) as problem:
        AskedTables(variables, ((0, 1, 2, 3, 4, 5),))
    said = str(problem.value)
    assert "10,000,000 numbers in one table" in said
    assert f"a release can have at most {MOST_NUMBERS:,} numbers" in said
    assert "A table of “Q0”, “Q1”, “Q2”, “Q3” would fit: it has 10,000 numbers" in said


def test_tables_that_are_too_many_together_are_refused():
    variables = tuple(of_size(f"Q{n}", 100) for n in range(3))
    with pytest.raises(WorkloadError, match="30,000 numbers"):
        AskedTables(variables, ((0, 1), (0, 2), (1, 2)))
    with pytest.raises(WorkloadError, match="choose up to 200 tables"):
        AskedTables((TOWN,), ((0,),) * 201)


@pytest.mark.parametrize("levels", [0, MOST_LEVELS + 1, 10_000])
def test_a_question_without_levels_or_with_too_many_is_refused(levels):
    with pytest.raises(
        WorkloadError,
        match=r"“Q” must have 1 to 200 possible answers, so combine answers into groups",
    ):
        of_size("Q", levels)


def test_a_question_with_one_level_can_be_tabulated():
    asked = AskedTables((of_size("Q", 1), TOWN), ((0, 1), (0,)))
    assert asked.labels((0, 1)) == [("0", "North"), ("0", "South")]


@pytest.mark.parametrize("tables", [(), ((),), ((0,), ())])
def test_no_table_or_an_empty_one_is_refused(tables):
    with pytest.raises(WorkloadError, match="choose at least one table of at least one question"):
        AskedTables((TOWN,), tables)


def test_levels_that_read_the_same_and_asks_that_are_none_are_refused():
    with pytest.raises(
        WorkloadError, match="two possible answers to this question have the same text"
    ):
        Variable("Q", ("a", "a"))
    with pytest.raises(WorkloadError, match="give one of counts, cdf, ranges"):
        Variable("Q", ("a", "b"), Ask.TOTAL)


def test_more_questions_together_than_are_planned_in_seconds_are_refused():
    variables = tuple(Variable(f"q{n}", ("yes", "no")) for n in range(13))
    assert AskedTables(variables, (tuple(range(12)),)).numbers == 2**12
    with pytest.raises(WorkloadError, match="put up to 12 questions into one table"):
        AskedTables(variables, (tuple(range(13)),))
