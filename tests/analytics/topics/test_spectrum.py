"""Post-processing: the noise edge, the background, topics that coincide."""

import numpy as np
import pytest

from analytics.topics.checks import TopicsError
from analytics.topics.spectrum import find_spectrum, find_topics, fit_topics, without_background


def symmetric_noise(size: int, sd: float, seed: int) -> np.ndarray:
    z = np.random.default_rng(seed).normal(0, sd * 2**0.5, (size, size))
    return (z + z.T) / 2


def blocks(strength: float, size: int = 60, count: int = 3) -> np.ndarray:
    """Topics that share no word, and a background of all words."""
    matrix = np.full((size, size), strength / 4)
    for part in np.split(np.arange(size), count):
        matrix[np.ix_(part, part)] += strength
    return matrix


def test_noise_alone_supports_no_topic() -> None:
    for seed in range(10):
        assert find_spectrum(symmetric_noise(300, 1.0, seed), 1.0, 5).supported == 0


def test_topics_above_the_edge_are_counted_without_the_background() -> None:
    spectrum = find_spectrum(blocks(10.0, 300) + symmetric_noise(300, 1.0, 0), 1.0, 2)
    assert spectrum.supported == 2
    assert spectrum.edge == pytest.approx(2 * 300**0.5)


def test_the_diagonal_does_not_matter() -> None:
    matrix = blocks(10.0)
    other = matrix + np.diag(np.arange(60.0) * 100)
    first, second = (find_spectrum(m, 0.1, 3).eigenvalues for m in (matrix, other))
    assert first == pytest.approx(second)


def test_words_that_occur_independently_are_all_background() -> None:
    shares = np.arange(1.0, 9)
    assert without_background(np.outer(shares, shares)) == pytest.approx(0, abs=1e-9)


def test_separate_blocks_come_back_as_topics() -> None:
    loadings = find_topics(find_spectrum(blocks(10.0), 1e-3, 3), 3)
    owners = loadings.argmax(axis=1)
    assert {len(set(part)) for part in np.split(owners, 3)} == {1}
    assert len(set(owners)) == 3
    assert np.linalg.norm(loadings, axis=0) == pytest.approx(1)


def test_words_that_a_topic_has_nothing_of_are_0_and_no_number_that_is_slow_to_compute_with() -> (
    None
):
    w = fit_topics(find_spectrum(blocks(10.0), 1e-3, 3), 3)
    assert (w == 0).sum() == 2 * w.size // 3
    assert w[w > 0].min() > 1e-18


@pytest.mark.parametrize("asked", [4, 5, 8])
def test_a_theme_that_too_many_topics_cut_is_put_together_again(asked: int) -> None:
    spectrum = find_spectrum(blocks(10.0) + symmetric_noise(60, 0.5, 1), 0.5, asked)
    assert fit_topics(spectrum, asked).shape == (60, asked)
    loadings = find_topics(spectrum, asked)
    assert loadings.shape == (60, 3)
    owners = loadings.argmax(axis=1)
    assert {len(set(part)) for part in np.split(owners, 3)} == {1}


def test_topics_that_share_words_without_being_one_stay_apart() -> None:
    # Two blocks of 30 words of which ten are common: their words meet half as much as their own.
    matrix = np.full((80, 80), 2.0)
    for words in (range(30), range(20, 50), range(50, 80)):
        matrix[np.ix_(words, words)] += 10
    spectrum = find_spectrum(matrix + symmetric_noise(80, 0.5, 2), 0.5, 3)
    assert find_topics(spectrum, 3).shape == (80, 3)


@pytest.mark.parametrize("matrix", [np.zeros((1, 1)), np.full((3, 3), np.nan)])
def test_a_matrix_without_two_words_or_with_nan_is_refused(matrix: np.ndarray) -> None:
    with pytest.raises(TopicsError):
        find_spectrum(matrix, 1.0, 3)
