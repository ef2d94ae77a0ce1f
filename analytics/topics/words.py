"""The first release of every private report: which words it may use."""

from typing import Protocol

from analytics.privacy.accounting import Cost
from analytics.privacy.mechanisms import Noise
from analytics.text.vocabulary import Vocabulary, release_vocabulary
from analytics.topics.partitions import Partitions, total_word_weights
from analytics.topics.stages import Watch
from surveys.randomized_response.messages import sentence


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
