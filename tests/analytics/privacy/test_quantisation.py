"""Integer vectors: the norm bound is exact, whatever goes in, and little is lost."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from analytics.privacy import GRID, QuantisationError, quantise, weigh_words

finite = st.floats(allow_nan=False, allow_infinity=False)
anything = arrays.arrays(
    np.float64, st.tuples(st.integers(0, 5), st.integers(1, 40)), elements=finite
)


@given(anything, st.sampled_from([1, 2, 3, 1000, GRID, 2**20]))
def test_no_row_is_longer_than_the_grid(vectors: np.ndarray, grid: int) -> None:
    rows = quantise(vectors, grid)
    assert rows.dtype == np.int64
    assert [sum(int(x) ** 2 for x in row) <= grid**2 for row in rows] == [True] * len(rows)


@given(anything)
def test_signs_are_kept_and_zeros_stay_zero(vectors: np.ndarray) -> None:
    rows = quantise(vectors)
    assert (rows * np.sign(vectors) >= 0).all()
    assert (rows[vectors == 0] == 0).all()


@given(anything)
def test_a_row_depends_on_no_other_row_and_not_on_its_storage(vectors: np.ndarray) -> None:
    together = quantise(vectors)
    alone = [quantise(row[None, :])[0] for row in vectors]
    assert np.array_equal(together, np.reshape(alone, together.shape))
    assert np.array_equal(quantise(sparse.csr_array(vectors)).toarray(), together)


def on_the_edge(count: int) -> np.ndarray:
    """Rows a hair longer than 1, with an entry a hair above the middle of two grid points."""
    rng = np.random.default_rng(8)
    first = (rng.integers(1, 900, count) + 0.5 + 1e-8) / GRID
    rest = rng.random((count, 3))
    rest *= (np.sqrt((1 + 5e-10) ** 2 - first**2) / np.linalg.norm(rest, axis=1))[:, None]
    return np.column_stack([first, rest])


def test_who_is_too_long_changes_nobody_elses_row() -> None:
    """One respondent who moved others by a grid step each would move a sum without any bound."""
    vectors = on_the_edge(400)
    joined = quantise(np.vstack([vectors, [3.0, 4.0, 0.0, 0.0]]))
    assert np.array_equal(joined[:-1], quantise(vectors))


@pytest.mark.parametrize("words", [1, 2, 15, 300, 3000])
def test_unit_vectors_keep_their_direction_and_nearly_all_of_their_length(words: int) -> None:
    vectors = np.abs(np.random.default_rng(words).normal(size=(500, words)))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = quantise(vectors) / GRID
    lengths = np.linalg.norm(rows, axis=1)
    cosines = (rows * vectors).sum(axis=1) / lengths
    # Rounding towards zero at once would lose 0.8 % of 300 words.
    assert lengths.mean() > 1 - 0.002
    assert lengths.min() > 1 - 1.5 * math.sqrt(words) / GRID
    # Each entry is off by at most one unit, at right angles or not.
    assert cosines.min() > 1 - words / GRID**2


def test_vectors_that_fit_are_only_rounded() -> None:
    vectors = np.array([[0.6, 0.0, -0.7], [0.25, 0.25, 0.0]])
    assert quantise(vectors, 1000).tolist() == [[600, 0, -700], [250, 250, 0]]


def test_longer_rows_are_scaled_to_unit_length() -> None:
    assert quantise(np.array([[3.0, -4.0], [3e200, -4e200]]), 1000).tolist() == [[600, -800]] * 2


def test_empty_rows_stay_empty() -> None:
    rows = quantise(sparse.csr_array((3, 4), dtype=np.float64))
    assert rows.shape == (3, 4)
    assert rows.toarray().tolist() == [[0] * 4] * 3


def test_repeated_entries_of_a_sparse_row_count_together() -> None:
    twice = sparse.csr_array(
        (np.array([0.5, 0.5]), np.array([1, 1]), np.array([0, 2])), shape=(1, 2)
    )
    assert quantise(twice).toarray().tolist() == [[0, GRID]]


@given(st.integers(1, 10**9), st.sampled_from([1, 7, GRID, 2**20]))
def test_the_weights_of_a_respondents_words_have_norm_at_most_the_grid(m: int, grid: int) -> None:
    weight = int(weigh_words(np.array([m]), grid)[0])
    assert m * weight**2 <= grid**2 < m * (weight + 1) ** 2


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_is_refused(bad: float) -> None:
    with pytest.raises(QuantisationError, match="finite"):
        quantise(np.array([[0.5, bad]]))


def test_what_is_no_table_of_vectors_is_refused() -> None:
    for bad in (np.zeros(3), np.array([["a"]]), np.zeros((2, 2), dtype=complex)):
        with pytest.raises(QuantisationError):
            quantise(bad)
    for grid in (0, -1, 2**20 + 1, 1.5):
        with pytest.raises(QuantisationError):
            quantise(np.zeros((1, 1)), grid)  # type: ignore[arg-type]
    for counts in (np.array([0]), np.array([1.5])):
        with pytest.raises(QuantisationError):
            weigh_words(counts)
