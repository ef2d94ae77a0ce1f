"""Tables by their different entries say what the tables themselves say."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from tests.randomized_response.designs.shared_entries import FEW, SMALL, SharedEntries

HALF, THIRD, SIXTH = Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)
SHARED = ((HALF, THIRD, SIXTH), (THIRD, SIXTH, HALF), (HALF, HALF, HALF), (SIXTH, HALF, THIRD))


def drawn(rows: int, columns: int, different: int) -> tuple[tuple[Fraction, ...], ...]:
    values = [Fraction(n, different) for n in range(different)]
    places = np.random.default_rng(3).integers(0, different, (rows, columns))
    return tuple(tuple(values[n] for n in row) for row in places)


TABLES = [SHARED, drawn(5, 4, 3), drawn(12, 9, FEW), drawn(30, 20, FEW + 40)]


@pytest.mark.parametrize("table", TABLES)
def test_the_table_is_given_back_with_each_entry_as_one_object(table) -> None:
    entries = SharedEntries.of(table)
    assert entries.rows() == table
    assert len({id(p) for row in entries.rows() for p in row}) == len(entries.values)
    assert entries.transposed.rows() == tuple(zip(*table, strict=True))
    assert entries.matrix.tolist() == [[float(p) for p in row] for row in table]


@pytest.mark.parametrize("table", TABLES)
def test_each_row_counts_as_one_of_those_that_are_looked_at(table) -> None:
    looked_at = dict(SharedEntries.of(table).different_rows())
    for number, row in looked_at.items():
        assert Counter(dict(row)) == Counter(table[number])
    known = [Counter(table[number]) for number in looked_at]
    assert all(Counter(row) in known for row in table)


def test_rows_of_the_same_entries_are_looked_at_once_in_a_table_that_is_not_small() -> None:
    looked_at = dict(SharedEntries.of(SHARED * SMALL).different_rows())
    assert list(looked_at) == [0, 2]
    assert list(dict(SharedEntries.of(SHARED).different_rows())) == [0, 1, 2, 3]


@pytest.mark.parametrize("table", TABLES)
def test_the_largest_entry_of_a_row_is_the_first_of_those_that_are_equal(table) -> None:
    # The same numbers as objects of their own: what is equal need not be one object.
    own = tuple(tuple(Fraction(p) + 0 for p in row) for row in table)
    expected = [row.index(max(row)) for row in table]
    assert SharedEntries.of(table).largest_in_rows().tolist() == expected
    assert SharedEntries.of(own).largest_in_rows().tolist() == expected


def test_an_entry_is_checked_once_and_where_it_stands_first() -> None:
    asked = []

    def check(row: int, column: int, value: Fraction) -> int:
        asked.append((row, column, value))
        return int(6 * value)

    checked = SharedEntries.of(SHARED).checked(check)
    assert asked == [(0, 0, HALF), (0, 1, THIRD), (0, 2, SIXTH)]
    assert checked.rows() == tuple(tuple(int(6 * p) for p in row) for row in SHARED)
