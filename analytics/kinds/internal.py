"""Exact topics, singular values and clusters from a Corpus: not private, with typical comments.

For internal eyes only: they show what respondents wrote.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analytics.kinds.documents import TOP_WORDS, Cluster, Clustering, Topic, TopicReport, Word
from analytics.kinds.settings import Settings, Watch
from analytics.text.bags import Bags
from analytics.text.vocabulary import take_columns
from analytics.text.weighting import inverse_document_frequencies, weigh_log_entropy, weigh_rows
from analytics.topics import coherence
from analytics.topics.checks import FloatArray, TopicsError
from analytics.topics.clusters import Clusters, cluster
from analytics.topics.nmf import coefficients_of
from analytics.topics.partitions import Partitions
from analytics.topics.spectrum import find_exact_topics
from analytics.topics.stages import DONE
from analytics.topics.svd import SingularVectors, decompose
from surveys.randomized_response.messages import sentence
from surveys.randomized_response.threads import on_one_thread

EXAMPLES = 5
MEMBERS = 30
EXACT_COHERENCE = sentence(
    "exact, computed from pairs of words and the shares of respondents who wrote both words of "
    "a pair. Like the whole report, coherence is not private."
)
INTERNAL = sentence("Internal: this report is not private and must not be published.")


@dataclass(frozen=True, eq=False)
class Corpus:
    """All respondents in one place: ``counts`` (respondents, words), and the respondents' keys."""

    words: tuple[str, ...]
    counts: sparse.csr_array
    keys: Sequence[str] | None

    @property
    def respondents(self) -> int:
        return int(self.counts.shape[0])

    def named(self, rows: NDArray[Any]) -> tuple[str, ...]:
        """The keys of respondents; none where no keys were given."""
        return tuple(str(self.keys[row]) for row in rows) if self.keys is not None else ()

    def words_of(self, columns: NDArray[Any]) -> tuple[str, ...]:
        """The words of columns."""
        return tuple(self.words[column] for column in columns)


def gather(partitions: Partitions, settings: Settings, keys: Sequence[str] | None) -> Corpus:
    """Words that at least two respondents wrote, or those of the public vocabulary.

    Partitions must come in the order of ``keys``. Raises TopicsError.
    """
    bags = _merged(list(partitions.map(_whole)))
    if keys is not None and len(keys) != bags.respondents:
        raise TopicsError("keys", len(keys), f"give one key for each of {bags.respondents}")
    corpus = Corpus(*_chosen(bags, settings), keys)
    if corpus.respondents < 2 or len(corpus.words) < 2:
        remedy = "topics need at least 2 respondents and 2 words that several of them wrote"
        raise TopicsError("texts", (corpus.respondents, len(corpus.words)), remedy)
    return corpus


def report_exact_topics(
    partitions: Partitions, settings: Settings, watch: Watch, keys: Sequence[str] | None
) -> TopicReport:
    """Topics of the exact co-occurrences, sizes, and typical comments. Raises TopicsError."""
    watch.reach(sentence("Counting words"), 0.0)
    corpus = gather(partitions, settings, keys)
    frequencies = (corpus.counts > 0).sum(axis=0)
    vectors = weigh_rows(corpus.counts, inverse_document_frequencies(frequencies))
    watch.reach(sentence("Finding topics"), 0.2)
    asked = min(settings.topics, *vectors.shape)
    loadings = on_one_thread(find_exact_topics)(vectors, asked, settings.seed)
    watch.reach(sentence("Counting respondents by topic"), 0.7)
    coefficients = on_one_thread(coefficients_of)(vectors, loadings)
    has_topic = coefficients.max(axis=1) > 0
    main = np.where(has_topic, coefficients.argmax(axis=1), -1)
    topics = _topics(corpus, loadings, main, np.asarray(vectors @ loadings))
    topics = [topic for topic in topics if topic.words and topic.size]
    topics.sort(key=lambda topic: -(topic.size or 0))
    watch.reach(DONE, 1.0)
    return replace(
        _report("exact_topics", corpus, settings, topics),
        notes=_notes(settings, len(topics), int((~has_topic).sum())),
    )


def report_exact_svd(
    partitions: Partitions, settings: Settings, watch: Watch, keys: Sequence[str] | None
) -> TopicReport:
    """Singular values of log-entropy weights, clusters of words and respondents.

    Topics are clusters of respondents, told by the words of their centres. Raises TopicsError.
    """
    watch.reach(sentence("Counting words"), 0.0)
    corpus = gather(partitions, settings, keys)
    weights = weigh_log_entropy(corpus.counts)
    weights.eliminate_zeros()
    if np.abs(weights.data).max(initial=0.0) < 1e-12:
        raise TopicsError(
            "texts",
            corpus.respondents,
            "every answer has the same words equally often, so no two respondents differ",
        )
    vectors = decompose(weights, min(settings.topics, *weights.shape), _after(watch, 0.1, 0.5))
    watch.reach(sentence("Clustering respondents"), 0.6)
    rng = np.random.default_rng(settings.seed)
    people, who = _clusters(vectors.respondent_projections, settings.topics, rng)
    watch.reach(sentence("Clustering words"), 0.8)
    words, which = _clusters(vectors.word_projections, settings.topics, rng)
    topics = _cluster_topics(corpus, vectors, people, who)
    shown = (
        _clustering("respondents", people, who, vectors.respondent_projections, corpus.named),
        _clustering("words", words, which, vectors.word_projections, corpus.words_of),
    )
    watch.reach(DONE, 1.0)
    return replace(
        _report("exact_svd", corpus, settings, topics),
        singular_values=tuple(vectors.values.tolist()),
        energy=vectors.energy,
        clusterings=shown,
        notes=_notes(settings, len(topics), corpus.respondents - len(who)),
    )


