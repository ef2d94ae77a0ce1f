"""TablesKind, ScheduleKind: tables that count direct answers and may be published.

To ask for one is to publish it, which is the owner's to decide. What reads their results loads the
noise library, so that it is imported where it is needed.
"""

from typing import TYPE_CHECKING

from analytics.kinds.registry import SCHEDULE, TABLE_RELEASE, ReportKind
from analytics.models import OpeningRelease, Report
from analytics.reports.kind import NO_FACTS, Kind, ReportFacts
from analytics.reports.release_page import release_blocks
from surveys.reports.documents import Document

if TYPE_CHECKING:
    from analytics.kinds.tables.released import TableRelease
    from analytics.privacy.accounting import Cost


class ReleasedKind(Kind):
    """One of them, in the words of the registry of kinds."""

    pays = is_open = counts_answers = True

    def __init__(self, kind: ReportKind) -> None:
        self.name, self.title, self.explanation = kind.name, kind.title, kind.explanation
        self.finds = kind.finds


class ReleasedTablesKind(ReleasedKind):
    """One whose tables have a page of their own, for staff and outsiders alike."""

    is_of_tables = True

    def show(self, result: "TableRelease", facts: ReportFacts = NO_FACTS) -> Document:
        """Every table with its margins, the method, and how to quote it."""
        return Document(tuple(release_blocks(result, facts)))


class TablesKind(ReleasedTablesKind):
    """Tables that were released once."""

    def __init__(self) -> None:
        super().__init__(TABLE_RELEASE)

    def result(self, report: Report) -> "TableRelease | None":
        """The tables. Raises DocumentError."""
        from analytics.kinds.tables.released import TableRelease

        return None if report.document is None else TableRelease.from_document(report.document)

    def is_public(self, report: Report) -> bool:
        """Whether its owner opened it when it was published."""
        return report.settings.get("is_public") is True


class ScheduleKind(ReleasedTablesKind):
    """Tables that are released at each opening."""

    draws_at_openings = True

    def __init__(self) -> None:
        super().__init__(SCHEDULE)

    def result(self, report: Report) -> "TableRelease | None":
        """The tables of all people of the openings so far; None before the first."""
        from analytics.kinds.tables.schedules import TableSchedule

        drawn = drawn_sets(report)
        return TableSchedule.from_document(report.document or {}).release(drawn) if drawn else None

    def cost(self, report: Report) -> "Cost":
        """What all openings together were charged at the launch."""
        from analytics.kinds.tables.schedules import TableSchedule

        return TableSchedule.from_document(report.document or {}).cost


def drawn_sets(report: Report) -> dict[int, dict[tuple[int, ...], tuple[int, ...]]]:
    """What each opening drew of a schedule, by its place, set by set."""
    openings = OpeningRelease.objects.filter(report=report).order_by("place")
    return {
        opening.place: {tuple(chosen): tuple(values) for chosen, values in opening.content}
        for opening in openings
    }
