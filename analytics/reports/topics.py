"""TopicsKind: reports on the answers to a text question, private or internal."""

from typing import Any

from analytics.kinds.documents import TopicReport
from analytics.kinds.registry import ReportKind
from analytics.models import Report
from analytics.reports.kind import Kind
from surveys.staff.roles import Ability


class TopicsKind(Kind):
    """One of the kinds of topic report."""

    is_of_texts = True

    def __init__(self, kind: ReportKind) -> None:
        self.name, self.title, self.explanation = kind.name, kind.title, kind.explanation
        self.pays = self.is_open = kind.is_private
        self.finds = kind.finds
        self.asked_by = Ability.EDIT if kind.is_private else Ability.RULE

    def result(self, report: Report) -> TopicReport | None:
        """Its topics. Raises DocumentError: another version made it."""
        content: Any = report.document
        if content is None and report.extract:
            content = report.extract.document
        return None if content is None else TopicReport.from_document(content)
