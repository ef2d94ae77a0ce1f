"""RatioEstimate: a share among some options (yes of those who answered), Fieller interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np

from ..checks import FloatArray, checked_entries, checked_index, checked_level
from ..errors import EstimationError
from ..intervals.bets import Bets
from ..intervals.intervals import (
    BETTING,
    EXACT,
    LIKELIHOOD,
    OUTSIDE,
    SAME_SCORE,
    SCORE,
    SEQUENCE,
    Interval,
    Method,
    interval_method,
    score_interval,
)
from ..intervals.martingales import ConfidenceSequence
from ..intervals.printed import estimates_report, people
from ..intervals.profiles import (
    accepted_around,
    accepted_ends,
    calibrated,
    fieller_roots,
    mean_statistic,
    squared_normal,
)
from ..messages import sentence, together

UNBOUNDED = sentence(
    "The share of the compared options may be 0, so the ratio could have any value."
)
NOTHING_EXCLUDED = sentence("Every share from 0 to 1 is possible.")
FIELLER = sentence(
    "Fieller's method is used. The interval is approximate, because it uses the estimated "
    "covariance."
)
FIELLER_UNDEFINED = sentence(
    "Fieller's method is undefined for these data. A guaranteed interval (box) is used instead."
)
# Of the largest score: a share of 0 that is summed from scores is off by less.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class SharesEstimate:
    """A number made of shares; None where it does not exist. ``n``: reports, where known."""

    name: ClassVar[str]
    value: float | None
    standard_error: float | None
    interval: Interval
    n: int | None = None

    def __str__(self) -> str:
        row = (self.name, self.value, self.standard_error, self.interval)
        title = f"{self.name.capitalize()} of shares{people(self.n)}"
        return estimates_report(title, "value", [row])


@dataclass(frozen=True)
class RatioEstimate(SharesEstimate):
    """``value`` and ``standard_error`` (delta method) are None where they do not exist.

    ``n``: reports to all options, where known.
    """

    name = "ratio"


class _Estimate(Protocol):
    @property
    def scores(self) -> FloatArray: ...
    @property
    def counts(self) -> tuple[int, ...]: ...
    @property
    def shares(self) -> FloatArray: ...
    @property
    def covariance(self) -> FloatArray | None: ...


@dataclass(frozen=True)
class _Ratio:
    """Numerator and the rest of the denominator as weights on the options."""

    estimate: _Estimate
    top: FloatArray
    rest: FloatArray

    @property
    def bottom(self) -> FloatArray:
        return self.top + self.rest

    def covariance(self, left: FloatArray, right: FloatArray) -> float:
        matrix = self.estimate.covariance
        return 0.0 if matrix is None else float(left @ matrix @ right)

    def shares(self) -> tuple[float, float]:
        shares = self.estimate.shares
        return float(self.top @ shares), float(self.bottom @ shares)


def estimate_ratio(
    estimate: _Estimate,
    numerator: int | Sequence[int],
    denominators: Sequence[int],
    level: float,
    method: Method,
) -> RatioEstimate:
    """Sum of pi[numerator] / sum of pi[denominators], of which the numerator is one or some.

    The score method keeps every t in [0, 1] at which a mean of 0 of N - t D is not rejected, a
    sequence every t at which bets against that mean do not gain too much; Wald and Chebyshev use
    Fieller's method (1954); the others the box L/(L + U'), U/(U + L') of Bonferroni-split intervals
    for the numerator and the rest. Raises EstimationError.
    """
    return _estimated(_checked_ratio(estimate, numerator, denominators), level, method)


def _estimated(ratio: _Ratio, level: float, method: Method) -> RatioEstimate:
    chosen = interval_method(method)
    if isinstance(sequence := chosen.sequence, ConfidenceSequence):
        interval = _sequence(ratio, level, sequence)
    elif method == SCORE:
        interval = _profiled(ratio, level)
    elif method in ("wald", "chebyshev"):
        interval = _fieller(ratio, level, str(method), chosen.quantile(level))
    else:
        interval = _box(ratio, level, str(method))
    return RatioEstimate(
        _value(ratio), _standard_error(ratio), interval, sum(ratio.estimate.counts)
    )


def estimate_mean_among(
    estimate: _Estimate,
    values: Sequence[float | None],
    level: float = 0.95,
    method: Method | None = None,
) -> RatioEstimate:
    """The mean of the options' ``values`` among people whose option has one; None for no value.

    The numerator is the sum of pi[x] values[x], the denominator that of pi[x] over these x: the
    ratio estimate of a mean in a domain (Cochran 1977, chapter 6), where we have shares
    estimated through a channel in the place of counts. With the least value as 0 and the largest as
    1 it is a share of a share, with the intervals of ``estimate_ratio``. Raises EstimationError.

    >>> from randomized_response.designs import Direct
    >>> from randomized_response.estimates import estimate_distribution, estimate_mean_among
    >>> estimate = estimate_distribution(Direct(3), [30, 10, 60])
    >>> estimate_mean_among(estimate, [0, 8, None]).value
    2.0
    """
    present = [value for value in values if value is not None]
    if len(values) != len(estimate.shares) or len(set(present)) < 2:
        remedy = "give a value or None for each option, and at least two different values"
        raise EstimationError("values", values, remedy)
    least, width = min(present), max(present) - min(present)
    has_value = np.array([float(value is not None) for value in values])
    top = np.array([0.0 if value is None else (value - least) / width for value in values])
    ratio = _Ratio(estimate, top, has_value - top)
    share = _estimated(ratio, checked_level(level), method or SCORE)
    low, high = (least + width * end for end in (share.interval.low, share.interval.high))
    return replace(
        share,
        value=None if share.value is None else least + width * share.value,
        standard_error=None if share.standard_error is None else width * share.standard_error,
        interval=replace(share.interval, low=low, high=high),
    )


def _checked_ratio(
    estimate: _Estimate, numerator: int | Sequence[int], denominators: Sequence[int]
) -> _Ratio:
    options = len(estimate.shares)
    several = numerator if isinstance(numerator, Sequence) else (numerator,)
    remedy = "list the options among which the share is taken, such as (0, 1)"
    among = checked_entries("denominators", denominators, remedy, EstimationError)
    top = {checked_index("numerator", option, options) for option in several}
    bottom = {checked_index("denominators", option, options) for option in among}
    if not top or not top < bottom:
        remedy = "list the numerator and at least one other option to compare it with"
        raise EstimationError("denominators", denominators, remedy)
    top_weights, rest = (
        np.isin(np.arange(options), sorted(chosen)).astype(float) for chosen in (top, bottom - top)
    )
    return _Ratio(estimate, top_weights, rest)


def _value(ratio: _Ratio) -> float | None:
    top, bottom = ratio.shares()
    least = _ROUNDING * float(np.abs(ratio.estimate.scores).max())
    return top / bottom if bottom > least else None


def _standard_error(ratio: _Ratio) -> float | None:
    value = _value(ratio)
    if value is None or ratio.estimate.covariance is None:
        return None
    gradient = (ratio.top - value * ratio.bottom) / ratio.shares()[1]
    return math.sqrt(max(0.0, ratio.covariance(gradient, gradient)))


def _box(ratio: _Ratio, level: float, method: str) -> Interval:
    estimate, each = ratio.estimate, 1 - (1 - level) / 2
    top, rest = (
        score_interval(weights @ estimate.scores, estimate.counts, each, method)
        for weights in (ratio.top, ratio.rest)
    )
    if min(top.high, rest.high) <= 0 or max(top.low, rest.low) >= 1:
        return Interval(0.0, 1.0, level, method, OUTSIDE)
    top, rest = top.clipped(), rest.clipped()
    low = top.low / (top.low + rest.high) if top.low > 0 else 0.0
    high = top.high / (top.high + rest.low) if rest.low > 0 else 1.0
    return Interval(low, high, level, method, UNBOUNDED if top.low + rest.low == 0 else "")


def _profiled(ratio: _Ratio, level: float) -> Interval:
    """N - t D is a mean score for every t, so ``profiles`` tests whether it is 0."""
    counts = np.array(ratio.estimate.counts, dtype=float)
    limit = calibrated(squared_normal(level), int(counts.sum()))
    top, bottom = (weights @ ratio.estimate.scores for weights in (ratio.top, ratio.bottom))

    def excess(values: FloatArray) -> FloatArray:
        return mean_statistic(top - values[:, None] * bottom, counts) - limit

    value = _value(ratio)
    if value is None or not math.isfinite(limit):
        return Interval(0.0, 1.0, level, SCORE, UNBOUNDED)
    if not _is_known(ratio, limit):
        ends = accepted_ends(excess, 0.0, 1.0)
    else:
        ends = accepted_around(excess, value, min(0.0, value), max(1.0, value))
    if ends is None:
        return Interval(0.0, 1.0, level, SCORE, OUTSIDE)
    if ends[0] > 0 or ends[1] < 1:
        return Interval(*ends, level, SCORE, LIKELIHOOD)
    # Nothing possible is excluded: say how much more the reports would allow, if they do.
    normal = squared_normal(level)
    roots = _fieller_roots(ratio, normal) if _is_known(ratio, normal) else None
    if roots is None:
        return Interval(0.0, 1.0, level, SCORE, UNBOUNDED)
    low, high = min(0.0, roots[0]), max(1.0, roots[1])
    return Interval(low, high, level, SCORE, NOTHING_EXCLUDED)


def _sequence(ratio: _Ratio, level: float, sequence: ConfidenceSequence) -> Interval:
    """N - t D is a mean score for every t: bets that it is above 0, and below, at half each."""
    counts = np.array(ratio.estimate.counts, dtype=float)
    bound = math.log(2 / (1 - level))
    bets = Bets.of(sequence.planned, bound)
    top, bottom = (weights @ ratio.estimate.scores for weights in (ratio.top, ratio.bottom))

    def excess(values: FloatArray) -> FloatArray:
        scores = top - values[:, None] * bottom
        spread = scores.std(axis=1)
        gains = [bets.log_gain(side, counts, spread) for side in (scores, -scores)]
        return np.maximum(*gains) - bound

    ends = accepted_ends(excess, 0.0, 1.0)
    if ends is None:
        return Interval(0.0, 1.0, level, SEQUENCE, OUTSIDE)
    return Interval(*ends, level, SEQUENCE, UNBOUNDED if ends == (0.0, 1.0) else BETTING)


def _is_known(ratio: _Ratio, limit: float) -> bool:
    """Whether the denominator differs from 0; else its share says nothing beforehand."""
    return _fieller_roots(ratio, limit) is not None and _is_spread(ratio)


def _fieller_roots(ratio: _Ratio, squared: float) -> tuple[float, float] | None:
    """Where (N - t D)^2 = squared Var(N - t D); None where the interval has no two ends."""
    pairs = ((ratio.top, ratio.top), (ratio.top, ratio.bottom), (ratio.bottom, ratio.bottom))
    top, both, bottom = (ratio.covariance(left, right) for left, right in pairs)
    return fieller_roots(*ratio.shares(), (top, both, bottom), squared)


def _fieller(ratio: _Ratio, level: float, method: str, quantile: float) -> Interval:
    """All t with (N - t D)^2 <= q^2 Var(N - t D): between the roots of a quadratic in t."""
    if ratio.shares()[1] > 0 and not _is_spread(ratio):
        interval = _box(ratio, level, EXACT)
        return replace(interval, note=together(FIELLER_UNDEFINED, interval.note))
    ends = _fieller_roots(ratio, quantile**2)
    if ends is None:
        return Interval(0.0, 1.0, level, method, UNBOUNDED)
    return Interval(*ends, level, method, FIELLER)


def _is_spread(ratio: _Ratio) -> bool:
    """Whether the reports that were given differ in their score for N - t D at the estimate."""
    top, bottom = ratio.shares()
    scores = (ratio.top - top / bottom * ratio.bottom) @ ratio.estimate.scores
    reported = scores[np.array(ratio.estimate.counts) > 0]
    return float(np.ptp(reported)) > SAME_SCORE * float(np.abs(scores).max())
