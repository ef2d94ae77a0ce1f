"""PublishedTopics: private NMF as published (Saha and Imtiaz, arXiv 2211.01451), iterated releases.

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
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from scipy import sparse

from analytics.privacy.accounting import Cost, split
from analytics.privacy.mechanisms import Noise, release_sum, release_symmetric
from analytics.privacy.quantisation import GRID, quantise
from analytics.text.bags import Bags
from analytics.text.vocabulary import Vocabulary
from analytics.topics.checks import (
    FloatArray,
    IntArray,
    TopicsError,
    check_length,
    checked_positive,
    checked_topics,
    checked_vectors,
)
from analytics.topics.least_squares import descend_each
from analytics.topics.nmf import entries_of_product, soft_threshold
from analytics.topics.partitions import (
    Partitions,
    count_respondents,
    total_of,
    vectors_in_blocks,
)
from analytics.topics.private.nmf import VOCABULARY, TopicsSettings, check_signal
from analytics.topics.private.reports import Charged, TopicWords, release_words, total_mu
from analytics.topics.stages import DONE, Watch, unwatched
from surveys.randomized_response.messages import sentence
from surveys.randomized_response.threads import on_one_thread

ITERATION_FITS = sentence("Iteration {number} of {count}: how well topics fit the texts")
SHARES = (Fraction(20, 100), Fraction(80, 100))
ITERATIONS = 5
_OUTLIER_PENALTY = 0.1
_INNER = 10
_SWEEPS = 30
# From W (words, K) to A (K, K) and B (words, K), exact or noisy.
Sums = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
Totals = tuple[IntArray, IntArray]


@dataclass(frozen=True, eq=False)
class PublishedTopics:
    """``topics`` W (words, K); ``mu`` is what all iterations cost, infinite without noise."""

    topics: FloatArray
    iterations: int
    mu: float
    is_private: bool


@dataclass(frozen=True, eq=False)
class PublishedReport(TopicWords):
    """Topics of a vocabulary that was released too; ``loadings`` (words, K) have unit columns.

    ``charges`` name every release and ``mu`` is their total (add or remove one). If ``is_private``
    is false the noise was a test's and nothing may be stored.
    """

    vocabulary: Vocabulary
    loadings: FloatArray
    respondents: int
    asked: int
    iterations: int
    charges: tuple[Charged, ...]
    is_private: bool


@on_one_thread
def find_published_topics(
    partitions: Partitions,
    cost: Cost,
    noise: Noise,
    settings: TopicsSettings | None = None,
    watch: Watch = unwatched,
    iterations: int = ITERATIONS,
    vocabulary: Vocabulary | None = None,
) -> PublishedReport:
    """The method for an add-or-remove ``cost``: a fifth for the vocabulary, the rest for W.

    A public ``vocabulary`` (``public_vocabulary``) is free, and W gets the whole cost.
    Every iteration passes over all respondents. Refusals are those of ``find_private_topics``:
    before anything is released, by what is public. ``refine`` is not used. ``watch`` gets every
    stage and may raise to stop. Raises TopicsError, NoiseError.
    """
    watch(sentence("Counting respondents"), 0.0)
    chosen, respondents = settings or TopicsSettings(), count_respondents(partitions)
    check_signal(respondents, cost.mu)
    first, second = split(cost, SHARES if vocabulary is None else (Fraction(0), Fraction(1)))
    if vocabulary is None:
        vocabulary = release_words(partitions, first, cost, noise, chosen, watch)
    check_length(len(vocabulary.words), chosen.most_used)
    used = vocabulary
    releases = _Releases(
        lambda w: total_of(partitions, lambda bags: sum_products(bags, used, w)),
        second.mu,
        iterations,
        noise,
        watch,
    )
    loadings = _loadings((len(used.words), chosen.topics), chosen.start, releases)
    paid = tuple(releases.charges)
    watch(DONE, 1.0)
    words = (Charged(VOCABULARY, used.mu),) if used.mu else ()
    return PublishedReport(
        used,
        loadings,
        respondents,
        chosen.topics,
        iterations,
        (*words, *paid),
        noise.is_private,
    )


def _loadings(shape: tuple[int, int], seed: int, releases: "_Releases") -> FloatArray:
    """Stages do not depend on what was released: stopping at one costs nothing."""
    if not shape[0]:
        for iteration in range(_checked_iterations(releases.iterations)):
            releases.tell(iteration)
        return np.zeros((0, 0))
    start = _first(shape, np.random.default_rng(seed))
    return _unit(_iterate(start, releases, releases.iterations))


def sum_products(bags: Bags, vocabulary: Vocabulary, w: FloatArray) -> Totals:
    """Sums of h h' (K, K) and (v - r) h' (D, K) over respondents, on the grid."""
    squares = np.zeros((w.shape[1], w.shape[1]), dtype=np.int64)
    products = np.zeros(w.shape, dtype=np.int64)
    for vectors in vectors_in_blocks(bags, vocabulary):
        a, b = _grid_sums(vectors, w, _OUTLIER_PENALTY)
        squares += a
        products += b
    return squares, products


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
    matrix = checked_vectors(vectors)

    def totals(w: FloatArray) -> Totals:
        return _grid_sums(matrix, w, outlier_penalty)

    releases = _Releases(totals, checked_positive("mu", mu), iterations, noise, unwatched)
    start = _first((matrix.shape[1], checked_topics(topics)), rng)
    w = _iterate(start, releases, iterations)
    return PublishedTopics(w, iterations, total_mu(releases.charges), noise.is_private)


def factorise_without_noise(
    vectors: sparse.csr_array,
    topics: int,
    rng: np.random.Generator,
    *,
    iterations: int = 500,
    outlier_penalty: float | None = None,
) -> PublishedTopics:
    """The same iterations on exact sums: a test of the method, never a report."""
    matrix = checked_vectors(vectors)

    def sums(w: FloatArray) -> tuple[FloatArray, FloatArray]:
        return exact_sums(matrix, w, outlier_penalty)

    start = _first((matrix.shape[1], checked_topics(topics)), rng)
    return PublishedTopics(_iterate(start, sums, iterations), iterations, np.inf, False)


def exact_sums(
    matrix: sparse.csr_array, w: FloatArray, penalty: float | None
) -> tuple[FloatArray, FloatArray]:
    """Sums of h h' (K, K) and (v - r) h' (D, K) over respondents (rows), off the grid."""
    h, explained = explain(matrix, w, penalty)
    return h.T @ h, np.asarray(explained.T @ h)


@dataclass(frozen=True, eq=False)
class _Releases:
    """The two noisy sums of every iteration, each for an equal part of ``mu``^2."""

    totals: Callable[[FloatArray], Totals]
    mu: float
    iterations: int
    noise: Noise
    watch: Watch
    charges: list[Charged] = field(default_factory=list)

    def __call__(self, w: FloatArray) -> tuple[FloatArray, FloatArray]:
        number = self.tell(len(self.charges))
        each = self.mu / np.sqrt(2 * _checked_iterations(self.iterations))
        squares, products = self.totals(w)
        a = release_symmetric(squares, sensitivity=GRID**2, mu=each, noise=self.noise)
        b = release_sum(products, sensitivity=GRID**2, mu=each, noise=self.noise)
        charged = ITERATION_FITS.format(number=number, count=self.iterations)
        self.charges.append(Charged(charged, float(np.hypot(a.mu, b.mu))))
        return a.estimate, b.estimate

    def tell(self, iteration: int) -> int:
        """Say that an iteration (from 0) begins; its number from 1."""
        number = iteration + 1
        stage = sentence("Iteration {number} of {count}", number=number, count=self.iterations)
        self.watch(stage, 0.2 + 0.8 * iteration / self.iterations)
        return number


def _first(shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    return _projected(rng.random(shape))


def _iterate(w: FloatArray, sums: Sums, iterations: int) -> FloatArray:
    for _ in range(_checked_iterations(iterations)):
        # Columns may be shorter than 1; coefficients are those of their directions.
        w = _unit(w)
        w = _moved(w, *sums(w))
    return w


def _grid_sums(matrix: sparse.csr_array, w: FloatArray, penalty: float | None) -> Totals:
    h, explained = explain(matrix, w, penalty)
    u, v = quantise(h), quantise(explained)
    return u.T @ u, np.asarray(v.T @ u)


def explain(
    matrix: sparse.csr_array, w: FloatArray, penalty: float | None
) -> tuple[FloatArray, sparse.csr_array]:
    """Coefficients h (n, K) of respondents' vectors, and v - r: a row has its own vector's bits."""
    # Entry by entry: products of matrices would let rounding carry one respondent into another.
    gram, explained = w.T @ w, matrix
    h = descend_each(gram, np.asarray(matrix @ w), _SWEEPS)
    if penalty is not None:
        rest = matrix.data - entries_of_product(matrix, h, w)
        kept = matrix.data - np.maximum(soft_threshold(rest, penalty), 0.0)
        explained = sparse.csr_array((kept, matrix.indices, matrix.indptr), shape=matrix.shape)
        h = descend_each(gram, np.asarray(explained @ w), _SWEEPS, h)
    return h, explained


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
