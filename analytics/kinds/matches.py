"""Two reports side by side: the topics that match, paired by the cosine of their loadings.

A topic is the vector of its shown loadings; words within the noise count as 0. Pairs are chosen so
that their cosines sum to the most (Hungarian method, scipy.optimize.linear_sum_assignment). A word
that only one report shows counts against a pair: on the words that both show alone, one common word
would make two topics the same. What words mean is not considered; the distance that does (Monge and
Kantorovich's, of earth to move) is another comparison.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from analytics.kinds.documents import Topic, TopicReport

LEAST_COSINE = 0.1  # below it, two topics are told as without a counterpart
SHARED_WORDS = 12


@dataclass(frozen=True)
class Match:
    """A pair of topics by their places from 0, or one without a counterpart (None).

    ``cosine`` in [-1, 1]; ``shared`` are clear words of both as people read them, those that make
    it first.
    """

    first: int | None
    second: int | None
    cosine: float | None = None
    shared: tuple[str, ...] = ()


def match_topics(
    first: TopicReport, second: TopicReport, least: float = LEAST_COSINE
) -> tuple[Match, ...]:
    """Every topic of both reports once: pairs by falling cosine, then those left over."""
    # SciPy's optimize takes a quarter of a second to load; few pages compare reports.
    from scipy.optimize import linear_sum_assignment

    left, right = [[_clear(topic) for topic in report.topics] for report in (first, second)]
    forms = {word.word: word.shown for topic in first.topics for word in topic.words}
    cosines = np.array([[_cosine(a, b) for b in right] for a in left]).reshape(
        len(left), len(right)
    )
    rows, columns = linear_sum_assignment(cosines, maximize=True)
    pairs = [
        Match(i, j, float(cosines[i, j]), tuple(map(forms.__getitem__, _shared(left[i], right[j]))))
        for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
        if cosines[i, j] >= least
    ]
    pairs.sort(key=lambda pair: (-(pair.cosine or 0.0), pair.first))
    firsts = {pair.first for pair in pairs}
    seconds = {pair.second for pair in pairs}
    alone = [Match(i, None) for i in range(len(left)) if i not in firsts]
    alone += [Match(None, j) for j in range(len(right)) if j not in seconds]
    return (*pairs, *alone)


def _clear(topic: Topic) -> dict[str, float]:
    return {word.word: word.loading for word in topic.words if not word.is_within_noise}


def _cosine(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """0 where a topic has no clear word."""
    product = math.fsum(loading * second.get(word, 0.0) for word, loading in first.items())
    lengths = math.hypot(*first.values()) * math.hypot(*second.values())
    return min(max(product / lengths, -1.0), 1.0) if lengths else 0.0


def _shared(first: Mapping[str, float], second: Mapping[str, float]) -> tuple[str, ...]:
    both = [word for word in first if word in second]
    both.sort(key=lambda word: (-first[word] * second[word], word))
    return tuple(both[:SHARED_WORDS])
