"""Interval: Clopper-Pearson, score, Chebyshev, Wald, sequence; for proportions and linear scores.

A share is the mean of a score: each report y carries score w[y] (a row of the inverted channel).
With two distinct scores it is an affine image of one proportion, so a binomial interval maps and
keeps its guarantee. Nothing is clipped in storage, and no interval ever has zero width.

A confidence sequence holds the proportions that the beta-binomial mixture martingale does not rule
out. After S ones in n answers, with the mixing law Beta(alpha, beta),

    M_n(l) = B(S + alpha, n - S + beta) / (B(alpha, beta) l^S (1 - l)^(n - S))

is a martingale with M_0 = 1 when the answers are independent with P(one) = l: it is the mean, over
the mixing law, of likelihood ratios against l. By Ville's inequality M_n(l) >= 1/c for *any* n has
probability at most c. The proportions with M_n(l) < 1/c are an interval around S/n, because
ln M_n(l) = ln M_n(S/n) + n KL(S/n, l), which is convex in l. Sources: Ville (1939); Robbins (1970);
Howard, Ramdas, McAuliffe and Sekhon (2021), section 3. The sources leave the arithmetic open; here
no term grows with n, so the ends stay exact to about ten digits at n = 10^9.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy

from ..checks import FloatArray, checked_level, checked_whole_number
from ..errors import CountsError, EstimationError
from ..printing import report
from ..roots import find_root
from .profiles import calibrated, mean_ends, squared_normal

WALD_UNDEFINED = (
    "The normal (Wald) interval is undefined when there is one answer or all answers agree; "
    "this is the Clopper-Pearson interval."
)
NO_CERTAINTY = (
    "Where all answers agree the estimated variance is 0, which is no certainty: "
    "go by the interval, not by the standard error."
)
LIKELIHOOD = "Profile likelihood with a calibrated limit: approximate."
BOX = "Guaranteed box: Bonferroni intervals for all reported levels, combined."
OUTSIDE = "These reports are improbable under the design: the interval misses the possible range."
EXACT, SCORE = "clopper-pearson", "score"
# Scores this close (relative to their range) differ only by the rounding of the inverse.
SAME_SCORE = 1e-10
_INVERSE_TOLERANCE = 1e-7
# Flat mixing law of the martingale: no proportion is favoured before the first answer.
ALPHA = BETA = 1.0
_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)
_STIRLING_FROM = 16.0


@dataclass(frozen=True)
class Interval:
    """An interval as computed: it may reach beyond [0, 1]; ``clipped()`` is for display."""

    low: float
    high: float
    level: float
    method: str
    note: str = ""

    @property
    def width(self) -> float:
        return self.high - self.low

    def contains(self, value: float) -> bool:
        """Whether the value lies between the ends, ends included."""
        return self.low <= value <= self.high

    def clipped(self) -> "Interval":
        """The part within [0, 1], for display; says so when nothing is left of it."""
        low, high = (min(max(end, 0.0), 1.0) for end in (self.low, self.high))
        missed = self.high < 0 or self.low > 1
        note = f"{self.note} {OUTSIDE}".strip() if missed else self.note
        return replace(self, low=low, high=high, note=note)

    def __str__(self) -> str:
        row = (self.method, self.level, self.low, self.high)
        return report("", ("interval", "level", "low", "high"), [row], [self.note])

    def mapped(self, intercept: float, slope: float) -> "Interval":
        """The image under ``intercept + slope * x``; ends are swapped when the slope is < 0."""
        ends = sorted((intercept + slope * self.low, intercept + slope * self.high))
        return replace(self, low=ends[0], high=ends[1])


def clopper_pearson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Exact interval: covers at least ``level``. Source: Clopper and Pearson (1934)."""
    return _clopper_pearson(*_checked(successes, n, level))


def wilson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Score interval for a proportion, nominal on average. Source: Wilson (1927)."""
    return _wilson(*_checked(successes, n, level))


def score(successes: int, n: int, level: float = 0.95) -> Interval:
    """What the score test does not reject: for one proportion Wilson's interval."""
    return _score(*_checked(successes, n, level))


def chebyshev(successes: int, n: int, level: float = 0.95) -> Interval:
    """All proportions l with |x/n - l| <= sqrt(l(1-l)/(n c)), c = 1 - level: guaranteed, wide."""
    return _chebyshev(*_checked(successes, n, level))


