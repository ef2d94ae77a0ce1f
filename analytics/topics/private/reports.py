"""Charged, ChargedReport, TopicWords, release_words: what private reports share."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from analytics.privacy.accounting import Cost
from analytics.privacy.mechanisms import Noise
from analytics.text.vocabulary import Vocabulary, release_vocabulary
from analytics.topics import coherence
from analytics.topics.checks import FloatArray
from analytics.topics.partitions import Partitions, total_word_weights
from analytics.topics.stages import Watch
from surveys.randomized_response.messages import sentence


@dataclass(frozen=True)
class Charged:
    """One release, in plain words, and its add-or-remove ``mu`` (Gaussian differential privacy)."""

    step: str
    mu: float


def total_mu(charges: Iterable[Charged]) -> float:
    """The mu of all releases together: releases compose to sqrt(sum of mu^2)."""
    return math.sqrt(sum(charge.mu**2 for charge in charges))


class ChargedReport:
    """A report whose ``charges`` name every release."""

    charges: tuple[Charged, ...]

    @property
    def mu(self) -> float:
        return total_mu(self.charges)


class TopicWords(ChargedReport):
    """A report with ``loadings`` (words, K) of the words in its ``vocabulary``."""

    vocabulary: Vocabulary
    loadings: FloatArray

    @property
    def topics(self) -> int:
        return int(self.loadings.shape[1])

    @property
    def diversity(self) -> float:
        return coherence.diversity(coherence.top_words(self.loadings))

    def top(self, count: int = 10) -> list[list[str]]:
        """The words of every topic by loading, at most ``count``."""
        tops = coherence.top_words(self.loadings, count)
        return [[self.vocabulary.words[w] for w in top] for top in tops]


class WordLimits(Protocol):
    """Public settings: words counted of a respondent, most words used, and how many are enough."""

    @property
    def most_words(self) -> int: ...

    @property
    def most_used(self) -> int: ...

    @property
    def enough_words(self) -> int: ...


def release_words(
    partitions: Partitions, share: Cost, total: Cost, noise: Noise, limits: WordLimits, watch: Watch
) -> Vocabulary:
    """The vocabulary, for the ``share`` of the mu^2 of the report's ``total`` and all of its delta.

    The delta of the threshold belongs to this step alone. Raises NoiseError.
    """
    watch(sentence("Counting words"), 0.05)
    return release_vocabulary(
        total_word_weights(partitions, limits.most_words),
        Cost(share.mu_squared, total.threshold_delta),
        noise,
        most_words=limits.most_words,
        most_used=limits.most_used,
        total_mu=total.mu,
        enough=limits.enough_words,
    )
