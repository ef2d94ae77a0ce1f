"""The private kinds as a TopicReport: topics, words, noise, charges, guarantee and notes.

They may be published: every release is paid for.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from analytics.kinds.documents import (
    TOP_WORDS,
    Charge,
    Guarantee,
    SpectrumShown,
    Topic,
    TopicReport,
    Word,
)
from analytics.kinds.settings import Settings, Watch
from analytics.privacy.accounting import Adjacency, Budget, Cost
from analytics.privacy.mechanisms import Noise
from analytics.text.vocabulary import Vocabulary, public_vocabulary
from analytics.topics import coherence
from analytics.topics.checks import FloatArray
from analytics.topics.partitions import Partitions
from analytics.topics.private import nmf
from analytics.topics.private.nmf import PrivateTopics, find_private_topics
from analytics.topics.private.published import PublishedReport, find_published_topics
from analytics.topics.private.reports import Charged
from analytics.topics.private.svd import PrivateSvd, SvdSettings, find_private_svd
from analytics.topics.spectrum import WORDS_PER_TOPIC
from surveys.randomized_response.messages import sentence

# Two standard deviations: about 95 of 100 intervals hold.
DEVIATIONS = 2.0
RELEASED_COHERENCE = sentence(
    "private, because it is computed from the released, noisy counts of words that occur "
    "together. Coherence costs nothing more. Use coherence to rank the topics of one report, but "
    "do not compare the coherence of different reports."
)
NO_COHERENCE = sentence(
    "none, because this kind of report does not release how often words occur together."
)
# A topic in which fewer words stand out from the noise still shows so many, marked as faint.
_LEAST_SHOWN = 3
# Amounts are added as decimals that were rounded up; this much less is asked for, so that the sum
# never exceeds what was granted.
_KEPT_BACK = Fraction(1, 10**12)


@dataclass(frozen=True)
class Grant:
    """What a private report may spend: ``cost`` in terms of the adjacency of ``terms``."""

    terms: Budget
    cost: Cost
    noise: Noise

    @property
    def spendable(self) -> Cost:
        """The same for add-or-remove-one, by which the methods calibrate their noise."""
        # Replacing one respondent doubles mu^2 and leaves the threshold's delta (Cost.under).
        halves = Fraction(1, 1 if self.terms.adjacency is Adjacency.ADD_OR_REMOVE else 2)
        part = self.cost.part(halves * (1 - _KEPT_BACK))
        return Cost(part.mu_squared, self.cost.threshold_delta)


def report_topics(
    partitions: Partitions, settings: Settings, grant: Grant, watch: Watch
) -> TopicReport:
    """Private topics with sizes, spectrum and coherence. Raises TopicsError, NoiseError."""
    result = find_private_topics(
        partitions,
        grant.spendable,
        grant.noise,
        _nmf_settings(settings),
        watch.reach,
        _public_words(settings),
    )
    shown = _topics(result.vocabulary.words, result.loadings, result.loading_noise)
    sizes = zip(result.sizes.tolist(), result.size_intervals(DEVIATIONS), strict=True)
    topics = [
        replace(topic, size=size, low=low, high=high, coherence=level)
        for topic, (size, (low, high)), level in zip(shown, sizes, result.coherences, strict=True)
    ]
    report = TopicReport(
        kind="private_topics",
        is_private=result.is_private,
        respondents=result.respondents,
        settings=settings.to_data(),
        topics=tuple(topics),
        spectrum=_spectrum(result),
        diversity=result.diversity if topics else None,
        coherence_source=RELEASED_COHERENCE,
        words_used=len(result.vocabulary.words),
        notes=(
            *_notes_on_number(result),
            *_notes_on_joined(result),
            *_notes_on_words(result.vocabulary, topics),
        ),
    )
    return charged(report, result.charges, grant)


def report_published(
    partitions: Partitions, settings: Settings, grant: Grant, watch: Watch
) -> TopicReport:
    """The published method, charged honestly. Raises TopicsError, NoiseError."""
    result = find_published_topics(
        partitions,
        grant.spendable,
        grant.noise,
        _nmf_settings(settings),
        watch.reach,
        vocabulary=_public_words(settings),
    )
    topics = [topic for topic in _topics(result.vocabulary.words, result.loadings) if topic.words]
    report = TopicReport(
        kind="published",
        is_private=result.is_private,
        respondents=result.respondents,
        settings=settings.to_data(),
        topics=tuple(topics),
        diversity=result.diversity if topics else None,
        coherence_source=NO_COHERENCE,
        words_used=len(result.vocabulary.words),
        notes=(*_notes_on_published(result), *_notes_on_words(result.vocabulary, topics)),
    )
    return charged(report, result.charges, grant)


def report_svd(
    partitions: Partitions, settings: Settings, grant: Grant, watch: Watch
) -> TopicReport:
    """Private singular values and their words. Raises TopicsError, NoiseError."""
    chosen = SvdSettings(settings.topics, settings.most_words, settings.most_used)
    result = find_private_svd(
        partitions, grant.spendable, grant.noise, chosen, watch.reach, _public_words(settings)
    )
    topics = _directions(result)
    report = TopicReport(
        kind="private_svd",
        is_private=result.is_private,
        respondents=result.respondents,
        settings=settings.to_data(),
        topics=tuple(topics),
        singular_values=tuple(result.vectors.values.tolist()),
        coherence_source=NO_COHERENCE,
        words_used=len(result.vocabulary.words),
        notes=(*_notes_on_values(result), *_notes_on_words(result.vocabulary, topics)),
    )
    return charged(report, result.charges, grant)


def charged(report: TopicReport, charges: Sequence[Charged], grant: Grant) -> TopicReport:
    """The report with what its releases cost, and what that promises under both adjacencies.

    The sum of the charges is at most ``grant.cost``, in terms of the promised adjacency.
    """
    adjacency, delta = grant.terms.adjacency, float(grant.terms.delta)
    costs = [Cost.of(charge.mu) for charge in charges]
    if charges and charges[0].step == nmf.VOCABULARY:
        costs[0] = Cost(costs[0].mu_squared, grant.cost.threshold_delta)
    amounts = [cost.under(adjacency) for cost in costs]
    listed = [
        # Normalized: documents have no zeros after the last digit.
        Charge(charge.step, cost.mu_squared.normalize(), cost.threshold_delta.normalize())
        for charge, cost in zip(charges, amounts, strict=True)
    ]
    spent = sum(costs, start=Cost())
    both = tuple(_guarantee(spent.under(neighbours), neighbours, delta) for neighbours in Adjacency)
    own = next(guarantee for guarantee in both if guarantee.adjacency is adjacency)
    return replace(
        report,
        charges=tuple(listed),
        mu=own.mu,
        epsilon=own.epsilon,
        delta=own.delta,
        adjacency=adjacency,
        guarantees=both,
    )


def _guarantee(cost: Cost, adjacency: Adjacency, delta: float) -> Guarantee:
    mu = math.sqrt(cost.mu_squared) * (1 + 1e-15)
    return Guarantee(adjacency, mu, cost.epsilon(delta), delta)


def _nmf_settings(settings: Settings) -> nmf.TopicsSettings:
    return nmf.TopicsSettings(
        settings.topics, settings.most_words, settings.most_used, settings.refine
    )


def _public_words(settings: Settings) -> Vocabulary | None:
    return public_vocabulary(settings.public_words) if settings.vocabulary else None


def _topics(
    words: Sequence[str], loadings: FloatArray, noise: FloatArray | None = None
) -> list[Topic]:
    """The words of every column that stand out from the noise, the heaviest first."""
    return [
        Topic(
            _standing_out(
                _word(words[w], loadings[w, k], None if noise is None else noise[w, k]) for w in top
            )
        )
        for k, top in enumerate(coherence.top_words(loadings, len(words)))
    ]


def _standing_out(words: Iterable[Word]) -> tuple[Word, ...]:
    """At most 30 of the words; those within the noise only where hardly any other is left."""
    listed = tuple(words)
    clear = tuple(word for word in listed if not word.is_within_noise)
    faint = tuple(word for word in listed if word.is_within_noise)
    return (*clear, *faint[: max(_LEAST_SHOWN - len(clear), 0)])[:TOP_WORDS]


def _word(word: str, loading: float, noise: float | None) -> Word:
    if noise is None:
        return Word(word, float(loading))
    return Word(word, float(loading), float(noise), bool(abs(loading) < DEVIATIONS * noise))


def _directions(result: PrivateSvd) -> list[Topic]:
    """The words of largest loading of either sign, for every singular value.

    A released vector of squared cosine c with the true one carries a perpendicular error of squared
    length 1 - c, spread evenly over D words: sqrt((1 - c) / D) a word.
    """
    vectors, words = result.vectors, result.vocabulary.words
    topics = []
    for k, alignment in enumerate(vectors.alignments.tolist()):
        noise = math.sqrt(max(1 - alignment, 0.0) / len(words))
        order = (-abs(vectors.words[:, k])).argsort(kind="stable")
        shown = (_word(words[w], vectors.words[w, k], noise) for w in order)
        topics.append(Topic(_standing_out(shown)))
    return topics


def _spectrum(result: PrivateTopics) -> SpectrumShown | None:
    if result.spectrum is None:
        return None
    values = tuple(result.spectrum.eigenvalues.tolist())
    return SpectrumShown(values, result.spectrum.edge, result.spectrum.supported)


def _notes_on_number(result: PrivateTopics) -> list[str]:
    if result.topics + result.joined >= result.asked or result.spectrum is None:
        return []
    words = len(result.vocabulary.words)
    if result.spectrum.supported <= words // WORDS_PER_TOPIC:
        return [
            sentence(
                "{asked} topics were requested, but this report has {topics}. At this epsilon, "
                "the data does not support more topics. More respondents or a larger share of the "
                "budget may show more topics.",
                asked=result.asked,
                topics=result.topics,
            )
        ]
    return [
        sentence(
            "{asked} topics were requested, but this report has {topics}. Only {words} words are "
            "frequent enough to be shown at this epsilon, and a topic needs {needed} words.",
            asked=result.asked,
            topics=result.topics,
            words=words,
            needed=WORDS_PER_TOPIC,
        )
    ]


def _notes_on_joined(result: PrivateTopics) -> list[str]:
    """Not which topics were put together: the words of both are now those of one."""
    if not result.joined:
        return []
    if result.joined == 1:
        return [
            sentence(
                "One more topic was found, but its words coincide with the words of another "
                "topic. These two topics were combined."
            )
        ]
    return [
        sentence(
            "{count} more topics were found, but their words coincide with the words of other "
            "topics. These topics were combined.",
            count=result.joined,
        )
    ]


def _notes_on_published(result: PublishedReport) -> list[str]:
    return [
        sentence(
            "This report uses the published method with {iterations} iterations. Everything "
            "that the method looks at is charged to the privacy budget. The method does not give "
            "the noise of loadings or the sizes of topics. So this report cannot show which "
            "words are noise.",
            iterations=result.iterations,
        )
    ]


def _notes_on_values(result: PrivateSvd) -> list[str]:
    count = len(result.vectors.values)
    if count >= result.asked:
        return []
    return [
        sentence(
            "{asked} singular values were requested, and {count} stand out from the noise at this "
            "epsilon.",
            asked=result.asked,
            count=count,
        )
    ]


def _notes_on_words(vocabulary: Vocabulary, topics: Sequence[Topic]) -> list[str]:
    if not vocabulary.words:
        return [
            sentence(
                "No word was written by enough respondents to be shown at this epsilon. The cost "
                "of the report is spent, because refusing the report at no cost would also have "
                "revealed something about the answers."
            )
        ]
    shown = [word for topic in topics for word in topic.words]
    faint = sum(word.is_within_noise for word in shown)
    if not faint:
        return []
    return [
        sentence(
            "{faint} of {shown} words shown have a loading within two standard deviations of "
            "the noise, so these words may appear by chance. If {least} or more words of a topic "
            "stand out from the noise, only words that stand out are shown.",
            faint=faint,
            shown=len(shown),
            least=_LEAST_SHOWN,
        )
    ]