def wald(successes: int, n: int, level: float = 0.95) -> Interval:
    """Plug-in normal interval (variance with n - 1); Clopper-Pearson where it is undefined."""
    return _wald(*_checked(successes, n, level))


def confidence_sequence(successes: int, n: int, level: float = 0.95) -> Interval:
    """Covers at every n at once with probability ``level``: look as often as you like.

    Valid for independent answers from one unchanging population. With n = 0 it is [0, 1].
    Source: Robbins (1970); Howard et al. (2021); for randomized response Waudby-Smith, Wu and
    Ramdas (2023). Flat mixing law; derivation at the head of this module.
    """
    return _confidence_sequence(*_checked(successes, n, level, smallest=0))


def _clopper_pearson(x: int, n: int, level: float) -> Interval:
    tail = (1 - level) / 2
    low = 0.0 if x == 0 else beta_lower_end(x, n - x + 1, tail)
    high = 1.0 if x == n else beta_upper_end(x + 1, n - x, tail)
    return Interval(low, high, level, "clopper-pearson")


def _wilson(x: int, n: int, level: float) -> Interval:
    low, high = _score_ends(x / n, n, normal_quantile(level))
    return Interval(low, high, level, "wilson")


def _chebyshev(x: int, n: int, level: float) -> Interval:
    low, high = _score_ends(x / n, n, chebyshev_quantile(level))
    return Interval(low, high, level, "chebyshev")


def _wald(x: int, n: int, level: float) -> Interval:
    if x in (0, n) or n == 1:
        return replace(_clopper_pearson(x, n, level), note=WALD_UNDEFINED)
    share = x / n
    half = normal_quantile(level) * math.sqrt(share * (1 - share) / (n - 1))
    return Interval(share - half, share + half, level, "wald")


def _confidence_sequence(x: int, n: int, level: float) -> Interval:
    found = martingale_ends(x, n, -math.log1p(-level))
    low, high = found or (0.0, 1.0)
    return Interval(low, high, level, "confidence-sequence")


def normal_quantile(level: float) -> float:
    """Two-sided standard normal quantile: 1.96 for 0.95."""
    return float(-scipy.special.ndtri((1 - level) / 2))


def chebyshev_quantile(level: float) -> float:
    """Standard errors that Chebyshev's inequality needs: 1 / sqrt(1 - level)."""
    return 1 / math.sqrt(1 - level)


BinomialInterval = Callable[[int, int, float], Interval]
LinearInterval = Callable[[FloatArray, FloatArray, float], Interval]


@dataclass(frozen=True)
class IntervalMethod:
    """One method in its two forms: for a proportion, and for scores with three or more values.

    ``binomial`` refuses impossible counts and levels; ``proportion`` is the same without checks,
    and ``linear`` makes none either.
    """

    binomial: BinomialInterval
    proportion: BinomialInterval
    linear: LinearInterval
    quantile: Callable[[float], float]
    guaranteed: bool


def score_interval(
    scores: FloatArray, counts: tuple[int, ...], level: float, method: str | None
) -> Interval:
    """Interval for the mean score, from checked counts and a checked level.

    Arrays of shape (reported levels,). ``method`` None: the exact one where the mean is that of a
    proportion, else the score method. Raises EstimationError for an unknown method.
    """
    values, totals = grouped_scores(scores, counts)
    default = EXACT if len(values) <= 2 else SCORE
    chosen = interval_method(method := default if method is None else method)
    if len(values) == 1:
        return Interval(values[0], values[0], level, method, "This share is known in advance.")
    if len(values) > 2:
        return chosen.linear(np.array(values), np.array(totals, dtype=float), level)
    share = chosen.proportion(totals[1], sum(totals), level)
    return share.mapped(values[0], values[1] - values[0])


def interval_method(name: str) -> IntervalMethod:
    """The registered method of that name. Raises EstimationError."""
    if not isinstance(name, str) or name not in INTERVAL_METHODS:
        raise EstimationError("method", name, f"choose one of {', '.join(INTERVAL_METHODS)}")
    return INTERVAL_METHODS[name]


def grouped_scores(scores: FloatArray, counts: tuple[int, ...]) -> tuple[list[float], list[int]]:
    """Distinct scores in ascending order with their total counts."""
    tolerance = SAME_SCORE * float(np.abs(scores).max())
    values: list[float] = []
    totals: list[int] = []
    for y in np.argsort(scores, kind="stable"):
        if values and scores[y] - values[-1] <= tolerance:
            totals[-1] += counts[y]
        else:
            values.append(float(scores[y]))
            totals.append(counts[y])
    return values, totals


