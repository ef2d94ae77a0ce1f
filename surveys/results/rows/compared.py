"""Marks: what shares stand beside in pictures and tables: the plan, and the survey before."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import sqrt

from surveys.randomized_response.intervals import Interval
from surveys.results.questions import Report
from surveys.results.routes import Route
from surveys.results.rows.scales import ScaleReport
from surveys.results.shares import ShareReport, ShareRow


def planned_interval(row: ShareRow, responses: int, planned: int) -> Interval:
    """What the planned responses make of an interval: it shrinks with the root of their number.

    That holds of the interval as computed, around the estimate as it is now: one that is cut off at
    0 or 100 % shrinks later.
    """
    middle = (row.interval.low + row.interval.high) / 2 if row.share is None else row.share
    slope = sqrt(responses / planned)
    return row.interval.mapped(middle * (1 - slope), slope)


@dataclass(frozen=True)
class Marks:
    """What the shares of a survey are compared with.

    ``planned`` counts the responses of its plan, 0 without one and once it is reached; ``before``
    are the reports of the survey of this ``title``, by what is asked.
    """

    responses: int
    planned: int = 0
    title: str = ""
    before: Mapping[str, ShareReport] = field(default_factory=dict)

    def beside(self, report: Report) -> Report:
        """The same report with its marks; one without shares as it is."""
        if not isinstance(report, ShareReport) or not report.rows:
            return report
        earlier = self._earlier_rows(report)
        title = f"“{self.title}”" if earlier else ""
        marked = replace(report, planned=self.planned, earlier=title)
        marked = replace(marked, rows=tuple(self._row(row, earlier) for row in report.rows))
        if isinstance(marked, ScaleReport):
            marked = replace(marked, sums=tuple(self._row(row, earlier) for row in marked.sums))
        return marked

    def beside_all(self, found: Iterable[tuple[Report, Route]]) -> list[tuple[Report, Route]]:
        """The same for every question."""
        return [(self.beside(report), route) for report, route in found]

    def _row(self, row: ShareRow, earlier: Mapping[str, ShareRow]) -> ShareRow:
        planned = planned_interval(row, self.responses, self.planned) if self.planned else None
        return replace(row, planned=planned and planned.clipped(), earlier=earlier.get(row.label))

    def _earlier_rows(self, report: ShareReport) -> dict[str, ShareRow]:
        """What was found before, by answer, if the same was asked with the same answers."""
        found = self.before.get(report.item.text)
        if found is None or {row.label for row in found.rows} != {row.label for row in report.rows}:
            return {}
        return {row.label: row for row in found.all_rows}
