"""Dirichlet-multinomial likelihood of rating counts, and where it is largest: inside or at an end.

Item i has counts c_ik (levels k), n_i in all; all items together C_k, and p = C / sum(C). With mean
shares pi and strength s, pseudocounts alpha = s pi, the log likelihood without coefficients is

    l(pi, s) = sum_k C_k ln pi_k + sum_ik R(s pi_k, c_ik) - sum_i R(s, n_i),
    R(a, c) = ln Gamma(a + c) - ln Gamma(a) - c ln a = sum_{j < c} ln(1 + j / a).

*No difference between items, s -> infinity.* R goes to 0: the multinomial likelihood, largest at
pi = p. In e = 1/s the likelihood is smooth there, with one-sided derivative

    T = (1/2) [sum_ik c_ik (c_ik - 1) / p_k - sum_i n_i (n_i - 1)],

the score statistic for overdispersion (Tarone, 1979; Kim and Margolin, 1992). With T > 0 some
finite strength is better; with T < 0 none near the limit is. For fixed pi the likelihood has at
most one local maximum in s (Levin and Reeds, 1977), but pi is free: we climb from two strengths
and keep the limit unless a climb ends above it. Where no item has two ratings the likelihood does
not depend on s at all, and the limit claims the least.

*Items that all agree with themselves, s -> 0.* An item with m_i used levels adds (m_i - 1) ln s:
the likelihood falls to 0 unless every item has a single used level. Then each factor
(s pi + j) / (s + j) grows to 1 as s falls, the limit is sum_i ln pi_k(i), and pi are the shares of
*items*.

*A level without ratings.* Its alpha only makes the denominator larger: the maximum has alpha_k = 0.
A used level has slope +infinity at alpha_k = 0.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from ranking.posterior.checks import FloatArray
from ranking.posterior.errors import PriorError
from surveys.randomized_response.messages import sentence

# Strengths to climb from, and the one beyond which a climb is on its way to the limit.
_STARTS = (1.0, 100.0)
_FARTHEST = 1e6
_NEWTON_STEPS = 200
_HALVINGS = 60
# A step that promises less than this share of the log likelihood is lost in its rounding.
_ROUNDING = 1e-14
# From here on Stirling's series to the seventh power is exact to 1e-16.
_LARGE = 30.0


@dataclass(frozen=True)
class Maximum:
    """Where the likelihood is largest: mean ``shares`` (levels,) and ``strength``, 0 to inf."""

    shares: FloatArray
    strength: float


@dataclass(frozen=True)
class Likelihood:
    """Distinct counts and how many items have them, per level and for the totals (Sklar, 2014).

    ``sums`` (levels,) are the ratings of all items.
    """

    levels: tuple[tuple[FloatArray, FloatArray], ...]
    totals: tuple[FloatArray, FloatArray]
    sums: FloatArray

    @classmethod
    def of(cls, counts: FloatArray) -> "Likelihood":
        columns = tuple(_tabulated(column) for column in counts.T)
        return cls(columns, _tabulated(counts.sum(axis=1)), counts.sum(axis=0))

    def value(self, alpha: FloatArray) -> float:
        """The log likelihood of pseudocounts (levels,), without coefficients."""
        strength = float(alpha.sum())
        parts = (w @ _excess(a, c) for a, (c, w) in zip(alpha, self.levels, strict=True) if len(c))
        total, weights = self.totals
        fit = scipy.special.xlogy(self.sums, alpha / strength).sum()
        return float(fit + sum(parts) - weights @ _excess(strength, total))

    @property
    def limit(self) -> float:
        """Its value where all items share the pooled distribution: strength without end."""
        return float(scipy.special.xlogy(self.sums, self.sums / self.sums.sum()).sum())

    def derivatives(self, alpha: FloatArray, order: int) -> tuple[FloatArray, float]:
        """Of each level's part and of the totals' part: order 0 the first, 1 the second."""
        total, weights = self.totals
        strength = alpha.sum()
        parts = [
            w @ (_polygamma(order, c + a) - _polygamma(order, a))
            for a, (c, w) in zip(alpha, self.levels, strict=True)
        ]
        both = _polygamma(order, total + strength) - _polygamma(order, strength)
        return np.array(parts), float(weights @ both)


def maximize(counts: FloatArray, largest: float) -> Maximum:
    """The maximum for counts (items, levels), every level of which is used; infinity from largest.

    Newton's method in ln(alpha); the Hessian is a diagonal plus a constant, so that a step costs
    O(levels) (Minka, 2000). Raises PriorError if a climb does not settle.
    """
    likelihood = Likelihood.of(counts)
    pooled = likelihood.sums / likelihood.sums.sum()
    best, most = Maximum(pooled, math.inf), likelihood.limit
    for candidate, value in _candidates(likelihood, counts, pooled):
        if candidate.strength <= largest and value - most > _lost(most):
            best, most = candidate, value
    return best


def _candidates(
    likelihood: Likelihood, counts: FloatArray, pooled: FloatArray
) -> list[tuple[Maximum, float]]:
    """Maxima other than the limit without end, with their log likelihoods."""
    is_used = counts > 0
    if is_used.sum(axis=1).max() == 1:
        shares = is_used.sum(axis=0) / is_used.sum()
        return [(Maximum(shares, 0.0), float(is_used.sum(axis=0) @ np.log(shares)))]
    tops = [_climb(likelihood, start * pooled) for start in _STARTS]
    return [(Maximum(top / top.sum(), float(top.sum())), likelihood.value(top)) for top in tops]


def _climb(likelihood: Likelihood, alpha: FloatArray) -> FloatArray:
    """Newton steps on the logarithms, halved until the likelihood grows; ends far out or on top."""
    value = likelihood.value(alpha)
    for _ in range(_NEWTON_STEPS):
        step, gain = _newton_step(likelihood, alpha)
        if gain <= _lost(value):
            return alpha
        moved, risen = _advanced(likelihood, alpha, value, step)
        if risen <= value or moved.sum() > _FARTHEST:
            return moved
        alpha, value = moved, risen
    raise PriorError(
        "counts",
        "(table)",
        sentence("the maximum-likelihood calculation did not converge. Choose other ghost ratings"),
    )


def _newton_step(likelihood: Likelihood, alpha: FloatArray) -> tuple[FloatArray, float]:
    """Direction in ln(alpha), by Sherman and Morrison, and the gain that the slope foretells."""
    own, common = likelihood.derivatives(alpha, 0)
    gradient = alpha * (own - common)
    second, both = likelihood.derivatives(alpha, 1)
    diagonal = gradient + alpha**2 * second
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = alpha / diagonal
        correction = both * (scaled @ gradient) / (1 - both * (scaled @ alpha))
        step = -(gradient / diagonal + scaled * correction)
    if not np.isfinite(step).all() or step @ gradient <= 0:
        step = _uphill(alpha, gradient, -(alpha**2) * second)
    gain = float(step @ gradient)
    return step / max(1.0, float(np.abs(step).max()) / 2), gain


def _uphill(alpha: FloatArray, gradient: FloatArray, curvature: FloatArray) -> FloatArray:
    """Where the surface is not concave: Newton's step at this strength, and one in its logarithm.

    For a fixed strength the likelihood is concave in the shares, so that only the strength can
    make it otherwise.
    """
    slope = (alpha / curvature) @ gradient / ((alpha / curvature) @ alpha)
    shares = (gradient - slope * alpha) / curvature
    return np.asarray(shares + np.sign(gradient.sum()))


def _advanced(
    likelihood: Likelihood, alpha: FloatArray, value: float, step: FloatArray
) -> tuple[FloatArray, float]:
    """Further up, or the same point where rounding hides every rise."""
    for _ in range(_HALVINGS):
        moved = alpha * np.exp(step)
        risen = likelihood.value(moved)
        if risen > value:
            return moved, risen
        step = step / 2
    return alpha, value


def _lost(value: float) -> float:
    return _ROUNDING * max(1.0, abs(value))


def _excess(a: float, counts: FloatArray) -> FloatArray:
    """R(a, c) to the rounding of its own size, also where ln Gamma(a) is far larger."""
    if a < _LARGE:
        gamma = scipy.special.gammaln
        return np.asarray(gamma(a + counts) - gamma(a) - counts * math.log(a))
    slope = (a + counts - 0.5) * np.log1p(counts / a) - counts
    return np.asarray(slope + _stirling(a + counts) - _stirling(a))


def _stirling(x: FloatArray | float) -> FloatArray:
    """ln Gamma(x) less (x - 1/2) ln x - x + ln(2 pi)/2 (Abramowitz and Stegun, 6.1.41)."""
    inverse = 1 / np.asarray(x)
    square = inverse**2
    return np.asarray(inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))))


def _tabulated(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    distinct, times = np.unique(values[values > 0], return_counts=True)
    return distinct, times.astype(float)


def _polygamma(order: int, x: FloatArray | float) -> FloatArray:
    return np.asarray(scipy.special.psi(x) if order == 0 else scipy.special.polygamma(order, x))