def _whole(bags: Bags) -> Bags:
    return bags


def _merged(parts: Sequence[Bags]) -> Bags:
    """Partitions under one another, words sorted: the same for every partitioning."""
    words = sorted(set().union(*(part.words for part in parts)))
    column_of = {word: column for column, word in enumerate(words)}
    blocks = [
        take_columns(
            part.counts, np.array([column_of[w] for w in part.words], dtype=int), len(words)
        )
        for part in parts
    ]
    if not blocks:
        return Bags((), sparse.csr_array((0, 0), dtype=np.int64))
    return Bags(tuple(words), sparse.csr_array(sparse.vstack(blocks, format="csr")))


def _chosen(bags: Bags, settings: Settings) -> tuple[tuple[str, ...], sparse.csr_array]:
    frequencies = np.asarray((bags.counts > 0).sum(axis=0)).ravel()
    if settings.vocabulary:
        public = set(settings.public_words)
        good = np.array([word in public for word in bags.words], dtype=bool)
    else:
        good = frequencies >= 2
    order = np.argsort(-frequencies, kind="stable")
    # In alphabetical order again, so that ties do not depend on how much was left out.
    kept = np.sort(order[good[order]][: settings.most_used])
    columns = np.full(len(bags.words), -1, dtype=np.int64)
    columns[kept] = np.arange(len(kept))
    counts = take_columns(bags.counts, columns, len(kept))
    return tuple(bags.words[column] for column in kept), counts


def _report(kind: str, corpus: Corpus, settings: Settings, topics: Sequence[Topic]) -> TopicReport:
    listed = [[word.word for word in topic.words[:10]] for topic in topics]
    shown = [word for top in listed for word in top]
    return TopicReport(
        kind=kind,
        is_private=False,
        respondents=corpus.respondents,
        settings=settings.to_data(),
        topics=tuple(topics),
        diversity=len(set(shown)) / len(shown) if shown else None,
        coherence_source=EXACT_COHERENCE,
        words_used=len(corpus.words),
    )


def _topics(
    corpus: Corpus, loadings: FloatArray, main: NDArray[Any], fit: FloatArray
) -> list[Topic]:
    """One topic a column; ``main`` is each respondent's topic, ``fit`` how typical they are."""
    tops = coherence.top_words(loadings, TOP_WORDS)
    topics = []
    for k, top in enumerate(tops):
        rows = np.flatnonzero(main == k)
        typical = rows[np.argsort(-fit[rows, k], kind="stable")[:EXAMPLES]]
        topics.append(
            Topic(
                tuple(Word(corpus.words[w], float(loadings[w, k])) for w in top),
                size=float(len(rows)),
                coherence=coherence.document_npmi(corpus.counts, top[:10])
                if len(top) > 1
                else None,
                examples=corpus.named(typical),
            )
        )
    return topics


def _cluster_topics(
    corpus: Corpus, vectors: SingularVectors, clusters: Clusters, rows: NDArray[Any]
) -> list[Topic]:
    """Centres told in words: a respondent's vector is about its projection times the words."""
    loadings = np.maximum(vectors.words @ clusters.centres.T, 0.0)
    lengths = np.linalg.norm(loadings, axis=0)
    main = np.full(corpus.respondents, -1)
    main[rows] = clusters.labels
    fit = np.asarray(vectors.respondent_projections @ clusters.centres.T)
    return _topics(corpus, loadings / np.where(lengths > 0, lengths, 1.0), main, fit)


def _clusters(rows: FloatArray, k: int, rng: np.random.Generator) -> tuple[Clusters, NDArray[Any]]:
    """Clusters of the rows that are not 0, and which rows these are."""
    some = np.flatnonzero(np.abs(rows).max(axis=1) > 0)
    points = rows[some]
    return cluster(points, min(k, len(np.unique(points, axis=0))), rng), some


def _clustering(
    of: str,
    clusters: Clusters,
    rows: NDArray[Any],
    points: FloatArray,
    named: Callable[[NDArray[Any]], tuple[str, ...]],
) -> Clustering:
    groups = []
    for label, centre in enumerate(clusters.centres):
        own = rows[clusters.labels == label]
        nearest = np.argsort(-(points[own] @ centre), kind="stable")[:MEMBERS]
        groups.append(Cluster(len(own), named(own[nearest])))
    return Clustering(of, clusters.stability, tuple(groups))


def _notes(settings: Settings, topics: int, silent: int) -> tuple[str, ...]:
    notes = [INTERNAL]
    if topics < settings.topics:
        notes.append(
            sentence(
                "{asked} topics were requested, but these answers give {topics}.",
                asked=settings.topics,
                topics=topics,
            )
        )
    if silent:
        notes.append(
            sentence(
                "{silent} respondents wrote none of the topics' words and belong to no topic.",
                silent=silent,
            )
        )
    return tuple(notes)


def _after(watch: Watch, start: float, stop: float = 1.0) -> Callable[[str, float], None]:
    """A watch for a part of the way, which is not done when that part is."""

    def reach(stage: str, fraction: float) -> None:
        if stage != DONE:
            watch.reach(stage, start + (stop - start) * fraction)

    return reach
