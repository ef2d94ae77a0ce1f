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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray, require_kind
from ..columns import checked_column, checked_weights, require_aligned
from ..designs.transform import TransformedReports
from ..errors import RegressionError
from ..messages import sentence
from ..printing import cell, html_report
from ..samples.survey_samples import ReplicatedSample, Sample, SurveySample
from ..threads import on_one_thread
from .covariances import Drawn, checked_counts
from .covariates import INTERCEPT, Columns, columns_from, prediction_rows
from .factors import Factor
from .least_squares import LeastSquares, Products
from .links import IDENTITY
from .predictions import Predictions
from .reported_columns import Reported, checked_predictors, with_traits
from .results import Coefficients, Summary

# Standard errors by which the scatter of the true predictor has to be above 0.
_LEAST_ERRORS = 2.0
SANDWICH, CLASSICAL = "sandwich", "classical"
_SAME = 1e-12  # of the largest number, or of its scatter: what rounding leaves
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
    covariance_kind: str = field(default="sandwich", kw_only=True)

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
        quantity = "Mean outcome"
        return Predictions(
            rows @ self.coefficients, spread, IDENTITY, level, quantity, self.degrees
        )

    def __str__(self) -> str:
        """The coefficients, with the model above and the reliability below."""
        return "\n".join([self._title, super().__str__(), *self._below])

    def _repr_html_(self) -> str:
        return html_report(self._title, _HEAD, self._rows, self._below)

    @property
    def _title(self) -> str:
        return f"n = {self.n}, least squares, covariance {self.covariance_kind}"

    @property
    def _below(self) -> list[str]:
        return [] if self.reliability is None else [f"reliability: {cell(self.reliability)}"]


