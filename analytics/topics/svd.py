"""SingularVectors: exact truncated singular values of log-entropy weights, not private.

By ARPACK run to machine precision; a randomized decomposition with few passes is wrong in the tail.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds

from analytics.text.weighting import weigh_log_entropy
from analytics.topics.checks import FloatArray, TopicsError, checked_topics
from analytics.topics.stages import DONE, Watch, unwatched
from surveys.randomized_response.messages import sentence
from surveys.randomized_response.threads import on_one_thread


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


@on_one_thread
def decompose(vectors: Any, k: int, watch: Watch = unwatched) -> SingularVectors:
    """The k largest singular values of (respondents, words), exact to rounding. Raises TopicsError.

    k is below the smaller side for sparse computation; at that size a dense one is used.
    ``watch`` gets every stage and may raise to stop.
    """
    watch(sentence("Finding singular values"), 0.1)
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
    watch(sentence("Weighing words"), 0.0)
    return decompose(weigh_log_entropy(counts), k, watch)


def unit_rows(rows: FloatArray) -> FloatArray:
    """Rows scaled to length 1; rows of 0 stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))


def _truncated(matrix: sparse.csr_array, count: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    if count < min(matrix.shape):
        # A fixed start makes the result the same every time.
        v0 = np.random.default_rng(0).normal(size=min(matrix.shape))
        left, values, right = svds(matrix, k=count, tol=0, v0=v0)
    else:
        left, values, right = np.linalg.svd(matrix.toarray(), full_matrices=False)
    return np.asarray(left), np.asarray(values), np.asarray(right)
