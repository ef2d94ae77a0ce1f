"""Interval: Clopper-Pearson, score, Chebyshev, Wald, sequence; for proportions and linear scores.

A share is the mean of a score: each report y carries score w[y] (a row of the inverted channel).
With two distinct scores it is an affine image of one proportion, so a binomial interval maps and
keeps its guarantee. Nothing is clipped in storage, and no interval ever has zero width.

The arithmetic of confidence sequences is in ``martingales`` for one proportion, in ``bets`` for
scores with more values.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy

from ..checks import FloatArray, checked_level, checked_whole_number
from ..errors import CountsError, EstimationError
from ..messages import figure, sentence, together
from ..printing import report
from ..roots import find_root
from .bets import mean_sequence
from .martingales import ConfidenceSequence
from .profiles import calibrated, mean_ends, squared_normal

WALD_UNDEFINED = sentence(
    "The normal (Wald) interval is undefined if there is only one answer or if all answers are "
    "equal. The Clopper-Pearson interval is used instead."
)
NO_CERTAINTY = sentence(
    "If all answers are equal, the estimated variance is 0. A variance of 0 does not mean "
    "certainty: use the interval, not the standard error."
)
LIKELIHOOD = sentence(
    "The interval uses the profile likelihood with a calibrated limit. It is approximate."
)
BOX = sentence(
    "The interval (box) is guaranteed. It combines the Bonferroni intervals for all answers "
    "that can be reported."
)
OUTSIDE = sentence(
    "The reported answers are improbable under the design: the interval lies outside the possible "
    "range."
)
EXACT, SCORE, SEQUENCE = "clopper-pearson", "score", "confidence-sequence"
# Scores this close (relative to their range) differ only by the rounding of the inverse.
SAME_SCORE = 1e-10
# Of the tail: a right inverse is far closer, and a wrong one far off.
_INVERSE_TOLERANCE = 1e-7
BETTING = sentence(
    "The interval comes from bets against each possible mean, and is valid however often you look."
)


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

    @property
    def misses_range(self) -> bool:
        """Whether no value of the interval is a share."""
        return self.high < 0 or self.low > 1

    def clipped(self) -> "Interval":
        """The part within [0, 1], for display; says so when nothing is left of it."""
        low, high = (min(max(end, 0.0), 1.0) for end in (self.low, self.high))
        note = together(self.note, OUTSIDE) if self.misses_range else self.note
        return replace(self, low=low, high=high, note=note)

    def __str__(self) -> str:
        row = (self.method, self.level, self.low, self.high)
        return report("", ("interval", "level", "low", "high"), [row], [self.note])

    def mapped(self, intercept: float, slope: float) -> "Interval":
        """The image under ``intercept + slope * x``; ends are swapped when the slope is < 0."""
        ends = sorted((intercept + slope * self.low, intercept + slope * self.high))
        return replace(self, low=ends[0], high=ends[1])


# From counts and a level that are checked; ``IntervalMethod.binomial`` checks them.
def clopper_pearson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Exact interval: covers at least ``level``. Source: Clopper and Pearson (1934)."""
    return Interval(*beta_ends(successes, n, level), level, EXACT)


def wilson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Score interval for a proportion, nominal on average. Source: Wilson (1927)."""
    return Interval(*score_ends(successes / n, n, normal_quantile(level)), level, "wilson")


def score(successes: int, n: int, level: float = 0.95) -> Interval:
    """What the score test does not reject: for one proportion Wilson's interval."""
    return replace(wilson(successes, n, level), method=SCORE)


def chebyshev(successes: int, n: int, level: float = 0.95) -> Interval:
    """All proportions l with |x/n - l| <= sqrt(l(1-l)/(n c)), c = 1 - level: guaranteed, wide."""
    return Interval(*score_ends(successes / n, n, chebyshev_quantile(level)), level, "chebyshev")


def wald(successes: int, n: int, level: float = 0.95) -> Interval:
    """Plug-in normal interval (variance with n - 1); Clopper-Pearson where it is undefined."""
    if successes in (0, n) or n == 1:
        return replace(clopper_pearson(successes, n, level), note=WALD_UNDEFINED)
    share = successes / n
    half = normal_quantile(level) * math.sqrt(share * (1 - share) / (n - 1))
    return Interval(share - half, share + half, level, "wald")


