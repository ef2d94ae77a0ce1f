"""ANALYSES: the closed set of analyses, each with a page, charts and files of its own."""

from types import MappingProxyType

from surveys.results.analyses.breakdown_kind import BreakdownKind
from surveys.results.analyses.kind import AnalysisKind
from surveys.results.analyses.regression_kind import RegressionKind
from surveys.results.analyses.weights_kind import WeightsKind

_ALL: tuple[AnalysisKind, ...] = (BreakdownKind(), WeightsKind(), RegressionKind())
ANALYSES = MappingProxyType({kind.name: kind for kind in _ALL})
