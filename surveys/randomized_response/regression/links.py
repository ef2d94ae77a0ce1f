"""Link: logit, probit, cloglog, cauchit: probability of yes from eta, with slope and curvature.

Each gives h(eta), its complement computed without cancellation, and two derivatives.
Source: McCullagh and Nelder (1989), section 4.3.1; cauchit: Koenker and Yoon (2009).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from ..checks import FloatArray
from ..errors import RegressionError

Curve = Callable[[FloatArray], FloatArray]

_ROOT_TWO_PI = np.sqrt(2 * np.pi)
# exp(700) is still a float.
_LARGEST_EXPONENT = 700.0


@dataclass(frozen=True)
class Link:
    """``probability`` is h; ``complement`` 1 - h; ``quantile`` the inverse of h.

    Every function maps arrays element by element. ``slope`` is h' >= 0, ``curvature`` h''.
    """

    name: str
    probability: Curve
    complement: Curve
    slope: Curve
    curvature: Curve
    quantile: Curve

    def __reduce__(self) -> tuple[Callable[[str], "Link"], tuple[str]]:
        """Copies and pickles have its name: there is one link of each."""
        return link_called, (self.name,)


def link_called(name: str) -> Link:
    """The link of a fitted model: one of ``LINKS``, or none at all, as for numbers."""
    return IDENTITY if name == IDENTITY.name else LINKS[name]


def link_named(name: object) -> Link:
    """The link of that name: logit, probit, cloglog or cauchit. Raises RegressionError."""
    if not isinstance(name, str) or name not in LINKS:
        raise RegressionError("link", name, f"choose one of {', '.join(LINKS)}")
    return LINKS[name]


def _logit_curvature(eta: FloatArray) -> FloatArray:
    yes, no = scipy.special.expit(eta), scipy.special.expit(-eta)
    return np.asarray(yes * no * (no - yes))


def _normal_density(eta: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-eta * eta / 2) / _ROOT_TWO_PI)


def _exponential(eta: FloatArray) -> FloatArray:
    return np.asarray(np.exp(np.minimum(eta, _LARGEST_EXPONENT)))


def _cloglog_slope(eta: FloatArray) -> FloatArray:
    capped = np.minimum(eta, _LARGEST_EXPONENT)
    return np.asarray(np.exp(capped - np.exp(capped)))


def _cloglog_curvature(eta: FloatArray) -> FloatArray:
    slope = _cloglog_slope(eta)
    # Where the slope has underflowed the product is 0, not 0 times infinity.
    return np.asarray(slope * (1 - np.where(slope > 0, _exponential(eta), 1.0)))


LINKS: dict[str, Link] = {
    "logit": Link(
        "logit",
        probability=lambda eta: np.asarray(scipy.special.expit(eta)),
        complement=lambda eta: np.asarray(scipy.special.expit(-eta)),
        slope=lambda eta: np.asarray(scipy.special.expit(eta) * scipy.special.expit(-eta)),
        curvature=_logit_curvature,
        quantile=lambda p: np.asarray(scipy.special.logit(p)),
    ),
    "probit": Link(
        "probit",
        probability=lambda eta: np.asarray(scipy.special.ndtr(eta)),
        complement=lambda eta: np.asarray(scipy.special.ndtr(-eta)),
        slope=_normal_density,
        curvature=lambda eta: -eta * _normal_density(eta),
        quantile=lambda p: np.asarray(scipy.special.ndtri(p)),
    ),
    "cloglog": Link(
        "cloglog",
        probability=lambda eta: np.asarray(-np.expm1(-_exponential(eta))),
        complement=lambda eta: np.asarray(np.exp(-_exponential(eta))),
        slope=_cloglog_slope,
        curvature=_cloglog_curvature,
        quantile=lambda p: np.log(-np.log1p(-p)),
    ),
    "cauchit": Link(
        "cauchit",
        # The arc tangent of a quotient keeps small tail probabilities exact.
        probability=lambda eta: np.arctan2(1.0, -eta) / np.pi,
        complement=lambda eta: np.arctan2(1.0, eta) / np.pi,
        slope=lambda eta: 1 / (np.pi * (1 + eta * eta)),
        curvature=lambda eta: -2 * eta / (np.pi * (1 + eta * eta) ** 2),
        quantile=lambda p: np.tan(np.pi * (p - 0.5)),
    ),
}

IDENTITY = Link(
    "identity",
    probability=np.asarray,
    complement=lambda eta: 1 - eta,
    slope=np.ones_like,
    curvature=np.zeros_like,
    quantile=np.asarray,
)
