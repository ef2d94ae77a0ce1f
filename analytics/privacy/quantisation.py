"""Rows of norm at most 1 clipped and rounded to integers on a grid, so that the norm stays bounded.

Sums of integers are exact and do not depend on their order or on how respondents are partitioned,
and their sensitivity is that of the integers themselves: nothing has to be argued about rounding.
A vector v becomes q with sum q_j^2 <= grid^2, checked in 64-bit integers (lemma 6 of
docs/privacy-proofs.md). Rounding to the nearest is kept where it fits; a vector whose rounding
overshoots is shortened a little and rounded again, and rounded towards zero in the end, which
always fits.
"""

from typing import Any, overload

import numpy as np
import scipy
from numpy.typing import NDArray

from analytics.privacy.checks import FloatArray, IntArray, checked_count
from analytics.privacy.errors import QuantisationError
from surveys.randomized_response.messages import sentence

GRID = 2**10
_FINEST = 2**20
_ROUNDS = 6
_SQUARES_OVERFLOW = 1e100
# Outer products are summed in int64: n * grid^2 stays below 2^63 for 2^43 respondents.


@overload
def quantise(vectors: NDArray[Any], grid: int = GRID) -> IntArray: ...
@overload
def quantise(vectors: "scipy.sparse.csr_array", grid: int = GRID) -> "scipy.sparse.csr_array": ...
def quantise(vectors: Any, grid: int = GRID) -> Any:
    """Rows as integer multiples of 1/grid, each with an integer norm of at most ``grid``.

    ``vectors`` has one respondent per row: a dense array (respondents, words) or a CSR array, of
    finite numbers; rows longer than 1 are first scaled to length 1. ``grid`` is at most 2^20. The
    result has the shape and kind of the input, with int64 entries; a row depends on no other row.
    Raises QuantisationError.
    """
    steps = _checked_grid(grid)
    if isinstance(vectors, scipy.sparse.csr_array):
        return _quantise_sparse(vectors, steps)
    dense = np.asarray(vectors)
    if dense.ndim != 2:
        raise QuantisationError("vectors", dense.shape, "give one row per respondent")
    ends = np.arange(len(dense) + 1) * dense.shape[1]
    return _quantise_rows(_finite(dense.ravel()), ends, steps).reshape(dense.shape)


def weigh_words(words_per_respondent: NDArray[Any], grid: int = GRID) -> IntArray:
    """What a respondent with m words adds to each of them: floor(grid / sqrt(m)), exactly.

    m such weights have norm at most ``grid``. ``words_per_respondent`` holds integers of 1 or more.
    Raises QuantisationError.
    """
    counts = np.asarray(words_per_respondent)
    if counts.dtype.kind not in "iu" or (counts < 1).any():
        raise QuantisationError("words_per_respondent", counts, "give whole numbers of at least 1")
    return np.asarray(_checked_grid(grid) // np.sqrt(counts), dtype=np.int64)


def _checked_grid(grid: object) -> int:
    steps = checked_count("grid", grid, QuantisationError)
    if steps > _FINEST:
        raise QuantisationError("grid", grid, "give at most 2^20 steps")
    return steps


def _quantise_sparse(vectors: "scipy.sparse.csr_array", grid: int) -> "scipy.sparse.csr_array":
    if not vectors.has_canonical_format:
        vectors = vectors.copy()
        vectors.sum_duplicates()
    data = _quantise_rows(_finite(vectors.data), vectors.indptr, grid)
    parts = data, vectors.indices.copy(), vectors.indptr.copy()
    return scipy.sparse.csr_array(parts, shape=vectors.shape)


def _finite(values: NDArray[Any]) -> FloatArray:
    if values.dtype.kind not in "iuf":
        raise QuantisationError("vectors", values.dtype, "give real numbers")
    if not np.isfinite(values).all():
        worst = values[np.argmin(np.isfinite(values))]
        raise QuantisationError("vectors", float(worst), sentence("give finite numbers"))
    return np.asarray(values, dtype=np.float64)


def _quantise_rows(values: FloatArray, ends: NDArray[Any], grid: int) -> IntArray:
    """``ends`` are the n + 1 bounds of the rows within ``values``."""
    return _rounded(grid * _clipped(values, ends), ends, grid)


def _clipped(values: FloatArray, ends: NDArray[Any]) -> FloatArray:
    """Rows of length at most 1 + 1e-9; what is left over is the integers' business.

    Rows that fit keep their bits even if others do not: a respondent changes no other row.
    """
    sizes = np.diff(ends)
    if np.abs(values).max(initial=0.0) > _SQUARES_OVERFLOW:
        largest = _per_row(np.maximum, np.abs(values), ends)
        values = values / np.repeat(np.where(largest > _SQUARES_OVERFLOW, largest, 1.0), sizes)
    lengths = np.sqrt(_per_row(np.add, values * values, ends))
    long = lengths > 1 + 1e-9
    if not long.any():
        return values
    return np.asarray(values / np.repeat(np.where(long, lengths, 1.0), sizes))


def _rounded(target: FloatArray, ends: NDArray[Any], grid: int) -> IntArray:
    result, sizes = np.rint(target).astype(np.int64), np.diff(ends)
    long = _per_row(np.add, result * result, ends) > grid * grid
    if long.any():
        entries = np.repeat(long, sizes)
        own = np.concatenate([[0], np.cumsum(sizes[long])])
        result[entries] = _shortened(target[entries], own, grid)
    return result


def _shortened(target: FloatArray, ends: NDArray[Any], grid: int) -> IntArray:
    """Rows that rounding to the nearest makes too long."""
    sizes = np.diff(ends)
    result = np.rint(target).astype(np.int64)
    factor = np.ones(len(sizes))
    for round_number in range(_ROUNDS):
        norms = _per_row(np.add, result * result, ends)
        long = norms > grid * grid
        if not long.any():
            return result
        factor[long] *= grid / np.sqrt(norms[long])
        last = round_number == _ROUNDS - 1
        # Towards zero every entry shrinks, from a row that is less than grid long.
        rows = np.repeat(long, sizes)
        by = np.repeat(factor[long], sizes[long]) if not last else 1 - 1e-8
        shorter = target[rows] * by
        result[rows] = (np.trunc if last else np.rint)(shorter).astype(np.int64)
    return result


def _per_row(function: np.ufunc, values: NDArray[Any], ends: NDArray[Any]) -> NDArray[Any]:
    """A sum or maximum per row; 0 for empty rows, which reduceat gets wrong."""
    result = np.zeros(len(ends) - 1, dtype=values.dtype)
    filled = np.diff(ends) > 0
    if filled.any():
        result[filled] = function.reduceat(values, np.asarray(ends[:-1])[filled])
    return result
