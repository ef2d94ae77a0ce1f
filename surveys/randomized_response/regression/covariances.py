"""Covariance of estimates: observed, expected, outer product, and the robust sandwich."""

from collections.abc import Callable

import numpy as np
import scipy

from ..checks import FloatArray
from ..errors import RegressionError
from .devices import IntArray
from .outcome_likelihood import OutcomePoint


def covariance_of(point: OutcomePoint, kind: str, free: FloatArray) -> FloatArray:
    """Covariance (q, q) of the fitted parameters; NaN for those held at a bound.

    Raises RegressionError if the information cannot be inverted.
    """
    used = np.flatnonzero(free)
    covariance = np.full((len(free), len(free)), np.nan)
    covariance[np.ix_(used, used)] = COVARIANCES[kind](point, used)
    return covariance


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
        remedy = "it has no inverse here: use covariance='expected', or drop covariates"
        raise RegressionError("information", "not positive definite", remedy) from reason
    return np.asarray(scipy.linalg.cho_solve(factor, np.eye(len(used))))


COVARIANCES: dict[str, Callable[[OutcomePoint, IntArray], FloatArray]] = {
    "observed": lambda point, used: _inverse(point.observed, used),
    "expected": lambda point, used: _inverse(point.expected, used),
    "opg": _outer_product,
    "sandwich": _sandwich,
}
