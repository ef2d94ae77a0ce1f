"""The mu that discrete Gaussian noise costs on the integers (lattice_sd), summed or bounded.

Its curve lies above that of the continuous Gaussian with the same parameter, so that s / sigma may
not be charged. Let S(t) = P(K >= t) for K on the integers with P(k) proportional to
exp(-k^2 / (2 sigma^2)), and z(t) = -Phi^{-1}(S(t)). The proof is in docs/privacy-proofs.md:

* Moving K by a units is mu-GDP exactly when z(t) - z(t - a) <= mu for every integer t, so that
  step = sup_t (z(t + 1) - z(t)) is the price of one unit and a units cost at most a * step.
* Coordinates compose exactly, so that integer statistics of L2 sensitivity s cost s * step
  in every dimension.
* step is found by enumeration up to the point from which a tail bound takes over, or, for wide
  noise, bounded by 1 / sqrt(sigma^2 - tau^2) + 6 eta, where eta = 2 exp(-2 pi^2 tau^2), tau = 3/2.

step is about (1 + 1 / (24 sigma^2)) / sigma.
"""

import math
from functools import lru_cache

import numpy as np
import scipy

from analytics.privacy.checks import FloatArray, checked_positive
from analytics.privacy.errors import NoiseError

# Finer noise than one unit is refused: the lattice would be coarser than what it hides.
NARROWEST = 1.0
# Up to here the enumeration takes some milliseconds; above, the bound is within 1e-3 of it.
_WIDEST_ENUMERATED = 40.0
_TAU = 1.5
# Far more than the rounding of the enumerated differences, far less than anyone pays.
_ROUNDING = 1e-9
# step * sigma at sigma = 1, where it is largest, rounded up.
_MOST_EXCESS = 1.05
_BEYOND = 8


def checked_lattice_sd(value: object) -> float:
    """A lattice standard deviation of at least one unit. Raises NoiseError."""
    sd = checked_positive("lattice_sd", value, NoiseError)
    if sd < NARROWEST:
        raise NoiseError("lattice_sd", value, "use a finer grid: noise spans at least one unit")
    return sd


@lru_cache(maxsize=1024)
def step(lattice_sd: float) -> float:
    """GDP of moving the discrete Gaussian by one unit, never below the exact value.

    ``lattice_sd`` is sigma in lattice units, 1 or more. Raises NoiseError.
    """
    sd = checked_lattice_sd(lattice_sd)
    return _enumerated_step(sd) if sd <= _WIDEST_ENUMERATED else _wide_step(sd)


def charged_mu(sensitivity: float, lattice_sd: float) -> float:
    """GDP of integer statistics of this L2 sensitivity with discrete Gaussian noise.

    Both in lattice units; any dimension, one ``lattice_sd`` for all coordinates. Raises NoiseError.
    """
    moved = checked_positive("sensitivity", sensitivity, NoiseError)
    return moved * step(checked_lattice_sd(lattice_sd))


def lattice_sd_for(sensitivity: float, mu: float) -> float:
    """The least noise whose charge is at most ``mu``, within a relative 1e-8; in lattice units.

    Where even one unit of noise is more than mu asks for, one unit is used. Raises NoiseError.
    """
    moved = checked_positive("sensitivity", sensitivity, NoiseError)
    goal = checked_positive("mu", mu, NoiseError)
    enough = max(moved / goal * _MOST_EXCESS, NARROWEST)
    if charged_mu(moved, NARROWEST) <= goal:
        return NARROWEST
    short = moved / goal
    while enough - short > 1e-9 * short:
        middle = (short + enough) / 2
        if middle >= NARROWEST and charged_mu(moved, middle) <= goal:
            enough = middle
        else:
            short = middle
    return enough


def _wide_step(sd: float) -> float:
    eta = 2 * math.exp(-2 * math.pi**2 * _TAU**2)
    return (1 / math.sqrt(sd * sd - _TAU * _TAU) + 6 * eta) * (1 + _ROUNDING)


def _enumerated_step(sd: float) -> float:
    """sup over all t: those enumerated, or the bound that holds for all later ones."""
    last = math.ceil(16 * sd * sd) + 64
    quantiles = -scipy.special.ndtri_exp(_log_survival(sd, last))
    # z(1 - t) = -z(t): negative t repeat the same differences, and t = 0 gives 2 z(1).
    differences = np.diff(quantiles, prepend=-quantiles[0])
    return max(float(differences.max()), _later_step(sd, last)) * (1 + _ROUNDING)


def _log_survival(sd: float, last: int) -> FloatArray:
    """ln P(K >= t) for t = 1..last. Eight terms beyond the last hold all but e^-100 of its tail."""
    points = np.arange(last + 1 + _BEYOND)
    log_weights = -(points**2) / (2 * sd * sd)
    sums = np.logaddexp.accumulate(log_weights[::-1])[::-1]
    log_total = np.logaddexp(sums[0], sums[1])
    return np.asarray(sums[1 : last + 1] - log_total)


def _later_step(sd: float, first: int) -> float:
    """A bound of z(t + 1) - z(t) for every t >= first >= sigma + 1/2 (lemma 4 of the proofs)."""
    rest = -math.log(-math.expm1(-(2 * first + 1) / (2 * sd * sd)))
    return (1 + (1 + 2 * sd * sd * rest) / (2 * first + 1)) / sd
