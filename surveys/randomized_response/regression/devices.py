"""ReportDevice, ReportLevel: chances of each person's report if the hidden truth is yes or no.

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
from ..designs.two_group import (
    CheaterDetection,
    StochasticLieDetector,
    SymmetricCheaterDetection,
    TwoGroupDesign,
    UnrelatedQuestionTwoGroups,
)
from ..errors import DesignError, RegressionError
from ..messages import sentence
from .covariates import per_person

IntArray = NDArray[np.int64]
PerPerson = FloatArray | float
_NEVER_PRODUCED = "the design can never produce this report"


@dataclass(frozen=True)
class ReportLevel:
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
class ReportDevice:
    """``codes`` (n,) is the level each person reported, ``reported`` its probabilities.

    ``possible`` are those of all levels; ``unknown`` is the name of a two-group design's unknown.
    """

    codes: IntArray
    reported: ReportLevel
    possible: tuple[ReportLevel, ...]
    unknown: str | None = None

    @property
    def binary(self) -> bool:
        return len(self.possible) == 2


def device_of(
    designs: DesignLike | Sequence[DesignLike], reports: IntArray, argument: str = "reports"
) -> ReportDevice:
    """The device of one design for all, or of one design per person; errors name the ``argument``.

    Raises DesignError for designs with other than two true levels, or that reveal nothing;
    RegressionError for a wrong number of designs and for impossible reports.
    """
    tables, cells = _tables(designs, reports, _binary_table, argument)
    levels = max(len(table) for table in tables)
    stacked = np.zeros((len(tables), levels, 2))
    for table, layer in zip(tables, stacked, strict=True):
        layer[: len(table)] = table
    reported = stacked[cells, reports]
    check_all(argument, reports, reported.max(axis=1) > 0, _NEVER_PRODUCED)
    if len(tables) == 1:
        possible = tuple(ReportLevel(float(u), float(v)) for v, u in stacked[0])
    else:
        possible = tuple(ReportLevel(*stacked[cells, y].T[::-1]) for y in range(levels))
    return ReportDevice(
        reports, ReportLevel(reported[:, 1].copy(), reported[:, 0].copy()), possible
    )


def checked_reports(reports: ArrayLike) -> IntArray:
    """Whole numbers of shape (n,), n >= 1; booleans count as 0 and 1. Raises RegressionError."""
    return checked_codes("reports", reports, None, None)


def checked_codes(
    argument: str, codes: ArrayLike, n: int | None, allowed: tuple[int, ...] | None
) -> IntArray:
    """Whole numbers of shape (n,), each one of those allowed. Raises RegressionError."""
    expected = "one whole number per person" if n is None else f"{n} whole numbers"
    raw = per_person(argument, codes, n, "biuf", f"give {expected}")
    if len(raw) == 0:
        raise RegressionError(argument, "none", "there are no answers yet: collect some")
    valid = np.isfinite(raw) & (raw == np.floor(raw)) if raw.dtype.kind == "f" else raw == raw
    check_all(argument, raw, valid & (np.abs(raw) < 2**31 if raw.dtype.kind != "b" else True))
    values = raw.astype(np.int64)
    if allowed is not None:
        remedy = sentence("give one of {kinds}", kinds=allowed)
        check_all(argument, raw, np.isin(values, allowed), remedy)
    return values


def check_all(
    argument: str, raw: NDArray[Any], valid: NDArray[np.bool_], remedy: str = "give a whole number"
) -> None:
    if not valid.all():
        first = int(np.argmin(valid))
        raise RegressionError(f"{argument}[{first}]", raw[first].item(), remedy)


def _tables(
    designs: DesignLike | Sequence[DesignLike],
    reports: IntArray,
    table: Callable[[DesignLike], FloatArray],
    argument: str = "reports",
) -> tuple[list[FloatArray], IntArray]:
    """The distinct tables, and each person's number (n,) among them. Raises RegressionError."""
    n, tables = len(reports), list[FloatArray]()
    cells = np.zeros(n, dtype=np.int64)
    if isinstance(designs, (Design, Channel, IntegerChannel)):
        tables = [table(designs)]
    elif isinstance(designs, str) or not hasattr(designs, "__len__") or len(designs) != n:
        remedy = f"give one design, or one for each of the {n} answers"
        raise RegressionError("designs", type(designs).__name__, remedy)
    else:
        # Many people have the same design object, and making its table is slow.
        known: dict[int, int] = {}
        for i, design in enumerate(designs):
            if id(design) not in known:
                known[id(design)] = _number_of(table(design), tables)
            cells[i] = known[id(design)]
    sizes = np.array([len(table) for table in tables])[cells]
    valid = (reports >= 0) & (reports < sizes)
    size = int(sizes[np.argmin(valid)])
    check_all(argument, reports, valid, f"reports are numbered 0 to {size - 1}")
    return tables, cells


def _number_of(table: FloatArray, tables: list[FloatArray]) -> int:
    for i, other in enumerate(tables):
        if np.array_equal(table, other):
            return i
    tables.append(table)
    return len(tables) - 1


