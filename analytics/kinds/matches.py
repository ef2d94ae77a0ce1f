"""Two reports side by side: the topics that match, paired by the cosine of their loadings.

A topic is the vector of its shown loadings; words within the noise count as 0. Pairs are chosen so
that their cosines sum to the most (Hungarian method, scipy.optimize.linear_sum_assignment). A word
that only one report shows counts against a pair: on the words that both show alone, one common word
would make two topics the same. What words mean is not considered.

Beside it stands the earthmover distance of both mixtures: how far respondents must move between
topics, where a move costs the distance of the topics' unit vectors of loadings.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from analytics.comparison.clouds import transport
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


@dataclass(frozen=True)
class MixtureDistance:
    """``value`` in [0, 2], the ``costs`` (topics, topics) of a move, and ``method`` in words.

    A cost is 0 for the same words with the same weights, 1.41 for no common word. ``has_sizes``:
    topics weigh as many respondents as they have; otherwise all weigh the same.
    """

    value: float
    costs: tuple[tuple[float, ...], ...]
    method: str
    has_sizes: bool


def mixture_distance(first: TopicReport, second: TopicReport) -> MixtureDistance | None:
    """The earthmover distance of two reports' mixtures; None where one has no topic."""
    if not first.topics or not second.topics:
        return None
    left, right = [[_clear(topic) for topic in report.topics] for report in (first, second)]
    cosines = np.array([[_cosine(a, b) for b in right] for a in left])
    costs = np.sqrt(np.maximum(2 - 2 * cosines, 0.0))
    weights = [_sizes(report) for report in (first, second)]
    has_sizes = all(weight is not None for weight in weights)
    distance = transport(costs, *(weights if has_sizes else (None, None)))
    table = tuple(tuple(row) for row in costs.tolist())
    return MixtureDistance(distance.value, table, distance.method.value, has_sizes)


def _sizes(report: TopicReport) -> list[float] | None:
    """Respondents by topic, noise below 0 left out; None where sizes are not known."""
    sizes = [max(topic.size, 0.0) for topic in report.topics if topic.size is not None]
    return sizes if len(sizes) == len(report.topics) and sum(sizes) > 0 else None


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
