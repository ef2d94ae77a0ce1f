"""Weights of words in a respondent's row: inverse document frequencies, log-entropy."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

FloatArray = NDArray[np.float64]


def inverse_document_frequencies(histogram: NDArray[Any]) -> FloatArray:
    """idf_w = ln(1 + max g / g_w) for a histogram of positive counts, noisy or not."""
    g = np.asarray(histogram, dtype=np.float64)
    return np.asarray(np.log1p(g.max(initial=0.0) / g))


def weigh_rows(counts: sparse.csr_array, weights: FloatArray | None = None) -> sparse.csr_array:
    """v = (1 + ln count) * weight, every row scaled to length 1; rows without a word stay 0.

    ``counts`` is CSR (respondents, words) of positive counts; ``weights`` (words,) are positive, by
    default 1. A row of the result depends on that row of ``counts`` alone.
    """
    values = 1 + np.log(counts.data)
    if weights is not None:
        values *= weights[counts.indices]
    lengths = np.sqrt(row_sums(values * values, counts.indptr))
    lengths[lengths == 0] = 1.0
    values /= np.repeat(lengths, np.diff(counts.indptr))
    return sparse.csr_array((values, counts.indices, counts.indptr), shape=counts.shape)


def weigh_log_entropy(counts: sparse.csr_array) -> sparse.csr_array:
    """ln(1 + count) * (1 + sum over respondents of p ln p / ln n), p = count / word total.

    A word that all wrote equally often weighs 0, a word of one respondent 1 (Dumais 1991).
    ``counts`` is CSR (respondents, words); with one respondent every word weighs 1. *Not* private.
    """
    n = counts.shape[0]
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    shares = counts.data / totals[counts.indices]
    entropies = np.bincount(counts.indices, -shares * np.log(shares), minlength=counts.shape[1])
    weights = 1 - entropies / np.log(n) if n > 1 else np.ones(counts.shape[1])
    values = np.log1p(counts.data) * weights[counts.indices]
    return sparse.csr_array((values, counts.indices, counts.indptr), shape=counts.shape)


def row_sums(values: FloatArray, ends: NDArray[Any]) -> FloatArray:
    """Sums of the entries between neighbouring ends; a row's sum depends on that row alone."""
    result = np.zeros(len(ends) - 1)
    filled = np.diff(ends) > 0
    if filled.any():
        result[filled] = np.add.reduceat(values, np.asarray(ends[:-1])[filled])
    return result
