"""Marks: what shares stand beside in pictures and tables: the plan, and the surveys before."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import log, sqrt
from typing import TYPE_CHECKING, Any

from surveys.questionnaire.formats.launched import TEXTS
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import question_document
from surveys.randomized_response.intervals import Interval
from surveys.results.questions import Report
from surveys.results.routes import Route
from surveys.results.shares import ShareReport, ShareRow

if TYPE_CHECKING:
    from surveys.models import Survey

SAME = {*TEXTS, "form", "kind"}  # what of a question's document makes it the same elsewhere
FEWEST = 3  # responses of which a logarithm says how a sequence shrinks


def planned_interval(row: ShareRow, responses: int, planned: int, *, is_live: bool) -> Interval:
    """What the planned responses make of an interval: it shrinks with the root of their number.

    More are planned than came. That holds of the interval as computed, around the estimate as it is
    now: one that is cut off at 0 or 100 % shrinks later. One that holds at every look (Robbins
    1970, as in docs/peeking.md) goes √(p (1 - p) (ln n + c) / n) far, by Stirling's formula with
    c = -ln(2 π p (1 - p) α²) for a reported share p at level 1 - α. At the levels that are offered
    c is above 4. We take c = 0, which shrinks slowest: so the mark is at most too wide.
    """
    middle = (row.interval.low + row.interval.high) / 2 if row.share is None else row.share
    slope = sqrt(responses / planned)
    if is_live:
        slope *= sqrt(log(planned) / log(max(responses, FEWEST)))
    return row.interval.mapped(middle * (1 - slope), slope)


def asked_words(item: Question) -> tuple[str, ...]:
    """A question's kind and all its words, those of help and of answers in their order.

    Two that have the same were asked alike, by one design or by two.
    """
    return tuple(_same("", question_document(item)))


def _same(name: str, part: Any) -> Iterator[str]:
    if isinstance(part, Mapping):
        for inner, value in part.items():
            yield from _same(inner, value)
    elif isinstance(part, list | tuple):
        for value in part:
            yield from _same(name, value)
    elif name in SAME:
        yield str(part)


@dataclass(frozen=True)
class Earlier:
    """What a survey that is over found of a question."""

    survey: "Survey"
    report: ShareReport


@dataclass(frozen=True)
class Marks:
    """What the shares of a survey are compared with.

    ``planned`` counts the responses of its plan, 0 where none more will come; ``before`` is what
    was found earlier, by ``asked_words``.
    """

    responses: int
    planned: int = 0
    before: Mapping[tuple[str, ...], Earlier] = field(default_factory=dict)

    @property
    def surveys(self) -> list["Survey"]:
        """Those before from which something is marked, each once."""
        return list({one.survey.pk: one.survey for one in self.before.values()}.values())

    def beside(self, report: Report) -> Report:
        """The same report with its marks; one without shares as it is."""
        if not isinstance(report, ShareReport) or not report.rows:
            return report
        found, is_live = self.before.get(asked_words(report.item)), report.reading.is_live
        earlier = {row.answer: row for row in found.report.all_rows} if found else {}
        title = f"“{found.survey.title}”" if found else ""
        marked = report.marked(lambda row: self._row(row, earlier, is_live))
        return replace(marked, planned=self.planned, earlier=title)

    def beside_all(self, found: Iterable[tuple[Report, Route]]) -> list[tuple[Report, Route]]:
        """The same for every question."""
        return [(self.beside(report), route) for report, route in found]

    def _row(self, row: ShareRow, earlier: Mapping[str, ShareRow], is_live: bool) -> ShareRow:
        row = replace(row, earlier=earlier.get(row.answer))
        if not self.planned:
            return row
        planned = planned_interval(row, self.responses, self.planned, is_live=is_live)
        return replace(row, planned=planned.clipped())
