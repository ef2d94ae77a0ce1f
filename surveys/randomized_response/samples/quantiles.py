"""Quantiles of a sample: where the weighted distribution passes a probability, and how surely.

The quantile is the smallest value x with F(x) >= p. F(x) is a mean, whose Student interval, read
back through the distribution, is that of the quantile (Woodruff 1952); the standard error is its
width over twice Student's quantile (Francisco and Fuller 1991). These are the numbers of
``svyquantile`` of the R package survey, version 4.1, with ``interval.type="mean"``: like it, an end
that no value reaches is not a number.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..calls import checked_call
from ..checks import FloatArray, checked_level
from ..columns import checked_column, checked_floats, checked_labels, require_aligned
from ..errors import EstimationError, WeightsError
from ..frames import frame_of
from ..intervals.intervals import Interval
from ..intervals.printed import people
from ..printing import Cell, html_report, report
from .effective import student_quantile
from .ratios import Ratios
from .survey_samples import Sample, require_positive, require_sample

# Sums of weights that should be p differ from it by their rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class SampleQuantiles:
    """``values`` (k,) by their ``names``, with Woodruff's intervals at one level.

    A standard error or an end is not a number where the distribution ends before.
    """

    names: tuple[str, ...]
    values: FloatArray
    standard_errors: FloatArray
    ends: tuple[Interval, ...]
    n: int

    def intervals(self) -> tuple[Interval, ...]:
        """One for each, at the level that was asked for."""
        return self.ends

    def to_frame(self) -> Any:
        """A pandas frame by name: estimate, standard_error, low, high."""
        head = ("estimate", "standard_error", "low", "high")
        return frame_of(dict(zip(head, np.array(self._numbers).T, strict=True)), self.names)

    def __str__(self) -> str:
        return report(f"Sample{people(self.n)}", self._head, self._rows)

    def _repr_html_(self) -> str:
        return html_report(f"Sample{people(self.n)}", self._head, self._rows)

    @property
    def _head(self) -> tuple[str, ...]:
        level = f"{self.ends[0].level:.6g}"
        return ("quantile", "estimate", "std. error", f"low {level}", f"high {level}")

    @property
    def _numbers(self) -> list[tuple[float, ...]]:
        numbers = zip(self.values.tolist(), self.standard_errors.tolist(), self.ends, strict=True)
        return [(value, error, ends.low, ends.high) for value, error, ends in numbers]

    @property
    def _rows(self) -> list[tuple[Cell, ...]]:
        rows = zip(self.names, self._numbers, strict=True)
        return [(name, *(None if math.isnan(x) else x for x in row)) for name, row in rows]


@dataclass(frozen=True, eq=False)
class _Distribution:
    """Sorted values and the part of all weight up to each."""

    values: FloatArray
    shares: FloatArray

    @classmethod
    def of(cls, values: FloatArray, weights: FloatArray) -> "_Distribution":
        present = weights > 0
        ordered, numbers = np.unique(values[present], return_inverse=True)
        sums = np.bincount(numbers, weights=weights[present]).cumsum()
        return cls(ordered, sums / sums[-1])

    def at(self, p: float) -> float:
        """The smallest value with F >= p; not a number for p outside [0, 1]."""
        if not 0 <= p <= 1:
            return math.nan
        first = int(np.searchsorted(self.shares, p - _ROUNDING))
        return float(self.values[min(first, len(self.values) - 1)])


@checked_call
def estimate_quantiles(
    sample: Sample,
    values: ArrayLike,
    probabilities: Sequence[float] = (0.25, 0.5, 0.75),
    *,
    groups: ArrayLike | None = None,
    level: float = 0.95,
) -> SampleQuantiles:
    """Quantiles of numbers as they were given, of all people or of each group.

    ``values``: (n,). ``probabilities``: each above 0 and below 1. ``groups``: one label per person.
    Raises EstimationError, WeightsError.

    >>> from randomized_response.samples import estimate_quantiles, survey_sample
    >>> sample = survey_sample([1, 2, 1, 3] * 10)
    >>> print(estimate_quantiles(sample, range(40), [0.5]))
    Sample, n = 40
    quantile  estimate  std. error  low 0.95  high 0.95
    0.5             19     3.46074        13         27
    """
    require_sample(sample)
    require_aligned(EstimationError, sample=sample, values=values, groups=groups)
    n, confidence = len(sample.weights), checked_level(level)
    numbers = checked_column("values", values, EstimationError, n)
    chosen = _checked_probabilities(probabilities)
    require_positive(sample)
    rows, names = list[tuple[float, float, Interval]](), list[str]()
    for title, members in _groups(sample, groups):
        quantile = partial(_quantile, sample, numbers, members, confidence)
        try:
            rows += map(quantile, chosen)
        except _Lacking as lacking:
            remedy = "in a replicate none of its people has a weight: merge groups"
            raise EstimationError("groups", title, remedy) from lacking
        names += [f"{title}: {p:.12g}" if groups is not None else f"{p:.12g}" for p in chosen]
    quantiles, errors, ends = zip(*rows, strict=True)
    return SampleQuantiles(tuple(names), np.array(quantiles), np.array(errors), ends, sample.n)


class _Lacking(Exception):
    """A replicate has none of the people whose quantile is asked for."""


def _groups(sample: Sample, groups: ArrayLike | None) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Each group by its name, with its members, (n,). Raises WeightsError for one of no weight."""
    n = len(sample.weights)
    labels = np.zeros(n) if groups is None else checked_labels("groups", groups, n)
    for label in np.unique(labels):
        members = np.asarray(labels == label)
        if not sample.weights[members].any():
            raise WeightsError("groups", str(label), "none of its people has a weight")
        yield str(label), members


def _quantile(
    sample: Sample, values: FloatArray, members: NDArray[np.bool_], level: float, p: float
) -> tuple[float, float, Interval]:
    """The quantile of the members, its standard error and its interval."""
    law = _Distribution.of(values[members], sample.weights[members])
    quantile, degrees = law.at(p), sample.degrees_within(members)
    inside = members[:, None].astype(np.float64)
    below = Ratios(inside * (values <= quantile)[:, None], inside)
    share = float(below.value(sample.weights)[0])
    variance = float(sample.covariance(below)[0, 0])
    if not math.isfinite(variance):
        raise _Lacking
    if degrees < 1:  # one unit says nothing about how units differ
        return quantile, math.nan, Interval(math.nan, math.nan, level, "woodruff")
    half = student_quantile(level, degrees)
    reach = half * math.sqrt(max(variance, 0.0))
    ends = Interval(law.at(share - reach), law.at(share + reach), level, "woodruff")
    return quantile, ends.width / (2 * half), ends


def _checked_probabilities(probabilities: ArrayLike) -> list[float]:
    column = np.atleast_1d(checked_floats("probabilities", probabilities, EstimationError))
    if column.ndim != 1 or not len(column) or not ((column > 0) & (column < 1)).all():
        remedy = "give probabilities above 0 and below 1"
        raise EstimationError("probabilities", column.tolist(), remedy)
    if len(np.unique(column)) < len(column):
        raise EstimationError("probabilities", column.tolist(), "give each once")
    return [float(p) for p in column]
