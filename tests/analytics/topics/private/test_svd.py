"""Private singular values of a report: which words are used, what they cost, how close they are."""

import numpy as np
import pytest

from analytics.text.bags import limit_words
from analytics.text.vocabulary import Vocabulary, public_vocabulary
from analytics.text.weighting import weigh_rows
from analytics.topics import svd
from analytics.topics.checks import TopicsError
from analytics.topics.partitions import LocalPartitions
from analytics.topics.private.svd import (
    PrivateSvd,
    SvdSettings,
    clear_words,
    decompose_privately,
    find_private_svd,
)
from analytics.topics.spectrum import corrected_eigenvalues
from tests.analytics.topics.private.test_nmf import BAGS, COST, noise


def report(seed: int = 0, parts: int = 1, values: int = 4) -> PrivateSvd:
    partitions = LocalPartitions(BAGS.split(parts))
    return find_private_svd(partitions, COST, noise(seed), SvdSettings(values))


def vocabulary(frequencies: list[float], noise_sd: float) -> Vocabulary:
    g = np.array(frequencies)
    words = tuple(f"w{i}" for i in range(len(g)))
    return Vocabulary(words, g, np.ones(len(g)), 0.0, noise_sd, 1.0, False)


def test_values_are_close_to_the_exact_ones_of_the_same_words() -> None:
    for seed in range(5):
        found = report(seed)
        vectors = weigh_rows(found.vocabulary.select(limit_words(BAGS)), found.vocabulary.weights)
        exact = svd.decompose(vectors, len(found.vectors.values))
        # A released eigenvalue has a standard deviation of at most s sqrt(2), s = edge / 2 sqrt(D).
        sd = found.vectors.noise_edge / (2 * len(found.vocabulary.words)) ** 0.5
        assert np.abs(found.vectors.values**2 - exact.values**2).max() < 5 * sd
        captured = ((vectors @ found.vectors.words) ** 2).sum() / (exact.values**2).sum()
        assert captured > 0.92


def test_the_charge_is_the_cost_in_two_releases_of_one_and_nine_tenths() -> None:
    found = report()
    assert 0.999 * COST.mu <= found.mu <= COST.mu
    shares = [charge.mu**2 / COST.mu**2 for charge in found.charges]
    assert shares == pytest.approx([0.1, 0.9], rel=1e-4)


def test_the_bytes_do_not_depend_on_the_partitions() -> None:
    one, two, seven = (report(parts=parts).vectors for parts in (1, 2, 7))
    assert one.values.tobytes() == two.values.tobytes() == seven.values.tobytes()
    assert one.words.tobytes() == two.words.tobytes() == seven.words.tobytes()


def test_a_word_is_used_only_above_the_noise_that_all_used_words_bring() -> None:
    # At mu = 1 / sqrt(2) s is 1 and the edge of D words is 2 sqrt(D): 2, 2.83, 3.46, 4.
    assert clear_words(vocabulary([9.0, 5.0, 4.0, 3.0], 0.0), 0.5**0.5) == 3
    assert clear_words(vocabulary([9.0, 5.0, 4.0, 3.0], 1.0), 0.5**0.5) == 2
    assert clear_words(vocabulary([], 1.0), 0.5**0.5) == 0


def test_a_public_list_is_used_whole_and_leaves_the_cost_to_the_pairs() -> None:
    words = public_vocabulary(BAGS.words)
    found = find_private_svd(LocalPartitions([BAGS]), COST, noise(), vocabulary=words)
    assert found.vocabulary.words == BAGS.words
    assert [charge.mu for charge in found.charges] == pytest.approx([COST.mu], rel=1e-4)


def test_too_few_respondents_are_refused_before_any_noise_is_drawn() -> None:
    with pytest.raises(TopicsError, match="respondents"):
        find_private_svd(LocalPartitions([BAGS.rows(0, 1)]), COST, noise())


@pytest.mark.parametrize("values", [0, 101, 1.5, True])
def test_a_number_of_values_that_cannot_be_is_refused(values: int) -> None:
    with pytest.raises(ValueError, match="cannot be used"):
        SvdSettings(values)


def test_corrected_eigenvalues_undo_the_inflation_by_noise() -> None:
    size, true = 400, 100.0
    vector = np.ones(size) / size**0.5
    z = np.random.default_rng(2).normal(0, 2**0.5, (size, size))
    noisy = true * np.outer(vector, vector) + (z + z.T) / 2
    found = decompose_privately(noisy, 1.0, 5)
    # The top eigenvalue has a standard deviation of sqrt(2): 5 sigma.
    assert found.values[0] ** 2 == pytest.approx(true, abs=5 * 2**0.5)
    assert (found.words[:, 0] @ vector) ** 2 == pytest.approx(found.alignments[0], abs=0.02)


def test_nothing_above_the_noise_is_no_singular_value() -> None:
    assert corrected_eigenvalues([1.0, 2.0, -5.0], 2.0).tolist() == [0, 0, 0]
    assert len(decompose_privately(np.zeros((4, 4)), 1.0, 2).values) == 0
