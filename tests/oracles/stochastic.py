"""Gradients of the expected error, exact and by random probes, for strategies of any shape.

McKenna, "Stochastic Optimization for Strategy Selection" (2017) takes the gradient of
C(A) = ||W A^+ y||^2 for random y. With B = C's derivative in A^+, Golub and Pereyra (1973) give

    dC/dA = -A^+' B A^+' + (I - A A^+) B' A^+ A^+' + A^+' A^+ B' (I - A^+ A),   B = 2 W'W A^+ y y'.

Departures from the note, each held by a test: its gradient is printed transposed (n x p, silently
wrong for square A); only the variance of y matters, so that Laplace noise of scale 1 doubles the
trace, and Rademacher probes have the least variance; its column norm 1 / sum P is the L1 norm only
while P >= 0, so that a signed P would break the promise: norms are taken of |P|; C measures the
error only if A answers W, which is checked; one fixed y is fitted instead of averaged, so that
every step draws afresh.
"""

from dataclasses import dataclass

import numpy as np

from analytics.workloads.asks import Workload
from analytics.workloads.checks import FloatArray, StrategyError, checked_matrix, checked_vector
from analytics.workloads.strategies import identity, sensitivity, squared_error

# Adam's constants (Kingma and Ba 2015).
_MEAN, _SQUARE, _TINY = 0.9, 0.999, 1e-8


def probed_error(workload: object, strategy: object, probe: object) -> tuple[float, FloatArray]:
    """C(A) = ||W A^+ y||^2 and dC/dA, in the shape of A. W is rows x cells, y has A's rows."""
    asked = checked_matrix("workload", workload)
    matrix = checked_matrix("strategy", strategy, StrategyError)
    noise = checked_vector("probe", probe, len(matrix))
    inverse = np.linalg.pinv(matrix)
    answers = inverse @ noise
    error = asked.T @ (asked @ answers)
    upward = np.outer(2 * error, noise)
    rest = np.eye(len(matrix)) - matrix @ inverse
    gradient = (
        -inverse.T @ upward @ inverse.T
        + rest @ upward.T @ inverse @ inverse.T
        + inverse.T @ inverse @ upward.T @ (np.eye(matrix.shape[1]) - inverse @ matrix)
    )
    return float(answers @ error), np.asarray(gradient)


def normalised(parameters: object, norm: int) -> FloatArray:
    """P with every column divided by its L1 or L2 norm, so that the sensitivity is 1."""
    matrix = checked_matrix("parameters", parameters, StrategyError)
    norms = np.linalg.norm(matrix, norm, axis=0)
    if not (norms > 0).all():
        raise StrategyError("parameters", matrix.shape, "every cell needs a row that counts it")
    return np.asarray(matrix / norms)


def through_normalisation(parameters: object, gradient: FloatArray, norm: int) -> FloatArray:
    """dC/dP from dC/dA for A = ``normalised(P)``.

    dP = (G - N diag(sum_i G A)) / norms, where N is the derivative of the norm: sign(P) for L1, A
    for L2. Raises StrategyError.
    """
    matrix = checked_matrix("parameters", parameters, StrategyError)
    strategy = normalised(matrix, norm)
    norms = np.linalg.norm(matrix, norm, axis=0)
    outward = np.sign(matrix) if norm == 1 else strategy
    return np.asarray((gradient - outward * (gradient * strategy).sum(axis=0)) / norms)


def probed_product(
    workload: object, left: object, right: object, probe: object
) -> tuple[float, FloatArray, FloatArray]:
    """C, dC/dB and dC/dC for the strategy B (x) C: the gradient of the product, term by term."""
    first = checked_matrix("left", left, StrategyError)
    second = checked_matrix("right", right, StrategyError)
    value, gradient = probed_error(workload, np.kron(first, second), probe)
    shape = (first.shape[0], second.shape[0], first.shape[1], second.shape[1])
    blocks = gradient.reshape(shape)
    by_left = np.einsum("abij,bj->ai", blocks, second)
    return value, by_left, np.einsum("abij,ai->bj", blocks, first)


@dataclass(frozen=True)
class ProbeLaw:
    """A law of probes y: variance and kurtosis of its independent entries."""

    variance: float
    kurtosis: float


RADEMACHER = ProbeLaw(1.0, 1.0)
GAUSSIAN = ProbeLaw(1.0, 3.0)
LAPLACE = ProbeLaw(2.0, 6.0)


def probe_spread(workload: Workload, strategy: object, law: ProbeLaw) -> tuple[float, float]:
    """Mean of C over the trace it estimates, and C's relative standard deviation.

    With M = (W A^+)'(W A^+): E C = variance tr M and Var C = variance^2 (2 ||M||_F^2 +
    (kurtosis - 3) sum M_ii^2) (Avron and Toledo 2011, for Rademacher and Gaussian entries).
    """
    matrix = checked_matrix("strategy", strategy, StrategyError)
    reach = workload.matrix() @ np.linalg.pinv(matrix)
    squared = reach.T @ reach
    trace = float(squared.trace())
    spread = 2 * (squared**2).sum() + (law.kurtosis - 3) * (squared.diagonal() ** 2).sum()
    return law.variance, float(np.sqrt(spread) / trace)


def searched(
    workload: Workload, rows: int, norm: int, rng: np.random.Generator, steps: int = 500
) -> FloatArray:
    """The strategy that stochastic descent finds: an identity under ``rows`` more rows.

    Fresh Rademacher probes in every step; the identity block keeps everything answered. The result
    has sensitivity 1; the best of the identity and what was found, by the exact error. Raises
    WorkloadError, StrategyError.
    """
    if rows < 1 or steps < 1:
        raise StrategyError("rows", rows, "give at least one row and one step")
    asked, cells = workload.matrix(), workload.cells
    extra = rng.random((rows, cells))
    mean, square = np.zeros_like(extra), np.zeros_like(extra)
    for step in range(1, steps + 1):
        parameters = np.vstack([np.eye(cells), extra])
        probe = rng.choice([-1.0, 1.0], cells + rows)
        _, gradient = probed_error(asked, normalised(parameters, norm), probe)
        slope = through_normalisation(parameters, gradient, norm)[cells:]
        mean = _MEAN * mean + (1 - _MEAN) * slope
        square = _SQUARE * square + (1 - _SQUARE) * slope**2
        step_size = 0.05 / np.sqrt(step) * np.sqrt(1 - _SQUARE**step) / (1 - _MEAN**step)
        extra = np.maximum(extra - step_size * mean / (np.sqrt(square) + _TINY), 0.0)
    start = normalised(np.vstack([np.eye(cells), extra]), norm)
    candidates = [identity(cells), start / sensitivity(start, norm)]
    return min(candidates, key=lambda strategy: squared_error(workload, strategy))
