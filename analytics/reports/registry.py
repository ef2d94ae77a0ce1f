"""KINDS: the closed set of kinds of report."""

from types import MappingProxyType

from analytics.kinds.registry import KINDS as TOPIC_KINDS
from analytics.reports.clouds import CloudsKind
from analytics.reports.comparisons import ComparisonKind
from analytics.reports.kind import AnswerKind, Kind
from analytics.reports.private_trees import PrivateTreeKind
from analytics.reports.released import LockedKind, ScheduleKind, TablesKind
from analytics.reports.topics.kind import TopicsKind
from analytics.reports.trees import TreeKind

_ON_ANSWERS: tuple[AnswerKind, ...] = (ComparisonKind(), CloudsKind(), TreeKind())
_ALL: tuple[Kind, ...] = (
    *map(TopicsKind, TOPIC_KINDS.values()),
    *_ON_ANSWERS,
    TablesKind(),
    PrivateTreeKind(),
    ScheduleKind(),
    LockedKind(),
)
KINDS = MappingProxyType({kind.name: kind for kind in _ALL})
ANSWER_KINDS = MappingProxyType({kind.name: kind for kind in _ON_ANSWERS})


class _Unknown(Kind):
    """A kind of another version: it is listed by its name, and nothing of it is shown."""

    def __init__(self, name: str) -> None:
        self.name = self.title = name
        self.explanation = ""

    def result(self, report: object) -> None:
        """Nothing that this version could read."""


def kind_named(name: str) -> Kind:
    """The kind of this name, also one that this version does not know."""
    return KINDS.get(name) or _Unknown(name)


def names_of_kinds(*, pays: bool | None = None, is_open: bool | None = None) -> tuple[str, ...]:
    """The kinds that pay or do not, and that all who read results may see or may not."""
    return tuple(
        kind.name for kind in _ALL if pays in (None, kind.pays) and is_open in (None, kind.is_open)
    )
