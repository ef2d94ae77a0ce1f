"""Labels: what a pandas column or table says beside its numbers, read without importing pandas.

Numbers that carry labels are never read by position where the labels say something else: counts
go to the levels that their labels name, and columns whose rows have other labels are refused.
"""

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from .errors import CountsError, StatisticsError


def index_of(values: object) -> Any | None:
    """The labels of the rows of a column or table; None for arrays and lists, which have none."""
    # Lists and tuples have an ``index`` too: a method.
    index = getattr(values, "index", None)
    return index if hasattr(index, "equals") else None


def first_index(columns: Iterable[Any]) -> Any | None:
    """The labels of the first of these columns that has any."""
    return next((index for index in map(index_of, columns) if index is not None), None)


def column_labels(values: Any) -> tuple[Any, ...] | None:
    """The labels of the columns of a table; None for everything else."""
    is_table = index_of(values) is not None and hasattr(values, "columns")
    return tuple(values.columns) if is_table else None


def in_order_of_levels(
    argument: str, values: Any, levels: int, error: type[StatisticsError] = CountsError
) -> Any:
    """One number per level, in the order of the levels; numbers without labels as they are.

    A level that no label names has 0. Raises ``error`` for a table, and for a label that names no
    level or one that has a number already.
    """
    if column_labels(values) is not None:
        remedy = f"it is a table: give one of its rows or columns, such as {argument}.loc[label]"
        raise error(argument, type(values).__name__, remedy)
    if not isinstance(values, Mapping) and index_of(values) is None:
        return values
    labels, numbers = zip(*values.items(), strict=True) if len(values) else ((), ())
    ordered: list[Any] = [0] * levels
    for level, number in zip(_level_numbers(argument, labels, levels, error), numbers, strict=True):
        ordered[level] = number
    return ordered


def table_in_order_of_levels(
    argument: str, table: Any, rows: int, columns: int, *, named_columns: bool
) -> Any:
    """Rows of numbers, both directions in the order of the levels, from a table with labels.

    ``named_columns``: texts may name the columns, which then are the levels in their order. A list
    of columns or arrays keeps its order. Raises CountsError.
    """
    labels = column_labels(table)
    if labels is None:
        return table
    if named_columns and len(labels) == columns and all(isinstance(x, str) for x in labels):
        labels = tuple(range(columns))
    down = _level_numbers(argument, tuple(table.index), rows, CountsError)
    across = _level_numbers(argument, labels, columns, CountsError)
    ordered: list[list[Any]] = [[0] * columns for _ in range(rows)]
    for i, row in zip(down, np.asarray(table).tolist(), strict=True):
        for j, number in zip(across, row, strict=True):
            ordered[i][j] = number
    return ordered


def _level_numbers(
    argument: str, labels: Sequence[Any], levels: int, error: type[StatisticsError]
) -> list[int]:
    """The level that each label names: 0 to ``levels`` - 1; False and True where there are two."""
    numbers: dict[int, None] = {}
    for label in labels:
        level = _level_number(label, levels)
        if level is None:
            remedy = f"label the levels 0 to {levels - 1}, or give a list in that order"
            raise error(f"a label of {argument}", label, remedy)
        if level in numbers:
            raise error(f"a label of {argument}", label, "this level is there twice: add them up")
        numbers[level] = None
    return list(numbers)


def _level_number(label: object, levels: int) -> int | None:
    if isinstance(label, bool | np.bool_):
        return int(label) if levels == 2 else None
    number = float(label) if isinstance(label, Real) else -1.0
    return int(number) if number.is_integer() and 0 <= number < levels else None
