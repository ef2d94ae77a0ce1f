"""Maximum likelihood shares on the simplex: mixtures, expectation-maximisation, gradient steps.

EM reaches the neighbourhood, a Newton method on the positive shares finishes, and the gradient
certifies: the log likelihood per answer is within max(gradient) - 1 of its maximum.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from ..checks import Counts, FloatArray, checked_counts
from ..designs.channel import Channel
from ..designs.design import DesignLike, channel_of
from ..errors import CountsError, DesignError, EstimationError
from ..intervals.printed import numbers_of, people
from ..printing import report

# At the maximum the slope is 0 for positive shares and at most 0 for the others.
_SLOPE = 1e-12
# Shares that EM leaves below this are tried as 0: their slope brings them back if need be.
_NEGLIGIBLE = 1e-6
# Of all curvature, added to each direction so that those without any have a finite step.
_RIDGE = 1e-10
# A shorter step changes no float.
_SHORTEST_STEP = 1e-14
# EM comes near in some steps and then crawls: Newton's method finishes.
_EM_STEPS = 200
_NEWTON_STEPS = 500


@dataclass(frozen=True)
class MaximumLikelihoodEstimate:
    """``shares`` (options,) on the simplex; ``log_likelihood`` = sum of count * ln(probability).

    ``n``: reports, where known.
    """

    shares: FloatArray
    log_likelihood: float
    n: int | None = None

    def __str__(self) -> str:
        title = f"Maximum likelihood{people(self.n)}, log likelihood {self.log_likelihood:.6f}"
        rows = zip(numbers_of(self.shares), self.shares.tolist(), strict=True)
        return report(title, ("share", "estimate"), rows)


def maximum_likelihood(design: DesignLike, counts: Counts) -> MaximumLikelihoodEstimate:
    """The distribution that makes the reports most probable; exact zeros at the boundary.

    Raises DesignError if the channel does not identify the shares, CountsError if the counts
    are invalid or impossible, EstimationError if the certificate is not reached.

    >>> from randomized_response.designs import KAry
    >>> from randomized_response.estimates import maximum_likelihood
    >>> print(maximum_likelihood(KAry(3, 0.5), [520, 310, 170]))
    Maximum likelihood, n = 1000, log likelihood -1022.901099
    share  estimate
    0      0.879518
    1      0.120482
    2             0
    """
    channel = channel_of(design)
    reported = checked_counts(counts, channel.reported_levels)
    _check_identified(channel)
    _check_possible(channel, reported)
    frequencies = np.array(reported, dtype=float) / sum(reported)
    shares = _solve(channel, frequencies)
    total = float(scipy.special.xlogy(reported, channel.matrix @ shares).sum())
    return MaximumLikelihoodEstimate(shares, total, sum(reported))


def _solve(channel: Channel, frequencies: FloatArray) -> FloatArray:
    if channel.reported_levels == channel.true_levels:
        moment = channel.inverse @ frequencies
        # It fits the reports exactly, so that within the simplex nothing is more likely.
        if moment.min() >= 0:
            return np.asarray(moment)
        # Along one dimension the likelihood falls from there on: the nearest end is best.
        if len(moment) == 2:
            return np.asarray(np.clip(moment, 0.0, 1.0))
    used = frequencies > 0
    return maximise_mixture(channel.matrix[used], frequencies[used])


def maximise_mixture(matrix: FloatArray, frequencies: FloatArray) -> FloatArray:
    """Shares on the simplex that maximise sum of frequencies * ln(matrix @ shares).

    ``matrix`` (reports, options) holds P(report | option) up to a factor per report,
    ``frequencies`` (reports,) are above 0 and sum to 1. Newton's method on the free shares;
    others are 0 until their slope says otherwise. Raises EstimationError if it does not settle.
    """
    shares = _expectation_maximisation(matrix, frequencies)
    free = shares > _NEGLIGIBLE
    shares = np.where(free, shares, 0.0) / shares[free].sum()
    for _ in range(_NEWTON_STEPS):
        slope = _gradient(matrix, frequencies, shares) - 1
        if np.abs(slope[free]).max() <= _SLOPE:
            if slope.max() <= _SLOPE:
                return np.asarray(shares)
            # One at a time, the share that gains most: the others may not gain any more then.
            free[int(np.argmax(slope))] = True
        direction = _direction(matrix, frequencies, shares, free)
        # At 0 and about to fall further: these stay 0 until their slope says otherwise.
        blocked = free & (shares <= 0) & (direction < 0)
        if not blocked.any():
            shares = _advanced(matrix, frequencies, shares, direction)
        free = free & ~blocked & (shares > 0)
    raise EstimationError("counts", frequencies.tolist(), "the likelihood did not settle")


def _expectation_maximisation(matrix: FloatArray, frequencies: FloatArray) -> FloatArray:
    shares = np.full(matrix.shape[1], 1 / matrix.shape[1])
    for _ in range(_EM_STEPS):
        shares = shares * _gradient(matrix, frequencies, shares)
    return np.asarray(shares)


def _gradient(matrix: FloatArray, frequencies: FloatArray, shares: FloatArray) -> FloatArray:
    """Derivative of the log likelihood per answer; its mean under the shares is 1."""
    return np.asarray(matrix.T @ (frequencies / (matrix @ shares)))


def _direction(
    matrix: FloatArray, frequencies: FloatArray, shares: FloatArray, free: NDArray[np.bool_]
) -> FloatArray:
    """Newton direction with its sum held at 0; a tiny ridge keeps flat directions finite."""
    active = np.flatnonzero(free)
    part = matrix[:, active]
    weights = frequencies / (matrix @ shares) ** 2
    hessian = part.T @ (weights[:, None] * part)
    size = len(active)
    system = np.ones((size + 1, size + 1))
    system[:size, :size] = hessian + _RIDGE * np.trace(hessian) * np.eye(size)
    system[size, size] = 0.0
    right = np.append(_gradient(matrix, frequencies, shares)[active] - 1, 0.0)
    direction = np.zeros_like(shares)
    direction[active] = np.linalg.solve(system, right)[:size]
    return direction


def _advanced(
    matrix: FloatArray, frequencies: FloatArray, shares: FloatArray, direction: FloatArray
) -> FloatArray:
    """The longest step, of the full one and its halves, that does not overshoot by much.

    Judged by the slope along the direction: the value itself is too coarse near the maximum.
    """
    allowed = -_slope(matrix, frequencies, shares, direction) / 2
    step, moved = 1.0, _moved(shares, direction, 1.0)
    while (matrix @ moved).min() <= 0 or _slope(matrix, frequencies, moved, direction) < allowed:
        step /= 2
        moved = _moved(shares, direction, step)
        if step < _SHORTEST_STEP:
            return shares
    return moved


def _slope(
    matrix: FloatArray, frequencies: FloatArray, shares: FloatArray, direction: FloatArray
) -> float:
    return float(_gradient(matrix, frequencies, shares) @ direction)


def _moved(shares: FloatArray, direction: FloatArray, step: float) -> FloatArray:
    """A step cut short at the first wall; the share that stops it becomes exactly 0."""
    shrinking = direction < 0
    limits = np.full_like(shares, np.inf)
    limits[shrinking] = shares[shrinking] / -direction[shrinking]
    length = min(step, float(limits.min()))
    moved = np.maximum(shares + length * direction, 0.0)
    moved[limits <= length] = 0.0
    return np.asarray(moved / moved.sum())


def _check_identified(channel: Channel) -> None:
    singular = np.linalg.svd(channel.matrix, compute_uv=False)
    if channel.reported_levels < channel.true_levels or singular[-1] < 1e-12 * singular[0]:
        remedy = "different true shares give the same reports: use another design"
        raise DesignError("channel", channel.matrix.tolist(), remedy)


def _check_possible(channel: Channel, counts: tuple[int, ...]) -> None:
    for level, count in enumerate(counts):
        if count > 0 and channel.matrix[level].max() == 0:
            remedy = "the design can never produce this report"
            raise CountsError(f"counts[{level}]", count, remedy)
