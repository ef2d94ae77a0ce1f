"""Intervals of weighted shares: Clopper-Pearson, Wilson and Wald ends at an effective number n.

A weighted share f with Kish's effective number m is treated like m f successes in m trials; both
may be fractional, and the Beta form of the Clopper-Pearson interval does not mind (Korn and
Graubard 1998, who divide by the design effect in the same way). With equal weights it is the exact
interval; otherwise it is approximate, and its note says so.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np

from ..checks import FloatArray
from ..errors import EstimationError
from ..intervals.intervals import (
    BOX,
    SAME_SCORE,
    WALD_UNDEFINED,
    Interval,
    beta_lower_end,
    beta_upper_end,
    least_mean,
    normal_quantile,
)

EffectiveInterval = Callable[[float, float, float], tuple[float, float]]


class _Weighted(Protocol):
    @property
    def scores(self) -> FloatArray: ...
    @property
    def reported_shares(self) -> tuple[float, ...]: ...
    @property
    def effective_n(self) -> float: ...
    @property
    def n(self) -> int: ...
    @property
    def shares(self) -> FloatArray: ...
    @property
    def standard_errors(self) -> FloatArray | None: ...


def weighted_interval(estimate: _Weighted, option: int, level: float, method: str) -> Interval:
    """Interval for one share of a weighted estimate. Raises EstimationError."""
    if method == "wald":
        return _wald(estimate, option, level)
    if method not in EFFECTIVE_METHODS:
        names = ", ".join([*EFFECTIVE_METHODS, "wald"])
        raise EstimationError("method", method, f"with weights choose one of {names}")
    scores, shares = estimate.scores[option], np.array(estimate.reported_shares)
    low, high, boxed = _score_ends(scores, shares, estimate.effective_n, level, method)
    note = f"At the effective number of answers, {estimate.effective_n:.1f} of {estimate.n}."
    return Interval(low, high, level, method, f"{note} {BOX}" if boxed else note)


def clopper_pearson_ends(share: float, n: float, level: float) -> tuple[float, float]:
    """Ends for ``share * n`` successes in ``n`` trials, both real, n > 0: 0 and 1 are reached."""
    tail = (1 - level) / 2
    low = 0.0 if share <= 0 else beta_lower_end(share * n, n - share * n + 1, tail)
    high = 1.0 if share >= 1 else beta_upper_end(share * n + 1, n - share * n, tail)
    return low, high


def wilson_ends(share: float, n: float, level: float) -> tuple[float, float]:
    """Both solutions l of (share - l)^2 = z^2 l (1 - l) / n."""
    ratio = normal_quantile(level) ** 2 / n
    centre = (share + ratio / 2) / (1 + ratio)
    half = math.sqrt(ratio * share * (1 - share) + ratio**2 / 4) / (1 + ratio)
    return max(0.0, centre - half), min(1.0, centre + half)


EFFECTIVE_METHODS: dict[str, EffectiveInterval] = {
    "clopper-pearson": clopper_pearson_ends,
    "wilson": wilson_ends,
}


def _score_ends(
    scores: FloatArray, shares: FloatArray, n: float, level: float, method: str
) -> tuple[float, float, bool]:
    """(low, high, whether a box was needed) for the mean score."""
    ends = EFFECTIVE_METHODS[method]
    values, grouped = _grouped(scores, shares)
    if len(values) > 2:
        each = 1 - (1 - level) / len(values)
        box = np.array([ends(share, n, each) for share in grouped])
        return least_mean(values, *box.T), -least_mean(-values, *box.T), True
    low, high = ends(float(grouped[1]), n, level)
    return (
        values[0] + low * (values[1] - values[0]),
        values[0] + high * (values[1] - values[0]),
        False,
    )


def _grouped(scores: FloatArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Distinct scores, ascending, and the share of reports that carry each; shares in [0, 1]."""
    order = np.argsort(scores, kind="stable")
    steps = np.diff(scores[order]) > SAME_SCORE * np.abs(scores).max()
    starts = np.flatnonzero(np.concatenate([[True], steps]))
    totals = np.add.reduceat(shares[order], starts)
    return scores[order][starts], np.clip(totals, 0.0, 1.0)


def _wald(estimate: _Weighted, option: int, level: float) -> Interval:
    errors = estimate.standard_errors
    if errors is None or np.count_nonzero(estimate.reported_shares) == 1:
        exact = weighted_interval(estimate, option, level, "clopper-pearson")
        return replace(exact, note=f"{WALD_UNDEFINED} {exact.note}")
    half = normal_quantile(level) * float(errors[option])
    share = float(estimate.shares[option])
    return Interval(share - half, share + half, level, "wald")
