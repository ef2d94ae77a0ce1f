"""AnswerKind: the closed set of reports on stored answers, which spend no budget."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from analytics.kinds.clouds import CloudReport, CloudSettings
from analytics.kinds.comparisons import ComparisonReport, ComparisonSettings
from analytics.kinds.tree_reports import TreeReport, TreeSettings
from surveys.randomized_response.messages import sentence

AnswerReport = ComparisonReport | CloudReport | TreeReport
AnswerSettings = ComparisonSettings | CloudSettings | TreeSettings


@dataclass(frozen=True)
class AnswerKind:
    """A kind of report in words; ``is_open``: all who read results may see it, not curators alone.

    ``read`` turns a stored document into the report, ``settings`` stored settings into theirs.
    """

    name: str
    title: str
    explanation: str
    is_open: bool
    read: Callable[[Mapping[str, Any]], AnswerReport]
    settings: Callable[[Mapping[str, Any]], AnswerSettings]


ANSWER_KINDS = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            AnswerKind(
                "comparison",
                sentence("Who answers differently?"),
                sentence(
                    "How far apart groups answer, in the question's own units, with what chance "
                    "alone would do."
                ),
                True,
                ComparisonReport.from_document,
                ComparisonSettings.from_data,
            ),
            AnswerKind(
                "clouds",
                sentence("Who differs on several questions at once?"),
                sentence(
                    "How far apart groups are on two or more numbers or scales together, in "
                    "spreads of the answers."
                ),
                True,
                CloudReport.from_document,
                CloudSettings.from_data,
            ),
            AnswerKind(
                "tree",
                sentence("Which answers go with this one? (internal)"),
                sentence(
                    "A tree of questions whose answers go with one answer. It describes groups and "
                    "says nothing about one respondent. For the data curator alone."
                ),
                False,
                TreeReport.from_document,
                TreeSettings.from_data,
            ),
        )
    }
)
