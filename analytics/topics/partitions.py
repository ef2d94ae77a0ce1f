"""Exact integer sums over partitions of respondents: word weights, co-occurrence, topic counts."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import add
from typing import Any, Protocol, TypeVar

import numpy as np
from scipy import sparse

from analytics.privacy.quantisation import quantise
from analytics.text.bags import Bags, limit_words
from analytics.text.tokens import MOST_WORDS
from analytics.text.vocabulary import Vocabulary, sum_word_weights, take_columns
from analytics.text.weighting import weigh_rows
from analytics.topics.checks import FloatArray, IntArray, TopicsError
from analytics.topics.least_squares import descend_each
from analytics.topics.nmf import entries_of_product

T = TypeVar("T")
_BLOCK = 2**16
# A respondent's topic needs no more: it is the largest coefficient, not its digits.
_SWEEPS = 2
_REFINING_SWEEPS = 20


class Partitions(Protocol):
    """Bags in several places. ``map`` runs a function on each and yields the results, any order."""

    def map(self, function: Callable[[Bags], T]) -> Iterable[T]: ...


class LocalPartitions:
    """Bags in this process, one after the other; at most ``most_words`` words a respondent."""

    def __init__(self, parts: Sequence[Bags], most_words: int = MOST_WORDS) -> None:
        self._parts = [limit_words(part, most_words) for part in parts]

    def map(self, function: Callable[[Bags], T]) -> Iterator[T]:
        return map(function, self._parts)


def count_respondents(partitions: Partitions) -> int:
    """Rows of all partitions; treated as public."""
    return sum(partitions.map(lambda bags: bags.respondents))


def total_word_weights(partitions: Partitions, most_words: int = MOST_WORDS) -> Counter[str]:
    """Step 1 before noise: lattice units by word.

    The threshold is proved for at most ``most_words`` words a respondent, so that they are limited
    here as well, even if the partitions hold more.
    """
    result: Counter[str] = Counter()
    for part in partitions.map(lambda bags: sum_word_weights(limit_words(bags, most_words))):
        result.update(part)
    return result


def total_co_occurrence(partitions: Partitions, vocabulary: Vocabulary) -> IntArray:
    """Step 3 before noise: (D, D), one respondent's part of norm at most GRID^2."""
    return _total(partitions.map(lambda bags: sum_outer_products(bags, vocabulary)))


def total_topic_counts(
    partitions: Partitions, vocabulary: Vocabulary, topics: FloatArray
) -> IntArray:
    """Step 6 before noise: respondents by their largest topic; one respondent moves one by 1."""
    return _total(partitions.map(lambda bags: count_topics(bags, vocabulary, topics)))


def total_refinement(
    partitions: Partitions, vocabulary: Vocabulary, topics: FloatArray, penalty: float
) -> tuple[IntArray, IntArray]:
    """Step 5 before noise: (sum u u', sum (v - r) u'), each of sensitivity GRID^2."""
    return total_of(partitions, lambda bags: sum_refinement(bags, vocabulary, topics, penalty))


def total_of(
    partitions: Partitions, function: Callable[[Bags], tuple[IntArray, IntArray]]
) -> tuple[IntArray, IntArray]:
    """Sums over partitions of a pair of integer sums. Raises TopicsError without a partition."""
    parts = list(partitions.map(function))
    return _total(part[0] for part in parts), _total(part[1] for part in parts)


def vectors_in_blocks(bags: Bags, vocabulary: Vocabulary) -> Iterator[Any]:
    """Unit vectors of the vocabulary's words, some thousand respondents at a time: CSR float64."""
    columns = vocabulary.places(bags.words)
    for counts in _blocks(bags):
        chosen = take_columns(counts, columns, len(vocabulary.words))
        yield weigh_rows(chosen, vocabulary.weights)


def sum_outer_products(bags: Bags, vocabulary: Vocabulary) -> IntArray:
    """Sum of q q' over respondents, for their vectors q on the integer grid: (D, D) int64."""
    size = len(vocabulary.words)
    result = np.zeros((size, size), dtype=np.int64)
    for vectors in vectors_in_blocks(bags, vocabulary):
        grid = quantise(vectors)
        result += (grid.T @ grid).toarray()
    return result


def count_topics(bags: Bags, vocabulary: Vocabulary, topics: FloatArray) -> IntArray:
    """Respondents by their largest coefficient; who has none (no kept word) is in no topic.

    Which coefficient is the largest does not depend on a vector's length, so that vectors are not
    brought to length 1, and words are weighed within the topics. Single precision: the statistic
    moves by 1 for a respondent, for every function that names their topic.
    """
    result = np.zeros(topics.shape[1], dtype=np.int64)
    columns = vocabulary.places(bags.words)
    gram, count = topics.T @ topics, topics.shape[1]
    # Beside the products, the solution without the condition that it be positive: a good start.
    both = np.hstack([topics, topics @ np.linalg.pinv(gram)]) * vocabulary.weights[:, None]
    loadings = np.zeros((len(columns), 2 * count), dtype=np.float32)
    loadings[columns >= 0] = both[columns[columns >= 0]]
    for counts in _blocks(bags):
        values = 1 + np.log(counts.data, dtype=np.float32)
        seen = sparse.csr_array((values, counts.indices, counts.indptr), shape=counts.shape)
        products, start = np.hsplit(np.asarray(seen @ loadings), 2)
        h = descend_each(gram, products, _SWEEPS, np.maximum(start, 0))
        some = h.max(axis=1, initial=0.0) > 0
        result += np.bincount(h[some].argmax(axis=1), minlength=topics.shape[1])
    return result


def sum_refinement(
    bags: Bags, vocabulary: Vocabulary, topics: FloatArray, penalty: float
) -> tuple[IntArray, IntArray]:
    """Sums of u u' (K, K) and (v - r) u' (D, K) on the grid, both int64.

    u = h^2 / |h^2| has norm at most 1. An outlier r takes from a word what its respondent's topics
    explain less than ``penalty`` well, on the respondent's own words only, so that v - r lies
    between 0 and v and has norm at most 1.
    """
    gram, (words, count) = topics.T @ topics, topics.shape
    squares = np.zeros((count, count), dtype=np.int64)
    products = np.zeros((words, count), dtype=np.int64)
    for vectors in vectors_in_blocks(bags, vocabulary):
        h = descend_each(gram, np.asarray(vectors @ topics), _REFINING_SWEEPS)
        explained = _without_outliers(vectors, h, topics, penalty)
        u, v = quantise(_shares(h)), quantise(explained)
        squares += u.T @ u
        products += np.asarray(v.T @ u)
    return squares, products


def _blocks(bags: Bags) -> Iterator[sparse.csr_array]:
    for start in range(0, bags.respondents, _BLOCK):
        yield bags.rows(start, min(start + _BLOCK, bags.respondents)).counts


def _shares(h: FloatArray) -> FloatArray:
    squares = h * h
    lengths = np.linalg.norm(squares, axis=1, keepdims=True)
    return np.asarray(squares / np.where(lengths > 0, lengths, 1.0))


def _without_outliers(vectors: Any, h: FloatArray, topics: FloatArray, penalty: float) -> Any:
    rest = vectors.data - entries_of_product(vectors, h, topics)
    vectors.data = vectors.data - np.maximum(rest - penalty, 0.0)
    return vectors


def _total(parts: Iterable[IntArray]) -> IntArray:
    summed = list(parts)
    if not summed:
        raise TopicsError("partitions", 0, "give at least one partition")
    return reduce(add, summed)
