"""Predictions: what a model expects for rows of covariates, with intervals on the link's scale."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..checks import FloatArray, checked_level, level_of
from ..frames import frame_of
from ..intervals.intervals import normal_quantile
from ..printing import Cell, html_report, known, report
from ..samples.effective import student_quantile
from .links import Link

_HEAD = ("row", "probability", "std. error", "low", "high")
_MOST_PRINTED, _ENDS = 60, 5  # as pandas prints


class _Column(ABC):
    """A column of numbers to NumPy and pandas."""

    @property
    @abstractmethod
    def predicted_mean(self) -> FloatArray:
        """One for each row."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray:
        return np.array(self.predicted_mean, dtype=dtype)

    def __len__(self) -> int:
        return len(self.predicted_mean)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.predicted_mean)

    def __getitem__(self, index: Any) -> Any:
        """Of rows by position."""
        return self.predicted_mean[index]


@dataclass(frozen=True)
class Predictions(_Column):
    """Probability of a true yes, or what else ``quantity`` says, for each row.

    ``linear`` and ``linear_errors``: linear predictors and their standard errors, (rows,), or
    (rows, options) for a model of several options; all other arrays have that shape.
    ``standard_errors`` are on the scale of the probability; intervals are computed on the link
    scale and mapped back, so they stay within [0, 1]; Student's where there are ``degrees`` of
    freedom, else normal. Beside them stand the names of statsmodels.
    """

    linear: FloatArray = field(repr=False)
    linear_errors: FloatArray = field(repr=False)
    link: Link
    level: float
    quantity: str = "Probability of a true yes"
    degrees: float = math.inf

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", checked_level(self.level))

    @cached_property
    def probabilities(self) -> FloatArray:
        """What is expected: of yes/no answers a probability, of numbers a mean."""
        return self.link.probability(self.linear)

    @property
    def standard_errors(self) -> FloatArray:
        """Of the probabilities, by the delta method."""
        return np.asarray(self.link.slope(self.linear) * self.linear_errors)

    @property
    def low(self) -> FloatArray:
        """The lower ends of the intervals at ``level``."""
        return self.link.probability(self.linear - self._reach(self.level))

    @property
    def high(self) -> FloatArray:
        """The upper ends of the intervals at ``level``."""
        return self.link.probability(self.linear + self._reach(self.level))

    @property
    def predicted_mean(self) -> FloatArray:
        """``probabilities``, as statsmodels calls them."""
        return self.probabilities

    @property
    def se_mean(self) -> FloatArray:
        """``standard_errors``, as statsmodels calls them."""
        return self.standard_errors

    def conf_int(self, alpha: float = 0.05) -> FloatArray:
        """Intervals at level 1 - alpha, (rows, 2) or (rows, options, 2). Raises EstimationError."""
        reach = self._reach(level_of(alpha))
        ends = (self.link.probability(self.linear + side * reach) for side in (-1, 1))
        return np.stack(list(ends), axis=-1)

    def summary_frame(self, alpha: float = 0.05) -> Any:
        """A pandas frame with the columns that statsmodels has for generalised linear models."""
        ends = self.conf_int(alpha)
        columns = {
            "mean": self.probabilities,
            "mean_se": self.standard_errors,
            "mean_ci_lower": ends[..., 0],
            "mean_ci_upper": ends[..., 1],
        }
        names = [str(name) for name, *_ in self._rows]
        return frame_of({name: values.ravel() for name, values in columns.items()}, names)

    def to_frame(self) -> Any:
        """A pandas frame: probability, standard_error, low and high, by row."""
        names, *columns = zip(*self._rows, strict=True)
        return frame_of(
            dict(zip(("probability", "standard_error", "low", "high"), columns, strict=True)), names
        )

    def __str__(self) -> str:
        """One line per row of covariates, numbered from 0: of many rows the first and the last."""
        return report(self._title, _HEAD, _first_and_last(self._rows))

    def _repr_html_(self) -> str:
        return html_report(self._title, _HEAD, _first_and_last(self._rows))

    @property
    def _title(self) -> str:
        return f"{self.quantity}, intervals at level {self.level:g}"

    @property
    def _rows(self) -> list[tuple[Cell, ...]]:
        names = [", option ".join(map(str, cell)) for cell in np.ndindex(self.linear.shape)]
        columns = (self.probabilities, self.standard_errors, self.low, self.high)
        numbers = np.column_stack([column.ravel() for column in columns])
        return [(name, *map(known, row)) for name, row in zip(names, numbers, strict=True)]

    def _reach(self, level: float) -> FloatArray:
        return np.asarray(quantile_of(level, self.degrees) * self.linear_errors)


def _first_and_last(rows: list[tuple[Cell, ...]]) -> list[tuple[Cell, ...]]:
    """All of a few; of many, those at the ends."""
    if len(rows) <= _MOST_PRINTED:
        return rows
    left_out = (f"({len(rows) - 2 * _ENDS:,} more)", *[""] * (len(_HEAD) - 1))
    return [*rows[:_ENDS], left_out, *rows[-_ENDS:]]


def quantile_of(level: float, degrees: float) -> float:
    """Two-sided: Student's, which without a number of degrees of freedom is the normal law's."""
    return normal_quantile(level) if math.isinf(degrees) else student_quantile(level, degrees)
