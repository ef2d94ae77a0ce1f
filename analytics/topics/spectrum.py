"""Topics from a released co-occurrence matrix: eigenvalues, imputed diagonal, symmetric factors.

It is post-processing, which costs nothing.

The diagonal says how much was written, not what belongs together, and is replaced by what the rest
implies. Eigenvalues above the noise edge say how many directions the data supports at this noise;
the first of them is the background that all respondents share, every further one can be a topic.
Noise inflates them; the limit of a symmetric perturbation of low rank corrects that (Baik, Ben
Arous and Peche 2005).

Noise can lift one eigenvalue too many above the edge, and a factorisation with one topic too many
cuts a theme in two. So topics that coincide are put together again.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from analytics.topics import coherence
from analytics.topics.checks import FloatArray, TopicsError, checked_positive, checked_topics

_IMPUTATIONS = 4
_ITERATIONS = 200
# After so many updates, what is below so much of the largest start is 0: it adds nothing in single
# precision, and below 1e-38 arithmetic would be ten times as slow (subnormal numbers).
_CLEARED_AFTER, _NOTHING = 10, 1e-18
WORDS_PER_TOPIC = 12
_SHOWN = 20
# Two halves of one theme reach 0.99 and more; related topics of political blogs at most 0.8.
_COINCIDING = 0.9
# The noise of what has none, as a share of the largest entry: every eigenvalue is above its edge.
_EXACT = 1e-9
# Diagonals are imputed in single precision.
_ALIKE = 1e-4


@dataclass(frozen=True, eq=False)
class Spectrum:
    """``eigenvalues`` descending, with their ``vectors`` (D, k), of the imputed matrix.

    ``edge`` is the noise edge 2 s sqrt(D) and ``offdiagonal_sd`` is s. ``supported`` is how many
    topics the data supports at this noise.
    """

    eigenvalues: FloatArray
    vectors: FloatArray
    edge: float
    offdiagonal_sd: float

    @property
    def supported(self) -> int:
        return max(int((self.eigenvalues > self.edge).sum()) - 1, 0)

    def matrix(self, rank: int) -> FloatArray:
        """The part of this rank, eigenvalues corrected for the noise."""
        vectors = self.vectors[:, :rank]
        return (vectors * corrected_eigenvalues(self.eigenvalues[:rank], self.edge)) @ vectors.T


def find_spectrum(co_occurrence: FloatArray, offdiagonal_sd: float, topics: int) -> Spectrum:
    """The leading eigenvalues of a symmetric (D, D) matrix whose diagonal is ignored.

    ``topics`` is the largest number of topics that will be asked for. ``eigh`` by index is used:
    iterative methods converge slowly where noise makes the spectrum flat. Raises TopicsError.
    """
    size = len(co_occurrence)
    if size < 2 or not np.isfinite(co_occurrence).all():
        raise TopicsError("co_occurrence", co_occurrence.shape, "give a finite matrix of 2+ words")
    rank = min(checked_topics(topics) + 1, size)
    matrix = _imputed(co_occurrence, rank)
    values, vectors = _leading(matrix, min(max(rank, _SHOWN), size))
    return Spectrum(values, vectors, noise_edge(offdiagonal_sd, size), offdiagonal_sd)


def find_topics(spectrum: Spectrum, topics: int, start: int = 0, starts: int = 5) -> FloatArray:
    """Loadings (D, K) with unit columns; K is ``topics``, less those that coincide with another.

    Two topics coincide if their words occur with each other's as much as with their own: the
    correlation a'Rb / sqrt(a'Ra b'Rb) over R = S - f f' / 1'f is 0.9 or more. They become one
    topic, and the factorisation goes on from there.
    """
    w = fit_topics(spectrum, topics, start, starts)
    while (pair := _coinciding(spectrum.matrix(w.shape[1] + 1), w)) is not None:
        w = _joined(spectrum, w, pair)
    lengths = np.linalg.norm(w, axis=0)
    return unit_columns(w)[:, np.argsort(-lengths, kind="stable")]


def find_exact_topics(vectors: Any, topics: int, start: int = 0) -> FloatArray:
    """The same of unit vectors (respondents, words) without noise: not private.

    Where all respondents wrote alike there is nothing beyond the background, and it is the topic.
    Raises TopicsError.
    """
    co_occurrence = np.asarray((vectors.T @ vectors).todense(), dtype=np.float64)
    sd = _EXACT * max(float(co_occurrence.max(initial=0.0)), _EXACT)
    spectrum = find_spectrum(co_occurrence, sd, topics)
    matrix = spectrum.matrix(topics + 1)
    if _beyond_background(matrix).max() <= _ALIKE * matrix.max():
        return unit_columns(matrix.sum(axis=1, keepdims=True))
    return find_topics(spectrum, topics, start)


def fit_topics(spectrum: Spectrum, topics: int, start: int = 0, starts: int = 5) -> FloatArray:
    """W (D, K) of symmetric NMF of the part of rank K + 1 without its background.

    With f = S 1 the background is f f' / 1'f, and (S - f f' / 1'f)+ is factorised as W W' by
    W <- W * (1/2 + 1/2 SW / (W W'W)) (Ding, He and Simon 2005 with step 1/2), the best of several
    starts by its own objective. ``start`` seeds them: the same for a report and its simulations,
    so that what differs between them is the noise.
    """
    matrix = spectrum.matrix(topics + 1)
    rng = np.random.default_rng(start)
    runs = _factorised(without_background(matrix), topics, rng, max(1, starts))
    return max(runs, key=lambda run: _quality(matrix, run))


def unit_columns(w: FloatArray) -> FloatArray:
    """Columns scaled to length 1; columns of 0 stay."""
    lengths = np.linalg.norm(w, axis=0)
    return np.asarray(w / np.where(lengths > 0, lengths, 1.0))


def without_background(matrix: FloatArray) -> FloatArray:
    """(S - f f' / 1'f)+ with f = S 1; S itself, cut at 0, where the sum is not positive."""
    return np.asarray(np.maximum(_beyond_background(matrix), 0.0))


def _beyond_background(matrix: FloatArray) -> FloatArray:
    shares = matrix.sum(axis=1)
    total = float(shares.sum())
    return np.asarray(matrix - np.outer(shares, shares) / total) if total > 0 else matrix


def _coinciding(matrix: FloatArray, w: FloatArray) -> tuple[int, int] | None:
    """The two topics of largest correlation, the first before the second, if they coincide."""
    products = w.T @ _beyond_background(matrix) @ w
    own = np.sqrt(np.maximum(np.diag(products), 0.0))
    scale = np.outer(own, own)
    correlations = np.triu(np.where(scale > 0, products / np.where(scale > 0, scale, 1.0), 0.0), 1)
    if correlations.max(initial=0.0) < _COINCIDING:
        return None
    first, second = np.unravel_index(correlations.argmax(), correlations.shape)
    return int(first), int(second)


def _joined(spectrum: Spectrum, w: FloatArray, pair: tuple[int, int]) -> FloatArray:
    """W with one topic in place of the two, moved until it fits again."""
    both = np.linalg.norm(w[:, list(pair)], axis=1, keepdims=True)
    fewer = np.hstack([np.delete(w, pair, axis=1), both])
    rest = without_background(spectrum.matrix(fewer.shape[1] + 1))
    return _moved(rest, fewer, np.ones((fewer.shape[1],) * 2))


def _imputed(matrix: FloatArray, rank: int) -> FloatArray:
    # Single precision: an error of 1e-6 of the largest eigenvalue, on a diagonal that is a guess.
    guess = matrix.astype(np.float32)
    np.fill_diagonal(guess, 0.0)
    for _ in range(_IMPUTATIONS):
        values, vectors = _leading(guess, rank)
        np.fill_diagonal(guess, ((vectors * values) * vectors).sum(axis=1))
    result = matrix.copy()
    np.fill_diagonal(result, guess.diagonal())
    return np.asarray(result)


def _leading(matrix: NDArray[Any], count: int) -> tuple[FloatArray, FloatArray]:
    size = len(matrix)
    values, vectors = eigh(matrix, subset_by_index=[size - count, size - 1])
    return values[::-1], vectors[:, ::-1]


def _factorised(
    matrix: FloatArray, topics: int, rng: np.random.Generator, starts: int
) -> list[FloatArray]:
    """W of every start, all of them moved by one product of matrices."""
    scale = 2 * np.sqrt(max(float(matrix.mean()), 1e-12) / topics)
    first = [rng.random((len(matrix), topics)) * scale for _ in range(starts)]
    own: FloatArray = np.kron(np.eye(starts), np.ones((topics, topics))).astype(np.float64)
    return np.split(_moved(matrix, np.concatenate(first, axis=1), own), starts, axis=1)


def _moved(matrix: FloatArray, start: FloatArray, own: FloatArray) -> FloatArray:
    """W after the updates; ``own`` is 1 where two columns belong to the same start."""
    # Single precision: updates only multiply and add what is not negative, so that relative errors
    # of 1e-7 cannot cancel, and the noise is many times larger.
    single, w, same = (part.astype(np.float32) for part in (matrix, start, own))
    nothing = np.float32(_NOTHING) * w.max()
    for update in range(_ITERATIONS):
        w *= 0.5 + 0.5 * (single @ w) / np.maximum(w @ ((w.T @ w) * same), np.float32(1e-12))
        if update % _CLEARED_AFTER == 0:
            w[w < nothing] = 0
    return w.astype(np.float64)


def _quality(matrix: FloatArray, w: FloatArray) -> float:
    tops = coherence.top_words(w / np.maximum(np.linalg.norm(w, axis=0), 1e-300))
    useful = [top for top in tops if len(top) > 1]
    levels = coherence.released_npmis(matrix, useful) if useful else []
    level, spread = float(np.mean(levels)) if levels else -1.0, coherence.diversity(tops)
    # Where coherence is negative a product with diversity would reward less of it.
    return level * spread if level > 0 else level


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