def confidence_sequence(
    successes: int, n: int, level: float = 0.95, planned: int | None = None
) -> Interval:
    """Covers at every n at once with probability ``level``: look as often as you like.

    Valid for independent answers from one unchanging population. With n = 0 it is [0, 1].
    ``planned``: the number of answers at which it is to be narrowest, chosen before the first.
    Source: Robbins (1970); Howard et al. (2021); for randomized response Waudby-Smith, Wu and
    Ramdas (2023). Mixing laws and derivation: ``martingales``.
    """
    bound = -math.log1p(-level)
    low, high = ConfidenceSequence(planned).ends(successes, n, bound) or (0.0, 1.0)
    return Interval(low, high, level, SEQUENCE)


def normal_quantile(level: float) -> float:
    """Two-sided standard normal quantile: 1.96 for 0.95."""
    return float(-scipy.special.ndtri((1 - level) / 2))


def chebyshev_quantile(level: float) -> float:
    """Standard errors that Chebyshev's inequality needs: 1 / sqrt(1 - level)."""
    return 1 / math.sqrt(1 - level)


Method = str | ConfidenceSequence
BinomialInterval = Callable[[int, int, float], Interval]
LinearInterval = Callable[[FloatArray, FloatArray, float], Interval]


def joint_intervals(
    interval: Callable[[int, float], Interval], options: int, level: float
) -> tuple[Interval, ...]:
    """An interval for each option, at its level, that hold together (Bonferroni) and say so."""
    each = 1 - (1 - level) / options
    note = sentence(
        "The confidence level is {each}% for each of the {options} intervals, and {level}% for "
        "all of them together (Bonferroni).",
        options=options,
        each=figure(100 * each, ".2f"),
        level=figure(100 * level, ".0f"),
    )
    wide = (interval(option, each) for option in range(options))
    return tuple(replace(i, note=together(i.note, note)) for i in wide)


@dataclass(frozen=True)
class IntervalMethod:
    """One method in its two forms: for a proportion, and for scores with three or more values.

    ``binomial`` refuses impossible counts and levels; ``proportion`` is the same without checks,
    and ``linear`` makes none either. ``sequence`` where it is one for all looks.
    """

    proportion: BinomialInterval
    linear: LinearInterval
    quantile: Callable[[float], float]
    guaranteed: bool
    sequence: ConfidenceSequence | None = None

    def binomial(self, successes: int, n: int, level: float = 0.95) -> Interval:
        """Interval for a proportion. Raises CountsError and EstimationError."""
        size = checked_whole_number("n", n, CountsError)
        x = checked_whole_number("successes", successes, CountsError)
        if size < (0 if self.sequence else 1):
            raise CountsError("n", n, "there are no answers yet: collect at least one")
        if not 0 <= x <= size:
            raise CountsError("successes", successes, f"give a count from 0 to {size}")
        return self.proportion(x, size, checked_level(level))


def score_interval(
    scores: FloatArray, counts: tuple[int, ...], level: float, method: Method | None
) -> Interval:
    """Interval for the mean score, from checked counts and a checked level.

    Arrays of shape (reported levels,). ``method`` None: the exact one where the mean is that of a
    proportion, else the score method. Raises EstimationError for an unknown method.
    """
    values, totals = grouped_scores(scores, counts)
    default = EXACT if len(values) <= 2 else SCORE
    chosen = interval_method(method := default if method is None else method)
    if len(values) == 1:
        note = sentence("This share is known in advance.")
        return Interval(values[0], values[0], level, str(method), note)
    if len(values) > 2:
        return chosen.linear(np.array(values), np.array(totals, dtype=float), level)
    share = chosen.proportion(totals[1], sum(totals), level)
    return share.mapped(values[0], values[1] - values[0])


def interval_method(method: Method) -> IntervalMethod:
    """The registered method of that name, or that of a planned sequence. Raises EstimationError."""
    if isinstance(method, ConfidenceSequence):
        return _sequence_method(method)
    if not isinstance(method, str) or method not in INTERVAL_METHODS:
        raise EstimationError("method", method, f"choose one of {', '.join(INTERVAL_METHODS)}")
    return INTERVAL_METHODS[method]


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
        return replace(_linear_box(clopper_pearson)(scores, counts, level), note=WALD_UNDEFINED)
    half = normal_quantile(level) * math.sqrt(spread / (n - 1))
    return Interval(mean - half, mean + half, level, "wald")


