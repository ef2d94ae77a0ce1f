"""Covariance of estimates: observed, expected, outer product, and the robust sandwich.

Of people who were drawn as a ``SurveySample`` says, the meat of the sandwich is the covariance of
the weighted sum of scores under that sample (Binder 1983), as in ``svyglm`` of the R package
survey; of replicate weights, the model is fitted again with each.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ..checks import FloatArray
from ..errors import RegressionError
from ..samples.survey_samples import (
    ReplicatedSample,
    Sample,
    SurveySample,
    require_positive,
    survey_sample,
)
from .covariates import per_person
from .devices import IntArray
from .outcome_likelihood import OutcomePoint


def covariance_of(point: OutcomePoint, kind: str, free: FloatArray) -> FloatArray:
    """Covariance (q, q) of the fitted parameters; NaN for those held at a bound.

    Raises RegressionError if the information cannot be inverted.
    """
    used = np.flatnonzero(free)
    return _with_held(COVARIANCES[kind](point, used), used, len(free))


def _with_held(covariance: FloatArray, used: IntArray, count: int) -> FloatArray:
    """The same with NaN for the other parameters, of ``count`` in all."""
    padded = np.full((count, count), np.nan)
    padded[np.ix_(used, used)] = covariance
    return padded


class ScoredPoint(Protocol):
    """A maximum with the scores of people, (q, n), and the weighted information, (q, q)."""

    @property
    def parameters(self) -> FloatArray: ...
    @property
    def person_scores(self) -> FloatArray: ...
    @property
    def observed(self) -> FloatArray: ...


@dataclass(frozen=True)
class Drawn:
    """People of a regression with how they were drawn; their weights have mean 1.

    ``are_units``: whether the sample says more than weights, so that degrees of freedom count.
    """

    sample: Sample
    weights: FloatArray
    are_units: bool

    @classmethod
    def of(cls, weights: ArrayLike | Sample, n: int) -> "Drawn":
        """From weights (n,), or from a sample of n people. Raises RegressionError, WeightsError."""
        are_units = isinstance(weights, SurveySample | ReplicatedSample)
        sample = weights
        if not isinstance(sample, SurveySample | ReplicatedSample):
            sample = survey_sample(sample)
        require_positive(sample)
        if len(sample.weights) != n:
            raise RegressionError("weights", len(sample.weights), f"give a sample of {n} people")
        return cls(sample, sample.weights / sample.weights.mean(), are_units)

    @property
    def unit(self) -> float:
        """The mean of the weights as they were given."""
        return float(self.sample.weights.mean())

    def degrees(self, coefficients: int) -> float:
        """Of freedom that are left, as svyglm has them. Raises RegressionError where none are."""
        if not self.are_units:
            return np.inf
        left = self.sample.degrees_of_freedom + 1 - coefficients
        if left < 1:
            remedy = "the sample has too few units for these columns: leave some out"
            raise RegressionError("covariates", coefficients, remedy)
        return left

    def covariance(
        self,
        point: ScoredPoint,
        refitted: Callable[[FloatArray], FloatArray],
        used: IntArray | None = None,
    ) -> FloatArray:
        """Of the parameters ``used``, by default all q, where devices have no part in populations.

        ``refitted``: the parameters with other weights (n,) of mean 1. Raises RegressionError.
        """
        if self.sample.fixed_parts().any():
            remedy = "with a finite population the noise of this model is not known: leave it out"
            raise RegressionError("weights", "a sample of a finite population", remedy)
        used = np.arange(len(point.parameters)) if used is None else used
        return self.sample.covariance(FittedParameters(point, used, refitted))


@dataclass(frozen=True)
class Counted:
    """Rows of people alike: ``weights`` (n,) are how many gave each row, with mean 1.

    ``unit``: the mean of the counts.
    """

    weights: FloatArray
    unit: float

    @classmethod
    def of(cls, counts: ArrayLike, weights: object, n: int) -> "Counted":
        """Raises RegressionError for what are no counts of n rows, and beside weights."""
        checked = checked_counts(counts, weights, n)
        unit = float(checked.mean())
        return cls(checked / unit, unit)


def drawn_or_counted(
    weights: ArrayLike | Sample | None, counts: ArrayLike | None, n: int
) -> Drawn | Counted | None:
    """What rows stand for; None for one person each. Raises RegressionError, WeightsError."""
    if counts is not None:
        return Counted.of(counts, weights, n)
    return None if weights is None else Drawn.of(weights, n)


def checked_counts(counts: ArrayLike, weights: object, n: int) -> FloatArray:
    """How many people gave each row, as floats (n,). Raises RegressionError."""
    if weights is not None:
        remedy = "give one of them: rows with weights stand for one person each"
        raise RegressionError("counts", "beside weights", remedy)
    raw = per_person("counts", counts, n, "iu", f"give {n} whole numbers")
    if n and raw.min() < 1:
        first = int(np.argmin(raw))
        raise RegressionError(f"counts[{first}]", int(raw[first]), "leave out rows of no one")
    return raw.astype(np.float64)


@dataclass(frozen=True)
class FittedParameters:
    """The parameters at the maximum as a statistic of the weights (n,)."""

    point: ScoredPoint
    used: IntArray
    refitted: Callable[[FloatArray], FloatArray]

    def value(self, weights: FloatArray) -> FloatArray:
        """(q,), of those that are not held at a bound."""
        return np.asarray(self.refitted(weights / weights.mean())[self.used])

    def slope(self, weights: FloatArray) -> FloatArray:
        """H^-1 s of each person, H the observed information with these weights: (n, q)."""
        bread = _inverse(self.point.observed, self.used) / weights.mean()
        return np.asarray((bread @ self.point.person_scores[self.used]).T)


def outcome_covariance(
    point: OutcomePoint,
    free: FloatArray,
    sample: Sample,
    refitted: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """Covariance (q, q) of an outcome's parameters, NaN for those held at a bound.

    Where populations are finite, what devices add is put back by the model: see ``noise``.
    """
    used = np.flatnonzero(free)
    covariance = sample.covariance(FittedParameters(point, used, refitted))
    parts = sample.fixed_parts() * (sample.weights / sample.weights.mean()) ** 2
    if parts.any() and point.data.device.unknown is not None:
        remedy = "people are drawn into the groups of a two-group design: leave populations out"
        raise RegressionError("weights", "a sample of a finite population", remedy)
    if parts.any():
        bread = _inverse(point.observed, used)
        covariance = covariance + bread @ point.noise(parts)[np.ix_(used, used)] @ bread
    return _with_held(covariance, used, len(free))


def checked_covariance(kind: object, weighted: bool) -> str:
    """The covariance's name; by default observed, and sandwich where people have weights."""
    if kind is None:
        return "sandwich" if weighted else "observed"
    if not isinstance(kind, str) or kind not in COVARIANCES:
        raise RegressionError("covariance", kind, f"choose one of {', '.join(COVARIANCES)}")
    if weighted and kind != "sandwich":
        remedy = "with weights the likelihood is no likelihood: use covariance='sandwich'"
        raise RegressionError("covariance", kind, remedy)
    return kind


