"""Marks: what shares stand beside in pictures and tables: the plan, and the surveys before."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import log, sqrt
from typing import TYPE_CHECKING

from surveys.randomized_response.intervals import Interval
from surveys.results.questions import Report
from surveys.results.routes import Route
from surveys.results.rows.scales import ScaleReport
from surveys.results.shares import ShareReport, ShareRow

if TYPE_CHECKING:
    from surveys.models import Survey

FEWEST = 3  # responses of which a logarithm says how a sequence shrinks


def planned_interval(row: ShareRow, responses: int, planned: int, *, is_live: bool) -> Interval:
    """What the planned responses make of an interval: it shrinks with the root of their number.

    That holds of the interval as computed, around the estimate as it is now: one that is cut off at
    0 or 100 % shrinks later. One that holds at every look goes √((ln n + c) / n) far, where c is
    not negative at the levels that are offered (Robbins 1970); c = 0 is the slowest shrinking.
    """
    middle = (row.interval.low + row.interval.high) / 2 if row.share is None else row.share
    slope = sqrt(responses / planned)
    if is_live:
        slope = min(1.0, slope * sqrt(log(planned) / log(max(responses, FEWEST))))
    return row.interval.mapped(middle * (1 - slope), slope)


@dataclass(frozen=True)
class Earlier:
    """What a survey that is over found of a question."""

    survey: "Survey"
    report: ShareReport


@dataclass(frozen=True)
class Marks:
    """What the shares of a survey are compared with.

    ``planned`` counts the responses of its plan, 0 where none more will come; ``before`` is what
    was found earlier, by what is asked.
    """

    responses: int
    planned: int = 0
    before: Mapping[str, Earlier] = field(default_factory=dict)

    @property
    def surveys(self) -> list["Survey"]:
        """Those before from which something is marked, each once."""
        return list({one.survey.pk: one.survey for one in self.before.values()}.values())

    def beside(self, report: Report) -> Report:
        """The same report with its marks; one without shares as it is."""
        if not isinstance(report, ShareReport) or not report.rows:
            return report
        earlier, is_live = self._earlier_rows(report), report.reading.is_live
        title = f"“{self.before[report.item.text].survey.title}”" if earlier else ""
        rows = tuple(self._row(row, earlier, is_live) for row in report.rows)
        marked = replace(report, planned=self.planned, earlier=title, rows=rows)
        if isinstance(marked, ScaleReport):
            sums = tuple(self._row(row, earlier, is_live) for row in marked.sums)
            marked = replace(marked, sums=sums)
        return marked

    def beside_all(self, found: Iterable[tuple[Report, Route]]) -> list[tuple[Report, Route]]:
        """The same for every question."""
        return [(self.beside(report), route) for report, route in found]

    def _row(self, row: ShareRow, earlier: Mapping[str, ShareRow], is_live: bool) -> ShareRow:
        row = replace(row, earlier=earlier.get(row.label))
        if not self.planned:
            return row
        planned = planned_interval(row, self.responses, self.planned, is_live=is_live)
        return replace(row, planned=planned.clipped())

    def _earlier_rows(self, report: ShareReport) -> dict[str, ShareRow]:
        """What was found before, by answer, if the same was asked with the same answers."""
        found = self.before.get(report.item.text)
        labels = {row.label for row in report.rows}
        if found is None or {row.label for row in found.report.rows} != labels:
            return {}
        return {row.label: row for row in found.report.all_rows}
