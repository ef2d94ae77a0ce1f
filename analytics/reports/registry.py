"""ANSWER_KINDS: the closed set of reports on stored answers, which spend no budget."""

from types import MappingProxyType

from analytics.reports.clouds import Clouds
from analytics.reports.comparisons import Comparison
from analytics.reports.kind import AnswerKind
from analytics.reports.trees import Tree

_ALL: tuple[AnswerKind, ...] = (Comparison(), Clouds(), Tree())
ANSWER_KINDS = MappingProxyType({kind.name: kind for kind in _ALL})