def _outer_product(point: OutcomePoint, used: IntArray) -> FloatArray:
    scores, counts = point.person_scores, point.data.weights
    return _inverse((scores if counts is None else scores * counts) @ scores.T, used)


def _sandwich(point: OutcomePoint, used: IntArray) -> FloatArray:
    """H^-1 (n / (n - 1) sum of w^2 s s') H^-1. Source: White (1982); Binder (1983)."""
    scores, weights, n = point.person_scores, point.data.weights, point.data.people
    if weights is not None:  # so many people with one score each, or one whose score counts more
        scores = scores * (np.sqrt(weights) if point.data.are_counts else weights)
    bread = _inverse(point.observed, used)
    meat = (scores @ scores.T)[np.ix_(used, used)] * (n / max(n - 1, 1))
    return np.asarray(bread @ meat @ bread)


def _inverse(information: FloatArray, used: IntArray) -> FloatArray:
    try:
        factor = scipy.linalg.cho_factor(information[np.ix_(used, used)])
    except scipy.linalg.LinAlgError as reason:
        remedy = (
            "it has no inverse here: use covariance='expected' where there are no weights, or drop "
            "covariates"
        )
        raise RegressionError("information", "not positive definite", remedy) from reason
    return np.asarray(scipy.linalg.cho_solve(factor, np.eye(len(used))))


COVARIANCES: dict[str, Callable[[OutcomePoint, IntArray], FloatArray]] = {
    "observed": lambda point, used: _inverse(point.observed, used),
    "expected": lambda point, used: _inverse(point.expected, used),
    "opg": _outer_product,
    "sandwich": _sandwich,
}
