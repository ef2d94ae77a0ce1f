"""The published private NMF with outliers (Saha and Imtiaz, arXiv 2211.01451), as a reference.

Every iteration finds coefficients h_i and outliers r_i of each respondent, releases the sums of
h h' and of (v - r) h', and moves W by projected gradients of tr(W'W A)/2 - tr(W'B) within
non-negative columns of length at most 1. What differs from the paper, so that it can be charged
honestly: the start is public and random instead of computed from the private matrix; the number of
iterations is fixed; the step is 1 / (largest eigenvalue of A) instead of searched on the data; the
sums are not divided by n; add-or-remove sensitivities are 1 and 1 (replace-one sqrt(2) and sqrt(2),
where the paper has 2 and 4), because |h| <= 1 for non-negative unit columns and |v| <= 1. Outliers
are confined to a respondent's own words.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from analytics.privacy.mechanisms import Noise, release_sum, release_symmetric
from analytics.privacy.quantisation import GRID, quantise
from analytics.topics.checks import FloatArray, checked_positive, checked_topics, checked_vectors
from analytics.topics.errors import TopicsError
from analytics.topics.least_squares import descend
from analytics.topics.nmf import entries_of_product, soft_threshold

_INNER = 10
Sums = Callable[[sparse.csr_array, FloatArray], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, eq=False)
class PublishedTopics:
    """``topics`` W (words, K); ``mu`` is what all iterations cost, infinite without noise."""

    topics: FloatArray
    iterations: int
    mu: float
    is_private: bool


def factorise_privately(
    vectors: sparse.csr_array,
    topics: int,
    rng: np.random.Generator,
    *,
    mu: float,
    noise: Noise,
    iterations: int = 20,
    outlier_penalty: float | None = None,
) -> PublishedTopics:
    """The method at a total add-or-remove charge of at most ``mu`` for ``vectors`` (rows <= 1).

    ``rng`` draws the public start. Raises TopicsError, NoiseError.
    """
    each = checked_positive("mu", mu) / np.sqrt(2 * _checked_iterations(iterations))
    paid = 0.0

    def release(explained: sparse.csr_array, h: FloatArray) -> tuple[FloatArray, FloatArray]:
        nonlocal paid
        u, v = quantise(h), quantise(explained)
        a = release_symmetric(u.T @ u, sensitivity=GRID**2, mu=each, noise=noise)
        b = release_sum(np.asarray(v.T @ u), sensitivity=GRID**2, mu=each, noise=noise)
        paid += a.mu**2 + b.mu**2
        return a.estimate, b.estimate

    w = _iterate(vectors, topics, rng, release, iterations, outlier_penalty)
    return PublishedTopics(w, iterations, float(np.sqrt(paid)), noise.is_private)


def factorise_without_noise(
    vectors: sparse.csr_array,
    topics: int,
    rng: np.random.Generator,
    *,
    iterations: int = 500,
    outlier_penalty: float | None = None,
) -> PublishedTopics:
    """The same iterations on exact sums: a test of the method, never a report."""
    w = _iterate(vectors, topics, rng, _exact_sums, iterations, outlier_penalty)
    return PublishedTopics(w, iterations, np.inf, False)


def _iterate(
    vectors: sparse.csr_array,
    topics: int,
    rng: np.random.Generator,
    sums: Sums,
    iterations: int,
    penalty: float | None,
) -> FloatArray:
    matrix = checked_vectors(vectors)
    w = _projected(rng.random((matrix.shape[1], checked_topics(topics))))
    for _ in range(_checked_iterations(iterations)):
        # Columns may be shorter than 1; coefficients are those of their directions.
        w = _unit(w)
        h, explained = _respondents(matrix, w, penalty)
        w = _moved(w, *sums(explained, h))
    return w


def _respondents(
    matrix: sparse.csr_array, w: FloatArray, penalty: float | None
) -> tuple[FloatArray, sparse.csr_array]:
    gram, explained = w.T @ w, matrix
    h = descend(gram, np.asarray(matrix @ w), 30)
    if penalty is not None:
        rest = matrix.data - entries_of_product(matrix, h, w)
        kept = matrix.data - np.maximum(soft_threshold(rest, penalty), 0.0)
        explained = sparse.csr_array((kept, matrix.indices, matrix.indptr), shape=matrix.shape)
        h = descend(gram, np.asarray(explained @ w), 30, start=h)
    return h, explained


def _exact_sums(explained: sparse.csr_array, h: FloatArray) -> tuple[FloatArray, FloatArray]:
    return h.T @ h, np.asarray(explained.T @ h)


def _moved(w: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Projected gradient steps with the released sums: free, and safe if A is not definite."""
    step = 1 / max(float(np.abs(np.linalg.eigvalsh(a)).max()), 1e-12)
    for _ in range(_INNER):
        w = _projected(w - step * (w @ a - b))
    return w


def _projected(w: FloatArray) -> FloatArray:
    positive = np.maximum(w, 0.0)
    return np.asarray(positive / np.maximum(np.linalg.norm(positive, axis=0), 1.0))


def _unit(w: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(w, axis=0)
    return np.asarray(w / np.where(lengths > 0, lengths, 1.0))


def _checked_iterations(value: int) -> int:
    if value < 1:
        raise TopicsError("iterations", value, "run at least one iteration")
    return value
