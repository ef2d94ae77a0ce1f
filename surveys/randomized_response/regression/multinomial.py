"""MultinomialModel: logit of a question with k options when only randomized reports are known.

P(t | x) is proportional to exp(x'b_t), b_0 = 0, and P(report y | x) = sum_t P[y, t] P(t | x) for
any channel P with independent columns. Source: van den Hout and van der Heijden (2004),
misclassified categorical data; for k = 2 it is the logistic model of ``outcome``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ..checks import FloatArray
from ..columns import require_aligned
from ..designs.design import DesignLike
from ..errors import RegressionError, SeparationError
from ..samples.survey_samples import Sample
from ..threads import on_one_thread
from .covariances import Drawn
from .covariates import INTERCEPT, Columns, columns_from, prediction_rows
from .devices import checked_reports, level_likelihoods
from .hidden.latent_trait import (
    TraitData,
    TraitPoint,
    best_maximum,
    starting_trait,
    trait_covariance,
)
from .links import link_called
from .predictions import Predictions
from .results import FittedModel
from .scoring import Flat, Unsettled


@dataclass(frozen=True)
class MultinomialModel(FittedModel):
    """``names``: "option t: column" for each option above 0, the reference, in order of options.

    ``matrix`` has the same coefficients as (options - 1, columns).
    """

    columns: tuple[str, ...]
    options: int

    @property
    def matrix(self) -> FloatArray:
        """(options - 1, columns)"""
        return np.asarray(self.coefficients.reshape(self.options - 1, -1))

    def predict(self, covariates: ArrayLike | None = None) -> tuple[FloatArray, FloatArray]:
        """Shares of the options and their delta-method standard errors: (rows, options) each.

        ``covariates`` (rows, p) without the intercept. Raises RegressionError.
        """
        rows = prediction_rows(covariates, self.factors, intercept=INTERCEPT in self.columns)
        eta = np.column_stack([np.zeros(len(rows)), rows @ self.matrix.T])
        shares = scipy.special.softmax(eta, axis=1)
        slopes = shares[:, :, None] * (np.eye(self.options) - shares[:, None, :])
        jacobian = slopes[:, :, 1:, None] * rows[:, None, None, :]
        jacobian = jacobian.reshape(len(rows), self.options, -1)
        variance = np.einsum("rij,jk,rik->ri", jacobian, self.covariance, jacobian)
        return shares, np.sqrt(variance)

    def get_prediction(
        self, covariates: ArrayLike | None = None, level: float = 0.95
    ) -> Predictions:
        """The same with intervals on the logit scale of each share: (rows, options).

        Raises RegressionError and EstimationError.
        """
        shares, errors = self.predict(covariates)
        spread = errors / (shares * (1 - shares))
        logits = scipy.special.logit(shares)
        quantity = "Share of each option"
        return Predictions(logits, spread, link_called("logit"), level, quantity, self.degrees)


@on_one_thread
def fit_multinomial_model(
    designs: DesignLike | Sequence[DesignLike],
    reports: ArrayLike,
    covariates: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    weights: ArrayLike | Sample | None = None,
) -> MultinomialModel:
    """Fit the shares of k options, given covariates, to randomized reports.

    ``designs``: one design of k options, or one per person; ``reports`` (n,) of reported levels;
    ``covariates`` (n, p) without an intercept, which is added; ``weights`` (n,) of a sample, or a
    ``survey_sample`` or ``replicated_sample``. Raises DesignError, RegressionError, WeightsError,
    CollinearityError, SeparationError and ConvergenceError.

    >>> from randomized_response.designs import TwoCoins
    >>> from randomized_response.regression import fit_multinomial_model
    >>> model = fit_multinomial_model(TwoCoins(3), [0] * 50 + [1] * 30 + [2] * 20)
    >>> model.names, model.coefficients.round(3).tolist()
    (('option 1: intercept', 'option 2: intercept'), [-0.916, -2.303])
    """
    rows = {"covariates": covariates, "weights": weights}
    require_aligned(RegressionError, reports=reports, designs=designs, **rows)
    codes = checked_reports(reports)
    columns = columns_from(covariates, len(codes), names, intercept=True)
    drawn = None if weights is None else Drawn.of(weights, len(codes))
    counts = None if drawn is None else drawn.weights
    data = TraitData(level_likelihoods(designs, codes), columns.orthogonal, weights=counts)
    labels = tuple(f"option {t}: {name}" for t in range(1, data.levels) for name in columns.names)
    try:
        point, iterations = best_maximum(data, [starting_trait(data)])
    except Flat as flat:
        raise _separation(labels, columns, flat) from flat
    except Unsettled as unsettled:
        remedy = "the likelihood did not settle: leave this column out"
        raise unsettled.refusal(labels, remedy) from unsettled
    return _model(point, iterations, columns, labels, drawn)


def _model(
    point: TraitPoint,
    iterations: int,
    columns: Columns,
    labels: tuple[str, ...],
    drawn: Drawn | None,
) -> MultinomialModel:
    transform = np.kron(np.eye(point.data.levels - 1), columns.transform)
    covariance, degrees = trait_covariance(point, drawn)
    return MultinomialModel(
        names=labels,
        coefficients=transform @ point.parameters,
        covariance=transform @ covariance @ transform.T,
        link="logit",
        log_likelihood=point.log_likelihood * (1.0 if drawn is None else drawn.unit),
        n=columns.n,
        iterations=iterations,
        factors=columns.factors,
        columns=columns.names,
        options=point.data.levels,
        degrees=degrees,
        covariance_kind="observed" if drawn is None else "sandwich",
    )


def _separation(labels: tuple[str, ...], columns: Columns, flat: Flat) -> SeparationError:
    """Names what has grown furthest, a covariate rather than an intercept."""
    blocks = flat.parameters.reshape(-1, columns.count)
    influence = np.concatenate([columns.influence_of(block) for block in blocks])
    covariate = np.array([not label.endswith(f": {INTERCEPT}") for label in labels])
    large = covariate & (influence >= influence.max() / 10)
    name = labels[int(np.argmax(np.where(large, influence, 0.0) if large.any() else influence))]
    remedy = (
        "its coefficient grows without end (an option without answers, or a group in which a share "
        "is 0): merge options or groups, or collect more answers"
    )
    return SeparationError(f"column {name}", "unbounded", remedy)
