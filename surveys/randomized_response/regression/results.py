"""Coefficients, FittedModel, LikelihoodRatioTest, Auxiliary: what a fitted regression answers.

It answers to our names and, beside them, to those of statsmodels: a program that was written for
one of its models finds ``params``, ``bse`` or ``conf_int()``. They are arrays, whose names are in
``names``; ``to_frame()`` has both.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ..checks import FloatArray, checked_level, level_of
from ..frames import frame_of
from ..printing import Cell, cell, html_report, known, table
from .covariates import INTERCEPT, prediction_rows
from .factors import Factor
from .links import link_called
from .named_values import named
from .predictions import Predictions, quantile_of

_HEAD = ("name", "estimate", "std. error", "z", "p", "low", "high")
_COLUMNS = ("estimate", "standard_error", "z", "p_value", "low", "high")


@dataclass(frozen=True)
class Coefficients:
    """Named estimates (p,) with their covariance (p, p).

    A standard error is NaN for a parameter that was held at the end of its range. ``degrees``: of
    freedom of the covariance, where people were drawn in units: then tests and intervals are
    Student's; else they are normal.
    """

    names: tuple[str, ...]
    coefficients: FloatArray
    covariance: FloatArray
    degrees: float = field(default=math.inf, kw_only=True)

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
        if math.isinf(self.degrees):
            return np.asarray(2 * scipy.special.ndtr(-np.abs(self.z)))
        return np.asarray(2 * scipy.special.stdtr(self.degrees, -np.abs(self.z)))

    def intervals(self, level: float = 0.95) -> FloatArray:
        """Wald intervals (p, 2). Raises EstimationError for a level outside (0, 1)."""
        half = quantile_of(checked_level(level), self.degrees) * self.standard_errors
        return np.column_stack([self.coefficients - half, self.coefficients + half])

    @property
    def params(self) -> FloatArray:
        """``coefficients``, as statsmodels calls them; by name too: ``params["age"]``."""
        return named(self.coefficients, self.names)

    @property
    def bse(self) -> FloatArray:
        """``standard_errors``, as statsmodels calls them; by name too."""
        return named(self.standard_errors, self.names)

    @property
    def tvalues(self) -> FloatArray:
        """``z``, as statsmodels calls it; by name too."""
        return named(self.z, self.names)

    @property
    def pvalues(self) -> FloatArray:
        """``p_values``, as statsmodels calls them; by name too."""
        return named(self.p_values, self.names)

    def conf_int(self, alpha: float = 0.05) -> FloatArray:
        """``intervals`` at level 1 - alpha, as statsmodels calls them. Raises EstimationError."""
        return self.intervals(level_of(alpha))

    def cov_params(self) -> FloatArray:
        """``covariance``, as statsmodels calls it."""
        return self.covariance

    def to_frame(self) -> Any:
        """A pandas frame by name: estimate, standard_error, z, p_value, low, high (level 0.95)."""
        return frame_of(dict(zip(_COLUMNS, self._numbers.T, strict=True)), self.names)

    def __str__(self) -> str:
        """One line per coefficient; low and high are the ends of the interval at level 0.95."""
        return table(_HEAD, self._rows)

    def _repr_html_(self) -> str:
        return html_report("", _HEAD, self._rows)

    @property
    def _numbers(self) -> FloatArray:
        columns = (self.coefficients, self.standard_errors, self.z, self.p_values)
        return np.column_stack([*columns, self.intervals()])

    @property
    def _rows(self) -> list[tuple[Cell, ...]]:
        rows = zip(self.names, self._numbers.tolist(), strict=True)
        return [(name, *map(known, values)) for name, values in rows]


@dataclass(frozen=True)
class FittedModel(Coefficients):
    """What all fitted models have; ``factors`` are the covariates by which they predict.

    ``log_likelihood`` is the sum of ln P(report), weighted if there are weights.
    ``covariance_kind`` is observed, expected, opg or sandwich.
    """

    link: str
    log_likelihood: float
    n: int
    iterations: int
    factors: tuple[Factor, ...] = field(repr=False, compare=False)
    covariance_kind: str = field(default="observed", kw_only=True)

    @property
    def parameter_count(self) -> int:
        """How many numbers were fitted, those without a line in the table too."""
        return len(self.names)

    @property
    def deviance(self) -> float:
        """Minus twice the log likelihood (of single reports, whose saturated model has 0)."""
        return -2 * self.log_likelihood

    @property
    def aic(self) -> float:
        """Akaike's criterion: the deviance and twice the number of parameters."""
        return self.deviance + 2 * self.parameter_count

    @property
    def bic(self) -> float:
        """Schwarz's criterion: the deviance and ln(n) times the number of parameters."""
        return self.deviance + float(np.log(self.n)) * self.parameter_count

    @property
    def llf(self) -> float:
        """``log_likelihood``, as statsmodels calls it."""
        return self.log_likelihood

    @property
    def nobs(self) -> int:
        """``n``, as statsmodels calls it."""
        return self.n

    def get_prediction(
        self, covariates: ArrayLike | None = None, level: float = 0.95
    ) -> Predictions:
        """Predictions for rows of covariates (rows, p), without a column of ones.

        Columns of a frame are taken by their names. None predicts for a model without covariates.
        Raises RegressionError and EstimationError.
        """
        rows = prediction_rows(covariates, self.factors, intercept=INTERCEPT in self.names)
        spread = np.sqrt(np.einsum("ij,jk,ik->i", rows, self.covariance, rows))
        return Predictions(
            rows @ self.coefficients, spread, link_called(self.link), level, degrees=self.degrees
        )

    def summary(self) -> "Summary":
        """What prints, as an object that prints and that notebooks show as a table."""
        return Summary(str(self), self._repr_html_())

    def __str__(self) -> str:
        """The coefficients, with the model above and its other parameters below."""
        return "\n".join([self._title, super().__str__(), *self._below])

    def _repr_html_(self) -> str:
        return html_report(self._title, _HEAD, self._rows, self._below)

    @property
    def _title(self) -> str:
        return model_title(
            self.n,
            self.log_likelihood,
            self.link,
            self.covariance_kind,
            is_weighted=self.is_weighted,
        )

    @property
    def is_weighted(self) -> bool:
        """Whether people have weights, so that errors are a sandwich, and no likelihood is one."""
        return self.covariance_kind == "sandwich"

    @property
    def _below(self) -> list[str]:
        """What stands below the table."""
        return []


@dataclass(frozen=True, repr=False)
class Summary:
    """A model as text and as HTML, as statsmodels hands both out."""

    text: str
    html: str

    def as_text(self) -> str:
        return self.text

    def as_html(self) -> str:
        return self.html

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.html


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
class Auxiliary:
    """A share beside the coefficients, such as the unknown of a two-group design.

    It is in [0, 1], and has no standard error at the ends.
    """

    name: str
    estimate: float
    standard_error: float | None

    def __str__(self) -> str:
        """The share as a table of one line."""
        row = (self.name, self.estimate, self.standard_error)
        return table(("name", "estimate", "std. error"), [row])


def model_title(
    n: int, log_likelihood: float, link: str, covariance: str, *, is_weighted: bool = False
) -> str:
    """The line above a model's table; with weights the likelihood is none, but is like one."""
    kind = "log pseudolikelihood" if is_weighted else "log likelihood"
    return f"n = {n}, {kind} = {cell(log_likelihood)}, link {link}, covariance {covariance}"
