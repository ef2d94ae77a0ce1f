"""ReportKind, private or internal: the closed set of kinds of report, and how one is made."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from analytics.kinds.documents import TopicReport
from analytics.kinds.internal import report_exact_svd, report_exact_topics
from analytics.kinds.private import Grant, report_published, report_svd, report_topics
from analytics.kinds.settings import Settings, SettingsError, Stopped, Unwatched, Watch, bags_of
from analytics.privacy.accounting import Budget, Cost
from analytics.privacy.mechanisms import Noise
from analytics.text.bags import Bags
from analytics.topics.partitions import LocalPartitions, Partitions

Private = Callable[[Partitions, Settings, Grant, Watch], TopicReport]
Internal = Callable[[Partitions, Settings, Watch, Sequence[str] | None], TopicReport]
DEFAULT = "private_topics"


@dataclass(frozen=True)
class ReportKind:
    """A kind of report in words, and who makes it: exactly one of ``private`` and ``internal``.

    ``finds`` is what one of its topics is called. ``can_refine``: the setting ``refine``
    has an effect. ``can_list_words``: a public vocabulary may be given.
    """

    name: str
    title: str
    explanation: str
    private: Private | None = None
    internal: Internal | None = None
    finds: str = "topic"
    can_refine: bool = False
    can_list_words: bool = False

    @property
    def is_private(self) -> bool:
        """Whether its reports may be published."""
        return self.private is not None


KINDS = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            ReportKind(
                "private_topics",
                "Private topics",
                "What respondents write about: topics with their words, sizes and uncertainty, "
                "found from noisy counts of which words occur together. Every look at the answers "
                "is charged.",
                private=report_topics,
                can_refine=True,
                can_list_words=True,
            ),
            ReportKind(
                "published",
                "Published private method",
                "Private NMF with outliers as it was published, with everything charged. For "
                "comparison: the default finds clearer topics for the same budget.",
                private=report_published,
                can_list_words=True,
            ),
            ReportKind(
                "private_svd",
                "Private singular values",
                "The strongest directions in which answers differ, with the words that make them, "
                "from the same noisy counts. Directions are not topics: words may count against.",
                private=report_svd,
                finds="direction",
                can_list_words=True,
            ),
            ReportKind(
                "exact_topics",
                "Exact topics (internal)",
                "Topics without any noise, with typical comments. Not private: for the data "
                "curator alone, never to be published.",
                internal=report_exact_topics,
                can_list_words=True,
            ),
            ReportKind(
                "exact_svd",
                "Exact singular values and clusters (internal)",
                "Singular values without any noise, and clusters of respondents and of words. Not "
                "private: for the data curator alone, never to be published.",
                internal=report_exact_svd,
                finds="cluster",
                can_list_words=True,
            ),
        )
    }
)


def kind_of(name: object) -> ReportKind:
    """The kind of this name. Raises SettingsError."""
    if not isinstance(name, str) or name not in KINDS:
        raise SettingsError("kind", name, f"give one of {', '.join(KINDS)}")
    return KINDS[name]


def check_kind(kind: ReportKind, settings: Settings) -> None:
    """Raises SettingsError where a setting has no effect on this kind."""
    if settings.refine and not kind.can_refine:
        raise SettingsError("refine", True, f"{kind.title} has nothing to refine: leave it out")
    if settings.vocabulary and not kind.can_list_words:
        raise SettingsError("vocabulary", "a list", f"{kind.title} takes no public vocabulary")


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
    typical examples. ``watch`` may raise Stopped: then nothing was released.

    Raises SettingsError, BudgetExceeded and BudgetError (before anything is read), TopicsError,
    NoiseError, TextError.
    """
    chosen, watch = kind_of(kind), watch or Unwatched()
    check_kind(chosen, settings)
    if chosen.internal is not None:
        return chosen.internal(partitions, settings, watch, keys)
    if chosen.private is None or budget_terms is None or cost is None or noise is None:
        raise SettingsError("budget", None, f"{chosen.title} needs a budget, a cost and noise")
    budget_terms.charge(Cost(), cost)
    return chosen.private(partitions, settings, Grant(budget_terms, cost, noise), watch)


__all__ = [
    "DEFAULT",
    "KINDS",
    "ReportKind",
    "Settings",
    "SettingsError",
    "Stopped",
    "Unwatched",
    "Watch",
    "bags_of",
    "check_kind",
    "kind_of",
    "local_partitions",
    "make_report",
]
