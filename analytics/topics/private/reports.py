"""ChargedReport, TopicWords: shared by private reports: charges, mu, top words, diversity."""

from analytics.text.vocabulary import Vocabulary
from analytics.topics import coherence
from analytics.topics.checks import FloatArray
from analytics.topics.private.charges import Charged, total_mu


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