def _linear_score(scores: FloatArray, counts: FloatArray, level: float) -> Interval:
    """All means that the calibrated likelihood-ratio test does not reject, see ``profiles``."""
    limit = calibrated(squared_normal(level), int(counts.sum()))
    return Interval(*mean_ends(scores, counts, limit), level, "score", LIKELIHOOD)


def _linear_sequence(
    scores: FloatArray, counts: FloatArray, level: float, sequence: ConfidenceSequence
) -> Interval:
    """Bets against each mean, of sizes for the scatter of reports that are equally likely."""
    low, reach = float(scores.min()), float(np.ptp(scores))
    parts = (scores - low) / reach
    bound = math.log(2 / (1 - level))
    ends = mean_sequence(parts, counts, bound, sequence.planned, float(np.std(parts)))
    return Interval(*ends, level, SEQUENCE, BETTING).mapped(low, reach)


def _linear_chebyshev(scores: FloatArray, counts: FloatArray, level: float) -> Interval:
    """A score in [u, v] with mean m has variance <= (v - m)(m - u) (Bhatia and Davis, 2000)."""
    low, high = float(scores.min()), float(scores.max())
    share = (float(scores @ counts / counts.sum()) - low) / (high - low)
    ends = score_ends(share, int(counts.sum()), chebyshev_quantile(level))
    note = sentence("The range of the scores limits the variance, so the guarantee is valid.")
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


def beta_ends(successes: float, n: float, level: float) -> tuple[float, float]:
    """Clopper and Pearson's ends; both numbers may be real, n > 0, and 0 and 1 are reached."""
    tail, failures, special = (1 - level) / 2, n - successes, scipy.special
    low, high = 0.0, 1.0
    if successes > 0:
        low = _beta_end(special.betaincinv, special.betainc, (successes, failures + 1), tail)
    if failures > 0:
        high = _beta_end(special.betainccinv, special.betaincc, (successes + 1, failures), tail)
    return low, high


def _beta_end(
    inverse: Callable[..., float],
    chance: Callable[..., float],
    shape: tuple[float, float],
    tail: float,
) -> float:
    """The library's answer if it solves the equation, else our own.

    SciPy's inverse is wrong for some arguments of exactly 1000 (999 yes among more than 10,000):
    at (20143, 1000) and 0.025 it is off by 50 standard errors.
    """
    end = float(inverse(*shape, tail))
    if abs(chance(*shape, end) - tail) <= _INVERSE_TOLERANCE * tail:
        return end
    return find_root(lambda p: chance(*shape, p) - tail, 0.0, 1.0, xtol=1e-15)


def score_ends(share: float, n: float, quantile: float) -> tuple[float, float]:
    """Both solutions l of (share - l)^2 = quantile^2 l (1 - l) / n."""
    ratio = quantile**2 / n
    centre = (share + ratio / 2) / (1 + ratio)
    half = math.sqrt(ratio * share * (1 - share) + ratio**2 / 4) / (1 + ratio)
    # Exactly 0 and 1 where none or all agree: rounding would leave a remainder.
    low = 0.0 if share <= 0 else max(0.0, centre - half)
    return low, 1.0 if share >= 1 else min(1.0, centre + half)


def _sequence_method(sequence: ConfidenceSequence) -> IntervalMethod:
    return IntervalMethod(
        partial(confidence_sequence, planned=sequence.planned),
        partial(_linear_sequence, sequence=sequence),
        normal_quantile,
        True,
        sequence,
    )


INTERVAL_METHODS: dict[str, IntervalMethod] = {
    "clopper-pearson": IntervalMethod(
        clopper_pearson, _linear_box(clopper_pearson), normal_quantile, True
    ),
    "wilson": IntervalMethod(wilson, _linear_box(wilson), normal_quantile, False),
    "wald": IntervalMethod(wald, _linear_wald, normal_quantile, False),
    "chebyshev": IntervalMethod(chebyshev, _linear_chebyshev, chebyshev_quantile, True),
    "score": IntervalMethod(score, _linear_score, normal_quantile, False),
    SEQUENCE: _sequence_method(ConfidenceSequence()),
}
