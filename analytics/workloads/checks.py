"""WorkloadError, StrategyError; validation of matrices, sizes, tables of questions and cells."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surveys.randomized_response.checks import checked_whole_number
from surveys.randomized_response.errors import StatisticsError
from surveys.randomized_response.messages import sentence

FloatArray = NDArray[np.float64]
Error = type[StatisticsError]

# Dense algebra on this many cells takes some 10 s and 100 MB a matrix.
MOST_DENSE = 4_096
# Cells of a whole domain: a vector of them is 80 MB, and a table of them is no publication.
MOST_CELLS = 10_000_000
MOST_QUESTIONS = 60


class WorkloadError(StatisticsError):
    """A workload that cannot be asked, or a domain that is too large to plan for."""


class StrategyError(StatisticsError):
    """A strategy that does not answer its workload, or that no noise can protect."""


def checked_matrix(argument: str, value: Any, error: Error = WorkloadError) -> FloatArray:
    """A finite matrix with at least one row and one column, float64."""
    try:
        matrix = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as unusable:
        raise error(argument, type(value).__name__, "give a matrix of numbers") from unusable
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise error(argument, matrix.shape, "give rows and columns, at least one of each")
    if not np.isfinite(matrix).all():
        raise error(argument, matrix.shape, sentence("give finite numbers"))
    return matrix


def checked_vector(argument: str, value: Any, length: int) -> FloatArray:
    """A finite vector of this length, float64. Raises WorkloadError."""
    try:
        vector = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as unusable:
        raise WorkloadError(argument, value, f"give {length} numbers") from unusable
    if vector.shape != (length,) or not np.isfinite(vector).all():
        raise WorkloadError(argument, vector.shape, f"give {length:,} finite numbers")
    return vector


def checked_cells(argument: str, value: object, most: int = MOST_CELLS) -> int:
    """A number of cells between 1 and ``most``. Raises WorkloadError."""
    number = checked_whole_number(argument, value, WorkloadError)
    if not 1 <= number <= most:
        raise WorkloadError(argument, value, f"give 1 to {most:,} cells")
    return number


def checked_sizes(sizes: Iterable[object]) -> tuple[int, ...]:
    """The numbers of levels of the questions, 1 or more each. Raises WorkloadError."""
    checked = tuple(checked_cells("sizes", size) for size in sizes)
    if not 1 <= len(checked) <= MOST_QUESTIONS:
        raise WorkloadError("sizes", len(checked), f"give 1 to {MOST_QUESTIONS} questions")
    return checked


def checked_table(table: Iterable[object], questions: int) -> tuple[int, ...]:
    """Positions of different questions, ascending. Raises WorkloadError."""
    checked = tuple(checked_whole_number("tables", position, WorkloadError) for position in table)
    if len(set(checked)) != len(checked):
        raise WorkloadError("tables", checked, "name each question of a table once")
    if not all(0 <= position < questions for position in checked):
        raise WorkloadError("tables", checked, f"questions have positions 0 to {questions - 1}")
    return tuple(sorted(checked))


def check_publishable(sizes: Sequence[int], table: tuple[int, ...]) -> None:
    """Raises WorkloadError for a table with more cells than anybody can publish."""
    cells = math.prod(sizes[position] for position in table)
    if cells > MOST_CELLS:
        remedy = f"a table has at most {MOST_CELLS:,} cells: ask for fewer questions together"
        raise WorkloadError("tables", f"{cells:,} cells", remedy)


def checked_dense(cells: int) -> int:
    """A domain that dense algebra can hold. Raises WorkloadError."""
    if cells > MOST_DENSE:
        remedy = f"this method plans for at most {MOST_DENSE:,} cells"
        raise WorkloadError("cells", f"{cells:,}", remedy)
    return cells
