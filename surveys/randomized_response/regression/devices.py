"""Device and Level: chances of each person's report if the hidden truth is yes or no (u and v).

A report y has probability u h + v (1 - h), where h is the probability of a true yes, u that of
the report given yes and v given no. For a binary design this is a h + b with a = u - v, b = v
for a reported yes. One unknown of a two-group design (share of truthful carriers, prevalence of
the other question) enters u and v linearly: u = u0 + u1 g.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import FloatArray
from ..designs.channel import Channel, IntegerChannel
from ..designs.design import Design, DesignLike, channel_of
from ..errors import DesignError, RegressionError
from ..messages import sentence
from .covariates import as_array

IntArray = NDArray[np.int64]
PerPerson = FloatArray | float


@dataclass(frozen=True)
class Level:
    """Probability of one report given yes and given no; each a number or one per person."""

    if_yes: PerPerson
    if_no: PerPerson
    if_yes_slope: PerPerson = 0.0
    if_no_slope: PerPerson = 0.0

    def at(self, unknown: float | None) -> tuple[PerPerson, PerPerson]:
        """(u, v) at a value of the unknown."""
        if unknown is None:
            return self.if_yes, self.if_no
        u = self.if_yes + self.if_yes_slope * unknown
        return u, self.if_no + self.if_no_slope * unknown


@dataclass(frozen=True)
class Device:
    """``codes`` (n,) is the level each person reported, ``reported`` its probabilities.

    ``possible`` are those of all levels; ``unknown`` is the name of a two-group design's unknown.
    """

    codes: IntArray
    reported: Level
    possible: tuple[Level, ...]
    unknown: str | None = None

    @property
    def binary(self) -> bool:
        return len(self.possible) == 2


def device_of(designs: DesignLike | Sequence[DesignLike], reports: IntArray) -> Device:
    """The device of one design for all, or of one design per person.

    Raises DesignError for designs with other than two true levels, or that reveal nothing;
    RegressionError for a wrong number of designs and for impossible reports.
    """
    if isinstance(designs, (Design, Channel, IntegerChannel)):
        tables, cells = [_table(designs)], np.zeros(len(reports), dtype=np.int64)
    else:
        tables, cells = distinct_designs(designs, len(reports), _table)
    check_designs(tables, cells, reports)
    levels = max(len(table) for table in tables)
    stacked = np.zeros((len(tables), levels, 2))
    for table, place in zip(tables, stacked, strict=True):
        place[: len(table)] = table
    reported = stacked[cells, reports]
    _check_possible(reported, reports)
    if len(tables) == 1:
        possible = tuple(Level(float(u), float(v)) for v, u in stacked[0])
    else:
        possible = tuple(Level(*stacked[cells, y].T[::-1]) for y in range(levels))
    return Device(reports, Level(reported[:, 1].copy(), reported[:, 0].copy()), possible)


def checked_reports(reports: ArrayLike) -> IntArray:
    """Whole numbers of shape (n,), n >= 1; booleans count as 0 and 1. Raises RegressionError."""
    return checked_codes("reports", reports, None, None)


def checked_codes(
    argument: str, codes: ArrayLike, n: int | None, allowed: tuple[int, ...] | None
) -> IntArray:
    """Whole numbers of shape (n,), each one of those allowed. Raises RegressionError."""
    raw = as_array(argument, codes)
    expected = "one whole number per person" if n is None else f"{n} whole numbers"
    if raw.ndim != 1 or raw.dtype.kind not in "biuf" or len(raw) != (n or len(raw)):
        raise RegressionError(argument, f"{raw.dtype} of shape {raw.shape}", f"give {expected}")
    if len(raw) == 0:
        raise RegressionError(argument, "none", "there are no answers yet: collect some")
    whole = np.isfinite(raw) & (raw == np.floor(raw)) if raw.dtype.kind == "f" else raw == raw
    check_all(argument, raw, whole & (np.abs(raw) < 2**31 if raw.dtype.kind != "b" else True))
    values = raw.astype(np.int64)
    if allowed is not None:
        check_all(
            argument, raw, np.isin(values, allowed), sentence("give one of {kinds}", kinds=allowed)
        )
    return values


def check_all(
    argument: str, raw: NDArray[Any], valid: NDArray[np.bool_], remedy: str = "give a whole number"
) -> None:
    if not valid.all():
        first = int(np.argmin(valid))
        raise RegressionError(f"{argument}[{first}]", raw[first].item(), remedy)


def distinct_designs(
    designs: Sequence[DesignLike], n: int, table: Callable[[DesignLike], FloatArray]
) -> tuple[list[FloatArray], IntArray]:
    """The distinct tables and each person's number (n,) among them. Raises RegressionError."""
    if isinstance(designs, str) or not hasattr(designs, "__len__") or len(designs) != n:
        remedy = f"give one design, or one for each of the {n} answers"
        raise RegressionError("designs", type(designs).__name__, remedy)
    tables: list[FloatArray] = []
    known: dict[int, int] = {}
    cells = np.empty(n, dtype=np.int64)
    for i, design in enumerate(designs):
        if id(design) not in known:
            known[id(design)] = _place(table(design), tables)
        cells[i] = known[id(design)]
    return tables, cells


def _place(table: FloatArray, tables: list[FloatArray]) -> int:
    for i, other in enumerate(tables):
        if np.array_equal(table, other):
            return i
    tables.append(table)
    return len(tables) - 1


def _table(design: DesignLike) -> FloatArray:
    """P(report | no), P(report | yes): shape (reported levels, 2)."""
    if not isinstance(design, (Design, Channel, IntegerChannel)):
        raise DesignError("design", design, "give a design or a channel")
    matrix = channel_of(design).matrix
    if matrix.shape[1] != 2:
        remedy = "this model is for yes/no questions; use fit_multinomial_model for k options"
        raise DesignError("design", f"{matrix.shape[1]} true levels", remedy)
    if np.abs(matrix[:, 1] - matrix[:, 0]).max() < 1e-9:
        raise DesignError("design", matrix.tolist(), "its reports do not depend on the truth")
    return matrix


def check_designs(tables: list[FloatArray], cells: IntArray, reports: IntArray) -> None:
    """Whether each person's design has the report. Raises RegressionError."""
    sizes = np.array([len(table) for table in tables])[cells]
    valid = (reports >= 0) & (reports < sizes)
    if not valid.all():
        first = int(np.argmin(valid))
        remedy = f"reports are numbered 0 to {int(sizes[first]) - 1}"
        raise RegressionError(f"reports[{first}]", int(reports[first]), remedy)


def _check_possible(reported: FloatArray, reports: IntArray) -> None:
    possible = reported.max(axis=1) > 0
    remedy = "the design can never produce this report"
    check_all("reports", reports, possible, remedy)
