"""Coefficients, LikelihoodRatioTest, Predictions, Auxiliary: what a fitted regression answers."""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from ..checks import FloatArray, checked_level
from ..intervals.intervals import normal_quantile
from ..printing import Cell, cell, report, table

_HEAD = ("name", "estimate", "std. error", "z", "p", "low", "high")


@dataclass(frozen=True)
class Coefficients:
    """Named estimates (p,) with their covariance (p, p).

    A standard error is NaN for a parameter that was held at the end of its range.
    """

    names: tuple[str, ...]
    coefficients: FloatArray
    covariance: FloatArray

    @property
    def standard_errors(self) -> FloatArray:
        """(p,)"""
        return np.sqrt(np.diag(self.covariance))

    @property
    def z(self) -> FloatArray:
        """Coefficient over standard error: (p,)."""
        return np.asarray(self.coefficients / self.standard_errors)

    @property
    def p_values(self) -> FloatArray:
        """Two-sided, of Wald's test that a coefficient is 0: (p,)."""
        return np.asarray(2 * scipy.special.ndtr(-np.abs(self.z)))

    def intervals(self, level: float = 0.95) -> FloatArray:
        """Wald intervals (p, 2). Raises EstimationError for a level outside (0, 1)."""
        half = normal_quantile(checked_level(level)) * self.standard_errors
        return np.column_stack([self.coefficients - half, self.coefficients + half])

    def __str__(self) -> str:
        """One line per coefficient; low and high are the ends of the interval at level 0.95."""
        columns = (self.coefficients, self.standard_errors, self.z, self.p_values)
        numbers = np.column_stack([*columns, self.intervals()])
        rows = zip(self.names, numbers.tolist(), strict=True)
        return table(_HEAD, [(name, *map(_known, values)) for name, values in rows])


@dataclass(frozen=True)
class LikelihoodRatioTest:
    """Twice the log likelihood that is lost when ``dropped`` is left out, against chi-squared."""

    dropped: str
    statistic: float
    degrees_of_freedom: int
    p_value: float

    def __str__(self) -> str:
        """The test as a table of one line."""
        row = (self.dropped, self.statistic, self.degrees_of_freedom, self.p_value)
        return table(("dropped", "chi-squared", "degrees of freedom", "p"), [row])


@dataclass(frozen=True)
class Predictions:
    """Probability of a true yes for each row: arrays (rows,); ``low`` and ``high`` at ``level``.

    ``standard_errors`` are on the scale of the probability; the interval is computed on the link
    scale and mapped back, so it stays within [0, 1].
    """

    probabilities: FloatArray
    standard_errors: FloatArray
    low: FloatArray
    high: FloatArray
    level: float

    def __str__(self) -> str:
        """One line per row of covariates, numbered from 0."""
        head = ("row", "probability", "std. error", "low", "high")
        columns = (self.probabilities, self.standard_errors, self.low, self.high)
        numbers = enumerate(np.column_stack(columns).tolist())
        rows = [(str(row), *map(_known, values)) for row, values in numbers]
        return report(f"Probability of a true yes, intervals at level {self.level:g}", head, rows)


@dataclass(frozen=True)
class Auxiliary:
    """The unknown of a two-group design, in [0, 1]; no standard error at the ends."""

    name: str
    estimate: float
    standard_error: float | None

    def __str__(self) -> str:
        """The unknown as a table of one line."""
        row = (self.name, self.estimate, self.standard_error)
        return table(("name", "estimate", "std. error"), [row])


def model_title(n: int, log_likelihood: float, link: str, covariance: str) -> str:
    """The line above a model's table."""
    return f"n = {n}, log likelihood = {cell(log_likelihood)}, link {link}, covariance {covariance}"


def _known(value: float) -> Cell:
    """None, which prints as a dash, for the NaN of a parameter held at the end of its range."""
    return None if math.isnan(value) else value
