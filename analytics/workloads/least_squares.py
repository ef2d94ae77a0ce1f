"""Answers from noisy rows: least squares, weighted by each row's noise, with their covariance.

x_hat = (A' S^-1 A)^+ A' S^-1 y is the best linear unbiased estimate of the counts (Aitken 1936),
and W x_hat of what is asked: totals agree with each other, because all come from one x_hat. The
covariance W (A' S^-1 A)^+ W' does not depend on the answers: it is known before anything is spent.
"""

from dataclasses import dataclass

import numpy as np

from analytics.workloads.asks import Workload
from analytics.workloads.checks import (
    FloatArray,
    StrategyError,
    WorkloadError,
    checked_matrix,
    checked_vector,
)
from analytics.workloads.strategies import check_answered, pseudo_inverse


@dataclass(frozen=True, eq=False)
class SolvedAnswers:
    """Estimates of everything that was asked, (rows,), and their covariance, rows x rows."""

    values: FloatArray
    covariance: FloatArray

    @property
    def standard_errors(self) -> FloatArray:
        """Of the noise alone, (rows,)."""
        return np.sqrt(np.maximum(self.covariance.diagonal(), 0.0))


def answered(
    workload: Workload, strategy: object, noisy: object, variances: object
) -> SolvedAnswers:
    """What was asked, from the noisy answers of a strategy, (rows of A,).

    ``variances`` is the noise of the rows, one number or one for each, above 0. Raises
    WorkloadError, and StrategyError where the strategy does not answer the workload.
    """
    asked, matrix = workload.matrix(), checked_matrix("strategy", strategy, StrategyError)
    rows = checked_vector("noisy", noisy, len(matrix))
    if matrix.shape[1] != asked.shape[1]:
        raise WorkloadError("workload", asked.shape, f"give {matrix.shape[1]:,} columns")
    weighted = matrix / _checked_variances(variances, len(matrix))[:, None]
    covariance, unseen = pseudo_inverse(matrix.T @ weighted)
    check_answered(asked.T @ asked, unseen)
    return SolvedAnswers(asked @ (covariance @ (weighted.T @ rows)), asked @ covariance @ asked.T)


def _checked_variances(variances: object, rows: int) -> FloatArray:
    noise = np.broadcast_to(np.asarray(variances, dtype=np.float64), (rows,))
    if not (np.isfinite(noise).all() and (noise > 0).all()):
        raise StrategyError("variances", variances, "give variances above 0, one or one a row")
    return np.asarray(noise)
