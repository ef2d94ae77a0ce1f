"""SingularVectors, truncated; eigenvalues of a noisy release corrected at the noise's edge.

Exact: the truncated singular value decomposition of log-entropy weights by ARPACK run to machine
precision; a randomized one with few passes is wrong in the tail. Private: the eigenvalues of the
released co-occurrence matrix are those of V'V inflated by the noise, and are corrected by the limit
of a symmetric perturbation of low rank (Baik, Ben Arous and Peche 2005).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import svds

from analytics.text.weighting import weigh_log_entropy
from analytics.topics.checks import FloatArray, checked_positive, checked_topics
from analytics.topics.errors import TopicsError
from analytics.topics.stages import DONE, Watch, unwatched
from analytics.topics.threads import on_one_thread

# Below it a released vector is more noise than signal.
_LEAST_ALIGNMENT = 0.5


@dataclass(frozen=True, eq=False)
class SingularVectors:
    """``values`` descending (k,), ``words`` (words, k) and ``respondents`` (n, k) orthonormal.

    The entry of largest size in every column of ``words`` is positive. ``energy`` is the share of
    |V|^2 that the values capture. Not private.
    """

    values: FloatArray
    words: FloatArray
    respondents: FloatArray
    energy: float

    @property
    def word_projections(self) -> FloatArray:
        """Rows of ``words`` times the values, scaled to length 1 (0 stays 0)."""
        return unit_rows(self.words * self.values)

    @property
    def respondent_projections(self) -> FloatArray:
        """Rows of ``respondents`` times the values, scaled to length 1 (0 stays 0)."""
        return unit_rows(self.respondents * self.values)


@dataclass(frozen=True, eq=False)
class PrivateSingularVectors:
    """Singular values above the noise, descending, with the words' vectors (words, k).

    ``alignments`` are the expected squared cosines between a released vector and the true one.
    """

    values: FloatArray
    words: FloatArray
    alignments: FloatArray
    noise_edge: float


@on_one_thread
def decompose(vectors: Any, k: int, watch: Watch = unwatched) -> SingularVectors:
    """The k largest singular values of (respondents, words), exact to rounding. Raises TopicsError.

    k is below the smaller side for sparse computation; at that size a dense one is used.
    ``watch`` gets every stage and may raise to stop.
    """
    watch("Finding singular values", 0.1)
    matrix = sparse.csr_array(vectors, dtype=np.float64)
    if not np.isfinite(matrix.data).all() or not (matrix.data != 0).any():
        raise TopicsError("vectors", matrix.shape, "give finite weights that are not all 0")
    count = checked_topics(k, min(matrix.shape))
    left, values, right = _truncated(matrix, count)
    order = np.argsort(-values, kind="stable")
    words = right[order].T
    signs = np.sign(words[np.abs(words).argmax(axis=0), np.arange(count)])
    energy = float((values**2).sum() / (matrix.data**2).sum())
    watch(DONE, 1.0)
    return SingularVectors(values[order], words * signs, left[:, order] * signs, energy)


def decompose_log_entropy(
    counts: sparse.csr_array, k: int, watch: Watch = unwatched
) -> SingularVectors:
    """The same of log-entropy weights of counts; words that no text has get loading 0."""
    watch("Weighing words", 0.0)
    return decompose(weigh_log_entropy(counts), k, watch)


def unit_rows(rows: FloatArray) -> FloatArray:
    """Rows scaled to length 1; rows of 0 stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))


def noise_edge(offdiagonal_sd: float, words: int) -> float:
    """2 s sqrt(D): symmetric noise alone has no eigenvalue above it, in the limit of many words."""
    return float(2 * checked_positive("offdiagonal_sd", offdiagonal_sd) * np.sqrt(words))


def corrected_eigenvalues(eigenvalues: Any, edge: float) -> FloatArray:
    """(x + sqrt(x^2 - edge^2)) / 2 above the edge, 0 at or below it (s^2 D = edge^2 / 4)."""
    x = np.asarray(eigenvalues, dtype=np.float64)
    inside = np.maximum(x * x - edge * edge, 0.0)
    return np.asarray(np.where(x > edge, (x + np.sqrt(inside)) / 2, 0.0))


def alignments(corrected: Any, edge: float) -> FloatArray:
    """cos^2 between noisy and true eigenvector: 1 - s^2 D / x^2 for a true eigenvalue x, or 0."""
    x = np.asarray(corrected, dtype=np.float64)
    known = x > edge / 2
    return np.asarray(np.where(known, 1 - (edge / (2 * np.where(known, x, 1.0))) ** 2, 0.0))


def decompose_privately(
    co_occurrence: FloatArray, offdiagonal_sd: float, k: int
) -> PrivateSingularVectors:
    """Singular values of V from a released V'V + noise (D, D): sqrt of corrected eigenvalues.

    Post-processing of a release: free. At most k; those whose vector would be more noise than
    signal are left out. Raises TopicsError.
    """
    size = len(co_occurrence)
    count = checked_topics(k, size)
    edge = noise_edge(offdiagonal_sd, size)
    values, vectors = eigh(co_occurrence, subset_by_index=[size - count, size - 1])
    values, vectors = values[::-1], vectors[:, ::-1]
    corrected = corrected_eigenvalues(values, edge)
    known = alignments(corrected, edge) >= _LEAST_ALIGNMENT
    corrected, words = corrected[known], vectors[:, known]
    signs = np.sign(words[np.abs(words).argmax(axis=0), np.arange(words.shape[1])])
    return PrivateSingularVectors(
        np.sqrt(corrected), words * signs, alignments(corrected, edge), edge
    )


def _truncated(matrix: sparse.csr_array, count: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    if count < min(matrix.shape):
        # A fixed start makes the result the same every time.
        v0 = np.random.default_rng(0).normal(size=min(matrix.shape))
        left, values, right = svds(matrix, k=count, tol=0, v0=v0)
    else:
        left, values, right = np.linalg.svd(matrix.toarray(), full_matrices=False)
    return np.asarray(left), np.asarray(values), np.asarray(right)
