"""Family: how an outcome depends on its linear predictor: normal, logistic, reported at random."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from ...checks import FloatArray
from ..devices import ReportLevel

_LOG_TWO_PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class OutcomeTerms:
    """ln f, its derivatives by the linear predictor eta and by ln sigma, all (n,).

    ``curvature`` holds minus the second derivatives (eta eta, eta sigma, sigma sigma),
    ``expected`` their expectations; those of sigma are unused by a family without one.
    """

    log_density: FloatArray
    by_eta: FloatArray
    by_sigma: FloatArray
    curvature: tuple[FloatArray, FloatArray, FloatArray]
    expected: tuple[FloatArray, FloatArray, FloatArray]


@dataclass(frozen=True)
class Family:
    """A distribution of the outcome; ``spread`` says whether ln sigma is a parameter."""

    spread: bool
    terms: Callable[[FloatArray, FloatArray, float], OutcomeTerms]


def _normal_terms(y: FloatArray, eta: FloatArray, log_sigma: float) -> OutcomeTerms:
    precision = np.exp(-2 * log_sigma)
    by_eta = (y - eta) * precision
    square = (y - eta) * by_eta
    each, none = np.full_like(eta, precision), np.zeros_like(eta)
    return OutcomeTerms(
        -0.5 * (square + _LOG_TWO_PI) - log_sigma,
        by_eta,
        square - 1,
        (each, 2 * by_eta, 2 * square),
        (each, none, np.full_like(eta, 2.0)),
    )


def _logistic_terms(y: FloatArray, eta: FloatArray, log_sigma: float) -> OutcomeTerms:
    mean, none = scipy.special.expit(eta), np.zeros_like(eta)
    spread = mean * scipy.special.expit(-eta)
    same = (spread, none, none)
    return OutcomeTerms(
        scipy.special.log_expit(np.where(y > 0, eta, -eta)), y - mean, none, same, same
    )


def reported_outcome(reported: ReportLevel) -> Family:
    """Logistic for an outcome that was itself reported at random, independently of the trait.

    The density is that of the report, as Maddala (1983) has it for a known predictor; that a hidden
    trait is summed over beside it, and the derivatives, are ours.

    With p the chance of a true yes and w that of a true yes given the report, ln(u p + v (1 - p))
    has the slope w - p by eta, and minus the curvature is p (1 - p) - w (1 - w). Steps take the
    first part alone, the information if the truth were known, as EM's do.
    """
    with np.errstate(divide="ignore"):
        log_yes, log_no = np.log(reported.if_yes), np.log(reported.if_no)

    def terms(y: FloatArray, eta: FloatArray, log_sigma: float) -> OutcomeTerms:
        mean, none = scipy.special.expit(eta), np.zeros_like(eta)
        if_yes = log_yes + scipy.special.log_expit(eta)
        density = np.logaddexp(if_yes, log_no + scipy.special.log_expit(-eta))
        carrier = np.exp(if_yes - density)
        spread = mean * scipy.special.expit(-eta)
        curvature = spread - carrier * (1 - carrier)
        return OutcomeTerms(
            density, carrier - mean, none, (curvature, none, none), (spread, none, none)
        )

    return Family(spread=False, terms=terms)


NORMAL = Family(spread=True, terms=_normal_terms)
LOGISTIC = Family(spread=False, terms=_logistic_terms)
