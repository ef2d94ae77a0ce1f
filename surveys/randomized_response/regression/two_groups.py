"""A TwoGroupDesign as a Device: one unknown besides the prevalence, the same for all people.

The unknown is a share within a part of the population (truthful among carriers, honest among
the others, yes to the other question), so any prevalence in [0, 1] goes with any value of it.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray
from ..designs.two_group import (
    CheaterDetection,
    Line,
    StochasticLieDetector,
    SymmetricCheaterDetection,
    TwoGroupDesign,
    UnrelatedQuestionTwoGroups,
)
from ..errors import DesignError, RegressionError
from .devices import Device, IntArray, Level, check_all, checked_codes

# P(report yes) given a true yes and a true no, as (constant, slope) of the unknown each.
Halves = Callable[[Line], tuple[tuple[float, float], tuple[float, float]]]


def two_group_device(design: TwoGroupDesign, groups: ArrayLike, reports: IntArray) -> Device:
    """The device of a two-group design; ``groups`` (n,) has a 1 or 2 per person.

    Raises DesignError for a design without such a form, RegressionError for groups and reports.
    """
    name, halves = _form(design)
    index = checked_codes("groups", groups, len(reports), (1, 2)) - 1
    for group in (0, 1):
        if not (index == group).any():
            remedy = "one group alone does not identify the unknown: both need answers"
            raise RegressionError("groups", f"no one in group {group + 1}", remedy)
    check_all("reports", reports, (reports == 0) | (reports == 1), "give 0 or 1")
    table = np.array([halves(line) for line in design.lines], dtype=float)
    return Device(reports, _level(table[index], reports), _both(table[index]), name)


def _both(yes: FloatArray) -> tuple[Level, Level]:
    n = len(yes)
    return _level(yes, np.zeros(n, dtype=np.int64)), _level(yes, np.ones(n, dtype=np.int64))


def _level(yes: FloatArray, reports: IntArray) -> Level:
    """``yes`` (n, 2, 2): by true yes and no, constant and slope of P(report yes)."""
    said_no = (reports == 0)[:, None, None]
    line = np.where(said_no, np.array([1.0, 0.0]) - yes, yes)
    return Level(line[:, 0, 0], line[:, 1, 0], line[:, 0, 1], line[:, 1, 1])


def _lie_detector(line: Line) -> tuple[tuple[float, float], tuple[float, float]]:
    """theta = (h, h g)."""
    none, first, second = (float(p) for p in line)
    return (none + first, second), (none, 0.0)


def _unrelated_question(line: Line) -> tuple[tuple[float, float], tuple[float, float]]:
    """theta = (h, g)."""
    none, first, second = (float(p) for p in line)
    return (none + first, second), (none, second)


def _cheater_detection(line: Line) -> tuple[tuple[float, float], tuple[float, float]]:
    """theta = (h, (1 - h) g): the trait is an honest yes, g honesty among the others."""
    none, first, second = (float(p) for p in line)
    return (none + first, 0.0), (none, second)


FORMS: dict[type[TwoGroupDesign], tuple[str, Halves]] = {
    StochasticLieDetector: ("truthful_share", _lie_detector),
    UnrelatedQuestionTwoGroups: ("other_prevalence", _unrelated_question),
    CheaterDetection: ("honest_share_of_others", _cheater_detection),
    SymmetricCheaterDetection: ("honest_share_of_others", _cheater_detection),
}


def _form(design: TwoGroupDesign) -> tuple[str, Halves]:
    if type(design) not in FORMS:
        remedy = "regression knows " + ", ".join(known.name for known in FORMS)
        raise DesignError("design", design.label, remedy)
    return FORMS[type(design)]
