"""rho: zero-concentrated differential privacy, and the Renyi bound of the published method.

A mechanism is rho-zCDP if the Renyi divergence of order alpha between its outputs on neighbouring
data is at most rho alpha, for every alpha > 1 (Bun and Steinke 2016, definition 1.1). The Gaussian
mechanism of mu = s / sigma has rho = mu^2 / 2, and the discrete Gaussian of lattice standard
deviation sigma on integer statistics has the same (Canonne, Kamath and Steinke 2020, theorem 4).
Rhos add. zCDP says less than the Gaussian curve: the epsilon it implies is larger.
"""

import math

from analytics.privacy import gaussian
from analytics.privacy.checks import (
    checked_count,
    checked_delta,
    checked_not_negative,
    checked_positive,
)
from analytics.privacy.roots import bisected, least_value

_SLACK = 1e-12


def rho_of(mu: float) -> float:
    """zCDP of a mu-GDP mechanism: mu^2 / 2 (Dong, Roth and Su 2022, corollary B.6)."""
    return checked_not_negative("mu", mu) ** 2 / 2


def mu_with(rho: float) -> float:
    """The Gaussian mechanism that has this rho: sqrt(2 rho).

    Not a guarantee: a rho-zCDP mechanism need not be GDP at all. It tells which noise to add.
    """
    return math.sqrt(2 * checked_not_negative("rho", rho))


def rho_of_lattice(sensitivity: float, lattice_sd: float) -> float:
    """Exact zCDP of the discrete Gaussian: sensitivity^2 / (2 lattice_sd^2), in lattice units.

    Source: Canonne, Kamath and Steinke (2020), theorem 4 and its multivariate corollary.
    """
    return rho_of(gaussian.mu_of(lattice_sd, sensitivity))


def delta_from(rho: float, epsilon: float) -> float:
    """A delta with which every rho-zCDP mechanism is (epsilon, delta)-DP; at most 1.

    The least over alpha > 1 of exp((alpha - 1)(alpha rho - epsilon)) (1 - 1/alpha)^alpha /
    (alpha - 1) (Canonne, Kamath and Steinke 2020, corollary 13). Every alpha gives a valid bound,
    so that a search which stops early stays on the safe side. Raises AccountingError.
    """
    rho, epsilon = checked_not_negative("rho", rho), checked_not_negative("epsilon", epsilon)
    if rho == 0:
        return 0.0
    return math.exp(min(0.0, _log_delta(rho, epsilon)))


def epsilon_from(rho: float, delta: float) -> float:
    """The epsilon that zCDP implies at this delta, rounded up by a relative 1e-12."""
    rho, goal = checked_not_negative("rho", rho), math.log(checked_delta("delta", delta))
    if rho == 0 or _log_delta(rho, 0.0) <= goal:
        return 0.0
    highest = rho + 2 * math.sqrt(-rho * goal)
    if _log_delta(rho, highest) >= goal:
        return highest
    root = bisected(lambda e: _log_delta(rho, e) - goal, 0.0, highest, rtol=1e-14)
    return root * (1 + _SLACK)


def rho_for(epsilon: float, delta: float) -> float:
    """The largest rho that implies (epsilon, delta)-DP, rounded down. Raises AccountingError."""
    epsilon, goal = checked_positive("epsilon", epsilon), math.log(checked_delta("delta", delta))
    # epsilon >= rho + 2 sqrt(rho ln(1/delta)) is the plain bound, which this one improves.
    low = (math.sqrt(epsilon - goal) - math.sqrt(-goal)) ** 2 / 2
    high = gaussian.mu_for(epsilon, delta) ** 2 / 2
    root = bisected(lambda rho: _log_delta(rho, epsilon) - goal, low, high, rtol=1e-14)
    return root * (1 - _SLACK)


def _log_delta(rho: float, epsilon: float) -> float:
    """The bound is convex enough in ln(alpha - 1) for one search between generous ends."""

    def bound(log_excess: float) -> float:
        excess = math.exp(log_excess)
        alpha = 1 + excess
        exponent = excess * (alpha * rho - epsilon)
        return exponent + alpha * (log_excess - math.log1p(excess)) - log_excess

    centre = math.log(max(epsilon / (2 * rho) - 0.5, 1.0))
    return least_value(bound, -30.0, centre + 5.0)


def renyi_epsilon(rho: float, delta: float) -> float:
    """The older conversion rho + 2 sqrt(rho ln(1/delta)): the best order of the Renyi bound.

    Source: Mironov (2017), proposition 3; Bun and Steinke (2016), proposition 1.3. It is what the
    published method uses; ``epsilon_from`` and the Gaussian curve are smaller. Raises
    AccountingError.
    """
    rho, delta = checked_not_negative("rho", rho), checked_delta("delta", delta)
    return rho + 2 * math.sqrt(-rho * math.log(delta))


def published_mu(
    epsilon_iteration: float, delta_iteration: float, iterations: int, releases: int = 2
) -> float:
    """GDP of the noise that the published DP-NMF adds, over all its releases.

    Each release is given the classical noise sqrt(2 ln(1.25 / delta)) / epsilon times its
    sensitivity; ``releases`` matrices are released per iteration (two, A and B). Exact for that
    noise at every epsilon, although the classical rule is proved for epsilon below 1 only.
    Source: arXiv 2211.01451, algorithm 2. Raises AccountingError.
    """
    epsilon = checked_positive("epsilon_iteration", epsilon_iteration)
    delta = checked_delta("delta_iteration", delta_iteration)
    total = checked_count("iterations", iterations) * checked_count("releases", releases)
    return epsilon * math.sqrt(total / (2 * math.log(1.25 / delta)))


def published_epsilon(
    epsilon_iteration: float,
    delta_iteration: float,
    iterations: int,
    delta: float,
    releases: int = 2,
) -> float:
    """The overall epsilon that the published method states: its theorem 3.1 at the best order.

    It covers the iterations alone; vocabulary, weights, start and stopping are not in it. Raises
    AccountingError.
    """
    mu = published_mu(epsilon_iteration, delta_iteration, iterations, releases)
    return renyi_epsilon(rho_of(mu), delta)
