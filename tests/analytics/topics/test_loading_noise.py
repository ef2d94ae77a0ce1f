"""The stated noise of loadings is the spread that new noise gives them.

What is compared is the spread over draws of the noise and the noise stated, at the ten heaviest
words of every topic, with the words used and the exact sums fixed.
"""

import numpy as np
import pytest

from analytics.privacy.accounting import Budget
from analytics.text.bags import Bags, count_words
from analytics.text.tokens import Tokenizer
from benchmarks.corpora import docstrings, long_texts
from benchmarks.topics import noise_ratio
from surveys.demonstration.themes import comments
from tests.analytics.topics.private.test_nmf import BAGS

CORPORA = {
    "docstrings": lambda: count_words(docstrings(), Tokenizer()),
    "long texts": long_texts,
    "comments": lambda: count_words(comments(6366, np.random.default_rng(1)), Tokenizer()),
}


def ratio(bags: Bags, epsilon: float, topics: int = 10, draws: int = 24) -> float:
    cost = Budget(epsilon, 1e-5, bags.respondents).limit
    return noise_ratio(bags, cost, topics, draws)


@pytest.mark.audit
def test_the_stated_noise_of_the_heaviest_words_is_what_new_noise_does() -> None:
    assert 0.8 <= ratio(BAGS, 4, topics=4, draws=16) <= 1.25


@pytest.mark.audit
@pytest.mark.parametrize("epsilon", [2, 4])
@pytest.mark.parametrize("corpus", CORPORA)
def test_the_stated_noise_is_true_on_corpora_of_many_kinds(corpus: str, epsilon: float) -> None:
    found = ratio(CORPORA[corpus](), epsilon)
    print(f"\n{corpus}, epsilon {epsilon}: empirical over stated {found:.2f}")
    assert 0.8 <= found <= 1.25