def _table(design: DesignLike) -> FloatArray:
    return channel_of(design).matrix


def _binary_table(design: DesignLike) -> FloatArray:
    """P(report | no), P(report | yes): shape (reported levels, 2)."""
    matrix = _table(design)
    if matrix.shape[1] != 2:
        remedy = "this model is for yes/no questions; use fit_multinomial_model for k options"
        raise DesignError("design", f"{matrix.shape[1]} true levels", remedy)
    if np.abs(matrix[:, 1] - matrix[:, 0]).max() < 1e-9:
        raise DesignError("design", matrix.tolist(), "its reports do not depend on the truth")
    return matrix


def level_likelihoods(designs: DesignLike | Sequence[DesignLike], reports: IntArray) -> FloatArray:
    """P(report | true level), shape (k, n), for one design or one per person.

    Raises DesignError if the designs differ in their true levels, or together do not tell the
    levels apart; RegressionError for reports that a design does not have or never produces.
    """
    tables, cells = _tables(designs, reports, _table)
    _check_identified(tables)
    likelihoods = np.empty((tables[0].shape[1], len(reports)))
    for cell, table in enumerate(tables):
        chosen = cells == cell
        likelihoods[:, chosen] = table[reports[chosen]].T
    check_all("reports", reports, likelihoods.max(axis=0) > 0, _NEVER_PRODUCED)
    return likelihoods


def _check_identified(tables: list[FloatArray]) -> None:
    """Stacked, the channels must have independent columns."""
    levels = {table.shape[1] for table in tables}
    if len(levels) > 1:
        raise DesignError("designs", sorted(levels), "all must have the same true levels")
    singular = np.linalg.svd(np.vstack(tables), compute_uv=False)
    if len(singular) < max(levels) or singular[-1] < 1e-9 * singular[0]:
        remedy = "two true distributions give the same reports: use another design"
        raise DesignError("designs", "not identified", remedy)


# With h a true yes: the name of the unknown g, and whether it enters P(yes | h) and P(yes | not h).
FORMS: dict[type[TwoGroupDesign], tuple[str, int, int]] = {
    StochasticLieDetector: ("truthful_share", 1, 0),  # theta = (h, h g)
    UnrelatedQuestionTwoGroups: ("other_prevalence", 1, 1),  # theta = (h, g)
    # theta = (h, (1 - h) g): the trait is an honest yes, g honesty among the others.
    CheaterDetection: ("honest_share_of_others", 0, 1),
    SymmetricCheaterDetection: ("honest_share_of_others", 0, 1),
}


def required_groups(groups: ArrayLike | None) -> ArrayLike:
    """Raise RegressionError where a two-group design has no groups."""
    if groups is None:
        raise RegressionError("groups", None, "a two-group design needs each person's group")
    return groups


def refuse_groups(groups: ArrayLike | None) -> None:
    """Raise RegressionError for groups beside a design that has none."""
    if groups is not None:
        remedy = "this design has no groups; leave them out, or add them as a covariate"
        raise RegressionError("groups", "given", remedy)


def two_group_device(design: TwoGroupDesign, groups: ArrayLike, reports: IntArray) -> ReportDevice:
    """The device of a two-group design; ``groups`` (n,) has a 1 or 2 per person.

    The unknown is a share within a part of the population (truthful among carriers, honest among
    the others, yes to the other question), so any prevalence in [0, 1] goes with any value of it.
    Raises DesignError for a design without such a form, RegressionError for groups and reports.
    """
    if type(design) not in FORMS:
        remedy = "regression knows " + ", ".join(known.name for known in FORMS)
        raise DesignError("design", design.label, remedy)
    name, if_yes, if_no = FORMS[type(design)]
    index = checked_codes("groups", groups, len(reports), (1, 2)) - 1
    for group in (0, 1):
        if not (index == group).any():
            remedy = "one group alone does not identify the unknown: both need answers"
            raise RegressionError("groups", f"no one in group {group + 1}", remedy)
    check_all("reports", reports, (reports == 0) | (reports == 1), "give 0 or 1")
    lines = np.array(design.lines, dtype=float)
    # P(report yes) given a true yes and a true no, as (constant, slope) of the unknown each.
    given_yes = np.stack([lines[:, 0] + lines[:, 1], if_yes * lines[:, 2]], axis=1)
    given_no = np.stack([lines[:, 0], if_no * lines[:, 2]], axis=1)
    yes = np.stack([given_yes, given_no], axis=1)[index]
    possible = (_level(yes, np.full_like(reports, report)) for report in (0, 1))
    return ReportDevice(reports, _level(yes, reports), tuple(possible), name)


def _level(yes: FloatArray, reports: IntArray) -> ReportLevel:
    """``yes`` (n, 2, 2): by true yes and no, constant and slope of P(report yes)."""
    is_no = (reports == 0)[:, None, None]
    line = np.where(is_no, np.array([1.0, 0.0]) - yes, yes)
    return ReportLevel(line[:, 0, 0], line[:, 1, 0], line[:, 0, 1], line[:, 1, 1])
