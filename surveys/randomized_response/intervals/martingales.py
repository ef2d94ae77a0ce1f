"""The beta-binomial mixture martingale, and the proportions that it does not rule out.

After S ones in n answers, with the mixing law Beta(alpha, beta),

    M_n(l) = B(S + alpha, n - S + beta) / (B(alpha, beta) l^S (1 - l)^(n - S))

is a martingale with M_0 = 1 when the answers are independent with P(one) = l: it is the mean, over
the mixing law, of likelihood ratios against l. By Ville's inequality M_n(l) >= 1/c for *any* n has
probability at most c. The proportions with M_n(l) < 1/c are an interval around S/n, because
ln M_n(l) = ln M_n(S/n) + n KL(S/n, l), which is convex in l. Sources: Ville (1939); Robbins (1970);
Howard, Ramdas, McAuliffe and Sekhon (2021), section 3. The sources leave the arithmetic open; here
no term grows with n, so the ends stay exact to about ten digits at n = 10^9.
"""

import math

from scipy.optimize import brentq
from scipy.special import betaln, gammaln

# Flat mixing law: no proportion is favoured before the first answer.
ALPHA = BETA = 1.0
_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)
_STIRLING_FROM = 16.0


def log_at_share(ones: float, n: float, alpha: float = ALPHA, beta: float = BETA) -> float:
    """ln M_n(S/n), the smallest value of ln M_n: at most 0, about -ln(n)/2; 0 when n = 0.

    Derived from Stirling's formula with its remainder r: every part of size n cancels beforehand.
    """
    total, zeros = n + alpha + beta, n - ones
    moved = _shifted(ones, n, alpha, total) + _shifted(zeros, n, beta, total)
    shape = (alpha - 0.5) * math.log((ones + alpha) / total)
    shape += (beta - 0.5) * math.log((zeros + beta) / total) - 0.5 * math.log(total)
    rest = _remainder(ones + alpha) + _remainder(zeros + beta) - _remainder(total)
    return moved + shape + rest + _HALF_LOG_TWO_PI - float(betaln(alpha, beta))


def log_martingale(ones: int, n: int, proportion: float) -> float:
    """ln M_n(l) for 0 <= S <= n and 0 <= l <= 1; infinite where l makes the answers impossible."""
    parts = (_deviance(ones, n * proportion), _deviance(n - ones, n * (1 - proportion)))
    return log_at_share(ones, n) + sum(parts)


def ends(
    ones: int, n: int, log_bound: float, alpha: float = ALPHA, beta: float = BETA
) -> tuple[float, float] | None:
    """The smallest and largest l with ln M_n(l) <= ``log_bound``; None if there is none."""
    room = log_bound - log_at_share(ones, n, alpha, beta)
    if room < 0:
        return None
    low, below_one = _lower_end(ones, n, room), _lower_end(n - ones, n, room)
    return low, 1.0 - below_one


def _deviance(count: int, expected: float) -> float:
    """count ln(count / expected) + expected - count; the linear parts of a pair sum to 0."""
    if count == 0:
        return expected
    if expected <= 0:
        return math.inf
    excess = (expected - count) / count
    return count * (excess - math.log1p(excess))


def _lower_end(ones: int, n: int, room: float) -> float:
    """The l = (S/n) e^-t at which n KL(S/n, l) = S t - (n - S) ln(1 + S (1 - e^-t)/(n - S)) = room.

    As ln(1 + x) <= x, the left side is at least S (t - 1), which brackets t.
    """
    if ones == 0:
        return 0.0
    if ones == n:
        return math.exp(-room / n)

    def excess(t: float) -> float:
        return ones * t - (n - ones) * math.log1p(-ones * math.expm1(-t) / (n - ones)) - room

    if excess(0.0) >= 0:
        return ones / n
    t = float(brentq(excess, 0.0, room / ones + 2, xtol=1e-18, rtol=1e-14))
    return ones / n * math.exp(-t)


def _shifted(count: float, n: float, prior: float, total: float) -> float:
    """S ln((S + alpha)/(n + alpha + beta)) - S ln(S/n); 0 at S = 0."""
    if count == 0:
        return 0.0
    return count * math.log1p((n * prior - count * (total - n)) / (count * total))


def _remainder(x: float) -> float:
    """ln Gamma(x) minus Stirling's (x - 1/2) ln x - x + ln(2 pi)/2."""
    if x < _STIRLING_FROM:
        return float(gammaln(x)) - (x - 0.5) * math.log(x) + x - _HALF_LOG_TWO_PI
    inverse = 1 / (x * x)
    series = 1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680)))
    return series / x
