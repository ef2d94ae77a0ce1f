"""TablesKind, ScheduleKind, LockedKind: tables that count direct answers and may be published.

To ask for one is to publish it, which is the owner's to decide. What reads their results loads the
noise library, so that it is imported where it is needed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext

from analytics.kinds.documents import DocumentError
from analytics.kinds.plain import MISSHAPEN
from analytics.kinds.registry import LOCKED, SCHEDULE, TABLE_RELEASE, ReportKind
from analytics.models import OpeningRelease, Report
from analytics.privacy.accounting import Cost
from analytics.reports.kind import NO_FACTS, Kind, ReportFacts
from analytics.reports.release_page import release_blocks
from surveys.randomized_response.messages import sentence
from surveys.reports.documents import Document, ResultColumn, ResultTable, Text, number_column
from surveys.wording.language.numbers import grouped, localized

if TYPE_CHECKING:
    from analytics.kinds.tables.released import TableRelease


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

    def cost(self, report: Report) -> Cost:
        """What all openings together were charged at the launch."""
        from analytics.kinds.tables.schedules import TableSchedule

        return TableSchedule.from_document(report.document or {}).cost


@dataclass(frozen=True)
class ChargedTables:
    """Which tables of locked answers were charged: number, cells and deviation of each."""

    tables: tuple[tuple[int, int, str], ...]
    cost: Cost

    def to_document(self) -> dict[str, Any]:
        """What the report holds."""
        return {
            "tables": [list(one) for one in self.tables],
            "mu_squared": f"{self.cost.mu_squared:f}",
            "threshold_delta": f"{self.cost.threshold_delta:f}",
        }

    @classmethod
    def from_document(cls, document: Any) -> "ChargedTables":
        """What ``to_document`` wrote. Raises DocumentError."""
        try:
            tables = tuple((int(n), int(cells), str(sd)) for n, cells, sd in document["tables"])
            cost = Cost(Decimal(document["mu_squared"]), Decimal(document["threshold_delta"]))
        except MISSHAPEN as problem:
            remedy = sentence("the content is not a charge for locked tables")
            raise DocumentError("document", problem, remedy) from None
        return cls(tables, cost)


class LockedKind(ReleasedKind):
    """Totals of locked answers, charged at the close; the survey shows what trustees opened."""

    def __init__(self) -> None:
        super().__init__(LOCKED)

    def result(self, report: Report) -> ChargedTables:
        """What was charged. Raises DocumentError."""
        return ChargedTables.from_document(report.document)

    def show(self, result: ChargedTables, facts: ReportFacts = NO_FACTS) -> Document:
        """Each table with its noise; the totals themselves are on the survey's page of them."""
        note = Text(
            gettext(
                "These tables were charged to the privacy budget when the survey closed. As "
                "soon as all trustees have opened the totals, the totals are on the survey's "
                "page of locked tables."
            )
        )
        rows = tuple({"table": n, "cells": cells, "sigma": sd} for n, cells, sd in result.tables)
        columns = tuple(_charged_columns())
        return Document((note, ResultTable("", columns, rows, label=gettext("Locked tables"))))


def _charged_columns() -> Iterator[ResultColumn]:
    yield number_column("table", gettext("Locked table"), grouped)
    yield number_column("cells", gettext("Cells"), grouped)
    yield number_column("sigma", gettext("Noise of each trustee (standard deviation)"), localized)


def drawn_sets(report: Report) -> dict[int, dict[tuple[int, ...], tuple[int, ...]]]:
    """What each opening drew of a schedule, by its place, set by set."""
    openings = OpeningRelease.objects.filter(report=report).order_by("place")
    return {
        opening.place: {tuple(chosen): tuple(values) for chosen, values in opening.content}
        for opening in openings
    }
