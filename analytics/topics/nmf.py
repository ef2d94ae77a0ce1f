"""Exact non-negative matrix factorisation h, w with sparse outliers: not private, internal reports.

Minimises |V - H W' - R|^2 / 2 + lambda |R|_1 over H, W >= 0 and entries of R within [-M, M], where
V is (respondents, words), by alternating blocks: H and W by hierarchical alternating least squares
(Cichocki and Phan 2009), R by its closed form, the bounded soft threshold (Zhao and Tan 2017,
Online NMF with outliers, equation 14). The published method keeps R dense;
here an outlier is a word that a respondent did write, so that R is as sparse as V.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds

from analytics.topics.checks import (
    FloatArray,
    TopicsError,
    checked_positive,
    checked_topics,
    checked_vectors,
)
from analytics.topics.least_squares import descend, solve
from analytics.topics.stages import DONE, Watch, unwatched
from surveys.randomized_response.messages import sentence
from surveys.randomized_response.threads import on_one_thread

_STARTS = 4
_ITERATIONS = 500
_CONVERGED = 1e-7


@dataclass(frozen=True, eq=False)
class Factorisation:
    """V ~ H W' + R: ``coefficients`` H (respondents, K), ``topics`` W (words, K), unit columns.

    ``outliers`` is R, CSR (respondents, words). ``residual`` is the Frobenius norm |V - HW' - R|,
    ``relative_error`` that divided by |V|, and ``objective`` what was minimised.
    """

    coefficients: FloatArray
    topics: FloatArray
    outliers: sparse.csr_array
    residual: float
    relative_error: float
    objective: float


def soft_threshold(values: Any, penalty: float, bound: float = np.inf) -> FloatArray:
    """argmin over |r| <= bound of (x - r)^2 / 2 + penalty |r|, entry by entry."""
    x = np.asarray(values, dtype=np.float64)
    return np.asarray(np.sign(x) * np.minimum(np.maximum(np.abs(x) - penalty, 0.0), bound))


def coefficients_of(vectors: Any, topics: FloatArray) -> FloatArray:
    """H (n, K) with rows argmin_{h >= 0} |v_i - W h|, exact; ``topics`` is W (words, K)."""
    return solve(topics.T @ topics, np.asarray(vectors @ topics))


@on_one_thread
def factorise(
    vectors: Any,
    topics: int,
    rng: np.random.Generator,
    *,
    outlier_penalty: float | None = None,
    outlier_bound: float = 1.0,
    starts: int = _STARTS,
    watch: Watch = unwatched,
) -> Factorisation:
    """The best of several starts: one from the singular vectors, the others random.

    ``vectors`` is (respondents, words), sparse or dense, finite and non-negative. Without an
    ``outlier_penalty`` (lambda > 0) R is 0. The same ``rng`` gives the same result. ``watch``
    gets every start and may raise to stop. Raises TopicsError.
    """
    matrix = checked_vectors(vectors)
    count = checked_topics(topics, min(matrix.shape))
    penalty = np.inf if outlier_penalty is None else checked_positive("penalty", outlier_penalty)
    if checked_positive("starts", starts) != int(starts):
        raise TopicsError("starts", starts, "give a whole number of starts")
    runs = []
    for number, start in enumerate(_first_topics(matrix, count, rng, int(starts))):
        watch(
            sentence(
                "Factorising, start {number} of {starts}", number=number + 1, starts=int(starts)
            ),
            number / int(starts),
        )
        runs.append(_descend(matrix, start, penalty, outlier_bound))
    watch(DONE, 1.0)
    return min(runs, key=lambda run: run.objective)


def _first_topics(
    matrix: sparse.csr_array, topics: int, rng: np.random.Generator, starts: int
) -> Iterator[FloatArray]:
    if topics < min(matrix.shape):
        yield _from_singular_vectors(matrix, topics)
    else:
        starts += 1
    for _ in range(starts - 1):
        yield rng.random((matrix.shape[1], topics))


def _from_singular_vectors(matrix: sparse.csr_array, topics: int) -> FloatArray:
    """The non-negative halves of the right singular vectors (Boutsidis and Gallopoulos 2008)."""
    v0 = np.ones(min(matrix.shape))
    left, values, right = svds(matrix, k=topics, v0=v0, tol=1e-6)
    columns = []
    for j in np.argsort(-values):
        sides = [(np.maximum(s * left[:, j], 0), np.maximum(s * right[j], 0)) for s in (1, -1)]
        size = [np.linalg.norm(u) * np.linalg.norm(v) for u, v in sides]
        columns.append(sides[int(np.argmax(size))][1])
    first = np.stack(columns, axis=1)
    return np.asarray(np.maximum(first, 0.01 * first.mean()))


def _descend(
    matrix: sparse.csr_array, topics: FloatArray, penalty: float, bound: float
) -> Factorisation:
    """Blocks in turn until the objective stands still."""
    w, outliers, previous = _unit_columns(topics), _nothing(matrix), np.inf
    h = descend(w.T @ w, np.asarray(matrix @ w), 5)
    for iteration in range(_ITERATIONS):
        explained = matrix - outliers if outliers.nnz else matrix
        h = descend(w.T @ w, np.asarray(explained @ w), 2, start=h)
        w = descend(h.T @ h, np.asarray(explained.T @ h), 2, start=w)
        w, h = _balanced(w, h)
        if np.isfinite(penalty):
            outliers = _outliers(matrix, h, w, penalty, bound)
        if iteration % 10 == 9:
            objective = _objective(matrix, outliers, h, w, penalty)
            if previous - objective <= _CONVERGED * objective:
                break
            previous = objective
    return _factorisation(matrix, outliers, h, w, penalty)


def _factorisation(
    matrix: sparse.csr_array,
    outliers: sparse.csr_array,
    h: FloatArray,
    w: FloatArray,
    penalty: float,
) -> Factorisation:
    h = solve(w.T @ w, np.asarray((matrix - outliers) @ w))
    objective = _objective(matrix, outliers, h, w, penalty)
    residual = _residual(matrix - outliers, h, w)
    size = float(np.sqrt((matrix.data**2).sum()))
    return Factorisation(h, w, outliers, residual, residual / size, objective)


def _objective(
    matrix: sparse.csr_array,
    outliers: sparse.csr_array,
    h: FloatArray,
    w: FloatArray,
    penalty: float,
) -> float:
    paid = penalty * float(np.abs(outliers.data).sum()) if outliers.nnz else 0.0
    return _residual(matrix - outliers, h, w) ** 2 / 2 + paid


def _residual(matrix: sparse.csr_array, h: FloatArray, w: FloatArray) -> float:
    """|V - HW'| without the dense product: |V|^2 - 2 <V'H, W> + <H'H, W'W>."""
    square = (matrix.data**2).sum() - 2 * ((matrix.T @ h) * w).sum() + ((h.T @ h) * (w.T @ w)).sum()
    return float(np.sqrt(max(square, 0.0)))


def _outliers(
    matrix: sparse.csr_array, h: FloatArray, w: FloatArray, penalty: float, bound: float
) -> sparse.csr_array:
    rest = matrix.data - entries_of_product(matrix, h, w)
    values = soft_threshold(rest, penalty, bound)
    # Copies: dropping zeros rewrites the structure, which is the matrix's own.
    structure = matrix.indices.copy(), matrix.indptr.copy()
    result = sparse.csr_array((values, *structure), shape=matrix.shape)
    result.eliminate_zeros()
    return result


def entries_of_product(matrix: sparse.csr_array, h: FloatArray, w: FloatArray) -> FloatArray:
    """The entries of HW' where ``matrix`` has stored ones, in their order."""
    result = np.empty(matrix.nnz)
    ends = matrix.indptr
    step = max(1, int(2_000_000 // max(1, matrix.nnz / max(1, matrix.shape[0]) * w.shape[1])))
    for start in range(0, matrix.shape[0], step):
        stop = min(start + step, matrix.shape[0])
        part = slice(ends[start], ends[stop])
        rows = np.repeat(np.arange(start, stop), np.diff(ends[start : stop + 1]))
        result[part] = np.einsum("ik,ik->i", h[rows], w[matrix.indices[part]])
    return result


def _balanced(w: FloatArray, h: FloatArray) -> tuple[FloatArray, FloatArray]:
    lengths = np.linalg.norm(w, axis=0)
    lengths[lengths == 0] = 1.0
    return w / lengths, h * lengths


def _unit_columns(w: FloatArray) -> FloatArray:
    return _balanced(w, np.zeros((1, w.shape[1])))[0]


def _nothing(matrix: sparse.csr_array) -> sparse.csr_array:
    return sparse.csr_array(matrix.shape, dtype=np.float64)
