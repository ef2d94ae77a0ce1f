"""SurveyEstimates: means, totals or ratios of a sample, with their covariance.

Intervals are Student's, with the units less the strata in which the people of an estimate are, as
those of the R package survey with ``df = degf(subset(design, ...))``.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray, checked_index, checked_level, level_of, read_only
from ..columns import checked_floats, require_moderate
from ..errors import EstimationError
from ..frames import frame_of
from ..intervals.intervals import Interval
from ..intervals.printed import estimates_report, people
from ..labels import index_of
from ..printing import Cell, html_report, known
from .effective import student_quantile

_COLUMNS = ("estimate", "standard_error", "low", "high")


@dataclass(frozen=True, eq=False)
class SurveyEstimates:
    """``values`` (k,) by their ``names``, with their ``covariance`` (k, k).

    ``degrees``: of freedom, (k,). ``counts``: people each is estimated from, (k,).
    ``simple_variances``: of means, what as many people drawn one by one with replacement would
    have, (k,); None for totals and ratios. ``n``: people of the sample. ``kind``: mean, total ...
    """

    kind: str
    names: tuple[str, ...]
    values: FloatArray
    covariance: FloatArray
    degrees: tuple[int, ...]
    counts: tuple[int, ...]
    n: int
    simple_variances: FloatArray | None = field(default=None, repr=False)

    @property
    def standard_errors(self) -> FloatArray:
        """(k,); not a number where all people of an estimate are of one unit."""
        errors = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        return np.where(np.array(self.degrees) < 1, np.nan, errors)

    @property
    def design_effects(self) -> FloatArray:
        """Variance over that of as many people drawn one by one (Kish 1965), (k,).

        NaN where people do not differ. Raises EstimationError for totals and ratios.
        """
        if self.simple_variances is None:
            remedy = "totals and ratios have no design effect here: give means"
            raise EstimationError("kind", self.kind, remedy)
        simple = np.where(self.simple_variances > 0, self.simple_variances, np.nan)
        return np.asarray(np.diag(self.covariance) / simple)

    def interval(self, which: object = None, level: float = 0.95) -> Interval:
        """Student's interval for one estimate, by its name or number. Raises EstimationError.

        Without ``which`` that of the first. The names of groups are their labels: where these
        are numbers, a number is a label and never a position.
        """
        i, confidence = self._number(which), checked_level(level)
        if self.degrees[i] < 1:
            remedy = "its people are of one unit, which says nothing about how units differ"
            raise EstimationError("which", self.names[i], remedy)
        half = student_quantile(confidence, self.degrees[i]) * float(self.standard_errors[i])
        value = float(self.values[i])
        return Interval(value - half, value + half, confidence, "student")

    def intervals(self, level: float = 0.95) -> tuple[Interval, ...]:
        """One for each. Raises EstimationError."""
        return tuple(self.interval(name, level) for name in self.names)

    def conf_int(self, alpha: float = 0.05) -> FloatArray:
        """Low and high ends at level 1 - alpha, (k, 2), as statsmodels calls them."""
        ends = self.intervals(level_of(alpha))
        return np.array([[interval.low, interval.high] for interval in ends])

    def contrast(self, coefficients: ArrayLike, name: str = "contrast") -> "SurveyEstimates":
        """The sum of coefficient times estimate, (k,), with its error. Raises EstimationError.

        Coefficients with labels, as a pandas column has them, are those of the estimates they name.
        """
        c = checked_floats("coefficients", self._in_order(coefficients), EstimationError)
        if c.shape != self.values.shape or not np.isfinite(c).all():
            remedy = f"give {len(self.names)} finite numbers, one per estimate"
            raise EstimationError("coefficients", c.tolist(), remedy)
        require_moderate("coefficients", c, EstimationError)
        used = np.flatnonzero(c)
        return SurveyEstimates(
            "contrast",
            (name,),
            read_only(np.array([c @ self.values])),
            read_only(np.array([[c @ self.covariance @ c]])),
            (min((self.degrees[i] for i in used), default=0),),
            (sum(self.counts[i] for i in used),),
            self.n,
        )

    def difference(self, first: object, second: object) -> "SurveyEstimates":
        """The first less the second, by name or number as ``interval``. Raises EstimationError."""
        i, j = self._number(first), self._number(second)
        c = np.zeros(len(self.names))
        c[i] += 1.0
        c[j] -= 1.0
        return self.contrast(c, f"{self.names[i]} - {self.names[j]}")

    def to_frame(self) -> Any:
        """A pandas frame by name: estimate, standard_error, low, high (level 0.95)."""
        table = np.array([[value, error, *ends] for _, value, error, ends in self._rows()])
        return frame_of(dict(zip(_COLUMNS, table.T, strict=True)), self.names)

    def __str__(self) -> str:
        rows: list[tuple[str, Cell, Cell, Interval | None]] = [
            (name, value, known(error), self._interval(i))
            for i, (name, value, error, _) in enumerate(self._rows())
        ]
        return estimates_report(self._title, self.kind, rows)

    def _repr_html_(self) -> str:
        rows = [
            (n, value, known(error), *map(known, ends)) for n, value, error, ends in self._rows()
        ]
        return html_report(self._title, (self.kind, *_COLUMNS), rows)

    @property
    def _title(self) -> str:
        return f"Sample{people(self.n)}"

    def _rows(self) -> list[tuple[str, float, float, tuple[float, float]]]:
        values, errors = self.values.tolist(), self.standard_errors.tolist()
        intervals = map(self._interval, range(len(self.names)))
        ends = [(math.nan, math.nan) if i is None else (i.low, i.high) for i in intervals]
        return list(zip(self.names, values, errors, ends, strict=True))

    def _interval(self, i: int) -> Interval | None:
        return self.interval(self.names[i]) if self.degrees[i] >= 1 else None

    def _in_order(self, coefficients: Any) -> Any:
        labels = index_of(coefficients)
        if labels is None and not isinstance(coefficients, Mapping):
            return coefficients
        by_number: dict[int, Any] = {}
        for label, coefficient in coefficients.items():
            number = self._number(label)
            if number in by_number:
                remedy = "two labels name one estimate: give one coefficient for each"
                raise EstimationError("coefficients", label, remedy)
            by_number[number] = coefficient
        return [by_number.get(number, 0.0) for number in range(len(self.names))]

    def _number(self, which: object) -> int:
        """The position of an estimate, by its name, or by its number where no name is one."""
        if which is None:
            return 0
        if (name := str(which)) in self.names:
            return self.names.index(name)
        if isinstance(which, str | bool) or any(map(_is_number, self.names)):
            raise EstimationError("which", which, f"choose one of {', '.join(self.names)}")
        if isinstance(which, float):
            remedy = "give the name or the number of an estimate; a level is given as level=0.9"
            raise EstimationError("which", which, remedy)
        return checked_index("which", which, len(self.names))


def _is_number(name: str) -> bool:
    """Whether a name is a number, as labels of groups can be."""
    try:
        float(name)
    except ValueError:
        return False
    return True
