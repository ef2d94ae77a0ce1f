"""A report on the demonstration's comments, at the budget that it promises, finds their themes."""

import numpy as np
import pytest

from analytics.privacy.accounting import Budget
from analytics.privacy.mechanisms import SeededNoise
from analytics.text.bags import count_words
from analytics.text.tokens import Tokenizer
from analytics.topics.partitions import LocalPartitions
from analytics.topics.private.nmf import find_private_topics
from surveys.demonstration.themes import WORDS, comments

PEOPLE = 6366
TOKENIZER = Tokenizer()
STEMS = {
    theme: {stem for word in words for stem in TOKENIZER.words(word)}
    for theme, words in WORDS.items()
}


def themes_found(share: float, seed: int) -> dict[str, int]:
    """Of each theme that a topic shows: how many of the ten words of the best such topic are its.

    The promise is the default of a budget: epsilon 4, delta 1e-6.
    """
    rng = np.random.default_rng(seed)
    texts = [text for text in comments(PEOPLE, rng) if text]
    cost = Budget(4, 1e-6, len(texts)).limit.part(share)
    partitions = LocalPartitions([count_words(texts, TOKENIZER)])
    found: dict[str, int] = {}
    for top in find_private_topics(partitions, cost, SeededNoise(rng)).top(10):
        matched = {theme: len(stems & set(top)) for theme, stems in STEMS.items()}
        best = max(matched, key=lambda theme: matched[theme])
        found[best] = max(found.get(best, 0), matched[best])
    return found


@pytest.mark.parametrize("seed", range(5))
def test_a_report_at_the_whole_budget_shows_every_theme_by_its_own_words(seed):
    found = themes_found(1, seed)
    assert set(found) == set(WORDS)
    assert min(found.values()) >= 9


@pytest.mark.parametrize("seed", range(5))
def test_a_report_at_a_quarter_of_the_budget_shows_most_themes(seed):
    found = themes_found(0.25, seed)
    assert sum(matched >= 9 for matched in found.values()) >= len(WORDS) - 1


def test_the_first_report_is_far_from_too_few_respondents():
    silent = 5 * np.sqrt(PEOPLE)
    cost = Budget(4, 1e-6, PEOPLE).limit.part(0.25)
    assert (0.85 * PEOPLE - silent) * cost.mu > 2 * 500
