"""Coefficients, LikelihoodRatioTest, Predictions, Auxiliary: what a fitted regression answers."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from ..checks import FloatArray, checked_level
from ..intervals.intervals import normal_quantile


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
        return np.asarray(2 * ndtr(-np.abs(self.z)))

    def intervals(self, level: float = 0.95) -> FloatArray:
        """Wald intervals (p, 2). Raises EstimationError for a level outside (0, 1)."""
        half = normal_quantile(checked_level(level)) * self.standard_errors
        return np.column_stack([self.coefficients - half, self.coefficients + half])


@dataclass(frozen=True)
class LikelihoodRatioTest:
    """Twice the log likelihood that is lost when ``dropped`` is left out, against chi-squared."""

    dropped: str
    statistic: float
    degrees_of_freedom: int
    p_value: float


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


@dataclass(frozen=True)
class Auxiliary:
    """The unknown of a two-group design, in [0, 1]; no standard error at the ends."""

    name: str
    estimate: float
    standard_error: float | None
