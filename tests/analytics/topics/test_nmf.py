"""Exact factorisation, least squares, outliers, and the published method without and with noise."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import nnls

from analytics.privacy.mechanisms import SeededNoise
from analytics.text.weighting import weigh_rows
from analytics.topics import nmf
from analytics.topics.checks import TopicsError
from analytics.topics.least_squares import solve
from analytics.topics.private import published


def vectors(seed: int = 0, n: int = 200, d: int = 60, k: int = 4) -> sparse.csr_array:
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(d, 0.1), size=k)
    counts = rng.poisson(40 * rng.dirichlet(np.full(k, 0.2), size=n) @ topics)
    return weigh_rows(sparse.csr_array(counts))


@pytest.mark.parametrize("rank", [3, 6])
def test_coefficients_are_those_of_the_active_set_method(rank: int) -> None:
    rng = np.random.default_rng(1)
    w, v = rng.random((20, 6)), rng.normal(size=(40, 20))
    if rank < 6:
        w[:, rank:] = w[:, : 6 - rank]
    h = nmf.coefficients_of(v, w)
    exact = np.array([nnls(w, row)[1] for row in v])
    assert (h >= 0).all()
    assert np.linalg.norm(v - h @ w.T, axis=1) == pytest.approx(exact, abs=1e-8)


def test_no_topics_left_gives_no_coefficients() -> None:
    assert (solve(np.zeros((2, 2)), np.zeros((3, 2))) == 0).all()


def test_a_matrix_that_has_a_factorisation_is_explained_whole() -> None:
    rng = np.random.default_rng(2)
    v = rng.random((30, 3)) @ rng.random((3, 12))
    found = nmf.factorise(v, 3, np.random.default_rng(0))
    assert found.relative_error < 0.01
    assert np.linalg.norm(found.topics, axis=0) == pytest.approx(1)


def test_the_residual_is_that_of_the_dense_difference() -> None:
    v = vectors()
    found = nmf.factorise(v, 4, np.random.default_rng(0), outlier_penalty=0.1)
    dense = v.toarray() - found.coefficients @ found.topics.T - found.outliers.toarray()
    assert found.residual == pytest.approx(np.linalg.norm(dense))
    paid = 0.1 * np.abs(found.outliers.data).sum()
    assert found.objective == pytest.approx(found.residual**2 / 2 + paid)


def test_an_outlier_is_found_where_it_was_planted() -> None:
    rng = np.random.default_rng(3)
    v = np.outer(rng.uniform(0.5, 1, 60), rng.uniform(0.5, 1, 15))
    v[7, 4] += 3.0
    found = nmf.factorise(v, 1, np.random.default_rng(0), outlier_penalty=0.2, outlier_bound=5)
    place = np.unravel_index(np.abs(found.outliers.toarray()).argmax(), v.shape)
    assert place == (7, 4)
    assert found.outliers.nnz == 1


def test_the_same_start_gives_the_same_bytes() -> None:
    one, two = (nmf.factorise(vectors(), 4, np.random.default_rng(5)) for _ in range(2))
    assert one.topics.tobytes() == two.topics.tobytes()


@pytest.mark.parametrize("topics", [0, 61, 2.5])
def test_more_topics_than_words_are_refused(topics: int) -> None:
    with pytest.raises(TopicsError):
        nmf.factorise(vectors(), topics, np.random.default_rng(0))


@pytest.mark.parametrize(
    "bad", [np.zeros((3, 3)), -np.eye(3), np.full((2, 2), np.nan), np.ones((0, 2))]
)
def test_vectors_that_are_empty_negative_or_not_numbers_are_refused(bad: np.ndarray) -> None:
    with pytest.raises(TopicsError, match="vectors"):
        nmf.factorise(bad, 1, np.random.default_rng(0))


@pytest.mark.audit
def test_the_published_method_without_noise_reaches_the_exact_objective() -> None:
    v = vectors()
    best = nmf.factorise(v, 4, np.random.default_rng(0)).residual
    runs = [published.factorise_without_noise(v, 4, np.random.default_rng(s)) for s in range(4)]
    residuals = []
    for run in runs:
        w = run.topics / np.linalg.norm(run.topics, axis=0)
        residuals.append(np.linalg.norm(v.toarray() - nmf.coefficients_of(v, w) @ w.T))
    assert min(residuals) <= 1.005 * best


def test_the_published_method_pays_for_every_iteration() -> None:
    noise = SeededNoise(np.random.default_rng(0))
    found = published.factorise_privately(
        vectors(), 4, np.random.default_rng(0), mu=0.5, noise=noise, iterations=3
    )
    assert 0.999 * 0.5 <= found.mu <= 0.5
    assert (found.topics >= 0).all()
    assert not found.is_private
