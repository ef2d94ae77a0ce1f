"""How a report of each kind is made: loads the topic models, so only workers and commands do."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from analytics.kinds.documents import Clustering, Topic, TopicReport
from analytics.kinds.internal import report_exact_svd, report_exact_topics
from analytics.kinds.private import Grant, report_published, report_svd, report_topics
from analytics.kinds.registry import ReportKind, check_kind, kind_of
from analytics.kinds.settings import Settings, SettingsError, Unwatched, Watch
from analytics.privacy.accounting import Budget, Cost
from analytics.privacy.mechanisms import Noise
from analytics.text.bags import Bags, count_words
from analytics.text.inflections import NONE, forms_of, readable
from analytics.topics.partitions import LocalPartitions, Partitions

Private = Callable[[Partitions, Settings, Grant, Watch], TopicReport]
Internal = Callable[[Partitions, Settings, Watch, Sequence[str] | None], TopicReport]
PRIVATE: Mapping[str, Private] = MappingProxyType(
    {
        "private_topics": report_topics,
        "published": report_published,
        "private_svd": report_svd,
    }
)
INTERNAL: Mapping[str, Internal] = MappingProxyType(
    {"exact_topics": report_exact_topics, "exact_svd": report_exact_svd}
)


def bags_of(
    texts: Iterable[str], settings: Settings, respondents: Sequence[Hashable] | None = None
) -> Bags:
    """Bags of words of texts, one row a respondent (see ``count_words``). Raises TextError."""
    return count_words(texts, settings.tokenizer, respondents)


def local_partitions(
    parts: Sequence[Bags], kind: ReportKind | str, settings: Settings
) -> LocalPartitions:
    """Bags in this process. Private kinds keep at most ``settings.most_words`` a respondent."""
    chosen = kind if isinstance(kind, ReportKind) else kind_of(kind)
    longest = max((len(part.words) for part in parts), default=1)
    most = settings.most_words if chosen.is_private else max(longest, 1)
    return LocalPartitions(parts, most)


def make_report(
    kind: str,
    partitions: Partitions,
    settings: Settings,
    *,
    budget_terms: Budget | None = None,
    cost: Cost | None = None,
    noise: Noise | None = None,
    watch: Watch | None = None,
    keys: Sequence[str] | None = None,
) -> TopicReport:
    """The report of a kind: deterministic, given data, settings and (private kinds) the noise.

    Private kinds need ``budget_terms`` (epsilon, delta, the public number of respondents and the
    adjacency), ``cost`` in terms of *that* adjacency, as the ledger keeps it, and ``noise``; the
    sum of the report's charges is at most ``cost``. Partitions must hold at most
    ``settings.most_words`` words a respondent (``local_partitions``). Internal kinds need
    partitions in the order of ``keys``, which name the respondents' comments and are shown as
    typical examples. ``watch`` may raise Stopped: then nothing is returned.

    Raises SettingsError, BudgetExceeded and BudgetError (before anything is read), TopicsError,
    NoiseError, TextError.
    """
    chosen, watch = kind_of(kind), watch or Unwatched()
    check_kind(chosen, settings)
    if not chosen.is_private:
        return _with_forms(INTERNAL[kind](partitions, settings, watch, keys), settings)
    if budget_terms is None or cost is None or noise is None:
        raise SettingsError("budget", None, f"{chosen.title} needs a budget, a cost and noise")
    budget_terms.charge(Cost(), cost)
    report = PRIVATE[kind](partitions, settings, Grant(budget_terms, cost, noise), watch)
    return _with_forms(report, settings)


def _with_forms(report: TopicReport, settings: Settings) -> TopicReport:
    """The same report with the form of each word; words of the settings' public list go first."""
    listed = settings.listed_forms
    forms = forms_of(settings.language) if settings.language and settings.stems else NONE
    topics = tuple(_topic(topic, forms, listed) for topic in report.topics)
    clusterings = tuple(_clustering(clustering, forms, listed) for clustering in report.clusterings)
    return replace(report, topics=topics, clusterings=clusterings)


def _topic(topic: Topic, forms: Mapping[str, str], listed: Mapping[str, str]) -> Topic:
    read = [(word, readable(word.word, forms, listed)) for word in topic.words]
    words = tuple(replace(word, form="" if form == word.word else form) for word, form in read)
    return replace(topic, words=words)


def _clustering(
    clustering: Clustering, forms: Mapping[str, str], listed: Mapping[str, str]
) -> Clustering:
    """Groups of words are read; those of respondents are keys of comments."""
    if clustering.of != "words":
        return clustering
    groups = (
        replace(group, members=tuple(readable(word, forms, listed) for word in group.members))
        for group in clustering.groups
    )
    return replace(clustering, groups=tuple(groups))
