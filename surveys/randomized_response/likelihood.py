"""Maximum likelihood on the simplex: a named alternative to the unbiased estimate.

EM reaches the neighbourhood, a Newton method on the positive shares finishes, and the gradient
certifies: the log likelihood per answer is within max(gradient) - 1 of its maximum.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from surveys.randomized_response.checks import Counts, FloatArray, checked_counts
from surveys.randomized_response.designs.channel import Channel
from surveys.randomized_response.designs.design import DesignLike, channel_of
from surveys.randomized_response.errors import CountsError, DesignError, EstimationError

# Certified gap in log likelihood per answer; the last Newton step moved less than 1e-10.
_GAP = 1e-12
_EM_STEPS = 200
_NEWTON_STEPS = 500


@dataclass(frozen=True)
class MaximumLikelihoodEstimate:
    """``shares`` (options,) on the simplex; ``log_likelihood`` = sum of count * ln(probability)."""

    shares: FloatArray
    log_likelihood: float


def maximum_likelihood(design: DesignLike, counts: Counts) -> MaximumLikelihoodEstimate:
    """The distribution that makes the reports most probable; exact zeros at the boundary.

    Raises DesignError if the channel does not identify the shares, CountsError if the counts
    are invalid or impossible, EstimationError if the certificate is not reached.
    """
    channel = channel_of(design)
    whole = checked_counts(counts, channel.reported_levels)
    _check_identified(channel)
    _check_possible(channel, whole)
    frequencies = np.array(whole, dtype=float) / sum(whole)
    shares = _solve(channel, frequencies)
    total = float(xlogy(whole, channel.matrix @ shares).sum())
    return MaximumLikelihoodEstimate(shares, total)


def _solve(channel: Channel, frequencies: FloatArray) -> FloatArray:
    if channel.reported_levels == channel.true_levels:
        moment = channel.inverse @ frequencies
        if moment.min() >= 0:
            return np.asarray(moment)
        if len(moment) == 2:
            return np.asarray(np.clip(moment, 0.0, 1.0))
    used = frequencies > 0
    return _climb(channel.matrix[used], frequencies[used])


def _climb(matrix: FloatArray, frequencies: FloatArray) -> FloatArray:
    shares = _expectation_maximisation(matrix, frequencies)
    free = shares > 1e-6
    shares = np.where(free, shares, 0.0) / shares[free].sum()
    for _ in range(_NEWTON_STEPS):
        shares, settled = _newton_step(matrix, frequencies, shares, free)
        free = free & (shares > 0)
        gradient = _gradient(matrix, frequencies, shares)
        if gradient.max() - 1 <= _GAP and settled:
            return shares
        if settled:
            free[int(np.argmax(gradient))] = True
    raise EstimationError("counts", frequencies.tolist(), "the likelihood did not settle")


def _expectation_maximisation(matrix: FloatArray, frequencies: FloatArray) -> FloatArray:
    shares = np.full(matrix.shape[1], 1 / matrix.shape[1])
    for _ in range(_EM_STEPS):
        shares = shares * _gradient(matrix, frequencies, shares)
    return shares


def _gradient(matrix: FloatArray, frequencies: FloatArray, shares: FloatArray) -> FloatArray:
    """Derivative of the log likelihood per answer; its mean under the shares is 1."""
    return np.asarray(matrix.T @ (frequencies / (matrix @ shares)))


def _newton_step(
    matrix: FloatArray, frequencies: FloatArray, shares: FloatArray, free: NDArray[np.bool_]
) -> tuple[FloatArray, bool]:
    """One ascent step on the free shares, kept on the simplex; True when it no longer moves."""
    direction = _direction(matrix, frequencies, shares, free)
    longest = _longest_step(shares, direction)
    step = min(1.0, longest)
    start = _value(matrix, frequencies, shares)
    while step > 1e-14:
        moved = _moved(shares, direction, step, at_wall=step == longest)
        if _value(matrix, frequencies, moved) >= start:
            return moved, bool(np.abs(moved - shares).max() < 1e-13)
        step /= 2
    return shares, True


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
    system[:size, :size] = hessian + 1e-10 * np.trace(hessian) * np.eye(size)
    system[size, size] = 0.0
    right = np.append(_gradient(matrix, frequencies, shares)[active], 0.0)
    direction = np.zeros_like(shares)
    direction[active] = np.linalg.solve(system, right)[:size]
    return direction


def _longest_step(shares: FloatArray, direction: FloatArray) -> float:
    shrinking = direction < 0
    if not shrinking.any():
        return np.inf
    return float((shares[shrinking] / -direction[shrinking]).min())


def _moved(shares: FloatArray, direction: FloatArray, step: float, *, at_wall: bool) -> FloatArray:
    moved = np.maximum(shares + step * direction, 0.0)
    if at_wall:
        # The share that stops the step is exactly 0, not a rounding error above it.
        shrinking = np.where(direction < 0, shares / np.where(direction < 0, -direction, 1), np.inf)
        moved[int(np.argmin(shrinking))] = 0.0
    return np.asarray(moved / moved.sum())


def _value(matrix: FloatArray, frequencies: FloatArray, shares: FloatArray) -> float:
    with np.errstate(divide="ignore"):
        return float(frequencies @ np.log(matrix @ shares))


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
