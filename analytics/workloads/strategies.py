"""Strategies by name (identity, total, hierarchy, Haar wavelet), their sensitivity and their error.

A strategy is a matrix A: noise is added to A x and everything that is asked is worked out from
that, by least squares. Its total expected squared error is noise per row times

    E_p(W, A) = Delta_p(A)^2 tr(W'W (A'A)^+),

where Delta_p is the largest L_p norm of a column: what one respondent, who sits in one cell, moves
A x by. Laplace noise at epsilon: 2 / epsilon^2 times E_1; Gaussian at rho-zCDP: E_2 / (2 rho).
No factor 1/n stands anywhere (Li, Miklau, Hay, McGregor and Rastogi 2015).
"""

import numpy as np
from numpy.typing import NDArray

from analytics.privacy.accounting import Adjacency
from analytics.workloads.asks import Workload
from analytics.workloads.checks import (
    FloatArray,
    StrategyError,
    WorkloadError,
    checked_cells,
    checked_dense,
    checked_matrix,
)

# Relative to the largest entry: rounding of dense algebra on a thousand cells.
_UNSUPPORTED = 1e-8
# Eigenvalues of a singular Gram matrix come out as a few units of rounding for each cell.
_ROUNDING = 8


def identity(cells: int) -> FloatArray:
    """Every cell by itself."""
    return np.eye(checked_dense(checked_cells("cells", cells)))


def total(cells: int) -> FloatArray:
    """The sum of all cells, one row."""
    return np.ones((1, checked_dense(checked_cells("cells", cells))))


def hierarchy(cells: int, branches: int) -> FloatArray:
    """The leaves, then the sums of every ``branches`` neighbours, and so on up to the total.

    Built from below over consecutive groups, of which the last may be short (Hay, Rastogi, Miklau
    and Suciu 2010, who take powers of the branching). Raises WorkloadError.
    """
    groups = checked_cells("branches", branches)
    if groups < 2:
        raise WorkloadError("branches", branches, "give 2 or more")
    level = identity(cells)
    levels = [level]
    while len(level) > 1:
        level = np.add.reduceat(level, np.arange(0, len(level), groups), axis=0)
        levels.append(level)
    return np.vstack(levels)


def haar(cells: int) -> FloatArray:
    """The total and the Haar wavelets with entries 1 and -1 (Xiao, Wang and Gehrke 2011).

    ``cells`` is a power of 2. Raises WorkloadError.
    """
    n = checked_dense(checked_cells("cells", cells))
    if n & (n - 1):
        raise WorkloadError("cells", cells, "the Haar wavelet takes a power of 2")
    rows, width = [np.ones((1, n))], n
    while width > 1:
        half = np.repeat([1.0, -1.0], width // 2)
        rows.append(np.kron(np.eye(n // width), half))
        width //= 2
    return np.vstack(rows)


def sensitivity(
    strategy: object, norm: int, adjacency: Adjacency = Adjacency.ADD_OR_REMOVE
) -> float:
    """How far one respondent in one cell can move the strategy's answers, in L1 or L2.

    Add-or-remove: the largest norm of a column. Replace-one: the largest distance between two
    columns, which for signed or nested rows is neither the same nor twice as much. Raises
    StrategyError.
    """
    columns = checked_matrix("strategy", strategy, StrategyError).T
    if norm not in (1, 2):
        raise StrategyError("norm", norm, "give 1 (Laplace noise) or 2 (Gaussian noise)")
    if adjacency is Adjacency.ADD_OR_REMOVE:
        return float(np.linalg.norm(columns, norm, axis=1).max())
    return max(float(np.linalg.norm(columns - column, norm, axis=1).max()) for column in columns)


def expected_error(
    workload: Workload,
    strategy: object,
    norm: int,
    adjacency: Adjacency = Adjacency.ADD_OR_REMOVE,
) -> float:
    """E_norm(W, A), as at the head of this module. Raises StrategyError if A does not answer W."""
    matrix = checked_matrix("strategy", strategy, StrategyError)
    return sensitivity(matrix, norm, adjacency) ** 2 * squared_error(workload, matrix)


def squared_error(workload: Workload, strategy: FloatArray) -> float:
    """tr(W'W (A'A)^+): the error for noise of variance 1 in every row. Raises StrategyError."""
    if strategy.shape[1] != workload.cells:
        raise StrategyError("strategy", strategy.shape, f"give {workload.cells:,} columns")
    inverse, unseen = pseudo_inverse(strategy.T @ strategy)
    gram = workload.gram()
    check_answered(gram, unseen)
    return float(np.sum(gram * inverse))


def pseudo_inverse(gram: NDArray[np.float64]) -> tuple[FloatArray, FloatArray]:
    """(A'A)^+ of a Gram matrix, and a basis of the directions that A does not see (columns).

    Eigenvalues within rounding of 0 count as 0.
    """
    values, vectors = np.linalg.eigh(gram)
    rounding = _ROUNDING * len(values) * np.finfo(float).eps
    kept = values > rounding * max(values[-1], np.finfo(float).tiny)
    inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    return np.asarray(inverse), np.asarray(vectors[:, ~kept])


def check_answered(gram: FloatArray, unseen: FloatArray) -> None:
    """Raises StrategyError where W, with Gram matrix ``gram``, asks for what A does not see.

    The error of such a strategy grows with the counts, which no trace shows: without this check
    a total would answer everything at next to no error.
    """
    if unseen.size and np.abs(gram @ unseen).max() > _UNSUPPORTED * max(1.0, np.abs(gram).max()):
        remedy = "add the missing rows: what is asked does not follow from its answers"
        raise StrategyError("strategy", f"{unseen.shape[1]} directions unseen", remedy)
