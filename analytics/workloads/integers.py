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
from analytics.privacy.mechanisms import (
    Noise,
    PureNoise,
    PureRelease,
    Release,
    laplace_scale_for,
    laplace_sd,
    release_pure,
    release_sum,
)
from analytics.workloads.asks import Workload
from analytics.workloads.checks import FloatArray, StrategyError, checked_matrix
from analytics.workloads.least_squares import SolvedAnswers, answered
from analytics.workloads.strategies import pseudo_inverse

BITS = 12
# Sums of products stay exact in 64 bits: entries up to 2^20, and counts up to 2^40 of them.
_MOST_BITS = 20
_LARGEST_SUM = 2**61
# The normal quantile of a margin of 95 %.
_Z = 1.959963984540054
_NOTHING = 1e-300


@dataclass(frozen=True, eq=False)
class IntegerStrategy:
    """Z, rows x cells, int64: what is multiplied with the counts before noise is added."""

    rows: IntArray

    def sensitivity_squared(self, adjacency: Adjacency = Adjacency.ADD_OR_REMOVE) -> int:
        """The exact largest squared L2 distance that one respondent in one cell moves Z x."""
        rows = self._wide_enough(squared=True)
        gram = rows.T @ rows
        own = gram.diagonal()
        if adjacency is Adjacency.ADD_OR_REMOVE:
            return int(own.max())
        return int((own[:, None] + own - 2 * gram).max())

    def sensitivity(self, adjacency: Adjacency = Adjacency.ADD_OR_REMOVE) -> int:
        """The least integer whose square is at least ``sensitivity_squared``."""
        squared = self.sensitivity_squared(adjacency)
        root = math.isqrt(squared)
        return root if root * root == squared else root + 1

    def sensitivity_l1(self, adjacency: Adjacency = Adjacency.ADD_OR_REMOVE) -> int:
        """The exact largest L1 distance that one respondent in one cell moves Z x."""
        columns = self._wide_enough(squared=False).T
        if adjacency is Adjacency.ADD_OR_REMOVE:
            return int(np.abs(columns).sum(axis=1).max())
        return max(int(np.abs(columns - column).sum(axis=1).max()) for column in columns)

    def _wide_enough(self, squared: bool) -> np.ndarray:
        """The rows in Python's integers where sums over a column could leave 64 bits.

        A sensitivity that wrapped around would be too small, and with it the noise.
        """
        apart = 2 * int(np.abs(self.rows).max())
        largest = len(self.rows) * (apart**2 if squared else apart)
        return self.rows.astype(object) if largest > _LARGEST_SUM else self.rows

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

    answers: SolvedAnswers
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


@dataclass(frozen=True, eq=False)
class PublishedPure:
    """Answers under Laplace noise with their covariance, and the noisy rows behind them."""

    answers: SolvedAnswers
    margins: FloatArray
    release: PureRelease

    @property
    def epsilon(self) -> float:
        """What is charged, for the adjacency that was asked for."""
        return self.release.epsilon


def publish_pure(
    workload: Workload,
    strategy: IntegerStrategy,
    counts: Any,
    *,
    epsilon: float,
    noise: PureNoise,
    adjacency: Adjacency = Adjacency.ADD_OR_REMOVE,
) -> PublishedPure:
    """Z x with discrete Laplace noise for a charge of at most ``epsilon``; as ``publish``.

    ``margins`` are of 95 %, (rows,): the noise of a number with few rows behind it is no normal
    noise. Raises StrategyError, NoiseError.
    """
    exact, rows = strategy.answers(counts), strategy.rows
    answered(workload, rows, np.zeros(len(exact)), 1.0)
    moved = strategy.sensitivity_l1(adjacency)
    released = release_pure(exact, sensitivity=moved, epsilon=epsilon, noise=noise)
    answers = answered(workload, rows, released.values, released.lattice_sd**2)
    return PublishedPure(answers, laplace_margins(workload, rows, released.lattice_sd), released)


def laplace_margins(workload: Workload, rows: object, noise_sd: float) -> FloatArray:
    """95 % margins of what is asked, (rows,), for Laplace noise of this deviation in every row.

    Of a sum of w_i times noise with excess kurtosis 3, k = 3 sum w^4 / (sum w^2)^2, the quantile
    is z + k (z^3 - 3 z) / 24 deviations (Cornish and Fisher 1938). It covers 95.0 % where many rows
    count, and at most 95.4 %, of a single row; normal margins would cover 93.7 % of that.
    """
    matrix = checked_matrix("strategy", rows, StrategyError)
    inverse, _ = pseudo_inverse(matrix.T @ matrix)
    squares = (workload.matrix() @ inverse @ matrix.T) ** 2
    variances = squares.sum(axis=1)
    kurtosis = 3 * (squares**2).sum(axis=1) / np.maximum(variances, _NOTHING) ** 2
    quantile = _Z + kurtosis * (_Z**3 - 3 * _Z) / 24
    return np.asarray(noise_sd * np.sqrt(variances) * quantile)


def predicted_pure(
    workload: Workload,
    strategy: IntegerStrategy,
    epsilon: float,
    adjacency: Adjacency = Adjacency.ADD_OR_REMOVE,
) -> FloatArray:
    """The standard error of every number asked under Laplace noise, nothing spent, (rows,)."""
    sd = laplace_sd(laplace_scale_for(strategy.sensitivity_l1(adjacency), epsilon))
    nothing = np.zeros(len(strategy.rows))
    return answered(workload, strategy.rows, nothing, sd**2).standard_errors


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
