"""Intervals of weighted shares at an effective number of answers from the linearised variance.

The scores of the reports have a weighted mean with linearised variance v and a weighted spread
s^2 = sum of f_y (score_y - mean)^2. So n* = s^2 / v independent answers of equal weight are as
certain. Two distinct scores are a proportion f, s^2 is f(1 - f) and n* f successes in n* trials
have Beta ends, as in Clopper and Pearson's interval: Korn and Graubard (1998). With t the quantile
of Student's law, their n* is multiplied by (t_{n-1} / t_df)^2, df = units less strata, as
``svyciprop(method="beta")`` of the R package survey does; like it, n* may be above n.

More scores take the profile likelihood of ``intervals.profiles`` for n* f_y reports: the
pseudo-empirical likelihood of Wu and Rao (2006), divided by the design effect. It is no wider than
Student's interval where that covers, follows skewed scores, and needs no box of all levels.

We depart from both sources in two cases. Where v is 0 but says nothing, as when all answers agree,
n* is Kish's (sum w)^2 / sum w^2. Where one answer has over half of all weight, v is a guess, and
n* is at most Kish's.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
import scipy

from ..checks import FloatArray
from ..errors import EstimationError
from ..intervals.intervals import (
    LIKELIHOOD,
    SAME_SCORE,
    Interval,
    beta_ends,
    normal_quantile,
    score_ends,
)
from ..intervals.profiles import calibrated, mean_ends, squared_normal
from ..messages import Message, figure, sentence, together

Ends = Callable[[float, float, float], tuple[float, float]]

KORN_GRAUBARD, WALD = "korn-graubard", "wald"
WORTH = sentence(
    "By the linearised variance, these {n} answers are worth {effective} independent answers."
)
AGREED = sentence(
    "The linearised variance is 0. A variance of 0 does not mean certainty: the interval treats "
    "the {n} answers as {effective} independent answers (Kish)."
)
CAPPED = sentence(
    "A single answer decides the linearised variance. The interval therefore treats the {n} "
    "answers as {effective} independent answers (Kish)."
)
UNITS = sentence(
    "The interval uses {df} degrees of freedom: the number of sampling units minus the number "
    "of strata."
)
NO_WALD = sentence(
    "The normal (Wald) interval is undefined if the linearised variance is 0 or missing. The "
    "interval of Korn and Graubard is used instead."
)
# A variance this small beside that of Kish's number is the rounding of 0.
_NO_VARIANCE = 1e-10


class Weighted(Protocol):
    """Weighted shares of the reports, as the intervals need them."""

    @property
    def scores(self) -> FloatArray: ...
    @property
    def reported_shares(self) -> tuple[float, ...]: ...
    @property
    def covariance_of_reports(self) -> FloatArray | None: ...
    @property
    def effective_n(self) -> float: ...
    @property
    def n(self) -> int: ...
    @property
    def degrees_of_freedom(self) -> int: ...
    @property
    def is_decided_by_one(self) -> bool: ...


def weighted_interval(estimate: Weighted, option: int, level: float, method: str) -> Interval:
    """Interval for one share of a weighted estimate, by a method of ``METHODS``."""
    if estimate.degrees_of_freedom < 1 <= estimate.n - 1:
        remedy = "there are as many strata as units, which says nothing about how units differ"
        raise EstimationError("degrees of freedom", estimate.degrees_of_freedom, remedy)
    if method == WALD:
        return _wald(estimate, option, level)
    n, note = effective_number(estimate, option, level)
    scores, shares = estimate.scores[option], np.array(estimate.reported_shares)
    interval = mean_interval(scores, shares, n, level, method)
    return replace(interval, note=together(note, interval.note))


def effective_number(estimate: Weighted, option: int, level: float) -> tuple[float, str]:
    """n* of the mean score of an option, and the note that says where it comes from."""
    worth, note = _independent(estimate, option)
    n, df = estimate.n, estimate.degrees_of_freedom
    words = note.format(n=n, effective=figure(worth, ".1f"))
    if df == n - 1:
        return worth, words
    adjusted = worth * (student_quantile(level, n - 1) / student_quantile(level, df)) ** 2
    return adjusted, together(words, UNITS.format(df=df))


def _independent(estimate: Weighted, option: int) -> tuple[float, Message]:
    variance, kish = score_variance(estimate, option), estimate.effective_n
    if variance is None:
        return kish, AGREED
    scores, shares = estimate.scores[option], np.array(estimate.reported_shares)
    worth = score_spread(scores, shares) / variance
    return (kish, CAPPED) if estimate.is_decided_by_one and worth > kish else (worth, WORTH)


def score_variance(estimate: Weighted, option: int) -> float | None:
    """Linearised variance of the mean score; None where there is none, or where it is 0."""
    scores, covariance = estimate.scores[option], estimate.covariance_of_reports
    if covariance is None:
        return None
    shares = np.array(estimate.reported_shares)
    centred = scores - scores @ shares
    variance = float(centred @ covariance @ centred)
    spread = max(score_spread(scores, shares), _NO_VARIANCE * float(np.ptp(scores)) ** 2)
    return variance if variance > _NO_VARIANCE * spread / estimate.effective_n else None


def score_spread(scores: FloatArray, shares: FloatArray) -> float:
    """Weighted variance of the scores of the reports: f (1 - f) for a proportion."""
    return float(shares @ (scores - scores @ shares) ** 2)


def mean_interval(
    scores: FloatArray, shares: FloatArray, n: float, level: float, method: str
) -> Interval:
    """Interval for the mean of the scores among n answers, which need not be whole; no checks."""
    values, totals = _grouped(scores, shares)
    if len(values) > 2:
        ends = mean_ends(values, n * totals, calibrated(squared_normal(level), n))
        return Interval(*ends, level, "score", LIKELIHOOD)
    low, high = METHODS[method](float(totals[1]), n, level)
    return Interval(low, high, level, method).mapped(float(values[0]), float(values[1] - values[0]))


# Of more than two scores all of them are the profile likelihood.
METHODS: dict[str, Ends] = {
    KORN_GRAUBARD: lambda share, n, level: beta_ends(share * n, n, level),
    "wilson": lambda share, n, level: score_ends(share, n, normal_quantile(level)),
    "score": lambda share, n, level: score_ends(share, n, normal_quantile(level)),
}


def checked_method(method: object, offered: Sequence[str]) -> str:
    """A method among those ``offered``. Raises EstimationError."""
    if not isinstance(method, str) or method not in offered:
        raise EstimationError("method", method, f"with weights choose one of {', '.join(offered)}")
    return method


def student_quantile(level: float, df: float) -> float:
    """Two-sided quantile of Student's law: 1.98 for 0.95 and 100."""
    return float(scipy.special.stdtrit(df, (1 + level) / 2))


def _grouped(scores: FloatArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Distinct scores, ascending, and the share of reports that carry each; shares in [0, 1]."""
    order = np.argsort(scores, kind="stable")
    steps = np.diff(scores[order]) > SAME_SCORE * np.abs(scores).max()
    starts = np.flatnonzero(np.concatenate([[True], steps]))
    totals = np.add.reduceat(shares[order], starts)
    # Sums of weights may pass 1 by their rounding.
    return scores[order][starts], np.clip(totals, 0.0, 1.0)


def _wald(estimate: Weighted, option: int, level: float) -> Interval:
    """Student's interval at the linearised standard error, as ``svyciprop(method="mean")``."""
    variance = score_variance(estimate, option)
    if variance is None:
        other = weighted_interval(estimate, option, level, KORN_GRAUBARD)
        return replace(other, note=together(NO_WALD, other.note))
    share = float(estimate.scores[option] @ np.array(estimate.reported_shares))
    half = student_quantile(level, estimate.degrees_of_freedom) * math.sqrt(variance)
    return Interval(share - half, share + half, level, WALD)
