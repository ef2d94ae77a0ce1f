"""Privacy losses of Gaussian releases on Poisson subsamples: discretised, composed, bounded above.

Every respondent enters each of T releases with probability q, independently. The pair to tell apart
is P = (1 - q) N(0, sigma^2) + q N(1, sigma^2) against Q = N(0, sigma^2), in both orders (Zhu, Dong
and Wang 2022, Optimal accounting of differential privacy via characteristic function, theorem 11:
the pair dominates add-or-remove neighbours). Its privacy loss ln(dP/dQ) is put on a grid by
splitting the mass between two grid points so that both the P and the Q mass are kept ("connecting
the dots", Doroshenko et al. 2022): the likelihood ratio undergoes a mean-preserving spread, so that
every hockey-stick divergence can only grow. The T-fold convolution is one power of a Fourier
transform F on N points. Added to delta are the mass outside the window, by a Chernoff bound, and
4 T u log2(N) sum |F|^T for the rounding of the transforms, to first order in u = 2^-53.

Subsampling does not pay for topic reports, where one release over all respondents needs less
noise; it is here because a published method can only be charged honestly with it.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy

from analytics.privacy.checks import (
    FloatArray,
    checked_count,
    checked_delta,
    checked_not_negative,
    checked_positive,
)
from analytics.privacy.errors import AccountingError
from analytics.privacy.roots import bisected
from surveys.randomized_response.checks import checked_number

# Grid steps per standard deviation of one loss: the spread grows by at most 2e-4 of itself.
_STEPS_PER_DEVIATION = 40
_MOST_POINTS = 2**22
# One release is cut off at this many standard deviations of its noise: 1e-23 is left out.
_REACH = 10.0
# The mass that the composed loss may leave outside the window, at either end.
_OUTSIDE = 1e-17
_TILTS = np.geomspace(1e-3, 1e3, 25)
_UNIT = 2.0**-53
_NARROWEST, _WIDEST, _MOST_RELEASES = 0.1, 1e4, 10**6


@dataclass(frozen=True)
class _Loss:
    """Masses at (first + i) * width, and what is added to delta: infinite losses, rounding."""

    first: int
    width: float
    masses: FloatArray
    added: float

    @property
    def values(self) -> FloatArray:
        return np.asarray((self.first + np.arange(len(self.masses))) * self.width)

    def delta(self, epsilon: float) -> float:
        """The hockey-stick divergence of order e^epsilon, and what is added to it."""
        start = max(0, math.floor(epsilon / self.width) - self.first)
        gains = -np.expm1(np.minimum(epsilon - self.values[start:], 0.0))
        return min(1.0, float(gains @ self.masses[start:]) + self.added)

    def epsilon(self, delta: float) -> float:
        if self.delta(0.0) <= delta:
            return 0.0
        last = float(self.values[-1])
        if last <= 0 or self.delta(last) >= delta:
            raise AccountingError("delta", delta, f"give more than {self.added:.1e}, or run less")

        def excess(epsilon: float) -> float:
            return self.delta(epsilon) - delta

        return bisected(excess, 0.0, last, xtol=2e-12, rtol=1e-12) * (1 + 1e-9)


def subsampled_delta(rate: float, sigma: float, releases: int, epsilon: float) -> float:
    """An upper bound of delta at ``epsilon`` for ``releases`` subsampled Gaussian mechanisms.

    ``rate`` is q in [0, 1]; ``sigma``, 0.1 to 10,000, is the noise per unit of L2 sensitivity;
    ``releases`` at most 10^6; add-or-remove-one. Within a relative 1e-2 of the exact value where
    that is above 1e-9. Raises AccountingError.
    """
    level = checked_not_negative("epsilon", epsilon)
    return max((loss.delta(level) for loss in _losses(rate, sigma, releases)), default=0.0)


def subsampled_epsilon(rate: float, sigma: float, releases: int, delta: float) -> float:
    """An upper bound of epsilon at ``delta``: the larger of adding and removing a respondent.

    Arguments as in ``subsampled_delta``. Within a relative 1e-3 of the exact value for delta above
    1e-9. Refuses a delta that the rounding could reach. Raises AccountingError.
    """
    goal = checked_delta("delta", delta)
    return max((loss.epsilon(goal) for loss in _losses(rate, sigma, releases)), default=0.0)


def _losses(rate: float, sigma: float, releases: int) -> tuple[_Loss, ...]:
    q = float(checked_number("rate", rate, AccountingError))
    if not 0 <= q <= 1:
        raise AccountingError("rate", rate, "give a sampling probability between 0 and 1")
    sd, times = checked_positive("sigma", sigma), checked_count("releases", releases)
    if not _NARROWEST <= sd <= _WIDEST:
        raise AccountingError("sigma", sigma, f"give {_NARROWEST} to {_WIDEST:,.0f}")
    if times > _MOST_RELEASES:
        raise AccountingError("releases", releases, f"give at most {_MOST_RELEASES:,}")
    return _composed(q, sd, times) if q > 0 else ()


@lru_cache(maxsize=4)
def _composed(q: float, sd: float, times: int) -> tuple[_Loss, ...]:
    return tuple(_power(loss, times) for loss in (_removing(q, sd), _adding(q, sd)))


def _removing(q: float, sd: float) -> _Loss:
    """The loss ln(dP/dQ) under P of one release."""
    first, width, bounds = _grid(q, sd, sign=1)
    included, excluded = _interval_masses((bounds - 1) / sd), _interval_masses(bounds / sd)
    return _discretised(first, width, (1 - q) * excluded + q * included, excluded)


def _adding(q: float, sd: float) -> _Loss:
    """The loss ln(dQ/dP) under Q of one release; it falls as the output grows."""
    first, width, bounds = _grid(q, sd, sign=-1)
    included, excluded = _interval_masses((bounds - 1) / sd), _interval_masses(bounds / sd)
    return _discretised(first, width, excluded, (1 - q) * excluded + q * included)


def _grid(q: float, sd: float, sign: int) -> tuple[int, float, FloatArray]:
    """First index, width, and the outputs at which sign * loss passes the grid points."""
    ends = np.array([-_REACH * sd, 1 + _REACH * sd])
    low, high = np.sort(sign * _loss_at(ends, q, sd))
    width = max(_deviation(q, sd) / _STEPS_PER_DEVIATION, (high - low) / _MOST_POINTS)
    first = math.floor(low / width)
    points = sign * np.arange(first, math.ceil(high / width) + 1) * width
    outputs = _output_at(points, q, sd)
    # The ends take in everything: what lies below them moves up, which can only add to delta.
    outputs[0] = -sign * math.inf
    return first, width, outputs


def _loss_at(outputs: FloatArray, q: float, sd: float) -> FloatArray:
    rest = math.log1p(-q) if q < 1 else -math.inf
    return np.logaddexp(rest, math.log(q) + (2 * outputs - 1) / (2 * sd * sd))


def _output_at(losses: FloatArray, q: float, sd: float) -> FloatArray:
    """The inverse of ``_loss_at``; -inf for losses that no output has."""
    with np.errstate(divide="ignore"):
        odds = np.log(np.maximum(np.expm1(losses) + q, 0.0)) - math.log(q)
    return sd * sd * odds + 0.5


def _deviation(q: float, sd: float) -> float:
    """The standard deviation of one loss under Q, by the trapezoidal rule."""
    scores = np.linspace(-_REACH, _REACH, 4001)
    weights = np.exp(-scores * scores / 2)
    losses = _loss_at(scores * sd, q, sd)
    mean = np.average(losses, weights=weights)
    return float(np.sqrt(np.average((losses - mean) ** 2, weights=weights)))


def _interval_masses(bounds: FloatArray) -> FloatArray:
    """Standard normal masses between neighbouring bounds, in either order, by the nearer tail."""
    first, second = bounds[:-1], bounds[1:]
    flip = np.where(first + second > 0, -1.0, 1.0)
    return np.abs(scipy.special.ndtr(flip * second) - scipy.special.ndtr(flip * first))


def _discretised(first: int, width: float, mass: FloatArray, other: FloatArray) -> _Loss:
    """Each interval's mass on its two ends, so that the other measure's mass is kept as well."""
    lower = (first + np.arange(len(mass))) * width
    upper = np.clip((mass - other * np.exp(lower)) / -np.expm1(-width), 0.0, mass)
    masses = np.append(mass - upper, 0.0)
    masses[1:] += upper
    return _Loss(first, width, masses, max(0.0, 1.0 - float(mass.sum())))


def _power(loss: _Loss, times: int) -> _Loss:
    """The sum of ``times`` independent losses."""
    low, high = _window(loss, times)
    points = scipy.fft.next_fast_len(high - low + 1, real=True)
    if points > 2 * _MOST_POINTS:
        raise AccountingError("releases", times, "their loss is too wide; add noise or run less")
    places = (loss.first + np.arange(len(loss.masses))) % points
    transform = scipy.fft.rfft(np.bincount(places, weights=loss.masses, minlength=points)) ** times
    masses = np.roll(scipy.fft.irfft(transform, points), -(low % points))
    rounding = 4 * times * _UNIT * math.log2(points + 1) * 2 * float(np.abs(transform).sum())
    return _Loss(low, loss.width, masses, times * loss.added + 2 * _OUTSIDE + rounding)


def _window(loss: _Loss, times: int) -> tuple[int, int]:
    """Grid indices that the composed loss leaves with at most 1e-17, by Chernoff's bound."""
    reach = []
    scale = math.sqrt(times) * max(float(np.std(loss.values)), loss.width)
    with np.errstate(divide="ignore"):
        log_masses = np.log(loss.masses)
    for sign in (1, -1):
        tilts = _TILTS / scale
        bounds = [
            (
                times * scipy.special.logsumexp(log_masses + sign * tilt * loss.values)
                - math.log(_OUTSIDE)
            )
            / tilt
            for tilt in tilts
        ]
        reach.append(sign * min(bounds))
    return math.floor(reach[1] / loss.width) - 1, math.ceil(reach[0] / loss.width) + 1