def _linear_wald(scores: FloatArray, counts: FloatArray, level: float) -> Interval:
    n = counts.sum()
    mean = float(scores @ counts / n)
    spread = float(((scores - mean) ** 2) @ counts / n)
    if np.count_nonzero(counts) == 1:
        return replace(_linear_box(_clopper_pearson)(scores, counts, level), note=WALD_UNDEFINED)
    half = normal_quantile(level) * math.sqrt(spread / (n - 1))
    return Interval(mean - half, mean + half, level, "wald")


def _linear_score(scores: FloatArray, counts: FloatArray, level: float) -> Interval:
    """All means that the calibrated likelihood-ratio test does not reject, see ``profiles``."""
    limit = calibrated(squared_normal(level), int(counts.sum()))
    return Interval(*mean_ends(scores, counts, limit), level, "score", LIKELIHOOD)


def _score(x: int, n: int, level: float) -> Interval:
    return replace(_wilson(x, n, level), method="score")


def _linear_chebyshev(scores: FloatArray, counts: FloatArray, level: float) -> Interval:
    """A score in [u, v] with mean m has variance <= (v - m)(m - u) (Bhatia and Davis, 2000)."""
    low, high = float(scores.min()), float(scores.max())
    share = (float(scores @ counts / counts.sum()) - low) / (high - low)
    ends = _score_ends(share, int(counts.sum()), chebyshev_quantile(level))
    note = "Variance bounded by the range of the scores, so the guarantee holds."
    return Interval(*ends, level, "chebyshev", note).mapped(low, high - low)


def _linear_box(proportion: BinomialInterval) -> LinearInterval:
    def box(scores: FloatArray, counts: FloatArray, level: float) -> Interval:
        n = int(counts.sum())
        each = 1 - (1 - level) / len(counts)
        parts = [proportion(int(count), n, each) for count in counts]
        lows, highs = np.array([p.low for p in parts]), np.array([p.high for p in parts])
        low = least_mean(scores, lows, highs)
        high = -least_mean(-scores, lows, highs)
        return Interval(low, high, level, parts[0].method, BOX)

    return box


def least_mean(scores: FloatArray, lows: FloatArray, highs: FloatArray) -> float:
    """Smallest mean score over distributions in the box: fill up the cheapest levels first."""
    shares = lows.copy()
    for y in np.argsort(scores):
        shares[y] += min(highs[y] - lows[y], max(0.0, 1 - shares.sum()))
    return float(scores @ shares)


def beta_lower_end(a: float, b: float, tail: float) -> float:
    """The p at which a Beta(a, b) variable lies below p with probability ``tail``."""
    return _checked_root(
        float(scipy.special.betaincinv(a, b, tail)),
        lambda p: float(scipy.special.betainc(a, b, p)),
        tail,
    )


def beta_upper_end(a: float, b: float, tail: float) -> float:
    """The p at which a Beta(a, b) variable lies above p with probability ``tail``."""
    return _checked_root(
        float(scipy.special.betainccinv(a, b, tail)),
        lambda p: float(scipy.special.betaincc(a, b, p)),
        tail,
    )


def _checked_root(found: float, probability: Callable[[float], float], tail: float) -> float:
    """The library's answer if it solves the equation, else our own.

    SciPy's inverse is wrong for some arguments of exactly 1000 (999 yes among more than 10,000):
    at (20143, 1000) and 0.025 it is off by 50 standard errors.
    """
    if abs(probability(found) - tail) <= _INVERSE_TOLERANCE * tail:
        return found
    return find_root(lambda p: probability(p) - tail, 0.0, 1.0, xtol=1e-15)


def _score_ends(share: float, n: int, quantile: float) -> tuple[float, float]:
    """Both solutions l of (share - l)^2 = quantile^2 l (1 - l) / n."""
    ratio = quantile**2 / n
    centre = (share + ratio / 2) / (1 + ratio)
    half = math.sqrt(ratio * share * (1 - share) + ratio**2 / 4) / (1 + ratio)
    low = 0.0 if share <= 0 else max(0.0, centre - half)
    return low, 1.0 if share >= 1 else min(1.0, centre + half)


