"""The private vocabulary: exact sums, a threshold that hides one person's words, weights."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from analytics.privacy.accounting import Budget, Cost
from analytics.privacy.mechanisms import SeededNoise
from analytics.privacy.quantisation import GRID
from analytics.text.bags import Bags, count_words
from analytics.text.tokens import Tokenizer, VocabularyError
from analytics.text.vocabulary import public_vocabulary, release_vocabulary, sum_word_weights
from analytics.text.weighting import inverse_document_frequencies, weigh_log_entropy, weigh_rows

PLAIN = Tokenizer(language=None)
COST = Budget(2, 1e-5, 5000).limit


def noise(seed: int = 0) -> SeededNoise:
    return SeededNoise(np.random.default_rng(seed))


def test_a_respondent_with_m_words_adds_one_over_root_m_to_each() -> None:
    bags = count_words(["a b c d", "a a a"], PLAIN)
    assert sum_word_weights(bags) == {"a": GRID // 2 + GRID, "b": 512, "c": 512, "d": 512}


def test_sums_of_very_many_respondents_are_those_of_their_parts() -> None:
    # Respondents of one word first, of four words later, and more of them than one block holds.
    first, later = np.eye(1, 4, dtype=np.int64), np.ones((1, 4), dtype=np.int64)
    table = np.concatenate([np.repeat(first, 70_000, axis=0), np.repeat(later, 10_000, axis=0)])
    sums = sum_word_weights(Bags(("a", "b", "c", "d"), sparse.csr_array(table)))
    each = 10_000 * GRID // 2
    assert sums == {"a": 70_000 * GRID + each, "b": each, "c": each, "d": each}


def test_no_respondent_moves_the_histogram_by_more_than_the_grid() -> None:
    for size in range(1, 301):
        bags = Bags(
            tuple(f"{i:03}" for i in range(size)),
            sparse.csr_array(np.ones((1, size), dtype=np.int64)),
        )
        assert sum(w * w for w in sum_word_weights(bags).values()) <= GRID**2


def test_words_of_one_person_do_not_come_out() -> None:
    texts = ["tax"] * 3000 + [" ".join(f"secret{i}" for i in range(200))]
    sums = sum_word_weights(count_words(texts, PLAIN))
    # Each run lets a word out with a chance of at most 1e-6: 20 runs with one of 2e-5.
    for seed in range(20):
        vocabulary = release_vocabulary(sums, COST, noise(seed))
        assert vocabulary.words == ("tax",)
        assert vocabulary.mu <= COST.mu


def test_words_come_by_noisy_frequency_and_within_the_limit() -> None:
    texts = ["a"] * 4000 + ["b"] * 3000 + ["c"] * 2000 + ["d"] * 1000
    sums = sum_word_weights(count_words(texts, PLAIN))
    vocabulary = release_vocabulary(sums, COST, noise(), most_used=3)
    assert vocabulary.words == ("a", "b", "c")
    assert (np.diff(vocabulary.weights) > 0).all()
    assert not vocabulary.is_private


def test_rare_words_are_used_only_where_there_are_too_few_others() -> None:
    # 22 / 0.5 is 44: nine words are above it, and three between it and the threshold of about 26.
    texts = [f"w{i}" for i in range(9) for _ in range(90)] + [f"r{i}" for i in range(3)] * 36
    sums = sum_word_weights(count_words(texts, PLAIN))
    for enough, expected in ((0, 9), (5, 9), (11, 11), (40, 12)):
        found = release_vocabulary(sums, COST.part(0.2), noise(), total_mu=0.5, enough=enough)
        assert len(found.words) == expected
        assert (np.diff(found.frequencies) <= 0).all()


def test_nothing_above_the_threshold_is_an_empty_vocabulary() -> None:
    assert release_vocabulary({}, COST, noise()).words == ()
    assert release_vocabulary({"rare": GRID}, COST, noise()).words == ()


def test_a_word_weighs_more_the_fewer_write_it() -> None:
    assert inverse_document_frequencies(np.array([10.0, 5.0])) == pytest.approx(
        [np.log(2), np.log(3)]
    )


def test_rows_have_length_one_and_empty_rows_stay_empty() -> None:
    counts = sparse.csr_array(np.array([[3, 1, 0], [0, 0, 0], [0, 0, 7]]))
    rows = weigh_rows(counts, np.array([1.0, 2.0, 0.5])).toarray()
    first = np.array([1 + np.log(3), 2.0, 0])
    assert rows == pytest.approx(np.stack([first / np.linalg.norm(first), [0] * 3, [0, 0, 1]]))


def test_log_entropy_is_zero_for_a_word_of_all_and_full_for_a_word_of_one() -> None:
    counts = sparse.csr_array(np.array([[2, 5], [2, 0], [2, 0]]))
    weighted = weigh_log_entropy(counts).toarray()
    assert weighted[:, 0] == pytest.approx(0, abs=1e-12)
    assert weighted[0, 1] == pytest.approx(np.log(6))


def test_a_public_list_is_free_and_keeps_its_order() -> None:
    vocabulary = public_vocabulary(["b", "a", "b"])
    assert (vocabulary.words, vocabulary.mu) == (("b", "a"), 0.0)
    bags = count_words(["a a z", "b"], PLAIN)
    assert vocabulary.select(bags).toarray().tolist() == [[0, 2], [1, 0]]


def test_an_empty_list_or_weights_that_do_not_fit_are_refused() -> None:
    with pytest.raises(VocabularyError):
        public_vocabulary([])
    for weights in ([1.0], [1.0, 0.0], [1.0, np.nan]):
        with pytest.raises(VocabularyError):
            public_vocabulary(["a", "b"], weights)


def test_the_threshold_is_paid_by_the_delta_of_the_cost() -> None:
    sums = sum_word_weights(count_words(["a"] * 4000, PLAIN))
    strict = Cost(COST.mu_squared, COST.part(Fraction(1, 1000)).threshold_delta)
    usual = release_vocabulary(sums, COST, noise())
    assert release_vocabulary(sums, strict, noise()).threshold > usual.threshold
