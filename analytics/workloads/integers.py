"""Integer strategies: what is released exactly, with the noise of the secure sampler.

A strategy is rounded to integers, Z = round(2^bits A): its sensitivity is then an exact integer,
its answers Z x are exact integers, and discrete noise on the integers has no floating-point leak
(Mironov 2012; ``analytics.privacy.mechanisms``). Everything after that is post-processing. What
rounding costs in error is below 0.04 % at 12 bits.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from analytics.privacy.accounting import Adjacency
from analytics.privacy.checks import IntArray, checked_integers
from analytics.privacy.lattice import lattice_sd_for
from analytics.privacy.mechanisms import Noise, Release, release_sum
from analytics.workloads.asks import Workload
from analytics.workloads.checks import FloatArray, checked_matrix
from analytics.workloads.errors import StrategyError
from analytics.workloads.least_squares import Answers, answered

BITS = 12
# Sums of products stay exact in 64 bits: entries up to 2^20, and counts up to 2^40 of them.
_MOST_BITS = 20
_LARGEST_SUM = 2**61


@dataclass(frozen=True, eq=False)
class IntegerStrategy:
    """Z, rows x cells, int64: what is multiplied with the counts before noise is added."""

    rows: IntArray

    def sensitivity_squared(self, adjacency: Adjacency = Adjacency.ADD_OR_REMOVE) -> int:
        """The exact largest squared L2 distance that one respondent in one cell moves Z x."""
        gram = self.rows.T @ self.rows
        own = gram.diagonal()
        if adjacency is Adjacency.ADD_OR_REMOVE:
            return int(own.max())
        return int((own[:, None] + own - 2 * gram).max())

    def sensitivity(self, adjacency: Adjacency = Adjacency.ADD_OR_REMOVE) -> int:
        """The least integer whose square is at least ``sensitivity_squared``."""
        squared = self.sensitivity_squared(adjacency)
        root = math.isqrt(squared)
        return root if root * root == squared else root + 1

    def answers(self, counts: Any) -> IntArray:
        """Z x exactly. ``counts`` are integers of 0 or more, one a cell. Raises StrategyError."""
        cells = checked_integers("counts", counts, StrategyError)
        if cells.shape != (self.rows.shape[1],) or cells.min() < 0:
            remedy = f"give {self.rows.shape[1]:,} counts of 0 or more"
            raise StrategyError("counts", cells.shape, remedy)
        largest = int(np.abs(self.rows).max()) * int(cells.astype(object).sum())
        if largest > _LARGEST_SUM:
            raise StrategyError("counts", largest, "there are too many respondents for 64 bits")
        return np.asarray(self.rows @ cells)


def rounded(strategy: object, bits: int = BITS) -> IntegerStrategy:
    """A strategy with column norms of about 1 as integers of ``bits`` bits. Raises StrategyError.

    Rows that round to nothing are dropped.
    """
    matrix = checked_matrix("strategy", strategy, StrategyError)
    if not 1 <= bits <= _MOST_BITS:
        raise StrategyError("bits", bits, f"give 1 to {_MOST_BITS} bits")
    if np.abs(matrix).max() > 2**16:
        raise StrategyError("strategy", float(np.abs(matrix).max()), "scale it to norms of about 1")
    rows = np.rint(matrix * 2.0**bits).astype(np.int64)
    rows = rows[np.any(rows, axis=1)]
    if not rows.size:
        raise StrategyError("strategy", matrix.shape, "its rows round to 0: scale it up")
    return IntegerStrategy(rows)


@dataclass(frozen=True, eq=False)
class Published:
    """Answers with their covariance, what they were charged, and the noisy rows behind them."""

    answers: Answers
    release: Release

    @property
    def mu(self) -> float:
        """What is charged, for the adjacency that was asked for."""
        return self.release.mu


def publish(
    workload: Workload,
    strategy: IntegerStrategy,
    counts: Any,
    *,
    mu: float,
    noise: Noise,
    adjacency: Adjacency = Adjacency.ADD_OR_REMOVE,
) -> Published:
    """Z x with discrete Gaussian noise for a charge of at most ``mu``, and what was asked of it.

    Raises StrategyError where Z does not answer the workload: before noise is drawn. Raises
    NoiseError.
    """
    exact = strategy.answers(counts)
    answered(workload, strategy.rows, np.zeros(len(exact)), 1.0)
    released = release_sum(exact, sensitivity=strategy.sensitivity(adjacency), mu=mu, noise=noise)
    variance = released.lattice_sd**2
    return Published(answered(workload, strategy.rows, released.values, variance), released)


def predicted(
    workload: Workload,
    strategy: IntegerStrategy,
    mu: float,
    adjacency: Adjacency = Adjacency.ADD_OR_REMOVE,
) -> FloatArray:
    """The standard error of every number asked, known before anything is spent, (rows,)."""
    sd = lattice_sd_for(strategy.sensitivity(adjacency), mu)
    nothing = np.zeros(len(strategy.rows))
    return answered(workload, strategy.rows, nothing, sd**2).standard_errors
