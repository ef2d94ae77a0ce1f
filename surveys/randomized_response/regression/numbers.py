"""NumberModel: least squares with a number that was reported with noise, as outcome or predictor.

A device reports z for the number x, with E(z | x) = x and an unbiased estimate u of its variance
(``TransformedReports``). Given x, neither depends on anything else that is known of the person.

As the outcome, z is x with more noise around it: least squares stay unbiased. As a predictor, z^2
is too large for x^2 by u on average, and z is right everywhere else, so that

    sum of (D_i b - d_i y_i) = 0,   D = d d' with z^2 - u for z^2,   d = (1, covariates, z),

has mean 0 at the coefficients of the regression on the true x: the corrected score of Nakamura
(1990) for least squares, Fuller (1987), section 2.2, with a variance that depends on x. An outcome
that was reported with noise of its own may be given for y. Both have the sandwich for a covariance,
as noise is not the same for all: B^-1 (n / (n - 1) sum of w^2 s s') B^-1, B = sum of w D,
s = d y - D b (White 1982; Binder 1983).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray, require_kind
from ..columns import checked_column, checked_weights, require_aligned
from ..designs.transform import TransformedReports
from ..errors import RegressionError
from ..printing import cell, html_report
from ..threads import on_one_thread
from .covariates import INTERCEPT, Columns, columns_from, prediction_rows
from .factors import Factor
from .links import IDENTITY
from .predictions import Predictions
from .results import Coefficients, Summary

# Standard errors by which the scatter of the true predictor has to be above 0.
_LEAST_ERRORS = 2.0
_HEAD = ("name", "estimate", "std. error", "z", "p", "low", "high")


@dataclass(frozen=True)
class NumberModel(Coefficients):
    """Linear regression with a number that was reported with noise; covariance: the sandwich.

    ``reliability``: of a predictor, the part of the scatter of its reports, at equal covariates,
    that is not noise; None where the number is the outcome. ``n``: people.
    """

    n: int
    reliability: float | None
    factors: tuple[Factor, ...] = field(repr=False, compare=False)

    @property
    def nobs(self) -> int:
        """``n``, as statsmodels calls it."""
        return self.n

    def summary(self) -> Summary:
        """What prints, as an object that prints and that notebooks show as a table."""
        return Summary(str(self), self._repr_html_())

    def get_prediction(
        self, covariates: ArrayLike | None = None, level: float = 0.95
    ) -> Predictions:
        """Mean outcome for rows of covariates, of a predictor for true numbers in the last column.

        Columns of a frame are taken by their names. Raises RegressionError, EstimationError.
        """
        rows = prediction_rows(covariates, self.factors, intercept=INTERCEPT in self.names)
        spread = np.sqrt(((rows @ self.covariance) * rows).sum(axis=1))
        return Predictions(rows @ self.coefficients, spread, IDENTITY, level, "Mean outcome")

    def __str__(self) -> str:
        """The coefficients, with the model above and the reliability below."""
        return "\n".join([self._title, super().__str__(), *self._below])

    def _repr_html_(self) -> str:
        return html_report(self._title, _HEAD, self._rows, self._below)

    @property
    def _title(self) -> str:
        return f"n = {self.n}, least squares, covariance sandwich"

    @property
    def _below(self) -> list[str]:
        return [] if self.reliability is None else [f"reliability: {cell(self.reliability)}"]


@on_one_thread
def fit_number_outcome_model(
    reports: TransformedReports,
    covariates: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    weights: ArrayLike | None = None,
    intercept: bool = True,
) -> NumberModel:
    """Fit true number = b0 + b'x by least squares on the reports.

    ``reports``: ``protocol.transform(reports)`` of numbers, or of any other device; ``covariates``
    (n, p) without an intercept; ``weights`` (n,) of a sample, or counts of people alike. Raises
    RegressionError, CollinearityError, WeightsError.

    >>> from randomized_response.designs import Piecewise
    >>> from randomized_response.regression import fit_number_outcome_model
    >>> reports = Piecewise(0, 10, 9).transform([1, 2, 0, 4, 5, 4, 7, 9, 8])
    >>> print(fit_number_outcome_model(reports, [1, 1, 1, 2, 2, 2, 3, 3, 3], names=["age"]))
    n = 9, least squares, covariance sandwich
    name       estimate  std. error         z            p       low      high
    intercept  -2.55556    0.753592  -3.39116  0.000695962  -4.03257  -1.07854
    age             3.5    0.354371   9.87666  5.25561e-23   2.80545   4.19455
    """
    _check_reports(reports)
    require_aligned(RegressionError, reports=reports, covariates=covariates, weights=weights)
    columns = columns_from(covariates, reports.n, names, intercept=intercept)
    rows = columns.values
    products = rows[:, :, None] * rows[:, None, :]
    return _fitted(columns, products, rows * reports.values[:, None], weights)


@on_one_thread
def fit_number_predictor_model(
    reports: TransformedReports,
    outcome: ArrayLike | TransformedReports,
    covariates: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    number_name: str = "number",
    weights: ArrayLike | None = None,
) -> NumberModel:
    """Fit outcome = b0 + b'x + c (true number), where the number was reported with noise.

    ``reports``: ``protocol.transform(reports)``, whose variances must be known; ``outcome`` (n,)
    numbers, or transformed reports of another question. Least squares on the reports themselves
    would shrink c to about its ``reliability``. The normal intervals need a scatter of the true
    number that is well above 0: below two standard errors the fit is refused. Raises
    RegressionError, CollinearityError, WeightsError.

    >>> from randomized_response.designs import Piecewise
    >>> from randomized_response.regression import fit_number_predictor_model
    >>> reports = Piecewise(0, 10, 9).transform([1, 2, 0, 4, 5, 4, 7, 9, 8])
    >>> print(fit_number_predictor_model(reports, [1, 1, 1, 2, 2, 2, 3, 3, 3]))
    n = 9, least squares, covariance sandwich
    name       estimate  std. error        z            p        low      high
    intercept  0.354554    0.246173  1.44027     0.149792  -0.127936  0.837044
    number     0.370225   0.0536393  6.90212  5.12315e-12   0.265094  0.475356
    reliability: 0.725142
    """
    _check_reports(reports)
    if reports.variances is None:
        remedy = "the noise of a report is not known: give reports of Piecewise, or of Hybrid"
        raise RegressionError("reports.variances", None, remedy)
    require_aligned(
        RegressionError, reports=reports, outcome=outcome, covariates=covariates, weights=weights
    )
    numbers = outcome.values if isinstance(outcome, TransformedReports) else outcome
    y = checked_column("outcome", numbers, RegressionError, reports.n)
    others = columns_from(covariates, reports.n, names, intercept=True)
    if not isinstance(number_name, str) or not number_name.strip() or number_name in others.names:
        raise RegressionError("number_name", number_name, "give a name of its own")
    columns = replace(
        others,
        names=(*others.names, number_name),
        values=np.column_stack([others.values, reports.values]),
        factors=(*others.factors, Factor(number_name)),
    )
    rows = columns.values
    products = rows[:, :, None] * rows[:, None, :]
    products[:, -1, -1] -= reports.variances
    reliability = _reliability(others, reports.values, reports.variances)
    return _fitted(columns, products, rows * y[:, None], weights, reliability)


def _fitted(
    columns: Columns,
    products: FloatArray,
    moments: FloatArray,
    weights: ArrayLike | None,
    reliability: float | None = None,
) -> NumberModel:
    """Coefficients that solve sum of w D b = sum of w d y: D (n, p, p), d y (n, p)."""
    n = len(moments)
    w = np.ones(n) if weights is None else checked_weights(weights, n)
    # Columns on one scale: squares of large numbers beside small ones would leave no digits.
    scale = 1 / np.sqrt((columns.values**2).mean(axis=0))
    products = products * scale[:, None] * scale
    moments = moments * scale
    bread = np.linalg.inv(np.tensordot(w, products, axes=1))
    solved = bread @ (w @ moments)
    scores = (moments - products @ solved) * w[:, None]
    spread = bread @ (scores.T @ scores * (n / max(n - 1, 1))) @ bread.T
    return NumberModel(
        columns.names,
        solved * scale,
        spread * np.outer(scale, scale),
        n,
        reliability,
        columns.factors,
    )


def _reliability(others: Columns, values: FloatArray, variances: FloatArray) -> float:
    """The part of the scatter of reports, at equal covariates, that is not noise.

    Raises RegressionError where it might be 0 within the noise.
    """
    within = others.orthogonal.T @ (others.orthogonal @ values / others.n)
    squares = (values - within) ** 2
    true = squares - variances
    error = true.std() / np.sqrt(others.n)
    if not true.mean() > _LEAST_ERRORS * error:
        remedy = (
            "the noise hides how the number differs between people at equal covariates: ask more "
            "people, use a larger epsilon, or leave covariates out"
        )
        value = f"variance {cell(float(true.mean()))} with standard error {cell(float(error))}"
        raise RegressionError("reports", value, remedy)
    return float(true.mean() / squares.mean())


def _check_reports(reports: object) -> None:
    remedy = "give transformed reports: protocol.transform(reports)"
    require_kind("reports", reports, TransformedReports, remedy, RegressionError)
