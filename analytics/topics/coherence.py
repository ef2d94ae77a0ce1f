"""How good topics are: NPMI coherence of top words, diversity, agreement when matched (Jaccard).

Coherence favours frequent words, so it is never shown without diversity. Counts of documents that
hold both words are private unless the documents are public; a co-occurrence matrix that was already
released costs nothing more.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from analytics.topics.checks import FloatArray, TopicsError


def document_npmi(counts: Any, words: Sequence[int]) -> float:
    """Mean over unordered pairs of ln(p_ij / (p_i p_j)) / -ln p_ij, in [-1, 1] (Bouma 2009).

    p are shares of the documents (rows of ``counts``) that hold a word, or both; -1 for a pair that
    never occurs together, 1 where p_ij = 1. For public documents, or for internal reports. Raises
    TopicsError.
    """
    columns = _checked_words(words)
    matrix = sparse.csr_array(counts)
    if matrix.shape[0] == 0:
        raise TopicsError("counts", matrix.shape, "give at least one document")
    occurs = (matrix[:, columns] > 0).astype(np.float64)
    shares = (occurs.T @ occurs).toarray() / matrix.shape[0]
    return _mean_npmi(shares, np.diag(shares))


def released_npmi(co_occurrence: FloatArray, words: Sequence[int]) -> float:
    """The same with shares of released co-occurrence weights: free post-processing.

    p_ij = S_ij / sum S and p_i = its row sum, negative weights as 0; its level is not comparable
    with ``document_npmi``, its order among topics of one report is. Raises TopicsError.
    """
    return released_npmis(co_occurrence, [words])[0]


def released_npmis(co_occurrence: FloatArray, tops: Sequence[Sequence[int]]) -> list[float]:
    """``released_npmi`` of several topics at once. Raises TopicsError."""
    checked = [_checked_words(words) for words in tops]
    weights = np.maximum(co_occurrence, 0.0)
    single = weights.sum(axis=1)
    total = float(single.sum())
    if total == 0:
        raise TopicsError("co_occurrence", 0, "nothing is above the noise")
    return [_mean_npmi(weights[np.ix_(c, c)] / total, single[c] / total) for c in checked]


def diversity(topics: Sequence[Sequence[int]]) -> float:
    """Distinct words / words over the tops of all topics: 1 if no word is in two of them."""
    listed = [word for top in topics for word in top]
    return len(set(listed)) / len(listed) if listed else 0.0


def top_words(loadings: FloatArray, count: int = 10) -> list[list[int]]:
    """The ``count`` words of largest positive loading of every column, ties in order of words."""
    orders = np.argsort(-loadings, axis=0, kind="stable")[:count].T
    return [[int(w) for w in order if loadings[w, k] > 0] for k, order in enumerate(orders)]


def matched_jaccard(first: Sequence[Sequence[object]], second: Sequence[Sequence[object]]) -> float:
    """Mean |a & b| / |a | b| of tops under the best one-to-one matching; unmatched ones count 0."""
    # SciPy's optimize takes a quarter of a second to load; few processes make reports.
    from scipy.optimize import linear_sum_assignment

    if not first or not second:
        return 0.0
    pairs = [[_jaccard(set(a), set(b)) for b in second] for a in first]
    table = np.array(pairs)
    rows, columns = linear_sum_assignment(table, maximize=True)
    return float(table[rows, columns].sum() / max(table.shape))


def _jaccard(a: set[object], b: set[object]) -> float:
    return len(a & b) / len(a | b) if a | b else 0.0


def _mean_npmi(joint: FloatArray, single: FloatArray) -> float:
    first, second = np.triu_indices(len(single), 1)
    return float(_npmi(joint[first, second], single[first] * single[second]).mean())


def _npmi(joint: FloatArray, apart: FloatArray) -> FloatArray:
    """Of pairs (n,) that occur together so often, and would if neither word knew of the other."""
    result = np.where(joint >= 1, 1.0, -1.0)
    some = (joint > 0) & (joint < 1)
    result[some] = np.log(joint[some] / apart[some]) / -np.log(joint[some])
    return result


def _checked_words(words: Sequence[int]) -> list[int]:
    columns = list(words)
    if len(set(columns)) != len(columns) or len(columns) < 2:
        raise TopicsError("words", columns, "give at least 2 different words")
    return columns
