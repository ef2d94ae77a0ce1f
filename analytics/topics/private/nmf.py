"""Private topics: releases of words, co-occurrence, sizes and refinement, and their shares of mu.

Steps (privacy unit one respondent, add or remove one): 1 a noisy vocabulary, 2 its weights, 3 the
noisy co-occurrence matrix of unit vectors, 4 topics from it, 5 for long texts a refinement against
the texts themselves, 6 noisy topic sizes. mu^2 is divided 20/78/2 over steps 1, 3 and 6, or
20/39/39/2 with step 5. The sensitivities are derived in docs/privacy-proofs.md.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from analytics.privacy.accounting import Cost, split
from analytics.privacy.mechanisms import Noise, Release, release_sum, release_symmetric
from analytics.privacy.quantisation import GRID
from analytics.text.tokens import MOST_USED, MOST_WORDS
from analytics.text.vocabulary import Vocabulary
from analytics.topics import coherence
from analytics.topics.checks import (
    FloatArray,
    TopicsError,
    check_length,
    checked_most_used,
    checked_topics,
)
from analytics.topics.least_squares import descend
from analytics.topics.loading_noise import simulate_noise
from analytics.topics.partitions import (
    Partitions,
    count_respondents,
    total_co_occurrence,
    total_refinement,
    total_topic_counts,
)
from analytics.topics.private.reports import Charged, TopicWords, release_words
from analytics.topics.spectrum import WORDS_PER_TOPIC, Spectrum, find_spectrum, find_topics
from analytics.topics.stages import DONE, Watch, unwatched
from surveys.randomized_response.messages import sentence
from surveys.randomized_response.threads import on_one_thread

SHARES = (Fraction(20, 100), Fraction(78, 100), Fraction(0), Fraction(2, 100))
SHARES_WITH_REFINEMENT = (Fraction(20, 100), Fraction(39, 100), Fraction(39, 100), Fraction(2, 100))
# A public vocabulary is free: the other steps share what it leaves.
SHARES_WITH_PUBLIC_WORDS = (Fraction(0), Fraction(98, 100), Fraction(0), Fraction(2, 100))
SHARES_WITH_BOTH = (Fraction(0), Fraction(49, 100), Fraction(49, 100), Fraction(2, 100))
VOCABULARY = sentence("How many respondents wrote each word")
CO_OCCURRENCE = sentence("Which words occur together")
REFINEMENT = sentence("How well topics fit the texts")
SIZES = sentence("How many respondents wrote mainly about each topic")
SMALLEST_SIGNAL = 500
# Of the mu^2 of step 5: the small matrix of topics needs little, the words need the rest.
_OF_SQUARES = Fraction(5, 100)
_OUTLIER_PENALTY = 0.1
_REFINEMENTS = 50
_WORDS_FOR_A_TOPIC = 30


@dataclass(frozen=True)
class TopicsSettings:
    """Public choices, made before any text is read. Raises TopicsError.

    ``topics`` is the largest K; the report has fewer if the noise hides the others.
    ``most_words`` is L0 (as the partitions were limited), ``most_used`` the most words in the
    co-occurrence matrix. ``refine`` adds step 5. ``start`` seeds the public starts of step 4.
    """

    topics: int = 10
    most_words: int = MOST_WORDS
    most_used: int = MOST_USED
    refine: bool = False
    start: int = 0

    def __post_init__(self) -> None:
        checked_topics(self.topics, 50)
        checked_most_used(self.most_used)

    @property
    def enough_words(self) -> int:
        """So many words let every topic have ten of its own, and others beside them."""
        return _WORDS_FOR_A_TOPIC * self.topics


@dataclass(frozen=True, eq=False)
class Found:
    """``loadings`` (words, K) with unit columns, their ``noise`` (words, K), and ``joined``.

    ``joined`` is how many topics were put together with one that they coincide with.
    """

    loadings: FloatArray
    noise: FloatArray
    joined: int = 0


@dataclass(frozen=True, eq=False)
class PrivateTopics(TopicWords):
    """What a report may show; all of it released or computed from what was released.

    ``loadings`` (words, K) have unit columns, ``loading_noise`` (words, K) is their standard
    deviation, simulated on the released matrix; after step 5 that of its release, given the topics
    of step 4. ``joined`` is how many topics were put together with one that they coincide with.
    ``sizes`` (K,) are noisy numbers of respondents by main topic with noise ``size_noise``; None
    without topics. ``spectrum`` is None below two words. ``charges`` name every release and ``mu``
    is their total (add or remove one; for replace-one times sqrt 2). If ``is_private`` is false the
    noise was a test's and nothing may be stored. ``coherences`` are NPMI of released weights.
    """

    vocabulary: Vocabulary
    co_occurrence: FloatArray | None
    spectrum: Spectrum | None
    loadings: FloatArray
    loading_noise: FloatArray
    sizes: FloatArray
    size_noise: float
    coherences: tuple[float, ...]
    respondents: int
    asked: int
    joined: int
    charges: tuple[Charged, ...]
    is_private: bool

    def within_noise(
        self, deviations: float = 2.0
    ) -> np.ndarray[tuple[int, ...], np.dtype[np.bool]]:
        """(words, K): loadings that are less than so many standard deviations from 0."""
        return self.loadings < deviations * self.loading_noise

    def size_intervals(self, deviations: float = 2.0) -> list[tuple[float, float]]:
        """Numbers of respondents by topic, size -+ deviations * noise, within 0 and all."""
        bounds = [
            np.clip(self.sizes + d, 0, self.respondents)
            for d in (-deviations * self.size_noise, deviations * self.size_noise)
        ]
        return [(float(a), float(b)) for a, b in zip(*bounds, strict=True)]


@on_one_thread
def find_private_topics(
    partitions: Partitions,
    cost: Cost,
    noise: Noise,
    settings: TopicsSettings | None = None,
    watch: Watch = unwatched,
    vocabulary: Vocabulary | None = None,
) -> PrivateTopics:
    """Topics for an add-or-remove ``cost`` (mu^2 and the threshold's delta), never exceeded.

    With a public ``vocabulary`` (``public_vocabulary``) step 1 is left out and costs nothing.

    Refused before anything is released, by what is public: fewer than 2 respondents, and n * mu
    below 500, where the noise hides everything. After the first release nothing is refused: data
    that support no topic give a report without topics, which was paid for. ``watch`` gets every
    stage and may raise to stop. Raises TopicsError, NoiseError.
    """
    watch(sentence("Counting respondents"), 0.0)
    chosen, respondents = settings or TopicsSettings(), count_respondents(partitions)
    check_signal(respondents, cost.mu)
    first, second, third, last = split(cost, _shares(chosen.refine, vocabulary is not None))
    if vocabulary is None:
        vocabulary = release_words(partitions, first, cost, noise, chosen, watch)
    check_length(len(vocabulary.words), chosen.most_used)
    run = _Run(partitions, vocabulary, noise, chosen, watch)
    topics = run.report(respondents, (second.mu, third.mu, last.mu))
    watch(DONE, 1.0)
    return topics


def _shares(refine: bool, has_public_words: bool) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    if has_public_words:
        return SHARES_WITH_BOTH if refine else SHARES_WITH_PUBLIC_WORDS
    return SHARES_WITH_REFINEMENT if refine else SHARES


def check_signal(respondents: int, mu: float) -> None:
    """Raises TopicsError where n (public) and mu leave nothing but noise."""
    if respondents < 2:
        raise TopicsError("respondents", respondents, "topics need the texts of many respondents")
    if respondents * mu < SMALLEST_SIGNAL:
        needed = int(np.ceil(SMALLEST_SIGNAL / mu)) if mu > 0 else None
        remedy = (
            f"at this mu of {mu:.3g} wait for {needed:,} respondents, or spend more on the report"
            if needed
            else "spend more than nothing on the report"
        )
        raise TopicsError("respondents", respondents, remedy)


@dataclass(frozen=True, eq=False)
class _Run:
    """Steps 3 to 6 with what all of them need."""

    partitions: Partitions
    vocabulary: Vocabulary
    noise: Noise
    settings: TopicsSettings
    watch: Watch

    def report(self, respondents: int, mus: tuple[float, float, float]) -> PrivateTopics:
        """Stages do not depend on what was released: stopping at one costs nothing."""
        words = len(self.vocabulary.words)
        charges = [Charged(VOCABULARY, self.vocabulary.mu)] if self.vocabulary.mu else []
        matrix, spectrum, topics = None, None, _no_topics(words)
        release = self._pairs(mus[0])
        self.watch(sentence("Finding topics"), 0.7)
        if release is not None:
            matrix = release.estimate
            charges.append(Charged(CO_OCCURRENCE, release.mu))
            # Off the diagonal the noise is smaller by sqrt(2).
            spectrum = find_spectrum(matrix, release.noise_sd / 2**0.5, self.settings.topics)
            topics = self._topics(matrix, spectrum, mus[1] > 0)
        if mus[1] > 0:
            topics, refined = self._refined(topics, mus[1])
            charges.extend(refined)
        sizes, size_noise, counted = self._sizes(topics.loadings, mus[2])
        return PrivateTopics(
            self.vocabulary,
            matrix,
            spectrum,
            topics.loadings,
            topics.noise,
            sizes,
            size_noise,
            _coherences(matrix, topics.loadings),
            respondents,
            self.settings.topics,
            topics.joined,
            (*charges, *counted),
            self.noise.is_private,
        )

    def _pairs(self, mu: float) -> Release | None:
        """The co-occurrence matrix; None where there are no two words."""
        some = len(self.vocabulary.words) >= 2
        self.watch(sentence("Counting pairs"), 0.2)
        totals = total_co_occurrence(self.partitions, self.vocabulary) if some else None
        self.watch(sentence("Adding noise"), 0.5)
        if totals is None:
            return None
        return release_symmetric(totals, sensitivity=GRID**2, mu=mu, noise=self.noise)

    def _topics(self, matrix: FloatArray, spectrum: Spectrum, is_refined: bool) -> Found:
        """Step 4; the noise of topics that will be refined is that of the refinement."""
        most = min(self.settings.topics, spectrum.supported, len(matrix) // WORDS_PER_TOPIC)
        if most == 0:
            return _no_topics(len(matrix))
        asked, start = self.settings.topics, self.settings.start
        loadings = find_topics(spectrum, most, start)
        noise = np.zeros_like(loadings)
        if not is_refined:
            noise = simulate_noise(matrix, spectrum, loadings, asked=asked, tried=most, start=start)
        return Found(loadings, noise, most - loadings.shape[1])

    def _refined(self, topics: Found, mu: float) -> tuple[Found, tuple[Charged, ...]]:
        self.watch(sentence("Refining topics"), 0.8)
        if not topics.loadings.shape[1]:
            return topics, ()
        squares, products = total_refinement(
            self.partitions, self.vocabulary, topics.loadings, _OUTLIER_PENALTY
        )
        of_squares = mu * float(_OF_SQUARES) ** 0.5
        of_products = mu * float(1 - _OF_SQUARES) ** 0.5
        a = release_symmetric(squares, sensitivity=GRID**2, mu=of_squares, noise=self.noise)
        b = release_sum(products, sensitivity=GRID**2, mu=of_products, noise=self.noise)
        refined = refine(a.estimate, b.estimate, b.noise_sd, topics.loadings)
        return replace(refined, joined=topics.joined), (
            Charged(REFINEMENT, float(np.hypot(a.mu, b.mu))),
        )

    def _sizes(
        self, loadings: FloatArray, mu: float
    ) -> tuple[FloatArray, float, tuple[Charged, ...]]:
        self.watch(sentence("Counting respondents by topic"), 0.9)
        if not loadings.shape[1]:
            return np.zeros(0), 0.0, ()
        counts = total_topic_counts(self.partitions, self.vocabulary, loadings)
        # Whole respondents would be a coarse lattice for the noise: count in grid steps.
        release = release_sum(counts * GRID, sensitivity=GRID, mu=mu, noise=self.noise)
        return release.estimate, release.noise_sd, (Charged(SIZES, release.mu),)


def refine(squares: FloatArray, products: FloatArray, noise_sd: float, start: FloatArray) -> Found:
    """Topics W from released A = sum u u' and B = sum (v - r) u': min over W >= 0 of |..|^2.

    Entries of B below their noise are 0. Rows of W solve non-negative least squares with A; words
    are then ranked by B without the background, the share that a word has in all topics alike.
    """
    clear = np.where(products > noise_sd, products, 0.0)
    gram = _positive_part(squares)
    w = descend(gram, clear, _REFINEMENTS, start=start)
    total = max(float(clear.sum()), 1e-300)
    background = np.outer(clear.sum(axis=1), clear.sum(axis=0)) / total
    ranked = np.where(w > 0, np.maximum(clear - background, 0.0), 0.0)
    lengths = np.linalg.norm(ranked, axis=0)
    unit = np.where(lengths > 0, lengths, 1.0)
    return Found(ranked / unit, np.broadcast_to(noise_sd / unit, ranked.shape))


def _positive_part(matrix: FloatArray) -> FloatArray:
    values, vectors = np.linalg.eigh(matrix)
    least = max(float(values[-1]), 1.0) * 1e-6
    return np.asarray((vectors * np.maximum(values, least)) @ vectors.T)


def _no_topics(words: int) -> Found:
    return Found(np.zeros((words, 0)), np.zeros((words, 0)))


def _coherences(matrix: FloatArray | None, loadings: FloatArray) -> tuple[float, ...]:
    if matrix is None or not loadings.shape[1]:
        return ()
    off = matrix - np.diag(np.diag(matrix))
    tops = coherence.top_words(loadings)
    return tuple(coherence.released_npmi(off, top) if len(top) > 1 else 0.0 for top in tops)
