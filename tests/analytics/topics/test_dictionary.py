"""How many words a report uses: neither long texts nor frequent words lose by it."""

from types import SimpleNamespace

import numpy as np
import pytest

from analytics.privacy.accounting import Budget
from analytics.text.vocabulary import MOST_USED
from benchmarks.corpora import long_texts
from benchmarks.topics import FixedWords, Judge, TopicsSettings, ours, with_floor


def test_every_topic_asked_for_has_room_for_thirty_words() -> None:
    assert TopicsSettings(8).enough_words == 240
    assert FixedWords(8, enough=0).enough_words == 0


@pytest.mark.audit
def test_long_texts_use_the_words_that_their_topics_need() -> None:
    bags, given = long_texts(), SimpleNamespace(topics=10, refine=False)
    judge, cost = Judge(bags, None), Budget(2, 1e-5, 4500).limit
    chosen, floored, threshold = (
        float(np.mean([judge.score(method(bags, cost, seed, given)).npmi for seed in range(10)]))
        for method in (ours, with_floor(0), with_floor(MOST_USED))
    )
    print(
        f"\nNPMI {chosen:.4f}; all above 22 / mu {floored:.4f}, above the threshold {threshold:.4f}"
    )
    assert chosen >= 0.98 * threshold
    assert chosen >= 1.08 * floored