def least_log_martingale(ones: float, n: float, alpha: float = ALPHA, beta: float = BETA) -> float:
    """ln M_n(S/n), the smallest value of ln M_n: at most 0, about -ln(n)/2; 0 when n = 0.

    Derived from Stirling's formula with its remainder r: every part of size n cancels beforehand.
    """
    total, zeros = n + alpha + beta, n - ones
    moved = _shifted(ones, n, alpha, total) + _shifted(zeros, n, beta, total)
    shape = (alpha - 0.5) * math.log((ones + alpha) / total)
    shape += (beta - 0.5) * math.log((zeros + beta) / total) - 0.5 * math.log(total)
    rest = (
        _stirling_remainder(ones + alpha)
        + _stirling_remainder(zeros + beta)
        - _stirling_remainder(total)
    )
    return moved + shape + rest + _HALF_LOG_TWO_PI - float(scipy.special.betaln(alpha, beta))


def log_martingale(ones: int, n: int, proportion: float) -> float:
    """ln M_n(l) for 0 <= S <= n and 0 <= l <= 1; infinite where l makes the answers impossible."""
    parts = (_deviance(ones, n * proportion), _deviance(n - ones, n * (1 - proportion)))
    return least_log_martingale(ones, n) + sum(parts)


def martingale_ends(
    ones: int, n: int, log_bound: float, alpha: float = ALPHA, beta: float = BETA
) -> tuple[float, float] | None:
    """The smallest and largest l with ln M_n(l) <= ``log_bound``; None if there is none."""
    room = log_bound - least_log_martingale(ones, n, alpha, beta)
    if room < 0:
        return None
    low, below_one = _sequence_lower_end(ones, n, room), _sequence_lower_end(n - ones, n, room)
    return low, 1.0 - below_one


def _deviance(count: int, expected: float) -> float:
    """count ln(count / expected) + expected - count; the linear parts of a pair sum to 0."""
    if count == 0:
        return expected
    if expected <= 0:
        return math.inf
    excess = (expected - count) / count
    return count * (excess - math.log1p(excess))


def _sequence_lower_end(ones: int, n: int, room: float) -> float:
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
    # As in ``roots``, SciPy's optimize loads with the first root; a dashboard asks for hundreds.
    from scipy.optimize import brentq

    t = float(brentq(excess, 0.0, room / ones + 2, xtol=1e-18))
    return ones / n * math.exp(-t)


def _shifted(count: float, n: float, prior: float, total: float) -> float:
    """S ln((S + alpha)/(n + alpha + beta)) - S ln(S/n); 0 at S = 0."""
    if count == 0:
        return 0.0
    return count * math.log1p((n * prior - count * (total - n)) / (count * total))


def _stirling_remainder(x: float) -> float:
    """ln Gamma(x) minus Stirling's (x - 1/2) ln x - x + ln(2 pi)/2."""
    if x < _STIRLING_FROM:
        return float(scipy.special.gammaln(x)) - (x - 0.5) * math.log(x) + x - _HALF_LOG_TWO_PI
    inverse = 1 / (x * x)
    series = 1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680)))
    return series / x


def _checked(successes: int, n: int, level: float, smallest: int = 1) -> tuple[int, int, float]:
    size = checked_whole_number("n", n, CountsError)
    x = checked_whole_number("successes", successes, CountsError)
    if size < smallest:
        raise CountsError("n", n, "there are no answers yet: collect at least one")
    if not 0 <= x <= size:
        raise CountsError("successes", successes, f"give a count from 0 to {size}")
    return x, size, checked_level(level)


INTERVAL_METHODS: dict[str, IntervalMethod] = {
    "clopper-pearson": IntervalMethod(
        clopper_pearson, _clopper_pearson, _linear_box(_clopper_pearson), normal_quantile, True
    ),
    "wilson": IntervalMethod(wilson, _wilson, _linear_box(_wilson), normal_quantile, False),
    "wald": IntervalMethod(wald, _wald, _linear_wald, normal_quantile, False),
    "chebyshev": IntervalMethod(chebyshev, _chebyshev, _linear_chebyshev, chebyshev_quantile, True),
    "score": IntervalMethod(score, _score, _linear_score, normal_quantile, False),
    "confidence-sequence": IntervalMethod(
        confidence_sequence,
        _confidence_sequence,
        _linear_box(_confidence_sequence),
        normal_quantile,
        True,
    ),
}
