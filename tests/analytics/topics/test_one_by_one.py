"""What a respondent adds to a statistic is the same in any company, to the last bit.

Sensitivities are proved for sums of functions of one respondent each. Rounding may not carry one
respondent into another's part: so everybody is counted with all others, and alone.
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import sparse

from analytics.text.bags import Bags, limit_words
from analytics.text.vocabulary import Vocabulary, sum_word_weights
from analytics.topics.partitions import (
    LocalPartitions,
    count_topics,
    sum_outer_products,
    sum_refinement,
    total_word_weights,
    vectors_in_blocks,
)
from analytics.topics.private.published import explain, sum_products

RESPONDENTS, WORDS, TOPICS, PENALTY = 403, 60, 7, 0.1
RNG = np.random.default_rng(6)
NAMES = tuple(f"w{place:02}" for place in range(WORDS))
DENSE = RNG.integers(1, 4, (RESPONDENTS, WORDS)) * (RNG.random((RESPONDENTS, WORDS)) < 0.15)
BAGS = Bags(NAMES, sparse.csr_array(DENSE.astype(np.int64)))
VOCABULARY = Vocabulary(NAMES, np.ones(WORDS), 1 + RNG.random(WORDS), 0.0, 0.0, 0.0, True)
LOADINGS = RNG.random((WORDS, TOPICS)) ** 3
LOADINGS /= np.linalg.norm(LOADINGS, axis=0)


def word_weights(bags: Bags) -> tuple[np.ndarray, ...]:
    sums = sum_word_weights(bags)
    return (np.array([sums[word] for word in NAMES]),)


STATISTICS: dict[str, Callable[[Bags], tuple[np.ndarray, ...]]] = {
    "word weights": word_weights,
    "co-occurrence": lambda bags: (sum_outer_products(bags, VOCABULARY),),
    "topic sizes": lambda bags: (count_topics(bags, VOCABULARY, LOADINGS),),
    "refinement": lambda bags: sum_refinement(bags, VOCABULARY, LOADINGS, PENALTY),
    "published method": lambda bags: sum_products(bags, VOCABULARY, LOADINGS),
}


SLOWEST = pytest.param("published method", marks=pytest.mark.audit)


def alone() -> list[Bags]:
    return [BAGS.rows(row, row + 1) for row in range(RESPONDENTS)]


@pytest.mark.parametrize("name", [*list(STATISTICS)[:-1], SLOWEST])
def test_a_statistic_is_the_sum_of_what_each_respondent_alone_makes_of_it(name: str) -> None:
    together = STATISTICS[name](BAGS)
    one_by_one = [STATISTICS[name](bags) for bags in alone()]
    for place, whole in enumerate(together):
        assert np.array_equal(whole, sum(parts[place] for parts in one_by_one))


@pytest.mark.parametrize("one_in", [4, pytest.param(1, marks=pytest.mark.audit)])
def test_the_published_method_explains_a_respondent_with_the_same_bits_in_any_company(
    one_in: int,
) -> None:
    """Before rounding to the grid, which would hide all but one difference in many millions."""

    def explained(bags: Bags) -> tuple[np.ndarray, np.ndarray]:
        h, vectors = explain(next(vectors_in_blocks(bags, VOCABULARY)), LOADINGS, PENALTY)
        return h, vectors.toarray()

    coefficients, vectors = explained(BAGS)
    for row in range(0, RESPONDENTS, one_in):
        h, v = explained(BAGS.rows(row, row + 1))
        assert h.tobytes() == coefficients[row : row + 1].tobytes()
        assert v.tobytes() == vectors[row : row + 1].tobytes()


def test_the_threshold_counts_no_more_words_of_a_respondent_than_it_is_proved_for() -> None:
    """Also of partitions that were not limited: more words of one person would pass it together."""
    unlimited = LocalPartitions(BAGS.split(3), WORDS)
    assert np.diff(BAGS.counts.indptr).max() > 2
    assert total_word_weights(unlimited, 2) == sum_word_weights(limit_words(BAGS, 2))
