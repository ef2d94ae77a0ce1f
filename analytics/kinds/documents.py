"""TopicReport, Topic, Word, Charge, Guarantee, Clustering: what a report says, to and from JSON.

Everything in a private report was released with noise or computed from what was; an internal one
holds what respondents wrote and is marked so. Amounts of privacy are decimals, written as text.
"""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Any, ClassVar, Self

from analytics.kinds.plain import MISSHAPEN, from_plain, to_plain
from analytics.privacy.accounting import Adjacency, Cost, total
from surveys.randomized_response.errors import StatisticsError
from surveys.randomized_response.messages import sentence

VERSION = 1
TOP_WORDS = 30


class DocumentError(StatisticsError):
    """A stored report that this version cannot read."""


class StoredReport:
    """A report, a dataclass whose fields are all that is stored of it, ``version`` among them.

    ``before`` are fields that documents of earlier versions do not have, as they were then.
    """

    version: int
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    before: ClassVar[Mapping[str, Any]] = MappingProxyType({})

    def to_document(self) -> dict[str, Any]:
        """Plain values for JSON, without NaN."""
        return to_plain(self)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """The report that ``to_document`` wrote. Raises DocumentError."""
        if not isinstance(document, Mapping) or document.get("version") != cls.version:
            version = document.get("version") if isinstance(document, Mapping) else document
            remedy = sentence(
                "create the report again, because this program uses version {version}",
                version=cls.version,
            )
            raise DocumentError("version", version, remedy)
        known = {**cls.before, **document}
        try:
            # No default for what is missing: a report without charges would seem to cost nothing.
            return from_plain({name: known[name] for name in cls.__dataclass_fields__}, cls)
        except MISSHAPEN as problem:
            raise DocumentError("document", problem, sentence("create the report again")) from None


@dataclass(frozen=True)
class Word:
    """A word of a topic as it was counted. ``loading`` is its entry in a column of length 1.

    ``form`` is what people read where the word is a stem: the commonest public word with that stem;
    empty where it is the word itself.

    ``noise`` is the standard deviation of that entry, None where there is none (exact reports) or
    none is known. ``is_within_noise``: the loading is less than two of them from 0.
    """

    word: str
    loading: float
    noise: float | None = None
    is_within_noise: bool = False
    form: str = ""

    @property
    def shown(self) -> str:
        """The word as people read it."""
        return self.form or self.word


@dataclass(frozen=True)
class Topic:
    """The words of a topic, the heaviest first (at most 30), and how many respondents it has.

    ``size`` is a number of respondents by main topic, with ``low`` and ``high`` at two standard
    deviations of its noise; all three are None where a kind tells no sizes, and the last two where
    sizes are exact. ``coherence`` lies in [-1, 1] (see the report's ``coherence_source``).
    ``examples`` are keys of typical comments, in internal reports only.
    """

    words: tuple[Word, ...]
    size: float | None = None
    low: float | None = None
    high: float | None = None
    coherence: float | None = None
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class SpectrumShown:
    """Eigenvalues, descending, against the ``edge`` below which noise explains them.

    ``supported`` is how many topics the data supports at this noise.
    """

    values: tuple[float, ...]
    edge: float
    supported: int


@dataclass(frozen=True)
class Charge:
    """What one step cost, in terms of the report's adjacency."""

    what: str
    mu_squared: Decimal
    threshold_delta: Decimal = Decimal(0)

    @property
    def cost(self) -> Cost:
        """The same as an amount that adds up."""
        return Cost(self.mu_squared, self.threshold_delta)


@dataclass(frozen=True)
class Guarantee:
    """What a report promises under one adjacency: (epsilon, delta), from mu."""

    adjacency: Adjacency
    mu: float
    epsilon: float
    delta: float


@dataclass(frozen=True)
class Cluster:
    """One cluster: how many members it has, and those nearest to its centre."""

    size: int
    members: tuple[str, ...]


@dataclass(frozen=True)
class Clustering:
    """Clusters of "words" or of "respondents", the largest first. Internal reports only.

    ``stability`` is the mean agreement (adjusted Rand index) of all pairs of starts: 1 if every
    start finds the same clusters, about 0 if they are arbitrary.
    """

    of: str
    stability: float
    groups: tuple[Cluster, ...]


@dataclass(frozen=True)
class TopicReport(StoredReport):
    """One report. ``settings`` are those that it was made with, as plain data.

    ``respondents`` is public. ``mu``, ``epsilon`` and ``delta`` hold under ``adjacency``, the
    promised one; ``guarantees`` has them for both. An internal report promises nothing: they are
    None. ``charges`` are all that was charged: ``cost`` is their sum. ``energy`` is the share of
    the squared length of all vectors that the singular values capture (exact reports).
    """

    kind: str
    is_private: bool
    respondents: int
    settings: Mapping[str, Any]
    topics: tuple[Topic, ...]
    spectrum: SpectrumShown | None = None
    singular_values: tuple[float, ...] = ()
    diversity: float | None = None
    coherence_source: str = ""
    charges: tuple[Charge, ...] = ()
    mu: float | None = None
    epsilon: float | None = None
    delta: float | None = None
    adjacency: Adjacency | None = None
    guarantees: tuple[Guarantee, ...] = ()
    words_used: int = 0
    notes: tuple[str, ...] = ()
    clusterings: tuple[Clustering, ...] = ()
    energy: float | None = None
    version: int = field(default=VERSION)

    @property
    def cost(self) -> Cost:
        """What was charged in all, in terms of ``adjacency``."""
        return total(charge.cost for charge in self.charges)
