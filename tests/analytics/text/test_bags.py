"""Bags of words: pooling by respondent, the limit on distinct words, partitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from analytics.text.bags import Bags, count_words, limit_words
from analytics.text.tokens import TextError, Tokenizer

PLAIN = Tokenizer(language=None)


def counts(bags: Bags, row: int) -> dict[str, int]:
    dense = bags.counts[[row]].toarray().ravel()
    return {w: int(c) for w, c in zip(bags.words, dense, strict=True) if c}


def test_every_text_of_a_respondent_goes_into_one_row() -> None:
    bags = count_words(["tax jobs", "peace", "tax"], PLAIN, ["a", "b", "a"])
    assert bags.respondents == 2
    assert counts(bags, 0) == {"tax": 2, "jobs": 1}
    assert counts(bags, 1) == {"peace": 1}


def test_a_respondent_without_a_word_is_still_counted() -> None:
    assert count_words(["", "n/a", "tax"], PLAIN).respondents == 3
    assert count_words([], PLAIN).respondents == 0


def test_phrases_stay_within_a_text_and_are_counted_beside_their_words() -> None:
    bags = count_words(["new tax law", "old"], Tokenizer(None, longest_phrase=3), ["a", "a"])
    phrases = {"new tax": 1, "tax law": 1, "new tax law": 1}
    assert counts(bags, 0) == {"new": 1, "tax": 1, "law": 1, "old": 1, **phrases}


@settings(deadline=None)
@given(st.lists(st.text(alphabet="ab/' \u200b💡é日", max_size=20), max_size=8))
def test_remembered_pieces_give_the_words_of_each_text_by_itself(texts: list[str]) -> None:
    bags = count_words(texts, PLAIN)
    for row, text in enumerate(texts):
        words = PLAIN.words(text)
        assert counts(bags, row) == {word: words.count(word) for word in words}


@pytest.mark.parametrize("many", [10**5, pytest.param(10**6, marks=pytest.mark.audit)])
def test_a_million_words_of_one_respondent_leave_the_limit(many: int) -> None:
    rare = " ".join(f"w{i}" for i in range(many))
    bags = limit_words(count_words([rare, "w1 w2"], PLAIN), 300)
    assert np.diff(bags.counts.indptr).tolist() == [300, 2]


def test_which_words_are_kept_depends_on_that_respondent_and_the_key_alone() -> None:
    rng = np.random.default_rng(1)
    table = sparse.csr_array(rng.integers(1, 9, (6, 50)))
    words = tuple(f"w{i:02}" for i in range(50))
    bags = Bags(words, table)
    together = limit_words(bags, 10, b"key").counts.toarray()
    for row in range(6):
        alone = limit_words(bags.rows(row, row + 1), 10, b"key").counts.toarray()
        assert (alone == together[[row]]).all()
    assert (limit_words(bags, 10, b"other").counts.toarray() != together).any()


def test_the_limit_favours_no_word() -> None:
    # 4,000 respondents with 40 words each of 200, 10 kept: 5 sigma of a share of 1/4 of ~800.
    rng = np.random.default_rng(2)
    dense = np.zeros((4000, 200), dtype=np.int64)
    for row in dense:
        row[rng.choice(200, 40, replace=False)] = 1
    bags = Bags(tuple(f"w{i:03}" for i in range(200)), sparse.csr_array(dense))
    kept = limit_words(bags, 10).counts.toarray().sum(axis=0) / dense.sum(axis=0)
    assert np.abs(kept - 0.25).max() < 5.5 * np.sqrt(0.25 * 0.75 / dense.sum(axis=0).min())


def test_partitions_hold_every_respondent_once() -> None:
    bags = count_words([f"w{i}" for i in range(11)], PLAIN)
    parts = bags.split(4)
    assert sum(part.respondents for part in parts) == 11
    assert (sparse.vstack([p.counts for p in parts]) != bags.counts).nnz == 0


def test_texts_without_an_owner_are_refused() -> None:
    with pytest.raises(TextError, match="name who wrote each of 2"):
        count_words(["a", "b"], PLAIN, ["x"])


@pytest.mark.parametrize("most", [0, -1, 1.5])
def test_at_least_one_word_is_kept(most: int) -> None:
    with pytest.raises(TextError):
        limit_words(count_words(["tax"], PLAIN), most)
