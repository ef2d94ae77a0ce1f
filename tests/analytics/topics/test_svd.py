"""Singular values, exact and private; clusters; coherence."""

import numpy as np
import pytest
from scipy import sparse

from analytics.topics import coherence, svd
from analytics.topics.checks import TopicsError
from analytics.topics.clusters import adjusted_rand, cluster


@pytest.mark.parametrize("k", [1, 5, 20])
def test_singular_values_are_those_of_the_dense_decomposition(k: int) -> None:
    dense = np.random.default_rng(0).random((50, 20)) * (
        np.random.default_rng(1).random((50, 20)) < 0.3
    )
    found = svd.decompose(sparse.csr_array(dense), k)
    exact = np.linalg.svd(dense, compute_uv=False)
    assert found.values == pytest.approx(exact[:k], abs=1e-8)
    assert found.energy == pytest.approx((exact[:k] ** 2).sum() / (exact**2).sum())
    assert (found.words[np.abs(found.words).argmax(axis=0), np.arange(k)] > 0).all()
    assert dense @ found.words == pytest.approx(found.respondents * found.values, abs=1e-7)


@pytest.mark.parametrize("k", [0, 4, 1.5])
def test_more_values_than_words_are_refused(k: int) -> None:
    with pytest.raises(TopicsError):
        svd.decompose(np.eye(3), k)


def test_clusters_of_directions_are_found_again_from_every_start() -> None:
    rng = np.random.default_rng(3)
    rows = svd.unit_rows(np.repeat(np.eye(3), [30, 20, 10], axis=0) + rng.normal(0, 0.05, (60, 3)))
    one, two = (cluster(rows, 3, np.random.default_rng(4)) for _ in range(2))
    assert one.labels.tolist() == two.labels.tolist() == [0] * 30 + [1] * 20 + [2] * 10
    assert one.stability > 0.8


def test_agreement_of_partitions_is_corrected_for_chance() -> None:
    # Hubert and Arabie 1985: the same up to names is 1, crossed halves are below 0.
    a = np.array([0, 0, 1, 1])
    assert adjusted_rand(a, 1 - a) == 1
    assert adjusted_rand(a, np.array([0, 1, 0, 1])) == pytest.approx(-0.5)


def test_more_clusters_than_different_rows_are_refused() -> None:
    with pytest.raises(TopicsError):
        cluster(np.ones((5, 2)), 2, np.random.default_rng(0))


def test_npmi_is_one_for_words_always_together_and_minus_one_for_never() -> None:
    counts = np.array([[1, 1, 0], [2, 1, 0], [0, 0, 1], [0, 0, 3]])
    assert coherence.document_npmi(counts, [0, 1]) == pytest.approx(1)
    assert coherence.document_npmi(counts, [0, 2]) == -1
    assert coherence.document_npmi(np.ones((3, 2)), [0, 1]) == 1


def test_independent_words_have_npmi_zero() -> None:
    counts = np.array([[1, 1], [1, 0], [0, 1], [0, 0]])
    assert coherence.document_npmi(counts, [0, 1]) == pytest.approx(0)
    shares = np.outer([0.2, 0.8], [0.2, 0.8])
    assert coherence.released_npmi(shares, [0, 1]) == pytest.approx(0)


def test_diversity_and_matching_count_words() -> None:
    assert coherence.diversity([[1, 2], [2, 3]]) == 0.75
    assert coherence.matched_jaccard([[1, 2], [3, 4]], [[4, 3], [1, 5]]) == pytest.approx(2 / 3)
    assert coherence.matched_jaccard([], [[1]]) == 0


@pytest.mark.parametrize("words", [[], [1], [0, 0]])
def test_coherence_needs_two_different_words(words: list[int]) -> None:
    with pytest.raises(TopicsError):
        coherence.document_npmi(np.ones((2, 2)), words)
