"""Charged, ChargedReport, TopicWords: what private reports share: charges, mu, top words."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from analytics.text.vocabulary import Vocabulary
from analytics.topics import coherence
from analytics.topics.checks import FloatArray


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