@on_one_thread
def fit_number_outcome_model(
    reports: TransformedReports,
    covariates: ArrayLike | None = None,
    *,
    predictors: Mapping[str, Reported] | None = None,
    names: Sequence[str] | None = None,
    weights: ArrayLike | Sample | None = None,
    counts: ArrayLike | None = None,
    covariance: str = SANDWICH,
    intercept: bool = True,
) -> NumberModel:
    """Fit true number = b0 + b'x by least squares on the reports.

    ``predictors``: traits that were reported at random, each by its name with its design (or one
    per person) and its reports (n,); their effects come last, see ``reported_columns``.

    ``reports``: ``protocol.transform(reports)`` of numbers, or of any other device; ``covariates``
    (n, p) without an intercept; ``weights`` (n,) of a sample, or a ``survey_sample`` or
    ``replicated_sample``; ``counts`` (n,): how many people gave each row, in place of weights.
    ``covariance``: sandwich, or classical, of errors with one variance, where nothing but that is
    asked of people. Raises RegressionError, CollinearityError, WeightsError.

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
    people: dict[str, Any] = {"weights": weights, "counts": counts}
    traits = {f"reports of {name}": each[1] for name, each in checked_predictors(predictors)}
    require_aligned(RegressionError, reports=reports, covariates=covariates, **people, **traits)
    columns = columns_from(covariates, reports.n, names, intercept=intercept)
    checked = None if counts is None else checked_counts(counts, weights, reports.n)
    variances, products = reports.variances, Products(columns.values)
    if predictors is not None:
        columns, products = with_traits(columns, predictors, checked)
        variances = None  # what the devices of traits add is not known
    squares = LeastSquares(products, reports.values)
    _check_outcome(reports.values)
    if _is_classical(covariance, weights, predictors):
        return _classical(columns, squares, np.ones(reports.n) if checked is None else checked)
    if checked is not None:
        return _counted(columns, squares, checked)
    return _fitted(columns, squares, weights, variances)


@on_one_thread
def fit_number_predictor_model(
    reports: TransformedReports,
    outcome: ArrayLike | TransformedReports,
    covariates: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    number_name: str = "number",
    weights: ArrayLike | Sample | None = None,
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
    products = Products(columns.values, noise=reports.variances)
    reliability = _reliability(others, reports.values, reports.variances)
    return _fitted(columns, LeastSquares(products, y), weights, reliability=reliability)


def _fitted(
    columns: Columns,
    squares: LeastSquares,
    weights: ArrayLike | Sample | None,
    variances: FloatArray | None = None,
    reliability: float | None = None,
) -> NumberModel:
    """``variances``: what a device added to the outcome of each person, (n,), where it is known."""
    n, degrees, scale = columns.n, np.inf, squares.scale
    if isinstance(weights, SurveySample | ReplicatedSample):
        w, degrees = weights.weights, Drawn.of(weights, n).degrees(len(scale))
        spread = weights.covariance(squares) + _noise(weights, squares, columns, variances)
    else:
        w = np.ones(n) if weights is None else checked_weights(weights, n)
        scores = squares.slope(w) * w[:, None]
        spread = scores.T @ scores * (n / max(n - 1, 1))
    return NumberModel(
        columns.names,
        squares.value(w) * scale,
        spread * np.outer(scale, scale),
        n,
        reliability,
        columns.factors,
        degrees=degrees,
    )


def _is_classical(covariance: object, weights: object, predictors: object) -> bool:
    """Raises RegressionError for what has no such covariance."""
    if covariance not in (SANDWICH, CLASSICAL):
        raise RegressionError("covariance", covariance, f"choose {SANDWICH} or {CLASSICAL}")
    if covariance == CLASSICAL and (weights is not None or predictors is not None):
        remedy = f"with weights or predictors that were reported at random use {SANDWICH}"
        raise RegressionError("covariance", covariance, remedy)
    return covariance == CLASSICAL


def _check_outcome(values: FloatArray) -> None:
    """Raise RegressionError where it does not vary, so that errors would be rounding."""
    if np.ptp(values) <= _SAME * np.abs(values).max():
        remedy = sentence("it is the same for all people. Choose another outcome")
        raise RegressionError("outcome", float(values[0]), remedy)


def _check_residuals(left: float, values: FloatArray, counts: FloatArray) -> None:
    """Raise RegressionError where nothing is left but rounding: columns say the outcome."""
    centre = float(counts @ values / counts.sum())
    if left <= _SAME**2 * float(counts @ (values - centre) ** 2):
        remedy = sentence("the columns determine it exactly. Leave one of them out")
        raise RegressionError("outcome", "no residuals", remedy)


def _classical(columns: Columns, squares: LeastSquares, counts: FloatArray) -> NumberModel:
    """s^2 (X'X)^-1, s^2 the sum of squared residuals by n - p."""
    n, scale = round(counts.sum()), squares.scale
    values = squares.value(counts) * scale
    residuals = squares.outcome - columns.values @ values
    variance = float(counts @ residuals**2) / max(n - columns.count, 1)
    covariance = squares.bread(counts) * np.outer(scale, scale) * variance
    _check_residuals(float(counts @ residuals**2), squares.outcome, counts)
    return NumberModel(
        columns.names, values, covariance, n, None, columns.factors, covariance_kind=CLASSICAL
    )


def _counted(columns: Columns, squares: LeastSquares, counts: FloatArray) -> NumberModel:
    """As if each person had a row."""
    n, scale = round(counts.sum()), squares.scale
    scores = squares.slope(counts)
    spread = (scores * counts[:, None]).T @ scores * (n / max(n - 1, 1))
    if not squares.products.traits:
        residuals = squares.outcome - columns.values @ (squares.value(counts) * scale)
        _check_residuals(float(counts @ residuals**2), squares.outcome, counts)
    values, covariance = squares.value(counts) * scale, spread * np.outer(scale, scale)
    return NumberModel(columns.names, values, covariance, n, None, columns.factors)


def _noise(
    sample: Sample,
    squares: LeastSquares,
    columns: Columns,
    variances: FloatArray | None,
) -> FloatArray | float:
    """What the device of an outcome adds where populations are finite: sum of w^2 b d d'b' V."""
    left_out = sample.fixed_parts()
    if not left_out.any():
        return 0.0
    if variances is None:
        remedy = (
            "with a finite population the noise of an outcome has to be known, and a predictor "
            "cannot have any: leave the populations out"
        )
        raise RegressionError("weights", "a sample of a finite population", remedy)
    slopes = (
        sample.weights[:, None] * (columns.values * squares.scale) @ squares.bread(sample.weights).T
    )
    return np.asarray((slopes * (left_out * variances)[:, None]).T @ slopes)


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
