"""PrivateSvd: singular values and vectors from a noisy vocabulary and noisy co-occurrence.

Two releases: a noisy vocabulary and the noisy co-occurrence matrix C = V'V of unit vectors, whose
eigenvalues, corrected for the noise, are the squares of the singular values. mu^2 is divided 10/90:
frequencies only have to tell which words to use, and a threshold at a tenth is still below the
frequency that a word needs for the pairs. The sensitivities are derived in docs/privacy-proofs.md.

Every further word widens the noise of the matrix, whose edge is 2 s sqrt(D), and a word's row of C
is at most as long as its frequency. So a word is used only if its noisy frequency, less one
standard deviation, is above the edge of the matrix of all the words used.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.linalg import eigh

from analytics.privacy.accounting import Cost, split
from analytics.privacy.mechanisms import Noise, release_symmetric
from analytics.privacy.quantisation import GRID
from analytics.text.tokens import MOST_USED, MOST_WORDS
from analytics.text.vocabulary import Vocabulary
from analytics.topics.checks import FloatArray, check_length, checked_most_used, checked_topics
from analytics.topics.partitions import (
    Partitions,
    count_respondents,
    total_co_occurrence,
)
from analytics.topics.private.nmf import CO_OCCURRENCE, VOCABULARY, check_signal
from analytics.topics.private.reports import Charged, ChargedReport, release_words
from analytics.topics.spectrum import alignments, corrected_eigenvalues, noise_edge
from analytics.topics.stages import DONE, Watch, unwatched
from surveys.randomized_response.messages import sentence
from surveys.randomized_response.threads import on_one_thread

SHARES = (Fraction(10, 100), Fraction(90, 100))


# Below it a released vector is more noise than signal.
_LEAST_ALIGNMENT = 0.5


@dataclass(frozen=True, eq=False)
class PrivateSingularVectors:
    """Singular values above the noise, descending, with the words' vectors (words, k).

    ``alignments`` are the expected squared cosines between a released vector and the true one.
    """

    values: FloatArray
    words: FloatArray
    alignments: FloatArray
    noise_edge: float


@dataclass(frozen=True)
class SvdSettings:
    """Public choices: the most singular values, L0, and the most words. Raises TopicsError."""

    values: int = 20
    most_words: int = MOST_WORDS
    most_used: int = MOST_USED

    def __post_init__(self) -> None:
        checked_topics(self.values)
        checked_most_used(self.most_used)

    @property
    def enough_words(self) -> int:
        """Directions are vectors of all words: rare ones bring noise alone."""
        return 0


@dataclass(frozen=True, eq=False)
class PrivateSvd(ChargedReport):
    """What a report may show: ``vectors`` has at most ``asked`` values, none below the noise.

    ``co_occurrence`` is the released (D, D) matrix, None below two words; ``charges`` name every
    release. If ``is_private`` is false the noise was a test's and nothing may be stored.
    """

    vocabulary: Vocabulary
    co_occurrence: FloatArray | None
    vectors: PrivateSingularVectors
    respondents: int
    asked: int
    charges: tuple[Charged, ...]
    is_private: bool


@on_one_thread
def find_private_svd(
    partitions: Partitions,
    cost: Cost,
    noise: Noise,
    settings: SvdSettings | None = None,
    watch: Watch = unwatched,
    vocabulary: Vocabulary | None = None,
) -> PrivateSvd:
    """Singular values for an add-or-remove ``cost`` (mu^2 and the threshold's delta).

    A public ``vocabulary`` (``public_vocabulary``) is free, and the pairs get the whole cost.

    Refusals are those of ``find_private_topics``: before anything is released, by what is public.
    ``watch`` gets every stage and may raise to stop. Raises TopicsError, NoiseError.
    """
    watch(sentence("Counting respondents"), 0.0)
    chosen, respondents = settings or SvdSettings(), count_respondents(partitions)
    check_signal(respondents, cost.mu)
    first, second = split(cost, SHARES if vocabulary is None else (Fraction(0), Fraction(1)))
    if vocabulary is None:
        vocabulary = release_words(partitions, first, cost, noise, chosen, watch)
        vocabulary = vocabulary.first(clear_words(vocabulary, second.mu))
    check_length(len(vocabulary.words), chosen.most_used)
    matrix, vectors, paid = _decomposed(partitions, vocabulary, noise, second.mu, chosen, watch)
    watch(DONE, 1.0)
    words = (Charged(VOCABULARY, vocabulary.mu),) if vocabulary.mu else ()
    return PrivateSvd(
        vocabulary, matrix, vectors, respondents, chosen.values, (*words, *paid), noise.is_private
    )


def clear_words(vocabulary: Vocabulary, mu: float) -> int:
    """How many of the most frequent words are above the noise edge of pairs released for ``mu``.

    Looks only at released frequencies, which descend while the edge of D words ascends with D.
    """
    least = vocabulary.frequencies - vocabulary.noise_sd
    edges = 2 / (mu * 2**0.5) * np.sqrt(np.arange(1, len(least) + 1))
    return int((least > edges).sum())


def _decomposed(
    partitions: Partitions,
    vocabulary: Vocabulary,
    noise: Noise,
    mu: float,
    settings: SvdSettings,
    watch: Watch,
) -> tuple[FloatArray | None, PrivateSingularVectors, tuple[Charged, ...]]:
    """Stages do not depend on what was released: stopping at one costs nothing."""
    words = len(vocabulary.words)
    watch(sentence("Counting pairs"), 0.3)
    totals = total_co_occurrence(partitions, vocabulary) if words >= 2 else None
    watch(sentence("Adding noise"), 0.6)
    release = (
        None
        if totals is None
        else release_symmetric(totals, sensitivity=GRID**2, mu=mu, noise=noise)
    )
    watch(sentence("Finding singular values"), 0.9)
    if release is None:
        nothing = PrivateSingularVectors(np.zeros(0), np.zeros((words, 0)), np.zeros(0), 0.0)
        return None, nothing, ()
    # Off the diagonal the noise is smaller by sqrt(2).
    off_diagonal = release.noise_sd / 2**0.5
    vectors = decompose_privately(release.estimate, off_diagonal, min(settings.values, words))
    return release.estimate, vectors, (Charged(CO_OCCURRENCE, release.mu),)


def decompose_privately(
    co_occurrence: FloatArray, offdiagonal_sd: float, k: int
) -> PrivateSingularVectors:
    """Singular values of V from a released V'V + noise (D, D): sqrt of corrected eigenvalues.

    Post-processing of a release: free. At most k; those whose vector would be more noise than
    signal are left out. Raises TopicsError.
    """
    size = len(co_occurrence)
    count = checked_topics(k, size)
    edge = noise_edge(offdiagonal_sd, size)
    values, vectors = eigh(co_occurrence, subset_by_index=[size - count, size - 1])
    values, vectors = values[::-1], vectors[:, ::-1]
    corrected = corrected_eigenvalues(values, edge)
    known = alignments(corrected, edge) >= _LEAST_ALIGNMENT
    corrected, words = corrected[known], vectors[:, known]
    signs = np.sign(words[np.abs(words).argmax(axis=0), np.arange(words.shape[1])])
    return PrivateSingularVectors(
        np.sqrt(corrected), words * signs, alignments(corrected, edge), edge
    )
